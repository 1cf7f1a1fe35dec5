"""Which commit and which sources a run was made from."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.results import commit_of, sources_digest

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    return subprocess.run(
        ["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    git(tmp_path, "init", "--quiet")
    (tmp_path / "module.py").write_text("one = 1\n")
    (tmp_path / ".gitignore").write_text("ignored/\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    return tmp_path


@needs_git
def test_a_clean_repository_has_a_commit_and_is_not_dirty(repository: Path) -> None:
    assert commit_of(repository) == (git(repository, "rev-parse", "HEAD"), False)


@needs_git
def test_a_changed_file_makes_it_dirty(repository: Path) -> None:
    (repository / "module.py").write_text("one = 2\n")
    assert commit_of(repository) == (git(repository, "rev-parse", "HEAD"), True)


@needs_git
def test_a_new_file_makes_it_dirty_unless_it_is_ignored(repository: Path) -> None:
    (repository / "ignored").mkdir()
    (repository / "ignored" / "page.html").write_text("x")
    assert commit_of(repository)[1] is False
    (repository / "new.py").write_text("x = 1\n")
    assert commit_of(repository)[1] is True


@needs_git
def test_what_was_measured_does_not_make_it_dirty(repository: Path) -> None:
    (repository / ".bakeoff" / "runs").mkdir(parents=True)
    (repository / ".bakeoff" / "runs" / "run.json").write_text("{}")
    assert commit_of(repository)[1] is False


@needs_git
def test_only_the_projects_own_folder_counts(repository: Path) -> None:
    project = repository / "project"
    project.mkdir()
    (project / "module.py").write_text("x = 1\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "-m", "two")
    (repository / "elsewhere.py").write_text("y = 1\n")
    assert commit_of(project) == (git(repository, "rev-parse", "HEAD"), False)
    assert commit_of(repository)[1] is True


@needs_git
def test_a_repository_before_its_first_commit_has_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "module.py").write_text("x = 1\n")
    assert commit_of(tmp_path) == (None, True)


@needs_git
def test_a_folder_outside_any_repository_has_no_commit(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == (None, False)


@needs_git
def test_a_hooks_environment_does_not_answer_for_another_repository(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(repository / ".git"))
    assert commit_of(tmp_path_factory.mktemp("outside")) == (None, False)


def test_a_machine_without_git_has_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit_of(tmp_path) == (None, False)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "here" / "impls"
    (folder / "snapshot").mkdir(parents=True)
    (folder / "snapshot" / "deepcopy.py").write_text("a = 1\n")
    (folder / "snapshot" / "patchset.py").write_text("b = 2\n")
    return folder


def test_the_digest_does_not_depend_on_where_the_sources_lie(sources: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "there" / "deeper" / "impls"
    shutil.copytree(sources, elsewhere)
    assert sources_digest([elsewhere]) == sources_digest([sources])


def test_the_digest_does_not_depend_on_the_order_of_the_paths(sources: Path) -> None:
    one, two = sources / "snapshot" / "deepcopy.py", sources / "snapshot" / "patchset.py"
    assert sources_digest([one, two]) == sources_digest([two, one])


def test_the_digest_changes_with_any_byte_name_or_file(sources: Path) -> None:
    digests = [sources_digest([sources])]
    (sources / "snapshot" / "deepcopy.py").write_text("a = 2\n")
    digests.append(sources_digest([sources]))
    (sources / "snapshot" / "deepcopy.py").rename(sources / "snapshot" / "deep_copy.py")
    digests.append(sources_digest([sources]))
    (sources / "snapshot" / "undo_log.py").write_text("")
    digests.append(sources_digest([sources]))
    (sources / "snapshot" / "patchset.py").rename(sources / "patchset.py")
    digests.append(sources_digest([sources]))
    assert len(set(digests)) == 5
    assert all(len(digest) == 64 for digest in digests)


def test_contents_that_change_places_change_the_digest(sources: Path) -> None:
    before = sources_digest([sources])
    (sources / "snapshot" / "deepcopy.py").write_text("b = 2\n")
    (sources / "snapshot" / "patchset.py").write_text("a = 1\n")
    assert sources_digest([sources]) != before


def test_the_digest_leaves_out_what_is_no_source(sources: Path) -> None:
    before = sources_digest([sources])
    for name in ("snapshot/__pycache__/deepcopy.py", ".hidden/x.py", "snapshot/notes.md"):
        path = sources / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x = 1\n")
    assert sources_digest([sources]) == before


def test_a_source_that_is_missing_is_an_error_that_names_it(sources: Path) -> None:
    missing = sources / "snapshot" / "gone.py"
    with pytest.raises(BakeoffError) as caught:
        sources_digest([sources, missing])
    assert f"{missing}: cannot be read" in str(caught.value)


def test_the_digest_of_nothing_is_not_that_of_something(sources: Path) -> None:
    assert sources_digest([]) != sources_digest([sources])
