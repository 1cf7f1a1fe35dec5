"""What is behind which name, while all is well."""

from __future__ import annotations

from impls.restmapper._checks.making import (
    error_of,
    expect,
    expect_no_match,
    named,
    resource,
    scene,
)
from impls.restmapper.interface import (
    AggregateError,
    GroupVersionKind,
    GroupVersionResource,
    MapperFactory,
    ResourceRequiredError,
    RESTMapping,
)
from kubernetes_testbed.discovery import APIGroup, APIResource
from kubernetes_testbed.served_discovery import ServedDiscovery

_DEPLOYMENTS = GroupVersionResource("apps", "v1", "deployments")
_DEPLOYMENT = GroupVersionKind("apps", "v1", "Deployment")


def check_a_kind_has_its_resource(create: MapperFactory) -> None:
    """A kind of a version is mapped to its resource, whichever form of discovery the server has."""
    for is_aggregating in (True, False):
        with scene(create, is_aggregating=is_aggregating) as one:
            expect(
                "the mapping",
                one.mapper().rest_mapping("apps", "Deployment", "v1"),
                RESTMapping(_DEPLOYMENTS, _DEPLOYMENT, "namespace"),
            )


def check_a_kind_has_its_scope(create: MapperFactory) -> None:
    """What lives in no namespace is of the root scope."""
    with scene(create) as one:
        mapper = one.mapper()
        expect("pods", mapper.rest_mapping("", "Pod", "v1").scope, "namespace")
        expect("nodes", mapper.rest_mapping("", "Node", "v1").scope, "root")


def capability_chooses_among_versions(create: MapperFactory) -> None:
    """Of several versions the first one that has the kind is mapped to, though another is preferred."""
    with scene(create) as one:
        mapper = one.mapper()
        for versions, expected in (
            (("v1", "v2"), "v1"),
            (("v2", "v1"), "v2"),
            (("v9", "v1"), "v1"),
        ):
            mapping = mapper.rest_mapping("autoscaling", "HorizontalPodAutoscaler", *versions)
            expect(f"of {versions}", mapping.kind.version, expected)


def check_without_a_version_the_preferred_one_counts(create: MapperFactory) -> None:
    """A kind without a version is in the group's preferred one."""
    with scene(create) as one:
        mapper = one.mapper()
        # There are mappers that choose nothing: they are asked for a kind that only one version has.
        expect("the version", mapper.rest_mapping("apps", "Deployment").kind.version, "v1")


def check_a_resource_has_its_kind(create: MapperFactory) -> None:
    """A resource of a version has its kind, be it named by its plural or its singular, in any case."""
    with scene(create) as one:
        mapper = one.mapper()
        for name in ("deployments", "deployment", "DEPLOYMENTS", "Deployment"):
            expect(name, mapper.kind_for(named(name, "apps", "v1")), _DEPLOYMENT)
            expect(name, mapper.resource_for(named(name, "apps", "v1")), _DEPLOYMENTS)


def check_all_answers_hold_the_one(create: MapperFactory) -> None:
    """Asked for all, a mapper has what it has when asked for one."""
    with scene(create) as one:
        mapper = one.mapper()
        asked = named("deployments", "apps", "v1")
        expect("kinds", mapper.kinds_for(asked), [_DEPLOYMENT])
        expect("resources", mapper.resources_for(asked), [_DEPLOYMENTS])
        expect(
            "mappings",
            mapper.rest_mappings("apps", "Deployment", "v1"),
            [RESTMapping(_DEPLOYMENTS, _DEPLOYMENT, "namespace")],
        )


def check_a_kind_is_known_as_written_and_in_lower_case(create: MapperFactory) -> None:
    """A kind is found as it is written and all in lower case, and keeps the spelling; no other is found."""
    with scene(create) as one:
        mapper = one.mapper()
        expect("the kind", mapper.rest_mapping("", "pod", "v1").kind.kind, "pod")
        expect("its resource", mapper.rest_mapping("", "pod", "v1").resource.resource, "pods")
        expect_no_match(lambda: mapper.rest_mapping("", "POD", "v1"))


def check_a_list_is_a_kind(create: MapperFactory) -> None:
    """The list of a kind is a kind of its version."""
    with scene(create) as one:
        mapping = one.mapper().rest_mapping("apps", "DeploymentList", "v1")
        expect("its resource", mapping.resource.resource, "deploymentlists")


def check_a_subresource_is_no_resource(create: MapperFactory) -> None:
    """What is part of another resource is not found."""
    with scene(create) as one:
        mapper = one.warm_mapper()
        expect_no_match(lambda: mapper.resource_for(named("pods/log", "", "v1")))


def check_what_is_not_there_has_no_match(create: MapperFactory) -> None:
    """A kind, a resource, a version or a group that is not there has no match."""
    with scene(create) as one:
        mapper = one.warm_mapper()
        expect_no_match(lambda: mapper.rest_mapping("apps", "Nope", "v1"))
        expect_no_match(lambda: mapper.rest_mappings("apps", "Nope", "v1"))
        expect_no_match(lambda: mapper.rest_mapping("apps", "Deployment", "v9"))
        expect_no_match(lambda: mapper.rest_mapping("nope.example.com", "Nope", "v1"))
        expect_no_match(lambda: mapper.kind_for(named("nopes", "apps", "v1")))
        expect_no_match(lambda: mapper.kinds_for(named("nopes", "apps", "v1")))
        expect_no_match(lambda: mapper.resource_for(named("nopes", "apps", "v1")))
        expect_no_match(lambda: mapper.resources_for(named("nopes", "apps", "v1")))


def check_a_resource_needs_a_name(create: MapperFactory) -> None:
    """A resource without a name is not looked for."""
    with scene(create) as one:
        mapper = one.warm_mapper()
        for ask in (
            mapper.kind_for,
            mapper.kinds_for,
            mapper.resource_for,
            mapper.resources_for,
        ):
            error = error_of(lambda ask=ask: ask(named("", "apps", "v1")))  # type: ignore[misc]
            errors = error.errors if isinstance(error, AggregateError) else (error,)
            assert all(isinstance(one, ResourceRequiredError) for one in errors), f"found {error!r}"


def check_a_resource_has_a_singular(create: MapperFactory) -> None:
    """The singular of a plural, or of itself, is told; of what is not there it is not."""
    with scene(create) as one:
        mapper = one.warm_mapper()
        expect("of a plural", mapper.resource_singularizer("deployments"), "deployment")
        expect("of a singular", mapper.resource_singularizer("deployment"), "deployment")
        error_of(lambda: mapper.resource_singularizer("nopes"))


def check_a_singular_that_is_not_told_is_guessed(create: MapperFactory) -> None:
    """Where the server does not say the singular, the kind in lower case is one."""
    plain = APIResource("policies", "Policy", True)
    served = ServedDiscovery().with_group(APIGroup("x.io", ("v1",), "v1"), {"v1": [plain]})
    with scene(create, served) as one:
        found = one.mapper().resource_for(named("policy", "x.io", "v1"))
        expect("the resource", found.resource, "policies")


def check_two_groups_may_have_the_same_kind(create: MapperFactory) -> None:
    """A kind of two groups is found in the one that was asked for."""
    served = ServedDiscovery()
    for group in ("a.io", "b.io"):
        served = served.with_group(
            APIGroup(group, ("v1",), "v1"), {"v1": [resource("Thing", "things")]}
        )
    with scene(create, served) as one:
        mapper = one.mapper()
        for group in ("a.io", "b.io"):
            expect("the group", mapper.rest_mapping(group, "Thing", "v1").resource.group, group)


def check_names_may_be_of_any_script(create: MapperFactory) -> None:
    """A kind whose name is not of ASCII letters is found."""
    served = ServedDiscovery().with_group(
        APIGroup("bücher.example.com", ("v1",), "v1"),
        {"v1": [resource("Büchertisch", "büchertische")]},
    )
    for is_aggregating in (True, False):
        with scene(create, served, is_aggregating=is_aggregating) as one:
            mapping = one.mapper().rest_mapping("bücher.example.com", "Büchertisch", "v1")
            expect("the resource", mapping.resource.resource, "büchertische")


def check_what_is_handed_out_is_the_callers(create: MapperFactory) -> None:
    """Whoever changes a list that was handed out changes no later answer."""
    with scene(create) as one:
        mapper = one.mapper()
        asked = named("deployments", "apps", "v1")
        for ask in (
            lambda: mapper.kinds_for(asked),
            lambda: mapper.resources_for(asked),
            lambda: mapper.rest_mappings("apps", "Deployment", "v1"),
        ):
            before = [*ask()]
            ask().clear()
            expect("the answer", ask(), before)
