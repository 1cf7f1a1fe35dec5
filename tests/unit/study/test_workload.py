from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.errors import DefinitionError, NotFoundError
from bakeoff.study import Workload, answer_digest, cells_of, preset_names, require_preset


class FindAll(Workload):
    parameters: ClassVar[Any] = {"size": (1, 10, 100), "kind": ("a", "b")}
    presets: ClassVar[Any] = {"quick": {"size": (10,)}, "wrong": {"size": (7,)}, "odd": {"x": (1,)}}


def test_a_workload_is_called_by_its_class_in_snake_case() -> None:
    assert FindAll.name() == "find_all"


def test_full_means_every_combination_in_the_order_written() -> None:
    cells = cells_of(FindAll, "full")
    assert len(cells) == 6
    assert cells[0] == {"size": 1, "kind": "a"}
    assert cells[-1] == {"size": 100, "kind": "b"}


def test_a_preset_narrows_the_parameters_that_it_names() -> None:
    assert cells_of(FindAll, "quick") == ({"size": 10, "kind": "a"}, {"size": 10, "kind": "b"})


def test_a_preset_without_a_value_leaves_the_workload_out() -> None:
    class Long(FindAll):
        presets: ClassVar[Any] = {"quick": {"size": ()}}

    assert cells_of(Long, "quick") == ()
    assert len(cells_of(Long, "full")) == 6


def test_a_preset_with_a_value_that_does_not_exist_is_refused() -> None:
    with pytest.raises(DefinitionError, match="7 is not a value of 'size'"):
        cells_of(FindAll, "wrong")
    with pytest.raises(DefinitionError, match="names the parameter 'x'"):
        cells_of(FindAll, "odd")


def test_a_value_that_is_there_twice_is_refused() -> None:
    class Doubled(Workload):
        parameters: ClassVar[Any] = {"size": (1, 10, "1")}

    with pytest.raises(DefinitionError, match="'size' has a value twice"):
        cells_of(Doubled, "full")


def test_presets_are_those_of_all_workloads_and_full() -> None:
    assert preset_names([FindAll]) == ("full", "odd", "quick", "wrong")
    with pytest.raises(NotFoundError, match="'quik' is not a preset"):
        require_preset([FindAll], "quik", where="here")


def test_a_workload_without_an_operation_says_so() -> None:
    with pytest.raises(NotImplementedError, match="FindAll does not say what to run"):
        FindAll().run(lambda: None, None)


def test_an_input_that_changed_has_another_fingerprint() -> None:
    given_input = {"a": [1, 2]}
    before = Workload().fingerprint(given_input)
    assert Workload().fingerprint(given_input) == before
    given_input["a"].append(3)
    assert Workload().fingerprint(given_input) != before


@given(st.lists(st.integers() | st.text()))
def test_the_order_of_a_set_or_mapping_is_not_part_of_an_answer(values: list[int | str]) -> None:
    reverse = values[::-1]
    assert answer_digest(set(values)) == answer_digest(set(reverse))
    pairs = [(value, index) for index, value in enumerate(dict.fromkeys(values))]
    assert answer_digest(dict(pairs)) == answer_digest(dict(reversed(pairs)))


def test_answers_that_differ_have_other_digests() -> None:
    answers = [None, 0, 1, "1", b"1", [1], [[1]], {1}, {1: 1}, [1, 2], [2, 1], True, 1.5, ""]
    assert len({answer_digest(answer) for answer in answers}) == len(answers)


def test_an_answer_that_is_not_plain_data_is_refused() -> None:
    with pytest.raises(TypeError, match="An answer must be plain data"):
        answer_digest([object()])
