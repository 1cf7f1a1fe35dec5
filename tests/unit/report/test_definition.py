"""A definition is read strictly: every slip of the pen is named, with the file, the claim and the key."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import pytest

from bakeoff.errors import BakeoffError, DefinitionError, NotFoundError
from bakeoff.report.definition import Definition, load_definition, parse_definition
from bakeoff.study.loading import load_workloads
from bakeoff.study.project import Project
from bakeoff.study.workload import Workload
from tests.unit.report.made_up import DEFINITION, STUDIES, cell

CLAIM = """
[[claim]]
text = "first"
arm = "layers"
check = "ratio <= 1/2"

[[claim]]
text = "second"
arm = "layers"
"""


class ForkRevert(Workload):
    parameters: ClassVar[Any] = {"configuration": ("10x1/Owned/Fork", "10x1/Shared/Fork")}
    presets: ClassVar[Any] = {"quick": {"configuration": ("10x1/Owned/Fork",)}}


def read(text: str, **more: Any) -> Definition:
    return parse_definition(text, source="reports/shelf.toml", studies=STUDIES, **more)


def message(text: str, kind: type[BakeoffError] = DefinitionError, **more: Any) -> str:
    with pytest.raises(kind) as caught:
        read(text, **more)
    return str(caught.value)


def test_a_definition_has_its_name_from_its_file_and_its_claims_in_order() -> None:
    definition = read(DEFINITION + CLAIM + 'check = "ratio < 0.5"\n')
    assert definition.name == "shelf"
    assert [claim.number for claim in definition.claims] == [1, 2]
    assert [claim.text for claim in definition.claims] == ["first", "second"]


def test_a_claim_is_about_time_against_the_baseline_in_every_cell_unless_it_says_otherwise() -> (
    None
):
    claim = read(DEFINITION + CLAIM + 'check = "ratio < 0.5"\n').claims[1]
    assert (claim.metric, claim.vs, claim.over) == ("time", "copies", "cell")
    assert (claim.preset, claim.cells, claim.tolerance) == (None, None, 0.0)


def test_a_toml_syntax_error_names_file_and_line() -> None:
    text = message('title = "x"\nquestion = \n')
    assert "reports/shelf.toml is not valid TOML" in text
    assert "line 2" in text


def test_an_unknown_key_is_named_with_its_nearest_match() -> None:
    text = message(DEFINITION + 'titel = "x"\n')
    assert "reports/shelf.toml: unknown key 'titel'." in text
    assert "Did you mean 'title'?" in text


def test_an_unknown_key_of_a_claim_names_the_number_of_the_claim() -> None:
    text = message(DEFINITION + CLAIM + 'chek = "ratio < 1"\n')
    assert "reports/shelf.toml: claim 2: unknown key 'chek'." in text
    assert "Did you mean 'check'?" in text


def test_a_wrong_type_names_claim_and_key() -> None:
    text = message(DEFINITION + CLAIM + "check = 3\n")
    assert "reports/shelf.toml: claim 2, key 'check': Expected 'str', got 'int'." in text


def test_a_missing_key_names_the_claim() -> None:
    text = message(DEFINITION + CLAIM)
    assert "reports/shelf.toml: claim 2: required key missing: 'check'." in text


def test_a_missing_title_is_named() -> None:
    text = message(DEFINITION.replace('title = "Copies or layers"', ""))
    assert "required key missing: 'title'" in text


def test_claims_that_are_no_tables_are_refused() -> None:
    assert "key 'claim'" in message(DEFINITION + 'claim = "faster"\n')


def test_an_unknown_study_is_named_with_what_there_is() -> None:
    text = message(DEFINITION.replace('"shelf"', '"shelve"'), NotFoundError)
    assert "reports/shelf.toml: study 'shelve' is not a study." in text
    assert "Did you mean 'shelf'?" in text


def test_an_unknown_baseline_is_named_with_its_nearest_match() -> None:
    text = message(DEFINITION.replace('"copies"', '"copy"'), NotFoundError)
    assert "baseline 'copy' is not an implementation of 'shelf'." in text
    assert "impls/shelf: " in text
    assert "Did you mean 'copies'?" in text


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('vs = "layer"', "claim 2, vs 'layer' is not an implementation"),
        ('metric = "tine"', "claim 2, metric 'tine' is not a metric."),
        ('over = "geomeen"', "claim 2, over 'geomeen' is not a way to take cells."),
    ],
)
def test_an_unknown_name_in_a_claim_is_named_with_the_claim(line: str, expected: str) -> None:
    text = message(f'{DEFINITION}{CLAIM}check = "ratio < 1"\n{line}\n', NotFoundError)
    assert expected in text
    assert "Did you mean" in text


def test_an_unknown_arm_is_named() -> None:
    claims = CLAIM.replace('arm = "layers"', 'arm = "lairs"') + 'check = "ratio < 1"'
    text = message(DEFINITION + claims, NotFoundError)
    assert "claim 1, arm 'lairs' is not an implementation of 'shelf'." in text


def test_an_unknown_check_says_which_claim_and_which_checks_there_are() -> None:
    text = message(DEFINITION + CLAIM + 'check = "worst on time"\n')
    assert (
        "reports/shelf.toml: claim 2, check 'worst on time' is not one this version knows" in text
    )
    assert "'ratio <= x', 'same within x%'" in text


def test_a_tolerance_is_a_percentage() -> None:
    claims = CLAIM + 'check = "ratio <= 1/50"\n'
    assert read(f'{DEFINITION}{claims}tolerance = "15%"\n').claims[1].tolerance == 0.15
    assert "claim 2, tolerance: '15' is not a perc" in message(
        f'{DEFINITION}{claims}tolerance = "15"\n'
    )


def test_same_within_takes_no_tolerance() -> None:
    text = message(f'{DEFINITION}{CLAIM}check = "same within 3%"\ntolerance = "5%"\n')
    assert "states its margin itself" in text


def test_a_value_has_no_geometric_mean() -> None:
    text = message(f'{DEFINITION}{CLAIM}check = "value <= 1ms"\nover = "geomean"\n')
    assert "claim 2: a value has no geometric mean" in text


def where(selection: str, workloads: dict[str, type[Workload]] | None = None) -> Definition:
    claims = f'{CLAIM}check = "ratio < 1"\nwhere = {selection}\n'
    return read(DEFINITION + claims, workloads=workloads)


@pytest.mark.parametrize(
    ("selection", "covered"),
    [
        ('{ configuration = "10x1/Owned/Fork" }', True),
        ('{ configuration = "10x1/Owned" }', False),
        ('{ configuration = "10x1/*/Fork" }', True),
        ('{ configuration = ["other", "10x1/Owned/Fork"] }', True),
        ('{ workload = "fork_revert" }', True),
        ('{ workload = "other" }', False),
        ("{ nodes = 10 }", False),
    ],
)
def test_where_chooses_cells_by_workload_parameters_lists_and_stars(
    selection: str, covered: bool
) -> None:
    assert where(selection).claims[1].where.covers(cell("10x1/Owned/Fork")) is covered


def test_a_list_that_is_measured_in_part_is_not_met() -> None:
    selection = where('{ configuration = ["10x1/Owned/Fork", "other"] }').claims[1].where
    assert selection.unmet([cell("10x1/Owned/Fork")]) == ["configuration other"]


WORKLOADS: dict[str, type[Workload]] = {"fork_revert": ForkRevert}


@pytest.mark.parametrize(
    ("selection", "expected"),
    [
        ('{ workload = "fork_rever" }', "'fork_rever' is not a workload"),
        ('{ config = "10x1/Owned/Fork" }', "'config' is not a parameter"),
        ('{ configuration = "10x1/Owned/Frok" }', "is not a value of 'configuration'"),
    ],
)
def test_a_selection_that_no_preset_could_satisfy_is_a_slip_of_the_pen(
    selection: str, expected: str
) -> None:
    where(selection)  # without knowledge of the workloads there is nothing to hold it against
    with pytest.raises(NotFoundError) as caught:
        where(selection, WORKLOADS)
    assert "reports/shelf.toml: claim 2, where" in str(caught.value)
    assert expected in str(caught.value)
    assert "Did you mean" in str(caught.value)


def test_an_unknown_preset_is_named_where_the_workloads_are_known() -> None:
    claims = f'{DEFINITION}{CLAIM}check = "ratio < 1"\npreset = "quikc"\n'
    assert "claim 2, preset 'quikc' is not a preset" in message(
        claims, NotFoundError, workloads=WORKLOADS
    )


def test_a_report_that_does_not_exist_is_named_with_those_there_are(tmp_path: Path) -> None:
    folder = tmp_path / "reports"
    folder.mkdir()
    (folder / "shelf.toml").write_text(DEFINITION, encoding="utf-8")
    with pytest.raises(NotFoundError) as caught:
        load_definition(folder / "shelve.toml", studies=STUDIES)
    assert "'shelve' is not a report." in str(caught.value)
    assert "Did you mean 'shelf'?" in str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "shelf.toml"
    path.write_bytes(b'title = "\xff"')
    with pytest.raises(DefinitionError, match="is not UTF-8"):
        load_definition(path, studies=STUDIES)


def test_every_definition_of_this_project_can_be_read() -> None:
    project = Project.find(Path(__file__))
    studies = {name: project.study(name).implementations for name in project.studies()}
    paths = sorted((project.root / "reports").glob("*.toml"))
    assert paths
    for path in paths:
        study = project.study(load_definition(path, studies=studies).study)
        workloads = load_workloads(project, study)
        assert load_definition(path, studies=studies, workloads=workloads).claims
