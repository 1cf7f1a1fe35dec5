"""What is known of a server, learned again piece by piece and never lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field

from impls.restmapper.interface import DiscoveryFailedError
from kubernetes_testbed.discovery import (
    APIGroup,
    APIResource,
    Discovered,
    DiscoveryClient,
    DiscoveryError,
    GroupVersion,
    ServerRefusedError,
    versions_of,
)

_NOT_FOUND = 404


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

    def failures_of(self, group: str | None) -> tuple[DiscoveryError, ...]:
        """Why something in a group, or anywhere, may be missing."""
        return tuple(
            error
            for group_version, error in self.failures.items()
            if group is None or group_version.group == group
        )


def learned(known: Knowledge, discovery: DiscoveryClient, group: str | None) -> Knowledge:
    """What is known after the server was asked again.

    Groups are listed anew, so what was removed is forgotten. If the server does not tell their resources with
    them, versions that are new, that failed, or that are of the group in question are asked for; with None all are.

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
            if one in known.resources
            and one not in known.failures
            and group not in (None, one.group)
        ]
        resources = {one: known.resources[one] for one in settled}
        answers = discovery.resources_of_each(one for one in listed if one not in resources)
        for group_version, answer in answers.items():
            if not isinstance(answer, DiscoveryError):
                resources[group_version] = answer
            # Listed a moment ago: a version that is gone by now has nothing to be lost.
            elif not (isinstance(answer, ServerRefusedError) and answer.status == _NOT_FOUND):
                failures[group_version] = answer
    for group_version in failures:
        if group_version in known.resources:
            resources.setdefault(group_version, known.resources[group_version])
    groups = _with_failed_versions(told.groups, failures)
    return Knowledge(groups, resources, failures)


def _with_failed_versions(
    groups: tuple[APIGroup, ...], failures: dict[GroupVersion, DiscoveryError]
) -> tuple[APIGroup, ...]:
    """A server that aggregates leaves a version that failed out of its group: put it back."""
    listed = {one.name: one for one in groups}
    for group, version in failures:
        one = listed.get(group, APIGroup(group, ()))
        if version not in one.versions:
            listed[group] = APIGroup(group, (*one.versions, version), one.preferred)
    return tuple(listed.values())
