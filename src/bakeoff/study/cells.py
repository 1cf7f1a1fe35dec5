"""From a workload's parameters and a preset to the cells that are measured."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from bakeoff.errors import DefinitionError, NotFoundError
from bakeoff.study.workload import Parameter, Workload

#: The preset that every workload has: all values of all parameters.
FULL = "full"


def preset_names(workloads: Iterable[type[Workload]]) -> tuple[str, ...]:
    """All presets that any of `workloads` defines, and ``full``."""
    return tuple(sorted({FULL, *(name for workload in workloads for name in workload.presets)}))


def cells_of(workload: type[Workload], preset: str) -> tuple[Mapping[str, Parameter], ...]:
    """The parameter choices of `workload` under `preset`, in the order they are written.

    A preset that the workload does not define means everything, as ``full`` does; one that gives a parameter no value
    leaves the workload out.

    Raises
    ------
    DefinitionError
        If the preset names a parameter or value that the workload does not have.
    """
    chosen = workload.presets.get(preset, {})
    where = f"{workload.__module__}.{workload.__name__}: preset {preset!r}"
    for parameter, values in chosen.items():
        if parameter not in workload.parameters:
            raise DefinitionError(
                f"{where} names the parameter {parameter!r}, which the workload does not have.",
                f"It has: {', '.join(workload.parameters) or 'none'}.",
            )
        strange = [value for value in values if value not in workload.parameters[parameter]]
        if strange:
            raise DefinitionError(
                f"{where}: {strange[0]!r} is not a value of {parameter!r}.",
                "Values: " + ", ".join(map(str, workload.parameters[parameter])) + ".",
            )
    for parameter, values in {**workload.parameters, **chosen}.items():
        texts = [str(value) for value in values]
        if len(set(texts)) < len(texts):
            raise DefinitionError(
                f"{where}: {parameter!r} has a value twice.",
                "Each value is a cell of its own; in means it would count twice.",
            )
    names = tuple(workload.parameters)
    choices: list[Sequence[Parameter]] = [
        chosen.get(name, workload.parameters[name]) for name in names
    ]
    return tuple(dict(zip(names, choice, strict=True)) for choice in itertools.product(*choices))


def require_preset(workloads: Iterable[type[Workload]], preset: str, *, where: str) -> str:
    """`preset` if some workload knows it.

    Raises
    ------
    NotFoundError
        Naming those there are.
    """
    known = preset_names(workloads)
    if preset not in known:
        raise NotFoundError.among("a preset", preset, known, where=where)
    return preset
