"""The promise: a mapper between kinds and resources of an API server.

A controller meets objects, which name their kind (``apps/v1 Deployment``), and has to send requests, which name a
resource (``apps/v1 deployments``). What belongs to what, the server says in its discovery documents. A mapper
asks them, and answers questions in which parts may be missing: a resource without group or version is looked for in all of
them.

Rules for every method:

- **Resources are asked for in any case, kinds as they are written.** ``PODS`` is ``pods``; ``POD`` is no kind. A kind all in
  lower case is known, too.
- **A group is matched exactly.** Where no group matches, most mappers find resources by a group's beginning, too (``apps`` finds
  ``apps.example.com``); that is a capability, for whoever knows only the groups that were asked for cannot.
- **An answer for one is the best of all**: the core group first, then each group's preferred version in the
  server's order, then other versions. Where that does not decide, `AmbiguousError`.
- **An error says whether it is known to be absent**: `NoMatchError` means that the mapper knows of none, and anything else
  that it could not find out. How far a mapper keeps the two apart is a capability of it, not a promise: see `conformance`.

::

    MapperError
    ├── NoMatchError
    │   ├── NoKindMatchError            no group and version has the kind
    │   └── NoResourceMatchError        nothing has a resource of that name
    ├── AmbiguousError
    │   ├── AmbiguousResourceError      several resources, and none comes first
    │   └── AmbiguousKindError          several kinds, and none comes first
    ├── ResourceRequiredError           a resource was asked for without its name
    ├── SingularError                   a name has no singular, or several
    ├── DiscoveryFailedError            the server could not be asked
    └── AggregateError                  several mappers failed, each in its way

The interface is that of ``meta.RESTMapper`` in Kubernetes' apimachinery v0.36.2. An implementation is a module with a factory
``create`` (a `MapperFactory`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

from kubernetes_testbed.discovery import DiscoveryClient

Scope = Literal["namespace", "root"]

Clock = Callable[[], float]

#: A version that clients use among themselves; it means: any.
INTERNAL_VERSION = "__internal"


def named_version(version: str) -> str:
    """The version that a question names; empty if it may be any."""
    return "" if version == INTERNAL_VERSION else version


def named_versions(versions: Iterable[str]) -> list[str]:
    """The versions that a question names; none if it may be any."""
    return [version for version in versions if named_version(version)]


class GroupVersionResource(NamedTuple):
    """A resource, by its plural; in a question group and version may be empty, and the name a singular."""

    group: str
    version: str
    resource: str


class GroupVersionKind(NamedTuple):
    """A kind of a group and version."""

    group: str
    version: str
    kind: str


@dataclass(frozen=True, slots=True)
class RESTMapping:
    """What a kind's objects are reached by.

    Attributes
    ----------
    resource : GroupVersionResource
        The plural, for paths.
    kind : GroupVersionKind
        As it was asked for.
    scope : {"namespace", "root"}
        Whether paths name a namespace.
    """

    resource: GroupVersionResource
    kind: GroupVersionKind
    scope: Scope


class MapperError(Exception):
    """A mapper has no answer, or not a whole one.

    Attributes
    ----------
    found : tuple
        What was found in spite of it, by a method that answers with a list.
    """

    found: tuple[Any, ...] = ()


class NoMatchError(MapperError):
    """As far as the mapper knows there is no such thing."""


class NoKindMatchError(NoMatchError):
    """No group and version has the kind.

    Parameters
    ----------
    group, kind : str
        What was asked for.
    versions : tuple of str
        Where it was looked for.
    """

    def __init__(self, group: str, kind: str, versions: tuple[str, ...] = ()) -> None:
        super().__init__(group, kind, versions)
        self.group = group
        self.kind = kind
        self.versions = versions

    def __str__(self) -> str:
        """What was not found, and where."""
        where = f" in {', '.join(self.versions)}" if self.versions else ""
        return f"no kind {self.kind!r} in group {self.group!r}{where}"


class NoResourceMatchError(NoMatchError):
    """Nothing has a resource of that name.

    Parameters
    ----------
    partial : GroupVersionResource
        What was asked for.
    """

    def __init__(self, partial: GroupVersionResource) -> None:
        super().__init__(partial)
        self.partial = partial

    def __str__(self) -> str:
        """What was not found."""
        return f"no resource matches {tuple(self.partial)}"


class AmbiguousError(MapperError):
    """Several things match, and none of them comes first."""


class AmbiguousResourceError(AmbiguousError):
    """Several resources, or their kinds, match.

    Parameters
    ----------
    partial : GroupVersionResource
        What was asked for.
    resources, kinds : tuple
        What matches; one of the two is empty.
    """

    def __init__(
        self,
        partial: GroupVersionResource,
        resources: tuple[GroupVersionResource, ...] = (),
        kinds: tuple[GroupVersionKind, ...] = (),
    ) -> None:
        super().__init__(partial, resources, kinds)
        self.partial = partial
        self.resources = resources
        self.kinds = kinds

    def __str__(self) -> str:
        """What was asked for, and what matches."""
        found = [*map(tuple, self.resources or self.kinds)]
        return f"{tuple(self.partial)} matches several: {found}"


class AmbiguousKindError(AmbiguousError):
    """Several groups and versions have the kind.

    Parameters
    ----------
    partial : GroupVersionKind
        What was asked for; its version is empty.
    kinds : tuple of GroupVersionKind
        What matches.
    """

    def __init__(self, partial: GroupVersionKind, kinds: tuple[GroupVersionKind, ...]) -> None:
        super().__init__(partial, kinds)
        self.partial = partial
        self.kinds = kinds

    def __str__(self) -> str:
        """What was asked for, and what matches."""
        return f"{tuple(self.partial)} matches several: {[*map(tuple, self.kinds)]}"


class ResourceRequiredError(MapperError):
    """A resource was asked for without its name."""


class SingularError(MapperError):
    """A resource has several singular names, or none.

    Parameters
    ----------
    resource : str
        What was asked for: it stands for its own singular then.
    singulars : tuple of str
        What was found.
    """

    def __init__(self, resource: str, singulars: tuple[str, ...] = ()) -> None:
        super().__init__(resource, singulars)
        self.resource = resource
        self.singulars = singulars

    def __str__(self) -> str:
        """What was asked for, and what was found."""
        return f"{self.resource!r} has {len(self.singulars)} singulars: {[*self.singulars]}"


class DiscoveryFailedError(MapperError):
    """The server could not be asked, or not about all there is, so nobody knows.

    Parameters
    ----------
    message : str
        What could not be had.
    errors : tuple of Exception
        What went wrong: `DiscoveryError`, or `NoMatchError` for a version that the server has not got.
    """

    def __init__(self, message: str, errors: tuple[Exception, ...] = ()) -> None:
        super().__init__(message, errors)
        self.message = message
        self.errors = errors

    def __str__(self) -> str:
        """What could not be had, and why."""
        return ": ".join((self.message, "; ".join(map(str, self.errors))))


class AggregateError(MapperError):
    """Several mappers failed, each in its way.

    Parameters
    ----------
    errors : tuple of MapperError
        One for each of them.
    found : sequence
        What the others found.
    """

    def __init__(self, errors: tuple[MapperError, ...], found: Sequence[Any] = ()) -> None:
        super().__init__(errors)
        self.errors = errors
        self.found = tuple(found)

    def __str__(self) -> str:
        """All of them."""
        return "; ".join(map(str, self.errors))


class RESTMapper(Protocol):
    """Between kinds and resources.

    Every method raises `MapperError`; see the module for which.
    """

    def kind_for(self, partial: GroupVersionResource) -> GroupVersionKind:
        """The kind behind a resource, the best of `kinds_for`."""

    def kinds_for(self, partial: GroupVersionResource) -> list[GroupVersionKind]:
        """All kinds behind resources that match."""

    def resource_for(self, partial: GroupVersionResource) -> GroupVersionResource:
        """The resource that is meant, the best of `resources_for`."""

    def resources_for(self, partial: GroupVersionResource) -> list[GroupVersionResource]:
        """All resources that match."""

    def rest_mapping(self, group: str, kind: str, *versions: str) -> RESTMapping:
        """How to reach objects of a kind: in the first of `versions` that has it, or in the best one."""

    def rest_mappings(self, group: str, kind: str, *versions: str) -> list[RESTMapping]:
        """All ways to reach objects of a kind, in the first of `versions` that has it or in any."""

    def resource_singularizer(self, resource: str) -> str:
        """The singular of a resource's name.

        Raises
        ------
        SingularError
            If there are several, or none.
        NoMatchError
            If there is no such resource.
        """


class ResettableMapper(RESTMapper, Protocol):
    """A mapper that can be told to forget."""

    def reset(self) -> None:
        """Ask the server anew, at once or when next needed."""


class MapperFactory(Protocol):
    """The ``create`` of an implementation."""

    def __call__(self, discovery: DiscoveryClient, clock: Clock = time.monotonic) -> RESTMapper:
        """Make a mapper that asks `discovery`.

        Parameters
        ----------
        discovery : DiscoveryClient
            Whom to ask.
        clock : callable
            Seconds, never going back: for whoever forgets after a time, or limits how often it asks.

        Raises
        ------
        DiscoveryFailedError
            If it asks at once, and the server cannot be asked.
        """


def is_no_match(error: BaseException) -> bool:
    """Whether an error says that there is no such thing; of several, whether one of them does."""
    if isinstance(error, AggregateError | DiscoveryFailedError):
        return any(map(is_no_match, error.errors))
    return isinstance(error, NoMatchError)
