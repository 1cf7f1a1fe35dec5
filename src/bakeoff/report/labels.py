"""A cell in as few words as its report needs: parameters without names where there is one workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.results.records import Cell


@dataclass(frozen=True, slots=True)
class Labels:
    """Names the cells of one report.

    Attributes
    ----------
    names_workload : bool
        Several workloads are compared, so that a label has to say which.
    names_params : bool
        Some workload has several parameters, so that a value alone would not say of what.
    """

    names_workload: bool
    names_params: bool

    @classmethod
    def for_cells(cls, cells: Sequence[Cell]) -> Labels:
        """The shortest labels that tell these cells apart."""
        return cls(
            names_workload=len({cell.workload for cell in cells}) > 1,
            names_params=any(len(cell.params) > 1 for cell in cells),
        )

    def of(self, cell: Cell) -> str:
        """The label of a cell: ``10x1/OwnedClaims/Fork``, or ``sort · n=100, order=random``."""
        params = ", ".join(
            f"{name}={value}" if self.names_params else str(value)
            for name, value in cell.params.items()
        )
        parts = [cell.workload] if self.names_workload or not params else []
        return " · ".join([*parts, *([params] if params else [])])
