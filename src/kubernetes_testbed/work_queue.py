"""A controller's work queue under open-loop load: items arrive when they arrive, whoever is still busy.

What an item took counts from the moment at which it was to arrive, so that an item which waits behind a slow one is
slow itself (otherwise the slowest moments would be seen least: coordinated omission).
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def arrivals(count: int, per_s: float, chance: random.Random) -> list[float]:
    """When so many items arrive, in seconds from the beginning: independently of each other (a Poisson process)."""
    moments: list[float] = []
    now_s = 0.0
    for _ in range(count):
        now_s += chance.expovariate(per_s)
        moments.append(now_s)
    return moments


def drive(
    items: Sequence[T], arrive_s: Sequence[float], workers: int, work: Callable[[T], None]
) -> list[float]:
    """Have workers do items as they arrive.

    Parameters
    ----------
    items : sequence
        In the order of their arrival.
    arrive_s : sequence of float
        When each of them is to arrive, in seconds from now; ascending.
    workers : int
        How many threads work.
    work : callable
        Does one item. An item that fails must not end its worker, so it raises nothing.

    Returns
    -------
    list of float
        For each item the seconds from its intended arrival until it was done.

    Raises
    ------
    Exception
        The first that `work` raised, once everybody has stopped.
    """
    waiting: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    took_s = [0.0] * len(items)
    failures: list[BaseException] = []

    def serve() -> None:
        while (index := waiting.get()) is not None:
            try:
                work(items[index])
            except BaseException as error:
                failures.append(error)
                return
            took_s[index] = time.perf_counter() - begun - arrive_s[index]

    threads = [threading.Thread(target=serve, name=f"worker-{n}") for n in range(workers)]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for index, moment in enumerate(arrive_s):
        if failures:
            break
        early_s = begun + moment - time.perf_counter()
        if early_s > 0.0:
            time.sleep(early_s)
        waiting.put(index)
    for _ in threads:
        waiting.put(None)
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]
    return took_s
