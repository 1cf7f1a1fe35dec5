"""`Suite`: a workload that is an asv benchmark class as well.

``benchmarks/<study>.py`` holds one subclass for each workload; asv then finds one benchmark,
``<study>.<Workload>.time_operation``, with the implementation as its first parameter. The comparison
itself never goes through asv, which keeps neither processes nor rounds; asv gives the history over
commits, and tells its users that a suite still runs.

What asv demands, and what is done about it (asv 0.6.6 with asv_runner 0.3.2):

* Parameters travel by index, so the implementations are the files of the working tree beside the
  suite, never what happens to be installed of an older commit.
* With a `setup`, asv calls the operation once for each sample. So a batch is run inside the
  benchmark, and `timer` counts seconds per operation instead of seconds.
* A subclass shares the version of the function that it inherits. So every workload has a function of
  its own, with a version made of the workload's source.

Every measuring process imports this module: standard library only, and nothing is worked out
before asv asks for it.
"""

from __future__ import annotations

import gc
import importlib
import os
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, cast

from bakeoff.study.cells import cells_of
from bakeoff.study.project import Project
from bakeoff.study.workload import Calls, Implementation, Parameter, Workload

#: Environment variable that says which preset's parameters asv gets.
PRESET_VARIABLE = "BAKEOFF_PRESET"

#: A batch lasts at least this long, far above the clock's and the loop's own cost.
BATCH_S = 0.005


class _OwnOperation:
    """The benchmark function of one workload, made when asv first looks at it.

    A function inherited from `Suite` would have one version for all workloads, so that editing a
    workload would not retire the results measured before.
    """

    def __init__(self) -> None:
        self._functions: dict[type, FunctionType] = {}

    def __get__(self, suite: Suite | None, workload: type[Suite]) -> FunctionType | MethodType:
        if workload not in self._functions:
            self._functions[workload] = _operation_of(workload)
        function = self._functions[workload]
        return function if suite is None else MethodType(function, suite)


class Suite(Workload):
    """A workload to be measured by rounds and, as it stands, by asv.

    Subclass it in ``benchmarks/<study>.py`` and write `prepare` and `run` as for any `Workload`. A
    class that does not say what to run is a base for others and no benchmark.
    """

    #: One call is one sample; the batch is inside it.
    number = 1

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.run is not Workload.run:
            cls.time_operation = _OwnOperation()  # type: ignore[attr-defined]

    _case: tuple[Parameter, ...] | None = None
    _prepared: Any = None
    _calls: Calls | None = None
    _iterations = 0
    _clock_s = 0.0

    @property
    def param_names(self) -> list[str]:
        """The implementation, then the workload's own parameters."""
        return ["implementation", *self.parameters]

    @property
    def params(self) -> list[list[Parameter]]:
        """The values of each parameter under the preset that the environment names.

        Of a workload that the preset leaves out there is one cell, which `setup` declares absent: asv needs one.
        """
        first = {name: values[0] for name, values in self.parameters.items()}
        cells = self._cells() or (first,)
        return [
            [*self._study().implementations],
            *(list(dict.fromkeys(cell[name] for cell in cells)) for name in self.parameters),
        ]

    def _cells(self) -> Sequence[Mapping[str, Parameter]]:
        return cells_of(type(self), _preset())

    @property
    def timeout(self) -> float:
        """Seconds that asv gives one process: a warm-up and a sample at the limit, and the input."""
        return 60.0 + 3.0 * self.time_limit_s

    def setup(self, implementation: str, *values: Parameter) -> None:
        """Import the implementation and build the input; do neither twice in one process.

        Raises
        ------
        NotImplementedError
            If this commit has no such implementation, the preset leaves the workload out, or it needs settings, which asv cannot
            give: asv reports "n/a". Whatever else goes wrong is raised as something else, since it must be reported as a failure.
        """
        if self._case == (implementation, *values):
            return
        if self.required_settings:
            raise NotImplementedError(f"needs --{' and --'.join(self.required_settings)}")
        if not self._cells():
            raise NotImplementedError(
                f"left out of the preset {_preset()!r}: set {PRESET_VARIABLE}"
            )
        try:
            create = self._factory(implementation)
            parameters = dict(zip(self.parameters, values, strict=True))
            self._prepared = self.prepare(0, **parameters)
            self._calls = Calls(self, create, self._prepared)
        except NotImplementedError as error:
            raise RuntimeError(f"Not absent but broken: {error!r}") from error
        except _AbsentImplementationError as error:
            raise NotImplementedError(str(error)) from error
        self._case = (implementation, *values)
        self._iterations = 0

    def timer(self) -> float:
        """Seconds per operation so far, so that the difference over a batch is one operation's time."""
        return self._clock_s

    def _run_batch(self) -> None:
        """Run a batch and let the clock of `timer` advance by the mean time of its operations."""
        if self._calls is None:
            raise RuntimeError("setup was not called.")
        # timeit turns the collector off, which flatters whoever allocates most.
        gc.enable()
        if self._iterations == 0:
            self._iterations = 1
            while (elapsed := self._time(self._calls)) < BATCH_S:
                # At most tenfold: the first calls are the slowest.
                growth = min(10.0, 1.2 * BATCH_S / max(elapsed, 1e-9))
                self._iterations = max(self._iterations + 1, int(self._iterations * growth))
        else:
            elapsed = self._time(self._calls)
        self._clock_s += elapsed / self._iterations

    def _time(self, calls: Calls) -> float:
        """Wall time of a batch; what its operations are handed is made before."""
        run = self.run
        handed = calls.take(self._iterations)
        start = time.perf_counter()
        for subject, given in handed:
            run(subject, given)
        return time.perf_counter() - start

    def _factory(self, implementation: str) -> Implementation:
        """``create`` of the installed implementation, which may be an older commit's."""
        name = f"impls.{self._study().name}.{implementation}"
        try:
            create: Implementation = importlib.import_module(name).create
        except ModuleNotFoundError as error:
            # Only a module on the way to the implementation: one that it imports is its own mistake.
            if error.name is not None and f"{name}.".startswith(f"{error.name}."):
                raise _AbsentImplementationError(f"{name} is not in this commit") from error
            raise
        return create

    def _study(self) -> Any:
        """The study that this suite stands beside, by the suite's file name."""
        suite = Path(sys.modules[type(self).__module__].__file__ or "")
        return Project(suite.resolve().parent.parent).study(suite.stem)


class _AbsentImplementationError(Exception):
    """The commit under measurement has no such implementation."""


def _preset() -> str:
    return os.environ.get(PRESET_VARIABLE, "quick")


def _operation_of(workload: type[Suite]) -> FunctionType:
    """A benchmark function of its own for `workload`, with the version and source that asv reads."""

    def time_operation(self: Suite, *_case: Parameter) -> None:
        self._run_batch()

    operation = cast(FunctionType, time_operation)
    operation.__qualname__ = f"{workload.__qualname__}.time_operation"
    operation.__module__ = workload.__module__
    operation.__doc__ = workload.__doc__
    # Only asv asks: a measuring process must not pay for `inspect`.
    from bakeoff.measurement.suite_source import source_of, version_of

    source = source_of(workload)
    # A function's own dictionary: it is no attribute that mypy could know.
    vars(operation).update(pretty_source=source, version=version_of(source))
    return operation
