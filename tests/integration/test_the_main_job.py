"""From files to a decision, through the command line, with real processes."""

from __future__ import annotations

import json

from .conftest import Toy, implementation


def test_all_checks_measures_reports_and_judges(toy: Toy) -> None:
    out, _ = toy.run("all", "sums")
    assert "sums/builtin: 2 of 2 checks passed" in out
    assert "builtin" in out
    assert "index.html" in out.splitlines()[-1]
    report = toy.report()
    assert report["schema"] == "bakeoff.report/1"
    (claim,) = report["claims"]
    assert claim["verdict"] == "holds"
    time = {cell["implementation"]: cell for cell in report["cells"] if cell["metric"] == "time"}
    assert time["builtin"]["verdict"] == "faster"
    assert time["builtin"]["interval"][1] < 0.5
    assert time["builtin"]["rounds"] >= 8
    assert time["loop"]["ratio"] == 1
    (control,) = report["trust"]["aa"]
    assert control["interval"][0] <= 1 <= control["interval"][1]
    assert (toy.root / "reports/sums/index.html").stat().st_size > 5000
    assert (toy.root / "reports/sums/report.md").read_text(encoding="utf-8").startswith("# ")


def test_an_implementation_is_one_file_and_appears_everywhere(toy: Toy) -> None:
    toy.implement("pairwise", implementation("return sum(numbers[::2]) + sum(numbers[1::2])"))
    listed, _ = toy.run("list")
    assert "pairwise" in listed
    checked, _ = toy.run("check")
    assert "sums/pairwise: 2 of 2 checks passed" in checked
    toy.run("run", "--no-memory")
    toy.run("report")
    assert "pairwise" in {cell["implementation"] for cell in toy.report()["cells"]}


def test_a_refuted_claim_is_exit_code_1(toy: Toy) -> None:
    text = (toy.root / "reports/sums.toml").read_text(encoding="utf-8")
    toy.write("reports/sums.toml", text.replace("ratio <= 1/2", "ratio >= 2"))
    toy.run("run", "--no-memory")
    out, _ = toy.run("claims", expect=1)
    assert "fails" in out


def test_a_failed_check_is_exit_code_1_and_its_row_is_failed(toy: Toy) -> None:
    toy.implement("forgetful", implementation("return sum(numbers) or 1"))
    checked, _ = toy.run("check", expect=1)
    assert "check_nothing_adds_up_to_zero" in checked
    toy.run("run", "--no-memory")
    toy.run("report")
    rows = [c for c in toy.report()["cells"] if c["implementation"] == "forgetful"]
    assert rows
    assert all(row["verdict"] == "failed" for row in rows)
    assert "check_nothing_adds_up_to_zero" in rows[0]["reason"]


def test_every_verb_that_prints_prints_json_when_asked(toy: Toy) -> None:
    assert json.loads(toy.run("list", "--json")[0])["reports"] == ["sums"]
    assert json.loads(toy.run("check", "--json")[0])[0]["study"] == "sums"
    assert json.loads(toy.run("run", "--json", "--no-memory")[0])[0]["id"].startswith("sums-")
    assert json.loads(toy.run("report", "--json")[0])["study"] == "sums"
    assert json.loads(toy.run("claims", "--json")[0])["sums"][0]["verdict"] == "holds"
    assert json.loads(toy.run("all", "--json")[0])["study"] == "sums"


def test_several_reports_are_one_document_and_one_exit_code(toy: Toy) -> None:
    text = (toy.root / "reports/sums.toml").read_text(encoding="utf-8")
    toy.write("reports/others.toml", text.replace("ratio <= 1/2", "ratio >= 2"))
    toy.run("run", "--no-memory")
    documents = json.loads(toy.run("report", "--json")[0])
    assert [document["report"] for document in documents] == ["others", "sums"]
    toy.run("claims", "--strict", expect=1)


def test_no_colour_reaches_a_pipe(toy: Toy) -> None:
    for arguments in (["list"], ["check"]):
        out, err = toy.run(*arguments, FORCE_COLOR="", NO_COLOR="1")
        assert "\x1b" not in out + err
