from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import BakeoffError, LoadError, NotFoundError
from bakeoff.study import Project, load_workloads


@pytest.fixture
def project(tmp_path: Path) -> Project:
    for path, text in {
        "impls/sums/interface.py": "",
        "impls/sums/conformance.py": "",
        "impls/sums/_helper.py": "",
        "impls/sums/loop.py": '"""A loop.\n\nAnd more.\n"""\n',
        "impls/sums/broken.py": "this is not Python",
        "impls/notes/readme.txt": "",
        "benchmarks/sums.py": "",
    }.items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    return Project(tmp_path)


def test_a_project_is_found_from_any_folder_inside_it(project: Project) -> None:
    assert Project.find(project.root / "impls" / "sums") == Project(project.root.resolve())


def test_outside_a_project_finding_one_says_what_it_is(tmp_path: Path) -> None:
    with pytest.raises(BakeoffError, match=r"A project is a folder with impls/ and benchmarks/"):
        Project.find(tmp_path)


def test_a_folder_without_an_interface_is_no_study(project: Project) -> None:
    assert project.studies() == ("sums",)
    with pytest.raises(NotFoundError, match="'notes' is not a study"):
        project.study("notes")


def test_every_public_file_is_an_implementation_broken_or_not(project: Project) -> None:
    assert project.study("sums").implementations == ("broken", "loop")


def test_a_label_is_the_first_line_of_the_docstring_or_the_name(project: Project) -> None:
    study = project.study("sums")
    assert study.label("loop") == "A loop."
    assert study.label("broken") == "broken"


def test_a_suite_without_workloads_says_what_to_write(project: Project) -> None:
    (project.root / "benchmarks/sums.py").unlink()
    with pytest.raises(LoadError, match=r"benchmarks/sums\.py does not exist"):
        load_workloads(project, project.study("sums"))


def test_the_sources_of_a_run_are_ruler_subject_and_testbed_but_not_the_harness(
    project: Project,
) -> None:
    for package in ("bakeoff", "testbed"):
        (project.root / "src" / package).mkdir(parents=True)
    names = [path.relative_to(project.root).as_posix() for path in project.sources("sums")]
    assert names == ["benchmarks/sums.py", "impls/sums", "src/testbed"]
