"""Each mistake gets a sentence that says what, where and what to do; exit code 2 and no traceback."""

from __future__ import annotations

import subprocess

import pytest

from .conftest import Toy


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "summs"], ["'summs' is not a study", "Did you mean 'sums'?"]),
        (["run", "nosuch"], ["'nosuch' is not a study", "sums"]),
        (["run", "-i", "loop", "-i", "bultin"], ["'bultin' is not", "Did you mean 'builtin'?"]),
        (["run", "-w", "ad"], ["'ad' is not a workload of 'sums'", "Did you mean 'add'?"]),
        (["run", "--preset", "quik"], ["'quik' is not a preset", "Did you mean 'quick'?"]),
        (["run", "--budget", "soon"], ["'soon' is not a duration", "10m"]),
        (["run", "--resume", "--preset", "full"], ["--preset cannot change it"]),
        (["run", "--baseline", "lop"], ["'lop' is not", "Did you mean 'loop'?"]),
        (["run", "--resume"], ["no run of 'sums'", "bakeoff run sums"]),
        (["report", "suns"], ["'suns' is not a report", "Did you mean 'sums'?"]),
        (["report", "--to", "htm"], ["'htm' is not a form of report", "Did you mean 'html'?"]),
        (["report"], ["no run of 'sums'", "bakeoff run sums"]),
        (["report", "--run", "sums-1"], ["'sums-1' is not a run"]),
        (["frobnicate"], ["No such command"]),
    ],
)
def test_a_wrong_name_is_named_with_the_nearest_right_one(
    toy: Toy, arguments: list[str], says: list[str]
) -> None:
    out, err = toy.run(*arguments, expect=2)
    assert out == ""
    assert "Traceback" not in err
    for words in says:
        assert words in err, err


@pytest.mark.parametrize(
    ("wrong", "right", "says"),
    [
        ("basline", "baseline", "Did you mean 'baseline'?"),
        ('"sums"', '"suns"', "Did you mean"),
        ('"loop"', '"lop"', "Did you mean 'loop'?"),
        ("title =", "title", "not valid TOML"),
        ("ratio <= 1/2", "ratio =< 1/2", "claim 1"),
    ],
)
def test_a_slip_in_a_definition_is_found_before_anything_is_measured(
    toy: Toy, wrong: str, right: str, says: str
) -> None:
    text = (toy.root / "reports/sums.toml").read_text(encoding="utf-8")
    broken = text.replace(right, wrong) if right in text else text.replace(wrong, right)
    assert broken != text
    toy.write("reports/sums.toml", broken)
    _, err = toy.run("all", expect=2)
    assert "reports/sums.toml" in err
    assert says in err
    assert "Traceback" not in err
    assert not toy.journals()


def test_outside_a_project_it_says_what_a_project_is(toy: Toy) -> None:
    elsewhere = Toy(toy.root.parent / "elsewhere")
    elsewhere.root.mkdir()
    _, err = elsewhere.run("list", expect=2)
    assert "not inside a bakeoff project" in err


def test_a_folder_that_cannot_be_written_is_named(toy: Toy) -> None:
    (toy.root / ".bakeoff").write_text("in the way", encoding="utf-8")
    _, err = toy.run("run", expect=2)
    assert ".bakeoff" in err
    assert "Traceback" not in err


def test_a_suite_that_cannot_be_imported_is_named_with_the_reason(toy: Toy) -> None:
    toy.write("benchmarks/sums.py", "import nothing_of_this_name\n")
    _, err = toy.run("run", expect=2)
    assert "benchmarks/sums.py cannot be imported" in err
    assert "nothing_of_this_name" in err


def test_a_report_of_another_commit_is_refused_unless_named(toy: Toy) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(
            ["git", *identity, *arguments], cwd=toy.root, check=True, capture_output=True
        )

    git("init", "-b", "main")
    git("add", ".")
    git("commit", "-m", "first")
    toy.run("run", "--no-memory")
    git("commit", "--allow-empty", "-m", "second")
    _, err = toy.run("report", expect=2)
    assert "commit" in err
    (journal,) = toy.journals()
    name = journal.parent.name
    assert f"--run {name}" in err
    toy.run("report", "--run", name)
    assert any("commit" in warning for warning in toy.report()["trust"]["warnings"])


def test_an_empty_project_says_what_to_add(toy: Toy) -> None:
    for path in (toy.root / "reports").iterdir():
        path.unlink()
    _, err = toy.run("all", expect=2)
    assert "no report" in err
