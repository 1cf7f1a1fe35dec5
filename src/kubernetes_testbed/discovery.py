"""What an API server says it has: groups, their versions, and the resources of each.

A server is asked by a `DiscoveryClient`; `StaticDiscovery` is one that holds the answers already. What could not be
learned is part of the answer (`Discovered.failures`), for one broken group must not hide the others.

::

    DiscoveryError                  the server could not be asked, or not understood
    ├── ServerUnreachableError      no connection, a broken one, or no answer in time
    ├── ServerRefusedError          an HTTP status that is not a success
    └── BadDocumentError            an answer that is not the document asked for
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol
from urllib.parse import quote


class GroupVersion(NamedTuple):
    """A version of a group; the core group's name is empty."""

    group: str
    version: str

    def __str__(self) -> str:
        """As documents write it: ``apps/v1``, and ``v1`` for the core group."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(frozen=True, slots=True)
class APIResource:
    """One resource of a group and version, as a server describes it.

    Attributes
    ----------
    name : str
        Its plural, as in paths; ``pods/log`` is a subresource.
    singular : str
        Empty if the server does not say.
    is_namespaced : bool
        Whether its objects live in namespaces.
    kind : str
        Of its objects.
    verbs, short_names, categories : tuple of str
        What can be done with it, and other names for it and its like.
    """

    name: str
    kind: str
    is_namespaced: bool
    singular: str = ""
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()

    @property
    def is_subresource(self) -> bool:
        """Whether it is part of another resource."""
        return "/" in self.name


@dataclass(frozen=True, slots=True)
class APIGroup:
    """A group with its versions, in the server's order.

    Attributes
    ----------
    name : str
        Empty for the core group.
    versions : tuple of str
        All that are served.
    preferred : str
        The one to use if there is no reason for another; empty if the server does not say.
    """

    name: str
    versions: tuple[str, ...]
    preferred: str = ""


class DiscoveryError(Exception):
    """The server could not be asked, or what it said could not be understood."""

    #: Whether to ask again may help.
    is_transient = False

    #: Whether the server says that there is no such thing.
    is_not_found = False


class ServerUnreachableError(DiscoveryError):
    """There was no connection, it broke, or no answer came in time."""

    is_transient = True


class ServerRefusedError(DiscoveryError):
    """The server answered with a status that is not a success.

    Parameters
    ----------
    path : str
        What was asked for.
    status : int
        The HTTP status.
    """

    def __init__(self, path: str, status: int) -> None:
        super().__init__(path, status)
        self.path = path
        self.status = status

    def __str__(self) -> str:
        """What was asked for, and the status."""
        return f"GET {self.path}: status {self.status}"

    @property
    def is_transient(self) -> bool:  # type: ignore[override]
        """Whether to ask again may help: too many requests, or the server's own trouble."""
        return self.status == 429 or self.status >= 500

    @property
    def is_not_found(self) -> bool:  # type: ignore[override]
        """Whether the server says that there is no such thing."""
        return self.status == 404


class BadDocumentError(DiscoveryError):
    """What the server answered is not the document that was asked for."""


Resources = Mapping[GroupVersion, tuple[APIResource, ...]]
Failures = Mapping[GroupVersion, DiscoveryError]
Answer = tuple[APIResource, ...] | DiscoveryError
Learned = Mapping[GroupVersion, Answer]


@dataclass(frozen=True, slots=True)
class Discovered:
    """Everything that a server said at one time.

    Attributes
    ----------
    groups : tuple of APIGroup
        In the server's order.
    resources : mapping of GroupVersion to tuple of APIResource, or None
        Without the versions that failed. None: the server has to be asked for each version apart.
    failures : mapping of GroupVersion to DiscoveryError
        Versions whose resources could not be learned.
    """

    groups: tuple[APIGroup, ...]
    resources: Resources | None
    failures: Failures = field(default_factory=dict)


class DiscoveryClient(Protocol):
    """Whoever can ask a server."""

    def groups(self) -> Discovered:
        """Ask for the groups; a server with aggregated discovery tells their resources as well.

        Raises
        ------
        DiscoveryError
            If not even the list of groups could be had.
        """

    def resources_of(self, group_version: GroupVersion) -> tuple[APIResource, ...]:
        """Ask for the resources of one version.

        Raises
        ------
        DiscoveryError
            If they could not be had; a `ServerRefusedError` of status 404 if there is no such version.
        """

    def resources_of_each(self, group_versions: Iterable[GroupVersion]) -> Learned:
        """Ask for the resources of several versions at once; each is what it has, or why that could not be had."""

    def everything(self) -> Discovered:
        """Ask for the groups and for the resources of all their versions.

        Raises
        ------
        DiscoveryError
            If not even the list of groups could be had. Versions that failed are in `Discovered.failures`.
        """


class StaticDiscovery:
    """A client whose answers are there already.

    Parameters
    ----------
    groups : iterable of APIGroup
        In the server's order.
    resources : mapping of GroupVersion to tuple of APIResource
        A version without an entry could not be learned.
    """

    def __init__(self, groups: Iterable[APIGroup], resources: Resources) -> None:
        self._groups = tuple(groups)
        self._resources = dict(resources)

    def groups(self) -> Discovered:
        """The groups alone, as a server without aggregated discovery tells them."""
        return Discovered(self._groups, None)

    def resources_of(self, group_version: GroupVersion) -> tuple[APIResource, ...]:
        """What is known of the version."""
        if group_version == ("", ""):
            # Where the resources of a core version are, a server lists the versions if none is named.
            raise BadDocumentError(f"GET {path_of(group_version)}: no list of resources")
        try:
            return self._resources[group_version]
        except KeyError:
            raise ServerRefusedError(path_of(group_version), 404) from None

    def resources_of_each(self, group_versions: Iterable[GroupVersion]) -> Learned:
        """What is known of the versions."""
        return {one: answer_of(self, one) for one in group_versions}

    def everything(self) -> Discovered:
        """All there is."""
        return with_resources(self.groups(), self)


def path_of(group_version: GroupVersion) -> str:
    """Where a server describes a version's resources: the core group has a place of its own."""
    group, version = group_version
    group, version = quote(group, safe=""), quote(version, safe="")
    return f"/apis/{group}/{version}" if group else f"/api/{version}"


def answer_of(client: DiscoveryClient, group_version: GroupVersion) -> Answer:
    """What a client has for a version: its resources, or why they could not be had."""
    try:
        return client.resources_of(group_version)
    except DiscoveryError as error:
        return error


def versions_of(groups: Iterable[APIGroup]) -> list[GroupVersion]:
    """All versions of all groups, in order."""
    return [GroupVersion(group.name, version) for group in groups for version in group.versions]


def with_resources(told: Discovered, client: DiscoveryClient) -> Discovered:
    """What a server told, with the resources of all versions, which are asked for if it did not tell them."""
    if told.resources is not None:
        return told
    answers = client.resources_of_each(versions_of(told.groups))
    return Discovered(
        told.groups,
        {one: got for one, got in answers.items() if not isinstance(got, DiscoveryError)},
        {one: got for one, got in answers.items() if isinstance(got, DiscoveryError)},
    )
