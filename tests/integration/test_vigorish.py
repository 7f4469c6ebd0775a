"""Vigorish on a real database: assessed by settlements, collected and waived by tables, and what the pit follows up."""

from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from services.vigorish.manifest import MANIFEST
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.desk import Desk, desk_of
from tests.support.properties import property_event
from tests.support.services import settled_database
from tests.unit.vigorish.rounds import (
    DAY,
    NOON,
    PROPERTY,
    bank_line,
    collected,
    line,
    opened,
    pit,
    posted,
    returned,
    reversed_round,
    rules,
    waived,
)

RULES = rules()
PEOPLE = {"kim": ["reports.read"], "carl": ["submissions.file"]}


class Vigorish:
    """The service on a database, without a broker, and the pit that looks after what seats owe."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.client = desk.client
        self.quarantined = desk.quarantined
        self.balances = desk.balances
        self.entries = desk.entries

    def learn(self, *approved: Mapping[str, Any]) -> None:
        """Read rules submissions."""
        self.desk.feed("submissions", *approved)

    def settle(self, *events: Mapping[str, Any] | bytes) -> None:
        """Read settlements, as one batch."""
        self.desk.feed("settlements", *events)

    def happen(self, *events: Mapping[str, Any]) -> None:
        """Read pit events, as one batch."""
        self.desk.feed("pit.events", *events)

    def get(self, more: str = "", *, person: str | None = "kim") -> httpx.Response:
        """Read what the pit has to look after."""
        return self.desk.get(f"/follow-ups?property={PROPERTY}&gaming_day={DAY}{more}", person=person)

    def follow_ups(self, more: str = "") -> list[tuple[str, str, int, int]]:
        """Kind, round, seat and what is outstanding of everything that the pit has to look after."""
        items = self.get(more).json()["items"]
        return [(item["kind"], item["round_id"], item["seat"], item["outstanding_cents"]) for item in items]


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of vigorish."""
    url = settled_database(databases, "vigorish")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[Vigorish]:
    """The service, which knows the rules submission."""
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: NOON) as desk:
        vigorish = Vigorish(desk)
        desk.feed("properties", property_event(PROPERTY))
        vigorish.learn(RULES)
        yield vigorish


def test_what_is_assessed_is_collected_or_waived(desk: Vigorish) -> None:
    """Nothing is left to be looked after, and the accounts are settled."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75), line(2, 1000, 50)]), posted(2, RULES, [line(1, 500, 25)]))
    desk.happen(opened(1, -60), collected(2, 1, 1, 75), waived(3, 1, 2, 50), collected(4, 2, 1, 25))
    assert [] == desk.follow_ups()
    assert {
        ("PG-01", "player", "assessed"): -150,
        ("PG-01", "player", "collected"): 100,
        ("PG-01", "player", "waived"): 50,
    } == desk.balances()


def test_what_is_outstanding_at_the_end_of_a_round_is_followed_up(desk: Vigorish) -> None:
    """All of it or a part; when it is collected after all it is late."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75), line(2, 1000, 50)]))
    desk.happen(collected(1, 1, 1, 50))
    assert [("outstanding", "r-1", 1, 25), ("outstanding", "r-1", 2, 50)] == desk.follow_ups()
    desk.happen(collected(2, 1, 1, 25, minute=9), collected(3, 1, 2, 50, minute=1.4))
    assert [("late", "r-1", 1, 0)] == desk.follow_ups()


def test_the_order_of_the_topics_does_not_matter(desk: Vigorish) -> None:
    """What a table says it collected waits for the round; until then somebody has to look after it."""
    desk.happen(collected(1, 1, 1, 75))
    assert [("not_assessed", "r-1", 1, -75)] == desk.follow_ups()
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    assert [] == desk.follow_ups()
    assert 75 == desk.balances()["PG-01", "player", "collected"]


def test_too_much_is_followed_up(desk: Vigorish) -> None:
    """More collected than assessed."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 100))
    assert [("over_collected", "r-1", 1, -25)] == desk.follow_ups("&kind=over_collected")
    assert [] == desk.follow_ups("&kind=outstanding")


def test_what_was_too_much_is_given_back(desk: Vigorish) -> None:
    """A part of it leaves the rest to be given back; all of it leaves nothing, and giving back is never late."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 100), returned(2, 1, 1, 10))
    assert [("over_collected", "r-1", 1, -15)] == desk.follow_ups()
    desk.happen(returned(3, 1, 1, 15))
    assert [] == desk.follow_ups()
    assert {
        ("PG-01", "player", "assessed"): -75,
        ("PG-01", "player", "collected"): 100,
        ("PG-01", "player", "returned"): -25,
    } == desk.balances()


def test_what_is_given_back_without_a_cause_is_owed_again(desk: Vigorish) -> None:
    """Until it is waived: a change of mind after the collection is two events."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 75), returned(2, 1, 1, 75))
    assert [("outstanding", "r-1", 1, 75)] == desk.follow_ups()
    desk.happen(waived(3, 1, 1, 75))
    assert [] == desk.follow_ups()
    assert ("PG-01", "player", "outstanding") not in desk.balances()


def test_more_given_back_than_was_collected_is_followed_up(desk: Vigorish) -> None:
    """Also where a waiver that is too high hides it: what is outstanding comes to nothing, and the money is gone."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(waived(1, 1, 1, 100), returned(2, 1, 1, 25))
    assert [("over_returned", "r-1", 1, 0)] == desk.follow_ups()
    desk.happen(returned(3, 2, 1, 25))
    assert [("not_assessed", "r-2", 1, 25), ("over_returned", "r-2", 1, 25)] == desk.follow_ups()[1:]


def test_what_was_collected_of_the_wrong_seat_is_given_back(desk: Vigorish) -> None:
    """In whatever order it is reported; a seat that owed nothing has nothing open then."""
    desk.happen(returned(2, 1, 4, 75))
    assert [("not_assessed", "r-1", 4, 75), ("over_returned", "r-1", 4, 75)] == desk.follow_ups()
    desk.happen(collected(1, 1, 4, 75))
    assert [] == desk.follow_ups()
    assert {("PG-01", "player", "collected"): 75, ("PG-01", "player", "returned"): -75} == desk.balances()


def test_banks_and_co_banks_are_apart(desk: Vigorish) -> None:
    """A bank that also plays a bonus owes on its own."""
    desk.settle(
        posted(1, RULES, [line(1, 1000, 50, paid_by="bank"), bank_line(4, 2000, 100)]),
        posted(2, RULES, [bank_line(4, 600, 50, house_share=600)]),
    )
    desk.happen(
        collected(1, 1, 1, 50),
        collected(2, 1, 4, 100, bank=True),
        collected(3, 2, 4, 25, bank=True),
        collected(4, 2, 4, 25),
    )
    assert [("not_assessed", "r-2", 4, -25), ("outstanding", "r-2", 4, 25)] == sorted(desk.follow_ups())
    assert 25 == desk.balances()["PG-01", "bank", "outstanding"]


def test_what_has_to_be_looked_after_says_who_dealt_and_owes(desk: Vigorish) -> None:
    """At the tables that are asked for: game, dealer, moments and amounts."""
    desk.settle(posted(1, RULES, [line(1, 1000, 50)], dealer="dealer.1"))
    desk.happen(collected(1, 1, 1, 20))
    [item] = desk.get("&table=PG-01").json()["items"]
    wanted = {"game": "pai-gow", "owed_by": "player", "dealer": "dealer.1", "bank": False}
    wanted |= {"assessed_cents": 50, "collected_cents": 20, "waived_cents": 0, "returned_cents": 0}
    assert wanted == {name: item[name] for name in wanted}
    assert [] == desk.follow_ups("&table=PG-02")


def test_a_void_takes_back_what_was_assessed(desk: Vigorish) -> None:
    """Nothing is owed any more; what was collected of it is too much until it is given back."""
    first, second = posted(1, RULES, [line(1, 1200, 75)]), posted(2, RULES, [line(1, 500, 25)])
    desk.settle(first, second)
    desk.happen(collected(1, 2, 1, 25))
    desk.settle(reversed_round(3, first), reversed_round(4, second))
    assert [("over_collected", "r-2", 1, -25)] == desk.follow_ups()
    assert {("PG-01", "player", "outstanding"): -25, ("PG-01", "player", "collected"): 25} == desk.balances()
    desk.happen(returned(2, 2, 1, 25))
    assert [] == desk.follow_ups()
    assert {("PG-01", "player", "returned"): -25, ("PG-01", "player", "collected"): 25} == desk.balances()


def test_a_correction_assesses_again(desk: Vigorish) -> None:
    """In one batch: what the corrected round assesses counts alone."""
    first = posted(1, RULES, [line(1, 1200, 75)], round_id="r-1")
    again = posted(3, RULES, [line(2, 500, 25)], round_id="r-1", revision=2)
    desk.settle(first, reversed_round(2, first), again)
    assert [("outstanding", "r-1", 2, 25)] == desk.follow_ups()
    assert ("PG-01", "player", "outstanding", 25) in ((*key, cents) for key, cents in desk.balances().items())


def test_a_correction_that_assesses_less_gives_the_difference_back(desk: Vigorish) -> None:
    """The same seat owes less: what it paid beyond that is too much until it has gone back."""
    first = posted(1, RULES, [line(1, 1200, 75)], round_id="r-1")
    desk.settle(first)
    desk.happen(collected(1, 1, 1, 75))
    desk.settle(reversed_round(2, first), posted(3, RULES, [line(1, 500, 25)], round_id="r-1", revision=2))
    assert [("over_collected", "r-1", 1, -50)] == desk.follow_ups()
    desk.happen(returned(2, 1, 1, 50))
    assert [] == desk.follow_ups()


def test_what_cannot_be_recorded_waits(desk: Vigorish) -> None:
    """An unknown submission, a reversal of what was not recorded, a pit event in another table's name."""
    unknown = posted(1, rules("none"), [line(1, 1200, 60)])
    desk.settle(unknown, reversed_round(2, unknown), b"no JSON")
    desk.happen(collected(1, 1, 1, 75) | {"source": "/properties/riverside/tables/PG-09/pit"})
    first, second, third, fourth = desk.quarantined()
    assert "is not known here" in first
    assert "was not recorded" in second
    assert "JSON" in third
    assert "the pit events of this table come from '/properties/riverside/tables/PG-01/pit'" in fourth


def test_other_events_of_a_pit_are_passed_over(desk: Vigorish) -> None:
    """Tips, boxes and fills lead to no entry, and to no gap."""
    desk.happen(pit(1, "tips.collected", 1, cents=100, collected_by="a", observed_by="b"), collected(2, 1, 1, 75))
    assert ["vigorish.collection"] == [entry.draft.kind for entry in desk.entries()]


def test_follow_ups_come_page_by_page(desk: Vigorish) -> None:
    """Following `next` gives each once, also where one of those that were shown is settled meanwhile."""
    desk.settle(*(posted(n, RULES, [line(1, 1200, 75)]) for n in range(1, 6)))
    first = desk.get("&limit=2").json()
    desk.happen(collected(1, 2, 1, 75, minute=9), waived(2, 1, 1, 75))
    found, following = [item["round_id"] for item in first["items"]], first["next"]
    while following is not None:
        answer = desk.get(f"&limit=2&cursor={following}").json()
        found += [item["round_id"] for item in answer["items"] if item["kind"] == "outstanding"]
        following = answer.get("next")
    assert [f"r-{n}" for n in range(1, 6)] == found
    assert_problem(desk.get("&cursor=x"), 400, "not one of this")


def test_reading_needs_the_role(desk: Vigorish) -> None:
    """401 for nobody, 403 for somebody else."""
    assert 401 == desk.get(person=None).status_code
    assert_problem(desk.get(person="carl"), 403, "carl does not have the role 'reports.read'")


def test_the_tables_can_be_rebuilt_from_the_journal(desk: Vigorish, url: str) -> None:
    """In whatever order of the shards: the same rows; every entry can be read with the contract."""
    first = posted(1, RULES, [line(1, 1200, 75), bank_line(4, 2000, 100)])
    desk.settle(first, posted(2, RULES, [line(1, 500, 25)]), reversed_round(3, first))
    desk.happen(collected(1, 1, 1, 75), waived(2, 2, 1, 10), collected(3, 2, 1, 15), returned(4, 1, 1, 75))
    before, entries = desk.desk.read_model(url), desk.entries()
    shards = sorted({entry.shard for entry in entries})
    for order in (shards, shards[::-1]):
        desk.desk.project_again(url, [entry for shard in order for entry in entries if entry.shard == shard])
        assert before == desk.desk.read_model(url)
    kinds = {entry.draft.kind for entry in entries}
    assert {
        "vigorish.assessed",
        "vigorish.taken_back",
        "vigorish.collection",
        "vigorish.waiver",
        "vigorish.return",
    } == kinds
