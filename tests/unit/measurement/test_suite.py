"""A workload as an asv benchmark: one for each workload, rightly labelled, timed per operation."""

from __future__ import annotations

import gc
import importlib.util
import inspect
import itertools
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from asv_runner.discovery import _get_benchmark

import bakeoff.measurement.suite as suite_module
import impls

Load = Callable[[str], ModuleType]

SORTING = '''
    from bakeoff import Suite


    def backwards(count):
        return list(range(count, 0, -1))


    class Sort(Suite):
        """Sort a list."""

        parameters = {"count": (10, 20, 40), "kind": ("int", "str")}
        presets = {"quick": {"count": (10, 20)}}

        def prepare(self, seed, count, kind):
            return backwards(count)

        def run(self, create, given):
            return create()(given)


    class SortTwice(Sort):
        """Sort a list twice."""

        def run(self, create, given):
            return create()(create()(given))


    class SortTimeless(Sort):
        """Inherits all of it."""


    class Base(Suite):
        """Does not say what to run."""
'''


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now = 100.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    fake = Clock()
    monkeypatch.setattr(suite_module, "time", fake)
    return fake


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A project whose study `sorting` has the implementation `builtin`, importable."""
    folder = tmp_path / "impls" / "sorting"
    folder.mkdir(parents=True)
    (tmp_path / "benchmarks").mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "interface.py").write_text("")
    (folder / "_shared.py").write_text("")
    (folder / "builtin.py").write_text("def create():\n    return sorted\n")
    monkeypatch.setattr(impls, "__path__", [*impls.__path__, str(tmp_path / "impls")])
    monkeypatch.delenv("BAKEOFF_PRESET", raising=False)
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("impls.sorting")]:
        del sys.modules[name]


@pytest.fixture
def load(project: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Write ``benchmarks/sorting.py`` and import it, anew each time."""
    versions = itertools.count()

    def load_suite(source: str) -> ModuleType:
        path = project / "benchmarks" / "sorting.py"
        path.write_text(textwrap.dedent(source))
        # `inspect` remembers the lines of a file by its time stamp, which is too coarse for us.
        inspect.linecache.clearcache()  # type: ignore[attr-defined]
        name = f"suites_{next(versions)}.sorting"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        module.__dict__["clock"] = vars(suite_module)["time"]
        monkeypatch.setitem(sys.modules, name, module)
        # Not through the loader's cache of byte code, for the same reason.
        exec(compile(path.read_text(), str(path), "exec"), vars(module))
        return module

    return load_suite


def benchmarks_of(module: ModuleType) -> dict[str, Any]:
    """What asv finds in a module, as its discovery walks through it."""
    found = {}
    for name, item in vars(module).items():
        if inspect.isclass(item) and not name.startswith("_"):
            for attribute, member in inspect.getmembers(item):
                if inspect.isfunction(member):
                    benchmark = _get_benchmark(attribute, module, item, member)
                    if benchmark is not None:
                        found[benchmark.name] = benchmark
    return found


def test_each_workload_is_one_benchmark_and_a_base_is_none(load: Load) -> None:
    assert list(benchmarks_of(load(SORTING))) == [
        "sorting.Sort.time_operation",
        "sorting.SortTwice.time_operation",
        "sorting.SortTimeless.time_operation",
    ]


def test_the_first_parameter_is_the_implementation_by_the_files_of_the_working_tree(
    load: Load, project: Path
) -> None:
    module = load(SORTING)
    sort = benchmarks_of(module)["sorting.Sort.time_operation"]
    assert sort.param_names == ["implementation", "count", "kind"]
    assert sort.params == [["'builtin'"], ["10", "20"], ["'int'", "'str'"]]
    (project / "impls" / "sorting" / "bisection.py").write_text(
        "raise ImportError('not looked at')"
    )
    sort = benchmarks_of(module)["sorting.Sort.time_operation"]
    assert sort.params[0] == ["'bisection'", "'builtin'"]


def test_the_preset_is_taken_from_the_environment(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(SORTING)
    monkeypatch.setenv("BAKEOFF_PRESET", "full")
    assert benchmarks_of(module)["sorting.Sort.time_operation"].params[1] == ["10", "20", "40"]


def test_a_workload_that_the_preset_leaves_out_is_not_available(
    load: Load, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(SORTING.replace('{"count": (10, 20)}', '{"count": ()}'))
    benchmark = benchmarks_of(module)["sorting.Sort.time_operation"]
    assert benchmark.params[1:] == [["10"], ["'int'"]]
    with pytest.raises(NotImplementedError, match="left out of the preset 'quick'"):
        module.Sort().setup("builtin", 10, "int")
    monkeypatch.setenv("BAKEOFF_PRESET", "full")
    module.Sort().setup("builtin", 10, "int")


def test_the_benchmark_shows_the_source_of_the_workload(load: Load) -> None:
    code = benchmarks_of(load(SORTING))["sorting.SortTwice.time_operation"].code
    assert "return create()(create()(given))" in code
    assert "def prepare(self, seed, count, kind)" in code
    assert "def backwards(count)" in code
    assert "SortTimeless" not in code


def versions(module: ModuleType) -> dict[str, str]:
    return {name.split(".")[1]: found.version for name, found in benchmarks_of(module).items()}


def test_workloads_that_inherit_have_versions_of_their_own(load: Load) -> None:
    assert len(set(versions(load(SORTING)).values())) == 3


def test_a_version_changes_with_the_workload_its_base_or_its_helper_and_with_nothing_else(
    load: Load,
) -> None:
    before = versions(load(SORTING))
    assert versions(load("\n" + SORTING)) == before
    helper = versions(load(SORTING.replace("count, 0, -1", "count, 1, -1")))
    base = versions(load(SORTING.replace("return create()(given)", "return create()(given[:])")))
    other = versions(load(SORTING.replace("create()(create()(given))", "create()(given)")))
    assert all(helper[name] != before[name] for name in before)
    assert all(base[name] != before[name] for name in before)
    assert other["SortTwice"] != before["SortTwice"]
    assert other["Sort"] == before["Sort"]


def test_an_implementation_that_this_commit_does_not_have_is_not_available(
    load: Load, project: Path
) -> None:
    sort = load(SORTING).Sort()
    with pytest.raises(NotImplementedError, match=r"impls\.sorting\.newer is not in this commit"):
        sort.setup("newer", 10, "int")


def test_an_implementation_that_lacks_something_it_imports_fails_loudly(
    load: Load, project: Path
) -> None:
    (project / "impls" / "sorting" / "needy.py").write_text("import impls.sorting.needy_helper")
    (project / "impls" / "sorting" / "needier.py").write_text("import nowhere_to_be_found")
    sort = load(SORTING).Sort()
    for name in ("needy", "needier"):
        with pytest.raises(ModuleNotFoundError):
            sort.setup(name, 10, "int")


def test_not_implemented_anywhere_else_is_a_failure_not_an_absence(
    load: Load, project: Path
) -> None:
    (project / "impls" / "sorting" / "stub.py").write_text("raise NotImplementedError('later')")
    with pytest.raises(RuntimeError, match="later"):
        load(SORTING).Sort().setup("stub", 10, "int")
    unprepared = SORTING.replace("return backwards(count)", "raise NotImplementedError('never')")
    with pytest.raises(RuntimeError, match="never"):
        load(unprepared).Sort().setup("builtin", 10, "int")


def test_the_input_is_built_once_in_a_process(load: Load) -> None:
    sort = load(SORTING).Sort()
    sort.setup("builtin", 10, "int")
    first = sort._prepared
    sort.setup("builtin", 10, "int")
    assert sort._prepared is first
    sort.setup("builtin", 20, "int")
    assert sort._prepared == list(range(20, 0, -1))


TIMED = """
    from bakeoff import Suite


    class Work(Suite):
        parameters = {"duration": (1e-6, 0.2)}
        consumes_input = True
        calls = 0

        def prepare(self, seed, duration):
            return duration

        def fresh_input(self, prepared):
            clock.now += 7.0
            return prepared

        def run(self, create, given):
            clock.now += given
            self.calls += 1
"""


def test_a_sample_is_the_time_of_one_operation_over_a_batch_of_at_least_5_ms(
    load: Load, clock: Clock
) -> None:
    work = load(TIMED).Work()
    work.setup("builtin", 1e-6)
    work.time_operation("builtin", 1e-6)
    calibrated, start = work.calls, work.timer()
    work.time_operation("builtin", 1e-6)
    # Making the inputs took seven seconds each, and none of it counts.
    assert work.timer() - start == pytest.approx(1e-6, rel=1e-3)
    assert work.calls - calibrated >= 5000


def test_a_slow_operation_is_run_once_for_a_sample_and_not_before(load: Load, clock: Clock) -> None:
    work = load(TIMED).Work()
    work.setup("builtin", 0.2)
    assert work.calls == 0
    start = work.timer()
    work.time_operation("builtin", 0.2)
    assert work.calls == 1
    assert work.timer() - start == pytest.approx(0.2)


def test_asv_gets_a_time_per_operation_from_its_own_timer(load: Load, clock: Clock) -> None:
    module = load(TIMED)
    benchmark = benchmarks_of(module)["sorting.Work.time_operation"]
    benchmark.set_param_idx(0)
    # asv's own clock must run while the fake one stands, so nothing here waits for it.
    benchmark.warmup_time = 0
    assert benchmark.do_setup() is False
    result = benchmark._get_timer(*benchmark._current_params).timeit(benchmark.number)
    assert benchmark.number == 1
    assert result == pytest.approx(1e-6, rel=1e-3)


def test_the_garbage_collector_stays_on_while_asv_times(load: Load, clock: Clock) -> None:
    module = load(TIMED.replace("self.calls += 1", "self.saw = gc.isenabled()"))
    module.__dict__["gc"] = gc
    work = module.Work()
    work.setup("builtin", 0.2)
    gc.disable()
    try:
        work.time_operation("builtin", 0.2)
    finally:
        gc.enable()
    assert work.saw is True


def test_asv_waits_longer_than_the_workload_may_take(load: Load) -> None:
    benchmark = benchmarks_of(load(SORTING))["sorting.Sort.time_operation"]
    assert benchmark.timeout >= 3 * 20
