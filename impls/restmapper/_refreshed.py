"""What is known of a server, learned again piece by piece and never lost on the way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from impls.restmapper.interface import DiscoveryFailedError
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    Discovered,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
    versions_of,
)

Concerns = Callable[[GroupVersion], bool]
"""Whether the answer to a question may be in a version."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known: as the server said it last, and of versions that failed as it said before.

    Attributes
    ----------
    groups : tuple of APIGroup
        As listed last.
    resources : dict
        Of all versions that could be learned, now or earlier.
    failures : dict
        Versions that could not be learned the last time; some of them are known from earlier.
    """

    groups: tuple[APIGroup, ...] = ()
    resources: dict[GroupVersion, tuple[APIResource, ...]] = field(default_factory=dict)
    failures: dict[GroupVersion, DiscoveryError] = field(default_factory=dict)

    @property
    def discovered(self) -> Discovered:
        """As mappers are made of it."""
        return Discovered(self.groups, self.resources, self.failures)

    def failures_of(self, concerns: Concerns) -> tuple[DiscoveryError, ...]:
        """Why something may be missing in the versions that a question concerns."""
        return tuple(error for one, error in self.failures.items() if concerns(one))


def learned(known: Knowledge, discovery: DiscoveryClient, concerns: Concerns) -> Knowledge:
    """What is known after the server was asked again.

    Groups are listed anew, so what was removed is forgotten. If the server does not tell their resources with
    them, versions that are new, that failed, or that the question concerns are asked for.

    Raises
    ------
    DiscoveryFailedError
        If not even the groups could be listed: nothing new is known.
    """
    try:
        told = discovery.groups()
    except DiscoveryError as error:
        raise DiscoveryFailedError("failed to list the groups", (error,)) from error
    resources = dict(told.resources or {})
    failures = dict(told.failures)
    if told.resources is None:
        listed = versions_of(told.groups)
        settled = [
            one
            for one in listed
            if one in known.resources and one not in known.failures and not concerns(one)
        ]
        resources = {one: known.resources[one] for one in settled}
        answers = discovery.resources_of_each(one for one in listed if one not in resources)
        for group_version, answer in answers.items():
            if not isinstance(answer, DiscoveryError):
                resources[group_version] = answer
            # Listed a moment ago: a version that is gone by now has nothing to be lost.
            elif not answer.is_not_found:
                failures[group_version] = answer
    for group_version in failures:
        if group_version in known.resources:
            resources.setdefault(group_version, known.resources[group_version])
    return Knowledge(_with_failed(told.groups, failures, known.groups), resources, failures)


def _with_failed(
    listed: tuple[APIGroup, ...],
    failures: dict[GroupVersion, DiscoveryError],
    known: tuple[APIGroup, ...],
) -> tuple[APIGroup, ...]:
    """The groups, with versions that failed in their old places.

    A server that aggregates leaves such a version out of its group, and prefers another one meanwhile.
    """
    groups = {one.name: one for one in listed}
    before = {one.name: one for one in known}
    for name in dict.fromkeys(one.group for one in failures):
        now = groups.get(name, APIGroup(name, ()))
        old = before.get(name, now)
        failed = [one.version for one in failures if one.group == name]
        present = {*now.versions, *failed}
        order = dict.fromkeys((*old.versions, *now.versions, *failed))
        groups[name] = APIGroup(
            name,
            tuple(version for version in order if version in present),
            old.preferred if old.preferred in present else now.preferred,
        )
    return tuple(groups.values())
