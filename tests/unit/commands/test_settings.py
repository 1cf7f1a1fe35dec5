"""Settings: options that workloads declare, told apart from the command's own."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

import pytest

from bakeoff.commands.settings import require_known, settings_of, split_settings
from bakeoff.errors import BakeoffError
from bakeoff.study import Workload

OWN = {"--budget", "--json", "-h"}


class Asking(Workload):
    """Asks a cluster."""

    settings: ClassVar = {"kubeconfig": "FILE: the cluster to ask"}


class Counting(Workload):
    """Has no settings."""


def test_what_the_command_knows_is_left_to_it() -> None:
    given = ["study", "--budget", "10m", "--kubeconfig", "dev", "--json", "other"]
    assert split_settings(given, OWN) == (
        ["study", "--budget", "10m", "--json", "other"],
        {"kubeconfig": "dev"},
    )


def test_a_value_may_follow_an_equals_sign() -> None:
    assert split_settings(["--context=a=b", "--budget=1h"], OWN) == (
        ["--budget=1h"],
        {"context": "a=b"},
    )


def test_behind_two_dashes_nothing_is_an_option() -> None:
    assert split_settings(["--", "--kubeconfig", "x"], OWN) == (["--", "--kubeconfig", "x"], {})


def test_a_file_is_named_by_its_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config").touch()
    monkeypatch.chdir(tmp_path)
    assert split_settings(["--kubeconfig", "config"], OWN)[1] == {
        "kubeconfig": str(tmp_path / "config")
    }


@pytest.mark.parametrize("given", [["--kubeconfig"], ["--verbose", "--json"]])
def test_an_option_without_a_value_is_none_that_anybody_knows(given: list[str]) -> None:
    with pytest.raises(BakeoffError, match=f"No such option: {given[0]}"):
        split_settings(given, OWN)


def test_a_setting_that_no_workload_declares_is_refused_with_those_that_are() -> None:
    require_known({"kubeconfig": "x"}, [Counting, Asking])
    with pytest.raises(BakeoffError, match=r"--kubeconfg[\s\S]*--kubeconfig \(FILE"):
        require_known({"kubeconfg": "x"}, [Counting, Asking])
    with pytest.raises(BakeoffError, match="no settings of their own"):
        require_known({"kubeconfig": "x"}, [Counting])


def test_a_workload_gets_its_own_settings_alone() -> None:
    given = {"kubeconfig": "x"}
    assert settings_of(Asking, given) == given
    assert settings_of(Counting, given) == {}
