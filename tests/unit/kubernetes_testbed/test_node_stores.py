"""Both stores of nodes are one to whoever uses them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubernetes_testbed.node_stores import STORES, BasicStore, DeltaStore, NodeStore
from kubernetes_testbed.pods import Pod


def a_pod(name: str) -> Pod:
    return Pod("default", name, f"{name}-uid")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> NodeStore:
    made: NodeStore = STORES[request.param]()
    return made


def names_on(store: NodeStore, node: str) -> list[str]:
    return [pod.name for pod in store.pods_on(node)]


def test_a_revert_undoes_nodes_and_pods(store: NodeStore) -> None:
    store.add_node("n0", [a_pod("a")])
    store.fork()
    store.add_pod("n0", a_pod("b"))
    store.add_node("n1")
    assert (names_on(store, "n0"), store.node_names()) == (["a", "b"], ["n0", "n1"])
    store.remove_node("n0")
    assert store.node_names() == ["n1"]
    store.revert()
    assert (names_on(store, "n0"), store.node_names()) == (["a"], ["n0"])
    with pytest.raises(KeyError):
        store.pods_on("n1")


def test_a_commit_keeps_them_until_the_layer_below_is_reverted(store: NodeStore) -> None:
    store.add_node("n0", [a_pod("a")])
    store.fork()
    store.fork()
    store.remove_pod("n0", a_pod("a"))
    store.add_node("n1", [a_pod("b")])
    store.commit()
    assert (names_on(store, "n0"), names_on(store, "n1")) == ([], ["b"])
    store.revert()
    assert (names_on(store, "n0"), store.node_names()) == (["a"], ["n0"])


def test_the_only_layer_is_never_dropped(store: NodeStore) -> None:
    store.add_node("n0")
    store.commit()
    store.revert()
    assert store.node_names() == ["n0"]


def test_what_is_not_there_cannot_be_changed(store: NodeStore) -> None:
    store.add_node("n0")
    with pytest.raises(KeyError):
        store.add_pod("n1", a_pod("a"))
    with pytest.raises(KeyError):
        store.remove_node("n1")
    with pytest.raises(ValueError, match="not in list"):
        store.remove_pod("n0", a_pod("a"))


def test_lists_handed_in_are_copied(store: NodeStore) -> None:
    pods = [a_pod("a")]
    store.add_node("n0", pods)
    store.add_pod("n0", a_pod("b"))
    assert len(pods) == 1


steps = st.tuples(
    st.sampled_from(
        ["fork", "fork", "commit", "revert", "add_node", "add_pod", "remove_node", "remove_pod"]
    ),
    st.sampled_from(["n0", "n1", "n2"]),
    st.sampled_from(["a", "b"]),
)


@settings(max_examples=200, deadline=None)
@given(chosen=st.lists(steps, max_size=40))
def test_random_changes_have_the_same_outcome_in_both(chosen: list[tuple[str, str, str]]) -> None:
    stores: list[NodeStore] = [BasicStore(), DeltaStore()]
    for step, node, pod in chosen:
        outcomes = []
        for store in stores:
            try:
                _apply(store, step, node, pod)
            except (KeyError, ValueError) as error:
                outcomes.append(type(error).__name__)
            else:
                # Names may come in another order once a node was removed and added again.
                names = sorted(store.node_names())
                outcomes.append(str([(name, names_on(store, name)) for name in names]))
        assert outcomes[0] == outcomes[1], (step, node, pod)


def _apply(store: NodeStore, step: str, node: str, pod: str) -> None:
    if step in ("fork", "commit", "revert"):
        getattr(store, step)()
    elif step == "add_node":
        store.add_node(node, [a_pod("first")])
    elif step == "remove_node":
        store.remove_node(node)
    elif step == "add_pod":
        store.add_pod(node, a_pod(pod))
    else:
        store.remove_pod(node, a_pod(pod))
