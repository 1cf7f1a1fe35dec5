"""The locked snapshot under real threads: nothing is lost, and nobody sees half of a change."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from impls.snapshot import patchset_locked
from impls.snapshot.interface import Snapshot
from kubernetes_testbed.claims import Allocation, DeviceResult, ResourceClaim
from kubernetes_testbed.pods import Node, Pod, PodClaimReference

THREADS = 8
ROUNDS = 200

#: Readers are given a chance after each step, which takes time.
WATCHED_ROUNDS = 60


@pytest.fixture(autouse=True)
def threads_take_turns_often() -> Iterator[None]:
    """A switch every few bytecodes, so that whatever can be torn is."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def a_claim(name: str) -> ResourceClaim:
    allocation = Allocation([DeviceResult("r", "driver", "pool", f"device-{name}")])
    return ResourceClaim("default", name, f"{name}-uid", allocation=allocation)


def a_pod(name: str, *claims: str) -> Pod:
    references = tuple(PodClaimReference(claim, claim) for claim in claims)
    return Pod("default", name, f"{name}-uid", references)


def make_snapshot(*names: str) -> Snapshot:
    return patchset_locked.create({("default", name): a_claim(name) for name in names})


def run_all(*bodies: Callable[[], None]) -> None:
    """Run every body in a thread of its own; what one of them raises fails the test."""
    failures: list[BaseException] = []

    def guarded(body: Callable[[], None]) -> None:
        try:
            body()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_no_reservation_is_lost() -> None:
    snapshot = make_snapshot("shared")
    per_thread = 30

    def reserve(thread: int) -> None:
        for index in range(per_thread):
            snapshot.reserve_pod_claims(a_pod(f"pod-{thread}-{index}", "shared"))

    run_all(*(lambda thread=thread: reserve(thread) for thread in range(THREADS)))
    holders = [
        entry.uid for entry in snapshot.resource_claims().get("default", "shared").reserved_for
    ]
    assert len(holders) == len(set(holders)) == THREADS * per_thread


def test_no_added_claim_is_lost_and_none_is_added_twice() -> None:
    snapshot = make_snapshot()
    refused: list[str] = []

    def add(thread: int) -> None:
        for index in range(ROUNDS):
            try:
                snapshot.add_claims([a_claim(f"claim-{index}"), a_claim(f"own-{thread}-{index}")])
            except Exception:
                refused.append(f"{thread}-{index}")

    run_all(*(lambda thread=thread: add(thread) for thread in range(THREADS)))
    names = {claim.name for claim in snapshot.resource_claims().list()}
    # All or none: whoever was refused the common claim has not added his own either.
    assert len(refused) == (THREADS - 1) * ROUNDS
    assert len(names) == 2 * ROUNDS


def test_readers_see_all_of_a_change_or_nothing_of_it() -> None:
    """One thread moves a pod's two claims between held and free, layer by layer; the others only look."""
    snapshot = make_snapshot("a", "b")
    pod = a_pod("pod", "a", "b")
    is_over = threading.Event()

    def change(name: str) -> Callable[[], None]:
        return lambda: getattr(snapshot, name)(pod)

    reserve, unreserve, remove = map(
        change, ("reserve_pod_claims", "unreserve_pod_claims", "remove_pod_owned_claims")
    )
    steps = [
        # Twice in one layer: only the first change of a claim is made to a copy as a matter of course.
        *(snapshot.fork, reserve, remove, reserve),
        *(snapshot.fork, unreserve, snapshot.revert),
        *(snapshot.commit, snapshot.fork, remove, snapshot.commit),
    ]

    def write() -> None:
        try:
            for _ in range(WATCHED_ROUNDS):
                for step in steps:
                    step()
                    # Now the readers: a lock is not fair, the writer would have it again at once.
                    time.sleep(0)
        finally:
            is_over.set()

    def look() -> None:
        view = snapshot.resource_claims()
        while not is_over.is_set():
            ((a, b),) = snapshot.wrap_node_info(Node("node"), [pod]).claims
            # A claim that was handed out stays as it was, whatever the writer does meanwhile.
            for one, other in ((a, b), tuple(snapshot.pod_claims(pod))):
                before = one.clone()
                assert [e.uid for e in one.reserved_for] == [e.uid for e in other.reserved_for]
                assert (one.allocation is None) == (other.allocation is None)
                assert one == before
            listed = view.list()
            assert len(listed) == 2
            assert len({len(claim.reserved_for) for claim in listed}) == 1
            assert len(view.list_all_allocated_devices()) in (0, 2)

    run_all(write, *(look for _ in range(3)))
    assert snapshot.resource_claims().get("default", "a").reserved_for == []


def test_forks_of_several_threads_come_out_even() -> None:
    snapshot = make_snapshot("a")

    def fork_and_revert(thread: int) -> None:
        for index in range(ROUNDS):
            snapshot.fork()
            snapshot.add_node_resource_slices(f"node-{thread}-{index}", [])
            snapshot.revert() if index % 2 else snapshot.commit()

    run_all(*(lambda thread=thread: fork_and_revert(thread) for thread in range(THREADS)))
    # As many forks as endings: what is written now is at the bottom, and a revert leaves it.
    snapshot.reserve_pod_claims(a_pod("pod", "a"))
    snapshot.revert()
    assert len(snapshot.resource_claims().get("default", "a").reserved_for) == 1
