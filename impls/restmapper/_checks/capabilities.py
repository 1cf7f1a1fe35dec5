"""What some mappers can do and others not: about change, trouble and many who ask at once."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from impls.restmapper._checks.making import (
    LONG_S,
    SHOP,
    Scene,
    error_of,
    expect,
    named,
    scene,
    shop,
)
from impls.restmapper.interface import MapperError, MapperFactory, RESTMapper, is_no_match

#: So many ask at once.
ASKERS = 16

#: So many questions in vain, and how many discoveries they may cost.
QUESTIONS_IN_VAIN = 100
DISCOVERIES_AT_MOST = 10


def _sees(create: MapperFactory, ask: Callable[[RESTMapper], object]) -> None:
    with scene(create) as one:
        mapper = one.warm_mapper()
        one.server.put_group(*shop())
        ask(mapper)


def capability_sees_a_new_kind_by_its_version(create: MapperFactory) -> None:
    """A kind that is new is found at once, by group and version."""
    _sees(create, lambda mapper: mapper.rest_mapping(SHOP, "Basket", "v1"))


def capability_sees_a_new_kind_without_a_version(create: MapperFactory) -> None:
    """A kind that is new is found at once, by its group."""
    _sees(create, lambda mapper: mapper.rest_mapping(SHOP, "Basket"))


def capability_sees_a_new_resource_by_its_version(create: MapperFactory) -> None:
    """A resource that is new is found at once, by group and version."""
    _sees(create, lambda mapper: mapper.kind_for(named("baskets", SHOP, "v1")))


def capability_sees_a_new_resource_by_its_name_alone(create: MapperFactory) -> None:
    """A resource that is new is found at once, by nothing but its name."""
    _sees(create, lambda mapper: mapper.kind_for(named("baskets")))


def capability_sees_a_new_version(create: MapperFactory) -> None:
    """A version that is new in a group that was known is found at once."""
    with scene(create) as one:
        one.server.put_group(*shop("v1"))
        mapper = one.mapper()
        mapper.rest_mapping(SHOP, "Basket", "v1")
        one.server.put_group(*shop("v1", "v2"))
        expect("the version", mapper.rest_mapping(SHOP, "Basket", "v2").kind.version, "v2")


def capability_finds_a_group_by_its_beginning(create: MapperFactory) -> None:
    """A resource is found by the beginning of its group's name, where no group has just that name."""
    with scene(create) as one:
        one.server.put_group(*shop())
        mapper = one.warm_mapper()
        expect("the group", mapper.kind_for(named("baskets", "shop")).group, SHOP)
        expect("the other group", mapper.kind_for(named("deployments", "app")).group, "apps")


def capability_forgets_a_removed_kind(create: MapperFactory) -> None:
    """A kind that was removed has no match any more, an hour later at the latest."""
    with scene(create) as one:
        one.server.put_group(*shop())
        mapper = one.mapper()
        mapper.rest_mapping(SHOP, "Basket", "v1")
        one.server.remove_group(SHOP)
        one.clock.advance(LONG_S)
        error = error_of(lambda: mapper.rest_mapping(SHOP, "Basket", "v1"))
        assert is_no_match(error), f"found {error!r}"


def capability_keeps_known_kinds_through_trouble(create: MapperFactory) -> None:
    """A kind that was known stays so when its group fails while something new is learned."""
    for is_aggregating in (True, False):
        with scene(create, is_aggregating=is_aggregating) as one:
            mapper = one.warm_mapper()
            mapper.rest_mapping("batch", "Job", "v1")
            one.server.fail("batch", "unavailable")
            one.server.put_group(*shop())
            one.clock.advance(LONG_S)
            mapper.rest_mapping(SHOP, "Basket", "v1")
            mapper.rest_mapping("batch", "Job", "v1")


def capability_recovers_after_trouble(create: MapperFactory) -> None:
    """A kind whose group failed is found as soon as the group is back."""
    for is_aggregating in (True, False):
        with scene(create, is_aggregating=is_aggregating) as one:
            one.server.fail("batch", "unavailable")
            mapper = one.warm_mapper()
            error_of(lambda: mapper.rest_mapping("batch", "Job", "v1"))  # noqa: B023
            one.server.fail("batch", None)
            mapper.rest_mapping("batch", "Job", "v1")


def capability_tells_absent_from_unknown(create: MapperFactory) -> None:
    """A kind whose group failed is not said to be absent; one that is absent is."""
    for is_aggregating in (True, False):
        with scene(create, is_aggregating=is_aggregating) as one:
            one.server.fail("batch", "unavailable")
            mapper = one.warm_mapper()
            error = error_of(lambda: mapper.rest_mapping("batch", "Job", "v1"))  # noqa: B023
            assert not is_no_match(error), f"nobody knows, but it says: {error}"
            for group in ("apps", ""):
                error = error_of(lambda: mapper.rest_mapping(group, "Nope", "v1"))  # noqa: B023
                assert is_no_match(error), f"there is none, but it says: {error}"
            one.clock.advance(1.0)
            one.server.fail("/apis", "unavailable")
            for number in range(20):
                error = error_of(lambda: mapper.rest_mapping("apps", f"New{number}", "v1"))  # noqa: B023
                assert not is_no_match(error), f"nobody could be asked, but it says: {error}"


def capability_many_who_ask_first_cost_one_discovery(create: MapperFactory) -> None:
    """Of many first questions at once the server notices one discovery: nothing is asked for twice."""
    for is_aggregating in (True, False):
        with scene(create, is_aggregating=is_aggregating) as one:
            mapper = one.mapper()
            _ask_at_once(lambda: mapper.rest_mapping("apps", "Deployment", "v1"))  # noqa: B023
            paths = Counter(request.path for request in one.server.take_requests())
            twice = [path for path, times in paths.items() if times > 1]
            assert not twice, f"asked for more than once: {', '.join(twice[:5])}"


def capability_many_who_miss_cost_one_discovery(create: MapperFactory) -> None:
    """Of many questions at once for a kind that is new the server notices one discovery, and all find it."""
    with scene(create) as one:
        mapper = one.warm_mapper()
        one.server.put_group(*shop())
        one.server.take_requests()
        _ask_at_once(lambda: mapper.rest_mapping(SHOP, "Basket", "v1"))
        requests = one.server.take_requests()
        listings = sum(request.path == "/apis" for request in requests)
        assert listings <= 1, f"{listings} discoveries"
        own = sum(request.path == f"/apis/{SHOP}/v1" for request in requests)
        assert own <= 1, f"{own} requests for the group"


def capability_questions_in_vain_cost_few_requests(create: MapperFactory) -> None:
    """Many questions for kinds that are not there cost few discoveries, be they one or many kinds."""
    for kind in ("Nope", "Nope{}"):
        with scene(create) as one:
            mapper = one.warm_mapper()
            one.server.take_requests()
            for number in range(QUESTIONS_IN_VAIN):
                _try(lambda: mapper.rest_mapping("apps", kind.format(number), "v1"))  # noqa: B023
            _expect_few(one)


def capability_answers_do_not_depend_on_chance(create: MapperFactory) -> None:
    """Mappers that were made alike give the same answer to a question that has several."""
    with scene(create) as one:
        answers = set()
        for _ in range(12):
            mapper = one.warm_mapper()
            mapper.rest_mapping("events.k8s.io", "Event", "v1")
            try:
                answers.add(str(mapper.kind_for(named("events"))))
            except MapperError as error:
                answers.add(f"{type(error).__name__}: {error}")
        expect("different answers", len(answers), 1)


def _expect_few(one: Scene) -> None:
    requests = one.server.take_requests()
    few = 2 * DISCOVERIES_AT_MOST
    assert len(requests) <= few, f"{len(requests)} requests for {QUESTIONS_IN_VAIN} questions"


def _ask_at_once(ask: Callable[[], object]) -> None:
    barrier = Barrier(ASKERS)

    def wait_and_ask() -> object:
        barrier.wait()
        return ask()

    with ThreadPoolExecutor(ASKERS) as pool:
        for answer in [pool.submit(wait_and_ask) for _ in range(ASKERS)]:
            answer.result()


def _try(ask: Callable[[], object]) -> None:
    with contextlib.suppress(MapperError):
        ask()
