"""Every pit event can be voided and corrected: what is shown then is as if it had never been, or been right at once."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from itertools import groupby, product
from random import Random
from typing import Any

import pytest

from services.cli.exits import ExitCode
from shared.contracts.pit import EVENTS
from shared.contracts.topic_reader import kind_of
from tests.integration.table_inventory.day import BOX, FOUND, play_a_day
from tests.support import Databases
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.pit import DAY, PROPERTY, Table, at, chips
from tests.support.properties import property_event
from tests.support.twins import World, corrected, differences, world_of
from tests.unit.cli.calling import Caller
from tests.unit.table_inventory.examples import PIT

KINDS = sorted(kind_of(model) for model in EVENTS)
TIME = "time.collected"
"""What a poker table alone has."""
Event = dict[str, Any]

_OTHERWISE: Mapping[str, dict[str, Any]] = {
    "box.exchanged": {"removed_box": "X8", "placed_box": "X9"},
    "box.transported": {"box": "X8"},
    "counter_check.issued": {"serial": "CC-8"},
    "coupon.dropped": {"coupon": "direct_bet"},
}
"""What is wrong in an event besides its numbers."""


def right(table: Table, kind: str, slips: Mapping[str, int]) -> Event:
    """An event of a kind, as it should be: an hour and a half after the table opened."""
    data = PIT[kind]["data"] | {"table": table.name}
    data |= {"number": slips[kind.partition(".")[0]]} if "number" in data else {}
    data |= {"serial": "CC-9"} if "serial" in data else {}
    data |= {"patron": "p-1", "instrument": "currency"} if kind == "chips.sold" else {}
    return table.event(kind, at(1.5), **data)


def wrong(event: Event) -> Event:
    """The same with every number doubled, somebody else in every place, and half an hour late."""
    said = {name: value if name == "number" else _doubled(value) for name, value in event["data"].items()}
    return event | {"time": at(2).isoformat(), "data": said | _OTHERWISE.get(event["type"], {})}


def _doubled(value: Any) -> Any:
    match value:
        case bool():
            return value
        case int():
            return 2 * value
        case list():
            return [one | {"count": 2 * one["count"]} for one in value]
        case _:
            return value


def begun(world: World, kind: str | None = None) -> tuple[Table, dict[str, int]]:
    """The published day at BJ-01, with what an event of a kind needs before it; for time, at a poker table."""
    if kind == TIME:
        return poker_table(world), {}
    table = play_a_day(world.inventory)
    slips = prepared(world, DAY)
    if kind == "fill.received":
        world.pit(table.event("fill.carried", at(1.2), number=slips["fill"], carried_by="sec.gus"))
    return table, slips


def poker_table(world: World) -> Table:
    """BJ-01, where players play against each other from now on, is open."""
    table, tables = Table("BJ-01"), {"BJ-01": {"game": "poker", "non_banking": True}}
    for desk, sequence in ((world.inventory.desk, 3), (world.books.desk, 4), (world.vigorish, 2)):
        desk.feed("properties", property_event(PROPERTY, tables, sequence=sequence, version=3))
    world.pit(table.opened(at(0), chips(c500=200)))
    return table


def prepared(world: World, day: str) -> dict[str, int]:
    """A fill and a credit slip."""
    found = {}
    for slip in ("fill", "credit"):
        place = {"property": PROPERTY, "table": "BJ-01", "gaming_day": day, "shift": "day"}
        wanted = {"slip": slip, "contents": chips(c500=10), **place}
        asked = world.inventory.done("/requests", wanted, person="pit.ray")
        request = {"property": PROPERTY, "request": asked["request"]}
        found[slip] = world.inventory.done("/slips", request, person="cage.bob")["number"]
    return found


def sealed(world: World) -> tuple[Table, dict[str, int]]:
    """The published day at BJ-01, counted and sealed; the slips are of the next day."""
    table, desk = play_a_day(world.inventory), world.inventory
    desk.count_boxes(("BJ-01", BOX, FOUND))
    path = f"/gaming-days/{PROPERTY}/{DAY}"
    for step, person in (("preliminary", "audit.kim"), ("audited", "audit.lou"), ("final", "control.eve")):
        desk.done(f"{path}/{step}", {} if step == "preliminary" else None, person=person)
    return table, prepared(world, "2026-11-21")


@pytest.fixture
def world(databases: Databases) -> Iterator[Callable[[], World]]:
    """Worlds, made one after the other."""
    with ExitStack() as stack:
        yield lambda: stack.enter_context(world_of(databases))


@pytest.fixture
def pitledger(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Caller:
    """Calls `pitledger`."""
    return Caller(capsys, monkeypatch)


DOORS = ("topic", "desk")
"""Where a change comes from: the stream of the pit, or two people at a desk."""


@sampled(1, of="voided and corrected")
@pytest.mark.parametrize(("kind", "door"), list(product(KINDS, DOORS)))
def test_what_is_voided_has_never_been_and_what_is_corrected_was_right_at_once(
    world: Callable[[], World], kind: str, door: str
) -> None:
    """On an open day: void, the twin never had it; then say what it should have been, the twin had that alone.

    What the desk has voided, the pit alone brings back.
    """
    twin, one = world(), world()
    (table, slips), (other, _) = begun(one, kind), begun(twin, kind)
    event = right(table, kind, slips)
    one.pit(wrong(event))
    never = twin.picture()
    assert differences(never, one.picture())
    one.change(door, table, (event, None))
    assert {} == differences(never, one.picture())
    twin.pit(right(other, kind, slips))
    one.pit(corrected(table, event, event))
    assert {} == differences(twin.picture(), one.picture())
    assert [] == one.inventory.quarantined() == one.vigorish.quarantined()


@sampled(1, of="voided and corrected")
@pytest.mark.parametrize("kind", KINDS)
def test_what_the_desk_corrects_was_right_at_once(world: Callable[[], World], kind: str) -> None:
    """On an open day, and whichever vigorish reads first: what the pit said, or what the desk made of it."""
    twin, one = world(), world()
    (table, slips), (other, _) = begun(one, kind), begun(twin, kind)
    event = right(table, kind, slips)
    one.inventory.pit(wrong(event))
    one.change("desk", table, (event, event))
    one.vigorish.feed("pit.events", wrong(event))
    twin.pit(right(other, kind, slips))
    assert {} == differences(twin.picture(), one.picture())
    assert [] == one.inventory.quarantined() == one.vigorish.quarantined()


@AT_NIGHT
@pytest.mark.parametrize("door", DOORS)
def test_a_sealed_day_is_restated_by_what_is_voided_and_corrected(
    world: Callable[[], World], rng: Random, pitledger: Caller, door: str
) -> None:
    """Every kind of event: corrected, as the twin that had the right ones; void, as before any of them came.

    The seal stands, and so do the reports as they were known then; a rebuild has the same tables, both times.
    """
    twin, one = world(), world()
    (table, slips), (other, _) = sealed(one), sealed(twin)
    kinds = [kind for kind in KINDS if kind != TIME]
    events = [right(table, kind, slips) for kind in kinds]
    before, seal = one.picture(), one.inventory.read(f"/gaming-days/{PROPERTY}/{DAY}")["report"]
    assert {} == differences(twin.picture(), before)
    one.pit(*map(wrong, events))
    assert differences(before, one.picture())
    one.change(door, table, *((event, event) for event in events))
    twin.pit(*(right(other, kind, slips) for kind in kinds))
    assert {} == differences(twin.picture(), one.picture())
    status = one.inventory.read(f"/gaming-days/{PROPERTY}/{DAY}")
    assert seal == status["report"]
    require_rebuilt(one, rng, pitledger)
    one.change(door, table, *((event, None) for event in reversed(events)))
    assert {} == differences(before, one.picture())
    assert [] == one.inventory.quarantined() == one.vigorish.quarantined()
    require_rebuilt(one, rng, pitledger)


def require_rebuilt(world: World, rng: Random, pitledger: Caller) -> None:
    """`rebuild --check` finds nothing, and in whatever order of the shards the tables come to the same rows."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DATABASE_URL", world.url)
        checked = pitledger("rebuild", "table-inventory", "--check", "--json")
    assert (ExitCode.FINE, []) == (checked.code, [one for one in checked.documents if one["different"]])
    assert any(one["rows"] for one in checked.documents)
    for desk in (world.inventory.desk, world.vigorish):
        rows, entries = desk.read_model(world.url), desk.entries()
        rng.shuffle(shards := [list(shard) for _, shard in groupby(entries, lambda entry: entry.shard)])
        desk.project_again(world.url, [entry for shard in shards for entry in shard])
        assert rows == desk.read_model(world.url)
