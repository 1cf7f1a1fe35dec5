"""Read ``reports/<name>.toml``: what is asked, against which baseline, and what is claimed."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from bakeoff.errors import DefinitionError, NotFoundError
from bakeoff.measurement.contrast import quantile_metric, quantile_of
from bakeoff.report.check_language import parse_percent, parse_predicate
from bakeoff.report.families import FLOOR
from bakeoff.report.metrics import METRICS, metric_words
from bakeoff.report.predicates import (
    CrossoverBound,
    DeltaBound,
    ExactCount,
    GrowthBound,
    GrowthRange,
    IndependentOf,
    Predicate,
    RatioBound,
    SameWithin,
    ValueBound,
)
from bakeoff.results.records import Cell
from bakeoff.study.cells import preset_names
from bakeoff.study.workload import Parameter, Workload

Over = Literal["cell", "geomean", "total"]
_OVERS: dict[str, Over] = {"cell": "cell", "geomean": "geomean", "total": "total"}

#: What can be said of one figure over all cells.
_OVER_ALL = (RatioBound, ValueBound, DeltaBound, SameWithin)

_WORKLOAD_KEY = "workload"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which cells a claim speaks of; empty means all of the run.

    Attributes
    ----------
    choices : mapping of str to tuple
        For ``workload`` and for parameters, the accepted values; ``*`` in a text stands for
        anything.
    """

    choices: Mapping[str, tuple[Parameter, ...]]

    def covers(self, cell: Cell) -> bool:
        """Whether every choice accepts this cell."""
        return all(
            any(_accepts(pattern, _property(cell, name)) for pattern in accepted)
            for name, accepted in self.choices.items()
        )

    def unmet(self, cells: Sequence[Cell]) -> list[str]:
        """The choices no covered cell satisfies: parts of the claim that were not measured."""
        covered = [cell for cell in cells if self.covers(cell)]
        return [
            f"{name} {pattern}"
            for name, accepted in self.choices.items()
            for pattern in accepted
            if not any(_accepts(pattern, _property(cell, name)) for cell in covered)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A sentence of a report and the bound that its interval is held against.

    Attributes
    ----------
    number : int
        1, 2, 3 … in the order of the file.
    arm, vs : str
        The implementation that the sentence is about, and what it is divided by.
    check : str
        As written; `predicate` is what it means.
    tolerance : float
        0.15 widens the bound by 15 %; 0 where none is stated.
    over : str
        ``cell``: every cell has to hold; ``geomean``, ``total``: one figure over all of them.
    preset : str or None
        The preset that measures what the sentence is about; under another one the claim is shown
        as not measured.
    cells : int or None
        How many cells the sentence is about; with fewer in the run it is shown as not measured.
    """

    number: int
    text: str
    arm: str
    vs: str
    metric: str
    check: str
    predicate: Predicate
    tolerance: float = 0.0
    where: Selection
    over: Over = "cell"
    preset: str | None = None
    cells: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """One report as its author wrote it.

    Attributes
    ----------
    name : str
        The file's name without ``.toml``.
    source : str
        The file as messages call it: ``reports/snapshot.toml``.
    """

    name: str
    source: str
    title: str
    question: str
    study: str
    baseline: str
    summary: str | None
    claims: tuple[Claim, ...]


class _ClaimFile(msgspec.Struct, frozen=True, kw_only=True):
    text: str
    arm: str
    check: str
    vs: str | None = None
    metric: str = "time"
    tolerance: str | None = None
    where: dict[str, Parameter | list[Parameter]] = {}
    over: str = "cell"
    preset: str | None = None
    cells: int | None = None


class _DefinitionFile(msgspec.Struct, frozen=True, kw_only=True):
    title: str
    question: str
    study: str
    baseline: str
    summary: str | None = None
    claim: tuple[_ClaimFile, ...] = ()


def load_definition(
    path: Path,
    *,
    studies: Mapping[str, Sequence[str]],
    workloads: Mapping[str, type[Workload]] | None = None,
) -> Definition:
    """Read and check one definition.

    Parameters
    ----------
    path : Path
        ``reports/<name>.toml``.
    studies : mapping of str to sequence of str
        The names of all studies, each with the names of its implementations.
    workloads : mapping of str to Workload class, optional
        The study's workloads; if given, the cells and presets that claims name are checked too.

    Raises
    ------
    NotFoundError
        If the file, or a study, implementation, metric, workload, parameter or preset named in it
        does not exist.
    DefinitionError
        If the file is not TOML, or a key is unknown, missing, or of the wrong type.
    """
    return parse_definition(
        _text_of(path), source=_display_name(path), studies=studies, workloads=workloads
    )


def parse_definition(
    text: str,
    *,
    source: str,
    studies: Mapping[str, Sequence[str]],
    workloads: Mapping[str, type[Workload]] | None = None,
) -> Definition:
    """As `load_definition`, from the text of a file that messages call `source`."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DefinitionError(
            f"{source} is not valid TOML: {error}.", "Mend that line and try again."
        ) from error
    file = _decoded(document, source)
    if file.study not in studies:
        raise _not_found(f"{source}: study", "a study", file.study, studies, "impls")
    reader = _Reader(source, file, studies[file.study], workloads)
    reader.require_implementation("baseline", file.baseline)
    return Definition(
        name=Path(source).stem,
        source=source,
        title=file.title,
        question=file.question,
        study=file.study,
        baseline=file.baseline,
        summary=file.summary,
        claims=tuple(reader.claim(number, claim) for number, claim in enumerate(file.claim, 1)),
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """Turns the claims of one decoded file into what they mean."""

    source: str
    file: _DefinitionFile
    implementations: Sequence[str]
    workloads: Mapping[str, type[Workload]] | None

    def require_implementation(self, key: str, name: str) -> None:
        if name not in self.implementations:
            raise _not_found(
                f"{self.source}: {key}",
                f"an implementation of {self.file.study!r}",
                name,
                self.implementations,
                f"impls/{self.file.study}",
            )

    def claim(self, number: int, raw: _ClaimFile) -> Claim:
        place = f"{self.source}: claim {number}"
        versus = self.file.baseline if raw.vs is None else raw.vs
        self.require_implementation(f"claim {number}, arm", raw.arm)
        if versus != FLOOR:
            self.require_implementation(f"claim {number}, vs", versus)
        elif self.workloads is not None and all(w.floor is None for w in self.workloads.values()):
            raise DefinitionError(
                f"{place}, vs: no workload of {self._suite} has a floor.",
                "Give one a floor, or name an implementation.",
            )
        self._require_metric(f"{place}, metric", raw.metric)
        if raw.over not in _OVERS:
            raise _not_found(f"{place}, over", "a way to take cells", raw.over, _OVERS, "bakeoff")
        try:
            predicate = parse_predicate(
                raw.check, lambda metric: metric_words(metric).unit, raw.metric
            )
            tolerance = 0.0 if raw.tolerance is None else _tolerance(raw.tolerance, predicate)
        except DefinitionError as error:
            raise DefinitionError(f"{place}, {error.what}", error.next_step) from error
        if not (isinstance(predicate, ExactCount) and self.workloads is None):
            # What a workload counts is known to its suite only.
            self._require_metric(f"{place}, check {raw.check!r}", predicate.metric)
        if isinstance(predicate, ValueBound | DeltaBound) and raw.over == "geomean":
            raise DefinitionError(
                f"{place}: a value has no geometric mean over cells.",
                'Use over = "cell" or over = "total", or a ratio.',
            )
        if raw.over != "cell" and not isinstance(predicate, _OVER_ALL):
            raise DefinitionError(
                f"{place}: check {raw.check!r} is about all its cells as they are.",
                f'Leave out over = "{raw.over}".',
            )
        if isinstance(predicate, GrowthBound | GrowthRange | IndependentOf | CrossoverBound):
            self._require_parameter(f"{place}, check {raw.check!r}", predicate.over)
        return Claim(
            number=number,
            text=raw.text,
            arm=raw.arm,
            vs=versus,
            metric=predicate.metric,
            check=raw.check,
            predicate=predicate,
            tolerance=tolerance,
            where=self._selection(place, raw.where),
            over=_OVERS[raw.over],
            preset=self._preset(place, raw.preset),
            cells=raw.cells,
        )

    def _require_metric(self, place: str, name: str) -> None:
        """Refuse a metric that no run could have; without workloads a percentile may be any."""
        known = [*METRICS]
        for workload in (self.workloads or {}).values():
            known += [*map(quantile_metric, workload.quantiles), *workload.counts]
        if name in known or (self.workloads is None and quantile_of(name) is not None):
            return
        raise _not_found(place, "a metric", name, dict.fromkeys(known), "this version of bakeoff")

    def _require_parameter(self, place: str, name: str) -> None:
        if self.workloads is None:
            return
        known = {name for workload in self.workloads.values() for name in workload.parameters}
        if name not in known:
            raise _not_found(place, "a parameter", name, known, self._suite)

    def _preset(self, place: str, name: str | None) -> str | None:
        if name is None or self.workloads is None:
            return name
        known = preset_names(self.workloads.values())
        if name not in known:
            raise _not_found(f"{place}, preset", "a preset", name, known, self._suite)
        return name

    def _selection(self, place: str, where: Mapping[str, Any]) -> Selection:
        choices = {
            name: tuple(value) if isinstance(value, list) else (value,)
            for name, value in where.items()
        }
        if self.workloads is not None:
            self._require_known(f"{place}, where", choices, self.workloads)
        return Selection(choices)

    def _require_known(
        self,
        place: str,
        choices: Mapping[str, tuple[Parameter, ...]],
        workloads: Mapping[str, type[Workload]],
    ) -> None:
        """Refuse a selection that no preset could ever satisfy: it is a slip of the pen."""
        for pattern in choices.get(_WORKLOAD_KEY, ()):
            if not any(_accepts(pattern, name) for name in workloads):
                raise _not_found(place, "a workload", str(pattern), workloads, self._suite)
        patterns = choices.get(_WORKLOAD_KEY, ("*",))
        meant = [w for n, w in workloads.items() if any(_accepts(p, n) for p in patterns)]
        parameters = {name for workload in meant for name in workload.parameters}
        for name, accepted in choices.items():
            if name == _WORKLOAD_KEY:
                continue
            if name not in parameters:
                raise _not_found(place, "a parameter", name, parameters, self._suite)
            values = [value for w in meant for value in w.parameters.get(name, ())]
            for pattern in accepted:
                if not any(_accepts(pattern, value) for value in values):
                    known = map(str, values)
                    raise _not_found(
                        place, f"a value of {name!r}", str(pattern), known, self._suite
                    )

    @property
    def _suite(self) -> str:
        return f"benchmarks/{self.file.study}.py"


def _decoded(document: Mapping[str, Any], source: str) -> _DefinitionFile:
    """The document as its types say; the first key that does not fit is named."""
    _refuse_unknown_keys(document, _DefinitionFile, source)
    claims = document.get("claim", [])
    for number, claim in enumerate(claims if isinstance(claims, list) else [], start=1):
        if isinstance(claim, dict):
            _refuse_unknown_keys(claim, _ClaimFile, f"{source}: claim {number}")
    try:
        return msgspec.convert(document, _DefinitionFile)
    except msgspec.ValidationError as error:
        raise DefinitionError(
            f"{source}{_where_and_what(str(error))}.",
            f"Keys: {', '.join(_DefinitionFile.__struct_fields__)}; "
            f"of a claim: {', '.join(_ClaimFile.__struct_fields__)}.",
        ) from error


def _refuse_unknown_keys(table: Mapping[str, Any], shape: type[msgspec.Struct], place: str) -> None:
    known = shape.__struct_fields__
    for key in table:
        if key not in known:
            nearest = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
            raise DefinitionError(
                f"{place}: unknown key {key!r}.", f"Keys here: {', '.join(known)}.{hint}"
            )


_PATH = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_CLAIM_PATH = re.compile(r"claim\[(?P<index>\d+)\]\.?(?P<key>.*)")


def _where_and_what(message: str) -> str:
    """What msgspec says, e.g. ``Expected `str`, got `int` - at `$.claim[1].text``` in our words."""
    match = _PATH.match(message)
    what, path = (message, "") if match is None else (match["what"], match["path"] or "")
    claim = _CLAIM_PATH.fullmatch(path)
    if claim is not None:
        key = f", key {claim['key']!r}" if claim["key"] else ""
        place = f": claim {int(claim['index']) + 1}{key}"
    else:
        place = f": key {path!r}" if path else ""
    what = what.replace("Object missing required field", "required key missing:")
    return f"{place}: {what.replace('`', chr(39))}"


def _tolerance(text: str, predicate: Predicate) -> float:
    if not isinstance(predicate, RatioBound | ValueBound | DeltaBound):
        raise DefinitionError(
            "tolerance: this check states its margin itself.", "Leave the tolerance out."
        )
    return parse_percent(text, "tolerance")


def _property(cell: Cell, name: str) -> Parameter | None:
    return cell.workload if name == _WORKLOAD_KEY else cell.params.get(name)


def _accepts(pattern: Parameter, value: Parameter | None) -> bool:
    if isinstance(pattern, str) and isinstance(value, str):
        parts = (re.escape(part) for part in pattern.split("*"))
        return re.fullmatch(".*".join(parts), value, re.DOTALL) is not None
    # In TOML, as in people's heads, true is not 1.
    return pattern == value and isinstance(pattern, bool) == isinstance(value, bool)


def _not_found(place: str, kind: str, name: str, known: Iterable[str], where: str) -> NotFoundError:
    error = NotFoundError.among(kind, name, known, where=where)
    return NotFoundError(f"{place} {error.what}", error.next_step)


def _display_name(path: Path) -> str:
    return f"{path.parent.name}/{path.name}" if path.parent.name else path.name


def _text_of(path: Path) -> str:
    name = _display_name(path)
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        found = [other.stem for other in path.parent.glob("*.toml")]
        raise NotFoundError.among("a report", path.stem, found, where=name.split("/")[0]) from error
    except UnicodeDecodeError as error:
        raise DefinitionError(
            f"{name} is not UTF-8: {error.reason}.", "Save it as UTF-8."
        ) from error
    except OSError as error:
        raise DefinitionError(f"{name} cannot be read: {error.strerror}.") from error
