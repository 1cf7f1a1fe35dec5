"""Everything that a server said in one set of tables."""

from __future__ import annotations

from impls.restmapper._default_mapper import DefaultMapper
from impls.restmapper._from_discovery import add_resources, resources_of, versions_by_preference
from kubernetes_testbed.discovery import Discovered


def one_table(discovered: Discovered) -> DefaultMapper:
    """One mapper for all known versions; those that come first come first."""
    versions = [*versions_by_preference(discovered)]
    mapper = DefaultMapper(versions)
    resources = resources_of(discovered)
    for version in versions:
        add_resources(mapper, version, resources[version])
    return mapper
