"""Mappers give the answers that the original implementations were recorded to give."""

from __future__ import annotations

import json
from types import ModuleType
from typing import Any

import pytest

from impls.restmapper._expanders import ShortcutExpander, expand_category
from tests.conformance.implementations import implementations
from tests.conformance.mapper_replay import (
    Recording,
    answer,
    comparable,
    recordings,
    static_discovery,
    tree,
)
from tests.conformance.vector_files import vector_folder

MAPPERS = implementations("restmapper")

#: The implementations that answer as an original does, and what its answers are filed under; None: the reference.
ORIGINALS = {
    "discovery": None,
    "uncached": None,
    "dynamic": None,
    "front_cache": None,
    "cached": None,
    "deferred": None,
    "resettable": None,
    "indexed": None,
    "lazy": "lazy_cr_v0.24.1|legacy",
}

#: Answers with an empty name, and no error, are no answers here.
NO_ANSWER = {"first_hit_empty"}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    found = [*recordings(vector_folder(metafunc.config))]
    for fixture, names in (("recorded_set", "sets"), ("recorded_tree", "trees")):
        if fixture in metafunc.fixturenames:
            cases = [
                pytest.param((recording, name), id=f"{recording.name}-{name}")
                for recording in found
                for name in getattr(recording, names)
                if recording.of(name)
            ]
            if not cases:
                skip = pytest.mark.skip(reason="no restmapper*.json; --vectors names a folder")
                cases = [pytest.param(None, marks=skip, id="no-vectors")]
            metafunc.parametrize(fixture, cases)


@pytest.mark.parametrize("name", ORIGINALS)
def test_a_mapper_answers_as_the_original_of_its_kind(
    name: str, recorded_set: tuple[Recording, str]
) -> None:
    recording, of = recorded_set
    discovery = static_discovery(recording.sets[of])
    original = ORIGINALS[name]
    module: ModuleType = MAPPERS[name]
    mapper = module.create(discovery)
    wrong = []
    for query in recording.of(of):
        expected = query.get("diffs", {}).get(original, query["result"])
        if isinstance(expected, dict) and "varies" in expected:
            continue
        if original is not None:
            # What such a mapper knows depends on what it was asked before: its answers are those of fresh ones.
            mapper = module.create(discovery)
        found = answer(mapper, query["q"])
        if found != comparable(query["q"], expected):
            wrong.append((query["q"], found, expected))
    assert not wrong, _report(wrong)


def test_a_tree_of_mappers_answers_as_the_original(recorded_tree: tuple[Recording, str]) -> None:
    recording, of = recorded_tree
    mapper = tree(recording.trees[of])
    wrong = []
    for query in recording.of(of):
        expected = query["result"]
        found = answer(mapper, query["q"])
        if of in NO_ANSWER and not (isinstance(expected, dict) and "error" in expected):
            assert expected in (None, ["", "", ""], {"singular": ""})
            continue
        if found != comparable(query["q"], expected):
            wrong.append((query["q"], found, expected))
    assert not wrong, _report(wrong)


def _report(wrong: list[tuple[Any, Any, Any]]) -> str:
    lines = [f"{len(wrong)} answers differ, the first of them:"]
    for query, found, expected in wrong[:8]:
        lines += [f"  {query}", f"    found    {found}", f"    expected {expected}"]
    return "\n".join(lines)


def test_short_names_and_categories_are_expanded_as_the_original_does(
    pytestconfig: pytest.Config,
) -> None:
    folder = vector_folder(pytestconfig)
    files = sorted(folder.glob("restmapper_expanders*.json"))
    if not files:
        pytest.skip(f"no restmapper_expanders*.json in {folder}; --vectors names another folder")
    wrong = []
    for file in files:
        document = json.loads(file.read_text(encoding="utf-8"))
        sets = json.loads(
            (folder / document["format"]["discovery"].partition(" ")[0]).read_text(encoding="utf-8")
        )
        discovery = static_discovery(sets["sets"]["modern"])
        mapper = MAPPERS["discovery"].create(discovery)
        for item in document["items"]:
            warnings: list[str] = []
            expected = item["result"]
            if item["kind"] == "category":
                resources = expand_category(discovery, item["q"])
                found: Any = {
                    "ok": resources is not None,
                    "resources": [[*one] for one in resources or ()],
                }
            else:
                found = answer(ShortcutExpander(mapper, discovery, warnings.append), item["q"])
                expected = comparable(item["q"], expected)
            if found != expected or len(warnings) != len(item.get("warnings", ())):
                wrong.append((item, found, expected))
    assert not wrong, _report(wrong)
