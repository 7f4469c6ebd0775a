"""Vigorish on a real database: assessed by settlements, collected and waived by tables, reported and excepted."""

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
from tests.unit.reporting.entries import day_closed
from tests.unit.vigorish.rounds import (
    DAY,
    NOON,
    PROPERTY,
    bank_line,
    collected,
    line,
    next_shift,
    opened,
    pit,
    posted,
    returned,
    reversed_round,
    rules,
    waived,
)

RULES = rules()
LEGS = ("assessed", "collected", "waived", "returned", "outstanding")
PEOPLE = {"kim": ["reports.read"], "carl": ["submissions.file"]}


class Vigorish:
    """The service on a database, without a broker, and whoever reads its reports."""

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

    def get(self, path: str, *, person: str | None = "kim", **headers: str) -> httpx.Response:
        """Read a report."""
        return self.desk.get(f"/reports/{path}", person=person, **headers)

    def report(self, more: str = "") -> dict[str, Any]:
        """The report of the day; what was assessed is collected, waived or outstanding, in every row."""
        found: dict[str, Any] = self.get(f"vigorish?property={PROPERTY}&gaming_day={DAY}{more}").json()
        for part in ("tables", "seats", "dealers", "shifts", "classes"):
            for row in [*found[part], found["total"]]:
                settled = row["collected_cents"] + row["waived_cents"] - row["returned_cents"]
                assert row["assessed_cents"] == settled + row["outstanding_cents"] - row["over_collected_cents"]
            for name in (*(f"{leg}_cents" for leg in LEGS), "lines"):
                assert found["total"][name] == sum(row[name] for row in found[part])
        return found

    def exceptions(self, more: str = "") -> list[tuple[str, str, int, int]]:
        """Kind, round, seat and what is outstanding of everything that is not as it must be."""
        items = self.get(f"exceptions?property={PROPERTY}&gaming_day={DAY}{more}").json()["items"]
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
    """Base, rate and rounding in the report; nothing is outstanding, no exception, the accounts are settled."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75), line(2, 1000, 50)]), posted(2, RULES, [line(1, 500, 25)]))
    desk.happen(opened(1, -60), collected(2, 1, 1, 75), waived(3, 1, 2, 50), collected(4, 2, 1, 25))
    [row] = desk.report()["tables"]
    values = {"owed_by": "player", "lines": 3, "base_cents": 2700, "rounding_cents": "15"}
    values |= {"assessed_cents": 150, "collected_cents": 100, "waived_cents": 50, "outstanding_cents": 0}
    assert {"table": "PG-01", "game": "pai-gow"} | values == {name: row[name] for name in ("table", "game", *values)}
    assert [] == desk.exceptions()
    assert {
        ("PG-01", "player", "assessed"): -150,
        ("PG-01", "player", "collected"): 100,
        ("PG-01", "player", "waived"): 50,
    } == desk.balances()


def test_what_is_outstanding_at_the_end_of_a_round_is_an_exception(desk: Vigorish) -> None:
    """All of it or a part; when it is collected after all it is late."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75), line(2, 1000, 50)]))
    desk.happen(collected(1, 1, 1, 50))
    assert [("outstanding", "r-1", 1, 25), ("outstanding", "r-1", 2, 50)] == desk.exceptions()
    assert 75 == desk.report()["total"]["outstanding_cents"]
    desk.happen(collected(2, 1, 1, 25, minute=9), collected(3, 1, 2, 50, minute=1.4))
    assert [("late", "r-1", 1, 0)] == desk.exceptions()
    assert 1 == desk.report()["total"]["late"]


def test_the_order_of_the_topics_does_not_matter(desk: Vigorish) -> None:
    """What a table says it collected waits for the round; until then it is an exception of its own."""
    desk.happen(collected(1, 1, 1, 75))
    assert [("not_assessed", "r-1", 1, -75)] == desk.exceptions()
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    assert [] == desk.exceptions()
    assert 75 == desk.report()["total"]["collected_cents"]


def test_too_much_is_an_exception(desk: Vigorish) -> None:
    """More collected than assessed."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 100))
    assert [("over_collected", "r-1", 1, -25)] == desk.exceptions("&kind=over_collected")
    assert 25 == desk.report()["total"]["over_collected_cents"]


def test_what_was_too_much_is_given_back(desk: Vigorish) -> None:
    """A part of it leaves the rest an exception; all of it leaves nothing, and giving back is never late."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 100), returned(2, 1, 1, 10))
    assert [("over_collected", "r-1", 1, -15)] == desk.exceptions()
    desk.happen(returned(3, 1, 1, 15))
    assert [] == desk.exceptions()
    total = desk.report()["total"]
    assert (75, 100, 25, 0, 0, 0) == tuple(
        total[name]
        for name in (
            "assessed_cents",
            "collected_cents",
            "returned_cents",
            "outstanding_cents",
            "over_collected_cents",
            "late",
        )
    )
    assert {
        ("PG-01", "player", "assessed"): -75,
        ("PG-01", "player", "collected"): 100,
        ("PG-01", "player", "returned"): -25,
    } == desk.balances()


def test_what_is_given_back_without_a_cause_is_owed_again(desk: Vigorish) -> None:
    """Until it is waived: a change of mind after the collection is two events."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(collected(1, 1, 1, 75), returned(2, 1, 1, 75))
    assert [("outstanding", "r-1", 1, 75)] == desk.exceptions()
    desk.happen(waived(3, 1, 1, 75))
    assert [] == desk.exceptions()
    assert ("PG-01", "player", "outstanding") not in desk.balances()


def test_more_given_back_than_was_collected_is_an_exception(desk: Vigorish) -> None:
    """Also where a waiver that is too high hides it: what is outstanding comes to nothing, and the money is gone."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    desk.happen(waived(1, 1, 1, 100), returned(2, 1, 1, 25))
    assert [("over_returned", "r-1", 1, 0)] == desk.exceptions()
    desk.happen(returned(3, 2, 1, 25))
    assert [("not_assessed", "r-2", 1, 25), ("over_returned", "r-2", 1, 25)] == desk.exceptions()[1:]


def test_what_was_collected_of_the_wrong_seat_is_given_back(desk: Vigorish) -> None:
    """In whatever order it is reported; a seat that owed nothing has nothing open then."""
    desk.happen(returned(2, 1, 4, 75))
    assert [("not_assessed", "r-1", 4, 75), ("over_returned", "r-1", 4, 75)] == desk.exceptions()
    desk.happen(collected(1, 1, 4, 75))
    assert [] == desk.exceptions()
    assert (75, 75) == tuple(desk.report()["total"][name] for name in ("collected_cents", "returned_cents"))


def test_a_rounding_that_is_not_the_submissions_is_an_exception(desk: Vigorish) -> None:
    """60 cents where the rules say 75."""
    desk.settle(posted(1, RULES, [line(1, 1200, 60)]))
    desk.happen(collected(1, 1, 1, 60))
    assert [("disagrees", "r-1", 1, 0)] == desk.exceptions()


def test_banks_and_co_banks_are_apart(desk: Vigorish) -> None:
    """A bank that also plays a bonus owes on its own; players against it are a class too."""
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
    found = desk.report()
    assert [("bank", 100, 100), ("co_bank", 50, 25), ("player_against_bank", 50, 50), ("unknown", 0, 25)] == [
        (row["owed_by"], row["assessed_cents"], row["collected_cents"]) for row in found["classes"]
    ]
    assert [("not_assessed", "r-2", 4, -25), ("outstanding", "r-2", 4, 25)] == sorted(desk.exceptions())
    assert 25 == desk.balances()["PG-01", "bank", "outstanding"]


def test_the_report_is_by_seat_dealer_and_shift(desk: Vigorish) -> None:
    """The shift is the one that was at work when the round closed, or in whose time it was collected."""
    desk.happen(opened(1, -60, shift="day"), next_shift(2, 10, "swing"))
    desk.settle(
        posted(1, RULES, [line(1, 1000, 50), line(2, 500, 25)], dealer="dealer.1"),
        posted(20, RULES, [line(1, 1000, 50)], dealer="dealer.2"),
        posted(21, RULES, [line(1, 500, 25)], dealer="dealer.2"),
    )
    desk.happen(collected(3, 21, 1, 25, shift="grave"))
    found = desk.report()
    assert [("dealer.1", 75), ("dealer.2", 75)] == [(row["dealer"], row["assessed_cents"]) for row in found["dealers"]]
    assert [("day", 75), ("grave", 25), ("swing", 50)] == [
        (row["shift"], row["assessed_cents"]) for row in found["shifts"]
    ]
    assert [(1, 125), (2, 25)] == [(row["seat"], row["assessed_cents"]) for row in found["seats"]]
    assert {"PG-01"} == {row["table"] for row in desk.report("&table=PG-01")["tables"]}
    assert [] == desk.report("&table=PG-02")["tables"]


def test_a_void_takes_back_what_was_assessed(desk: Vigorish) -> None:
    """Nothing is owed any more; what was collected of it is too much until it is given back."""
    first, second = posted(1, RULES, [line(1, 1200, 75)]), posted(2, RULES, [line(1, 500, 25)])
    desk.settle(first, second)
    desk.happen(collected(1, 2, 1, 25))
    desk.settle(reversed_round(3, first), reversed_round(4, second))
    assert [("over_collected", "r-2", 1, -25)] == desk.exceptions()
    assert (0, 0) == (desk.report()["total"]["assessed_cents"], desk.report()["total"]["lines"])
    assert {("PG-01", "player", "outstanding"): -25, ("PG-01", "player", "collected"): 25} == desk.balances()
    desk.happen(returned(2, 2, 1, 25))
    assert [] == desk.exceptions()
    assert {("PG-01", "player", "returned"): -25, ("PG-01", "player", "collected"): 25} == desk.balances()


def test_a_correction_assesses_again(desk: Vigorish) -> None:
    """In one batch: what the corrected round assesses counts alone."""
    first = posted(1, RULES, [line(1, 1200, 75)], round_id="r-1")
    again = posted(3, RULES, [line(2, 500, 25)], round_id="r-1", revision=2)
    desk.settle(first, reversed_round(2, first), again)
    assert [("outstanding", "r-1", 2, 25)] == desk.exceptions()
    items = desk.get(f"assessments?property={PROPERTY}&gaming_day={DAY}").json()["items"]
    assert [(1, False, 75), (2, True, 25)] == [
        (item["revision"], item["standing"], item["assessed"]["cents"]) for item in items
    ]


def test_a_correction_that_assesses_less_gives_the_difference_back(desk: Vigorish) -> None:
    """The same seat owes less: what it paid beyond that is too much until it has gone back."""
    first = posted(1, RULES, [line(1, 1200, 75)], round_id="r-1")
    desk.settle(first)
    desk.happen(collected(1, 1, 1, 75))
    desk.settle(reversed_round(2, first), posted(3, RULES, [line(1, 500, 25)], round_id="r-1", revision=2))
    assert [("over_collected", "r-1", 1, -50)] == desk.exceptions()
    desk.happen(returned(2, 1, 1, 50))
    assert [] == desk.exceptions()
    assert 0 == desk.report()["total"]["over_collected_cents"]


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
    assert 4 == desk.report()["input_open"]


def test_other_events_of_a_pit_are_passed_over(desk: Vigorish) -> None:
    """Tips, boxes and fills lead to no entry, and to no gap."""
    desk.happen(pit(1, "tips.collected", 1, cents=100, collected_by="a", observed_by="b"), collected(2, 1, 1, 75))
    assert ["vigorish.collection"] == [entry.draft.kind for entry in desk.entries()]


def test_lines_come_page_by_page(desk: Vigorish) -> None:
    """Following `next` gives every line once, with base, rate, rounding, result and its entry."""
    desk.settle(*(posted(n, RULES, [line(1, 1200, 75)]) for n in range(1, 6)))
    found, following = [], ""
    while True:
        path = f"assessments?property={PROPERTY}&gaming_day={DAY}&table=PG-01&limit=2{following}"
        answer = desk.get(path).json()
        found += answer["items"]
        if "next" not in answer:
            break
        following = f"&cursor={answer['next']}"
    assert [f"r-{n}" for n in range(1, 6)] == [item["round_id"] for item in found]
    assert ("0.05", "quarter_up", 1200, 75, 5) == (
        *(found[4]["assessed"][name] for name in ("rate", "rounding", "base_cents", "cents")),
        found[4]["seq"],
    )
    assert_problem(desk.get(f"assessments?property={PROPERTY}&gaming_day={DAY}&cursor=x"), 400, "not one of this")


@pytest.mark.parametrize(("seconds", "stage"), [(60, "final"), (-60, "restated")])
def test_a_sealed_day_is_restated_by_what_is_recorded_after_its_seal(desk: Vigorish, seconds: int, stage: str) -> None:
    """Money of the day after the seal restates it; an audited day is still preliminary."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    assert "open" == desk.report()["status"]
    for sequence, step in enumerate(("preliminary", "audited"), 1):
        closed = day_closed(sequence, step, seconds=seconds, property_name=PROPERTY, day=DAY)
        desk.desk.feed("inventory", closed)
        assert "preliminary" == desk.report()["status"]
    desk.desk.feed("inventory", day_closed(3, "final", seconds=seconds, property_name=PROPERTY, day=DAY))
    assert stage == desk.report()["status"]


def test_reading_needs_the_role_and_unchanged_reports_are_not_sent_again(desk: Vigorish) -> None:
    """401, 403, and 304 until something changes."""
    desk.settle(posted(1, RULES, [line(1, 1200, 75)]))
    path = f"vigorish?property={PROPERTY}&gaming_day={DAY}"
    assert 401 == desk.get(path, person=None).status_code
    assert_problem(desk.get(path, person="carl"), 403, "carl does not have the role 'reports.read'")
    tag = {"If-None-Match": desk.get(path).headers["etag"]}
    assert 304 == desk.get(path, **tag).status_code
    desk.happen(collected(1, 1, 1, 75))
    assert 200 == desk.get(path, **tag).status_code


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
