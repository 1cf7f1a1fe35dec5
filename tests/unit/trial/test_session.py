"""A trial interleaves its judges, writes at once, resumes, and does not hide failures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from bakeoff.errors import BakeoffError
from tools.trial.about import About, begin_or_resume
from tools.trial.command import JudgeFailedError, run_command
from tools.trial.judges import Judgement
from tools.trial.outcomes import FILE_NAME, Outcome, Verdict, read
from tools.trial.plan import Pair
from tools.trial.session import Trial

PAIRS = [Pair("quiet", 0, 0), Pair("quiet", 5, 0), Pair("quiet", 0, 1)]


@dataclass
class MadeUpJudge:
    """Says ``slower`` of whatever is slowed, and breaks when it is told to."""

    name: str
    is_broken: bool = False
    packages: Sequence[str] = ()
    judged: list[int] = field(default_factory=list)

    @property
    def tools(self) -> Sequence[str]:
        return (f"{self.name}, coarse", f"{self.name}, fine")

    def prepare(self, folder: Path, effects: Sequence[int]) -> None:
        (folder / "effects").write_text(" ".join(map(str, effects)))

    def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
        assert str(effect_percent) in (folder / "effects").read_text().split()
        if self.is_broken:
            raise JudgeFailedError("it broke")
        self.judged.append(effect_percent)
        fine: Verdict = "slower" if effect_percent else "same"
        return [
            Judgement(self.tools[0], "no difference", None, 0.5),
            Judgement(self.tools[1], fine, 1 + effect_percent / 100, 0.6),
        ]


def trial(folder: Path, *judges: MadeUpJudge, pairs: Sequence[Pair] = PAIRS) -> Trial:
    return Trial(folder=folder, judges={judge.name: judge for judge in judges}, pairs=pairs, seed=1)


def silent(line: str) -> None:
    """Tell nobody."""


def judged_pairs(outcomes: Sequence[Outcome]) -> list[tuple[int, int]]:
    return list(dict.fromkeys((outcome.effect_percent, outcome.trial) for outcome in outcomes))


def test_every_judge_sees_a_pair_before_anyone_sees_the_next(tmp_path: Path) -> None:
    assert trial(tmp_path, MadeUpJudge("a"), MadeUpJudge("b")).run(silent)
    outcomes = read(tmp_path / FILE_NAME)
    assert judged_pairs(outcomes) == [(0, 0), (5, 0), (0, 1)]
    for start in range(0, len(outcomes), 4):
        assert {outcome.judge for outcome in outcomes[start : start + 4]} == {"a", "b"}


def test_one_measurement_may_give_several_verdicts(tmp_path: Path) -> None:
    trial(tmp_path, MadeUpJudge("a"), pairs=PAIRS[1:2]).run(silent)
    outcomes = read(tmp_path / FILE_NAME)
    assert [(o.tool, o.verdict, o.seconds) for o in outcomes] == [
        ("a, coarse", "no difference", 0.5),
        ("a, fine", "slower", 0.6),
    ]


def test_a_killed_trial_goes_on_where_it_was(tmp_path: Path) -> None:
    trial(tmp_path, MadeUpJudge("a"), pairs=PAIRS[:2]).run(silent)
    resumed = MadeUpJudge("a")
    trial(tmp_path, resumed).run(silent)
    assert resumed.judged == [0]
    assert judged_pairs(read(tmp_path / FILE_NAME)) == [(0, 0), (5, 0), (0, 1)]


def test_a_failure_is_written_with_its_reason_and_tried_again(tmp_path: Path) -> None:
    trial(tmp_path, MadeUpJudge("a", is_broken=True), pairs=PAIRS[:1]).run(silent)
    failed = read(tmp_path / FILE_NAME)
    assert [(o.tool, o.verdict, o.detail) for o in failed] == [
        ("a, coarse", "failed", "it broke"),
        ("a, fine", "failed", "it broke"),
    ]
    mended = MadeUpJudge("a")
    trial(tmp_path, mended, pairs=PAIRS[:1]).run(silent)
    assert mended.judged == [0]


def test_nothing_is_started_after_the_time_limit(tmp_path: Path) -> None:
    judge = MadeUpJudge("a")
    late = Trial(
        folder=tmp_path, judges={"a": judge}, pairs=PAIRS, seed=1, deadline=time.monotonic() - 1
    )
    assert not late.run(silent)
    assert judge.judged == []


def test_the_neighbour_is_there_only_under_the_noisy_condition(tmp_path: Path) -> None:
    seen = {}

    class LookingJudge(MadeUpJudge):
        def judge(self, folder: Path, effect_percent: int) -> list[Judgement]:
            seen[effect_percent] = len(psutil.Process().children())
            return super().judge(folder, effect_percent)

    pairs = [Pair("quiet", 0, 0), Pair("noisy", 5, 0)]
    trial(tmp_path, LookingJudge("a"), pairs=pairs).run(silent)
    assert seen[5] == seen[0] + 1


def made_with(commit: str, sources: str) -> About:
    return About(
        commit=commit,
        sources=sources,
        python="3.11.0",
        system="Linux x86_64",
        cpus=2,
        seed=1,
        versions={"asv": "0.6.6"},
    )


def test_a_trial_does_not_go_on_with_other_sources(tmp_path: Path) -> None:
    begin_or_resume(tmp_path, made_with("c1", "s1"))
    begin_or_resume(tmp_path, made_with("c2", "s1"))
    with pytest.raises(BakeoffError, match="another sources"):
        begin_or_resume(tmp_path, made_with("c1", "s2"))


def test_a_command_that_hangs_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    started = "sleep 30 & echo $! > started; wait"
    with pytest.raises(JudgeFailedError, match="not done within 1 s"):
        run_command("sh", "-c", started, folder=tmp_path, limit_s=1)
    pid = int((tmp_path / "started").read_text())
    # Killed, but the system takes its time, and whoever adopted it may not have buried it yet.
    deadline = time.monotonic() + 5
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "it outlived its command"
        time.sleep(0.02)
