"""Which pods are on which node, in layers: the other half of what an autoscaler forks.

The autoscaler has two stores for it (``simulator/clustersnapshot/store`` of kubernetes/autoscaler): a basic one
whose fork copies every node, and a delta one whose fork is an empty layer that reads through to the one below.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from kubernetes_testbed.pods import Pod


class NodeStore(Protocol):
    """Pods by node, in a stack of layers."""

    def add_node(self, node_name: str, pods: Sequence[Pod] = ()) -> None:
        """Add a node with the pods that are on it."""
        ...

    def remove_node(self, node_name: str) -> None:
        """Remove a node and its pods.

        Raises
        ------
        KeyError
            If there is no such node.
        """
        ...

    def add_pod(self, node_name: str, pod: Pod) -> None:
        """Put a pod on a node.

        Raises
        ------
        KeyError
            If there is no such node.
        """
        ...

    def remove_pod(self, node_name: str, pod: Pod) -> None:
        """Take a pod off a node.

        Raises
        ------
        KeyError
            If there is no such node.
        ValueError
            If the pod is not on it.
        """
        ...

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        """The pods on a node, in the order they came; not to be kept.

        Raises
        ------
        KeyError
            If there is no such node.
        """
        ...

    def node_names(self) -> list[str]:
        """All nodes, in the order they were added."""
        ...

    def fork(self) -> None:
        """Push a layer."""
        ...

    def commit(self) -> None:
        """Merge the top layer into the one below; nothing if it is the only one."""
        ...

    def revert(self) -> None:
        """Drop the top layer; nothing if it is the only one."""
        ...


class BasicStore:
    """A fork copies every node's list of pods."""

    def __init__(self) -> None:
        self._layers: list[dict[str, list[Pod]]] = [{}]

    def add_node(self, node_name: str, pods: Sequence[Pod] = ()) -> None:
        self._layers[-1][node_name] = list(pods)

    def remove_node(self, node_name: str) -> None:
        del self._layers[-1][node_name]

    def add_pod(self, node_name: str, pod: Pod) -> None:
        self._layers[-1][node_name].append(pod)

    def remove_pod(self, node_name: str, pod: Pod) -> None:
        self._layers[-1][node_name].remove(pod)

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        return self._layers[-1][node_name]

    def node_names(self) -> list[str]:
        return list(self._layers[-1])

    def fork(self) -> None:
        self._layers.append({name: pods.copy() for name, pods in self._layers[-1].items()})

    def commit(self) -> None:
        if len(self._layers) > 1:
            del self._layers[-2]

    def revert(self) -> None:
        if len(self._layers) > 1:
            self._layers.pop()


class DeltaStore:
    """A fork is an empty layer: nodes are copied into it when they change, and read from below until then."""

    def __init__(self) -> None:
        # None: removed in this layer.
        self._layers: list[dict[str, list[Pod] | None]] = [{}]
        # The names of all nodes in the top layer, once somebody has asked for them.
        self._names: list[str] | None = None

    def add_node(self, node_name: str, pods: Sequence[Pod] = ()) -> None:
        self._layers[-1][node_name] = list(pods)
        self._names = None

    def remove_node(self, node_name: str) -> None:
        self.pods_on(node_name)
        if len(self._layers) > 1:
            self._layers[-1][node_name] = None
        else:
            del self._layers[-1][node_name]
        self._names = None

    def add_pod(self, node_name: str, pod: Pod) -> None:
        self._own_pods(node_name).append(pod)

    def remove_pod(self, node_name: str, pod: Pod) -> None:
        self._own_pods(node_name).remove(pod)

    def pods_on(self, node_name: str) -> Sequence[Pod]:
        for layer in reversed(self._layers):
            if node_name in layer:
                pods = layer[node_name]
                if pods is None:
                    break
                return pods
        raise KeyError(node_name)

    def node_names(self) -> list[str]:
        if self._names is None:
            names: dict[str, None] = {}
            for layer in self._layers:
                for name, pods in layer.items():
                    if pods is None:
                        names.pop(name, None)
                    else:
                        names[name] = None
            self._names = list(names)
        return self._names.copy()

    def fork(self) -> None:
        self._layers.append({})

    def commit(self) -> None:
        if len(self._layers) < 2:
            return
        top = self._layers.pop()
        below = self._layers[-1]
        is_bottom = len(self._layers) == 1
        for name, pods in top.items():
            if pods is None and is_bottom:
                below.pop(name, None)
            else:
                below[name] = pods

    def revert(self) -> None:
        if len(self._layers) > 1:
            self._layers.pop()
            self._names = None

    def _own_pods(self, node_name: str) -> list[Pod]:
        """The node's pods in the top layer, copied from below if need be."""
        top = self._layers[-1]
        pods = top.get(node_name)
        if pods is None:
            pods = top[node_name] = list(self.pods_on(node_name))
        return pods


STORES: dict[str, type[BasicStore] | type[DeltaStore]] = {"basic": BasicStore, "delta": DeltaStore}
"""By the names that the autoscaler's benchmarks give them."""
