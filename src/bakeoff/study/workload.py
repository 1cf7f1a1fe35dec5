"""A workload: prepared input and the one operation that is timed."""

from __future__ import annotations

import hashlib
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

Parameter = str | int | float | bool
Implementation = Callable[..., Any]


class Workload:
    """Prepared input and the one operation timed on every implementation of a study.

    Subclass it in ``benchmarks/<study>.py``, one class per workload. A measuring process calls
    `prepare` once, then `run` many times; only `run` is timed. A class without a `run` of its own is a base for
    others.

    Attributes
    ----------
    parameters : mapping of str to sequence
        Each parameter's values; a cell is one element of their product.
    presets : mapping of str to mapping
        For each preset, the values it uses of some or all parameters; ``full`` is everything
        unless it is given here. A parameter without a value, ``{"quick": {"size": ()}}``, leaves the workload out.
    time_limit_s : float
        An operation that takes longer is stopped and reported as a bound.
    consumes_input : bool
        True if `run` uses its input up; then `fresh_input` is called, untimed, before every call.
    cpus : int
        How many CPUs the operation needs; its arms share that many.
    is_cpu_bound : bool
        False if the operation waits (network, sleep): then waiting is no sign of contention.
    quantiles : sequence of float
        Quantiles of single operations to compare as well: ``(0.9,)``. Each process then does at
        least 20 ÷ (1 - q) operations and times every one of them.
    counts : sequence of str
        What `count` returns: names of figures that are compared like bytes, exact when exact.
    settings : mapping of str to str
        What can be set from the command line (``--kubeconfig FILE``), by name, with what it means. A value is text, or
        the path of a file.
    required_settings : sequence of str
        Settings without which the workload has nothing to measure: it is left out unless they are given.
    floor : callable, optional
        The least that could serve this workload, made and called like an implementation: bare dicts behind
        the interface's methods. Every implementation is shown as a multiple of it. Its answers
        are not looked at, and it has no memory run.
    """

    parameters: ClassVar[Mapping[str, Sequence[Parameter]]] = {}
    presets: ClassVar[Mapping[str, Mapping[str, Sequence[Parameter]]]] = {}
    time_limit_s: ClassVar[float] = 20.0
    consumes_input: ClassVar[bool] = False
    cpus: ClassVar[int] = 1
    is_cpu_bound: ClassVar[bool] = True
    quantiles: ClassVar[Sequence[float]] = ()
    counts: ClassVar[Sequence[str]] = ()
    settings: ClassVar[Mapping[str, str]] = {}
    required_settings: ClassVar[Sequence[str]] = ()
    floor: ClassVar[Implementation | None] = None

    #: The settings that were given, by name; there before `prepare` is called.
    given_settings: Mapping[str, str] = {}

    @classmethod
    def name(cls) -> str:
        """The workload's name: its class name in snake case."""
        return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()

    def prepare(self, seed: int, **params: Any) -> Any:
        """Build the input, untimed.

        Parameters
        ----------
        seed : int
            All randomness comes from it; the arms of a round share it.
        **params
            One value for each of `parameters`.
        """
        return None

    def fresh_input(self, prepared: Any) -> Any:
        """An input for one call, made outside the timed region; `prepared` itself by default."""
        return prepared

    def subject(self, create: Implementation, prepared: Any) -> Any:
        """What `run` is handed of the implementation: its factory, unless making one is not to be timed.

        Called once in each process, untimed. Where `consumes_input` it is called before every operation,
        with that operation's input.
        """
        return create

    def run(self, create: Any, given: Any) -> Any:
        """The timed operation: use one implementation, as `subject` gives it: by default its factory.

        Returns
        -------
        Any
            Whatever `answer` needs to tell a right result from a wrong one.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say what to run.")

    def answer(self, result: Any) -> Any:
        """What the operation found out, as plain data; compared between implementations, untimed."""
        return result

    def latencies(self, result: Any) -> Sequence[float]:
        """What each item took of an operation that works through many, in seconds from when it was due.

        Where a workload says that, its `quantiles` and histogram are of items, not of operations.
        """
        return ()

    def count(self, result: Any) -> Mapping[str, float]:
        """What the operation needed, by the names in `counts`: requests sent, keys looked up."""
        return {}

    def fingerprint(self, given: Any) -> str:
        """A digest of the input; if it changes during `run`, the implementation mutated its input."""
        return hashlib.sha256(pickle.dumps(given, protocol=5)).hexdigest()


class Calls:
    """What the operations of one implementation are handed, made outside the timed region.

    Parameters
    ----------
    workload : Workload
        Whose operations.
    create : callable
        The implementation's factory.
    prepared : object
        What the workload's `prepare` made.
    """

    def __init__(self, workload: Workload, create: Implementation, prepared: Any) -> None:
        self._workload = workload
        self._create = create
        self._prepared = prepared
        self._shared = None if workload.consumes_input else workload.subject(create, prepared)

    def take(self, count: int) -> list[tuple[Any, Any]]:
        """Subject and input for each of `count` operations; fresh ones where they are consumed."""
        workload = self._workload
        if not workload.consumes_input:
            return [(self._shared, self._prepared)] * count
        inputs = [workload.fresh_input(self._prepared) for _ in range(count)]
        return [(workload.subject(self._create, given), given) for given in inputs]


def answer_digest(answer: Any) -> str:
    """Digest of an answer, the same in every process: sets and mappings are taken in sorted order."""
    return hashlib.sha256(_canonical(answer).encode("utf-8", "backslashreplace")).hexdigest()


def _canonical(value: Any) -> str:
    if isinstance(value, Mapping):
        items = sorted((_canonical(key), _canonical(item)) for key, item in value.items())
        return "{" + ",".join(f"{key}:{item}" for key, item in items) + "}"
    if isinstance(value, set | frozenset):
        return "{" + ",".join(sorted(_canonical(item) for item in value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_canonical(item) for item in value) + "]"
    if value is None or isinstance(value, str | bytes | int | float | bool):
        return repr(value)
    raise TypeError(
        f"An answer must be plain data (numbers, text, lists, mappings, sets), not {type(value).__name__}."
    )
