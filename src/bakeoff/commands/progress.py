"""How far a run is: a bar with the time left on a terminal, one line per cell otherwise."""

from __future__ import annotations

from types import TracebackType

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from bakeoff.measurement.timing import CellTiming
from bakeoff.results.records import Cell, MemoryRecord, RoundRecord
from bakeoff.units import format_ratio


def _summary(timing: CellTiming) -> str:
    """One line on what a cell's rounds said."""
    parts = []
    for contrast in timing.contrasts:
        if contrast.metric != "time":
            continue
        is_baseline = contrast.estimate is not None and contrast.estimate.method == "exact"
        if is_baseline:
            parts.append(f"÷ {contrast.implementation}" + (" (unfinished)" * contrast.is_bound))
        elif contrast.estimate is None:
            parts.append(f"{contrast.implementation} {contrast.verdict}: {contrast.reason}")
        else:
            sign = "≥ " if contrast.is_bound else "≤ " if contrast.is_baseline_bound else ""
            parts.append(f"{contrast.implementation} {sign}{format_ratio(contrast.estimate.ratio)}")
    discarded = f", {timing.discarded} discarded" if timing.discarded else ""
    return f"{', '.join(parts)} ({timing.rounds} rounds{discarded})"


class LineProgress:
    """Plain lines, for logs."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._place = ""

    def __enter__(self) -> LineProgress:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        return None

    def cell_started(self, cell: Cell, index: int, cells: int) -> None:
        self._place = f"[{index + 1}/{cells}] {cell.key}"

    def round_finished(self, record: RoundRecord, kept: int, look: int) -> None:
        if record.discarded is not None:
            self._say(f"{self._place}: round {record.round} discarded: {record.discarded}")

    def cell_finished(self, cell: Cell, timing: CellTiming) -> None:
        self._say(f"{self._place}: {_summary(timing)}")

    def memory_started(self, processes: int) -> None:
        if processes:
            self._say(f"memory: {processes} operations to trace")

    def memory_finished(self, record: MemoryRecord) -> None:
        if record.failure is not None:
            self._say(f"memory: {record.arm} in {record.cell}: {record.failure.message}")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False)


class BarProgress(LineProgress):
    """A bar for the cells and one for the rounds of the current cell, under the plain lines."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._bars = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._cells = self._bars.add_task("cells", total=None)
        self._rounds = self._bars.add_task("rounds", total=None)

    def __enter__(self) -> BarProgress:
        self._bars.start()
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self._bars.stop()

    def cell_started(self, cell: Cell, index: int, cells: int) -> None:
        super().cell_started(cell, index, cells)
        self._bars.update(self._cells, total=cells, completed=index)
        self._bars.reset(self._rounds, description="rounds")

    def round_finished(self, record: RoundRecord, kept: int, look: int) -> None:
        super().round_finished(record, kept, look)
        self._bars.update(self._rounds, total=look, completed=kept)

    def cell_finished(self, cell: Cell, timing: CellTiming) -> None:
        super().cell_finished(cell, timing)
        self._bars.advance(self._cells)

    def memory_started(self, processes: int) -> None:
        super().memory_started(processes)
        self._bars.reset(self._rounds, description="memory", total=processes)

    def memory_finished(self, record: MemoryRecord) -> None:
        super().memory_finished(record)
        self._bars.advance(self._rounds)


def progress_on(console: Console) -> LineProgress:
    """The progress that suits where `console` writes to."""
    return BarProgress(console) if console.is_terminal else LineProgress(console)
