"""Statistics on a real database: dishonest people are planted in simulated play, and found in the report; no others."""

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import chain, count, islice
from math import sqrt
from typing import Any, Final
from urllib.parse import quote

from loadtest.floor.cheating_scenarios import KnowsTheCards, PostsLate
from loadtest.floor.floor_day import Amend, opening, table_rounds
from loadtest.floor.game import TablePlan
from loadtest.floor.games import pit
from loadtest.floor.pit import PitBook, bought_by, round_in_pit
from loadtest.floor.pit_items import Overpaying
from loadtest.traffic.casino import Casino, casino
from loadtest.traffic.simulated_settlements import posted
from services.table_inventory.domain.pit import Known, record_pit
from shared.contracts.facts import Fact
from shared.contracts.pit import EVENTS, PitReader
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlements import SubmissionRef
from shared.contracts.topics import PIT_EVENTS
from tests.support.published import published
from tests.support.reporting import Books, names, rows_of, total_of
from tests.support.side_bets import SIDE_BET, evaluate, side_bet_line, side_bet_round
from tests.unit.reporting.entries import DAY

FIRST_DAY: Final = date(2026, 11, 2)
PROPERTY: Final = "bayside"
SEAT: Final = 3

READER: Final = PitReader(PIT_EVENTS, *EVENTS)

Event = dict[str, Any]


class Floor:
    """A simulated casino, as the journals of its services tell reporting of it."""

    def __init__(self, books: Books, plans: Sequence[TablePlan]) -> None:
        self.books = books
        self.where: Casino = casino(PROPERTY, plans, FIRST_DAY)
        self.refs = {one.game: SubmissionRef(version=one.version, hash=one.hash) for one in self.where.submissions}
        self._sequences = {"round-settlement": count(1), "table-inventory": count(1), "paytable-registry": count(10)}
        approved = self.where.property
        books.desk.feed("properties", self.entry(approved, "paytable-registry", approved.approved_at, shard=2))
        for one in self.where.submissions:
            books.desk.feed("submissions", self.entry(one, "paytable-registry", one.approved_at))

    def entry(self, fact: Fact, service: str, at: datetime, *, shard: int = 1) -> Event:
        """The entry of a fact, which happened and was recorded at a moment."""
        sequence = next(self._sequences[service])
        said = json.loads(fact.encode())
        return published(fact.KIND.name, said, service=service, sequence=sequence, at=at.astimezone(UTC), shard=shard)

    def play(self, plan: TablePlan, day: date, seed: int, rounds: int, amend: Amend | None = None) -> list[Event]:
        """Let a table play so many rounds of a gaming day; return the entries that were read."""
        dealt = table_rounds(property_name=PROPERTY, plan=plan, gaming_day=day, seed=seed, amend=amend)
        entries = [
            self.entry(posted(one, self.refs[plan.game]), "round-settlement", one.data.closed_at)
            for one in islice(dealt, rounds)
        ]
        self.books.desk.feed("settlements", *entries)
        return entries

    def pit_day(self, plans: Sequence[TablePlan], day: date, overpaying: Overpaying) -> tuple[list[Event], list[Event]]:
        """Return the rounds and the pit of a gaming day at the third and the fifth table, which need no slips.

        The first one takes the variance that every pit has.
        """
        book, seen, place = (
            PitBook(PROPERTY, plans, day, overpaying=overpaying),
            set[str](),
            PropertySnapshot.of(self.where.property),
        )
        rounds: list[Event] = []
        for plan, number in ((plans[0], 2), (plans[2], 6), (plans[4], 6)):
            for one in islice(table_rounds(property_name=PROPERTY, plan=plan, gaming_day=day, seed=5), number):
                fact = posted(one, self.refs[plan.game])
                data = json.loads(fact.encode())
                bought = bought_by(data["record"]["seats"], seen)
                book.add(plan.name, round_in_pit(data, one.settlement, bought))
                if plan is not plans[0]:
                    rounds.append(self.entry(fact, "round-settlement", one.data.closed_at))
        of_pit = book.day()
        events = [READER.decode(one.value) for one in of_pit.reports(dict.fromkeys(of_pit.slips, 1))]
        read = [event for event in events if event.data.table in (plans[2].name, plans[4].name)]
        facts = [(record_pit(event, Known(places=lambda *_: place)).fact, event.time) for event in read]
        return rounds, [self.entry(fact, "table-inventory", at) for fact, at in facts]

    def seal(self, *days: date) -> None:
        """Seal gaming days, each the morning after."""
        entries = []
        for day in days:
            at = opening(day) + timedelta(days=1)
            for step in ("preliminary", "audited", "final"):
                sealed: Event = (
                    {"hash": "e" * 64, "report": {"total": {"final_win_cents": None}}} if step == "final" else {}
                )
                said = {"property": PROPERTY, "gaming_day": day.isoformat(), **sealed}
                said |= {f"{step}_by": "audit.kim", f"{step}_at": at.isoformat()}
                sequence = next(self._sequences["table-inventory"])
                entries.append(published(f"day.{step}", said, service="table-inventory", sequence=sequence, at=at))
        self.books.desk.feed("inventory", *entries)

    def evaluate(self) -> int:
        """Test what was sealed; return how many days."""
        return evaluate(self.books)

    def path(self, day: date, more: str = "") -> str:
        """The path of the report about a gaming day."""
        return f"/reports/statistics?property={PROPERTY}&gaming_day={day}{more}"

    def alarms(self, day: date) -> list[dict[str, Any]]:
        """The alarms among the exceptions of a gaming day."""
        path = f"/reports/exceptions?property={PROPERTY}&gaming_day={day}"
        return [row for row in rows_of(self.books.get(path).json(), "open") if row["kind"] == "statistical"]

    def report(self, day: date, more: str = "") -> dict[str, Any]:
        """The report about a gaming day."""
        found: dict[str, Any] = self.books.get(self.path(day, more)).json()
        return found

    def explain(self, report: str, day: date, cell: str) -> list[dict[str, Any]]:
        """The entries behind a cell of a report about a gaming day."""
        path = f"/reports/{report}/entries?property={PROPERTY}&gaming_day={day}&cell={quote(cell)}"
        found: list[dict[str, Any]] = self.books.get(path).json()["entries"]
        return found


def _days(number: int) -> list[date]:
    return [FIRST_DAY + timedelta(days=one) for one in range(number)]


def _play(floor: Floor, plans: Sequence[TablePlan], first: Amend | None, second: Amend | None) -> dict[str, Any]:
    """Play a day of two Blackjack tables, 150 and 350 rounds; return the report about it once it was sealed."""
    floor.play(plans[0], FIRST_DAY, 3, 150, first)
    floor.play(plans[1], FIRST_DAY, 3, 350, second)
    floor.seal(FIRST_DAY)
    assert 1 == floor.evaluate()
    return floor.report(FIRST_DAY)


def test_dishonest_players_are_found_and_nobody_else(books: Books) -> None:
    """One wagers on Royal Match only where it wins, one adds chips to winning wagers: found in 150 and 350 rounds."""
    plans = first, second = pit(2)
    floor = Floor(books, plans)
    knows = KnowsTheCards(first, seat=SEAT, wager=SIDE_BET, cents=25_00)
    late = PostsLate(second, seat=SEAT, wager="blackjack", share=1 / 3, seed=2)
    report = _play(floor, plans, knows, late)
    found = [names(row, "test", "table", "seat", "dealer", "wager") for row in rows_of(report, "alarms")]
    assert ("hits", "BJ01", SEAT, "", SIDE_BET) in found
    assert [("raised", "BJ02", SEAT, "", "blackjack")] == [one for one in found if one[0] == "raised"]
    at_table = {"", "BJ01", *(f"dealer-BJ01-{number}" for number in range(1, 5))}
    for kind, table, seat, dealer, wager in found:
        assert kind == "raised" or (wager == SIDE_BET and {table, dealer} <= at_table and seat in (None, SEAT))
    listed = {row["subject"]: row for row in floor.alarms(FIRST_DAY)}
    assert len(found) == len(listed)
    raised = listed[f"raised, BJ02, seat {SEAT}, blackjack, blackjack"]
    assert ("BJ02", "medium", "surveillance") == names(raised, "table", "severity", "owner")
    explained = floor.explain("exceptions", FIRST_DAY, f"open/{raised['id']}/kind")
    assert {"table-inventory", "round-settlement"} == {entry["service"] for entry in explained}


def test_honest_play_of_the_same_size_raises_no_alarm(books: Books) -> None:
    """The same tables, seats and seed; the report says how many tests there were, and the figures are what is exact."""
    plans = pit(2)
    floor = Floor(books, plans)
    report = _play(floor, plans, None, None)
    assert ([], []) == (rows_of(report, "alarms"), floor.alarms(FIRST_DAY))
    tests = {row["test"]: row["tests"] for row in rows_of(report, "tests")}
    assert {"hits", "raised", "returns", "row"} == set(tests)
    assert sum(tests.values()) > 80
    assert all(abs(float(row["z_score"])) < 4 for row in rows_of(report, "wagers"))
    assert all(one["holds"] for one in report["content"]["identities"])


def test_a_dealer_who_overpays_is_found_after_twenty_counts(books: Books) -> None:
    """The rounds are right and the chips are gone: two short counts a day, and nothing at the other table."""
    plans, days = pit(5), _days(10)
    floor, dealer = Floor(books, plans), f"dealer-{plans[2].name}-1"
    rounds, events = zip(*(floor.pit_day(plans, day, Overpaying(dealer, 5_00)) for day in days), strict=True)
    books.desk.feed("settlements", *chain(*rounds))
    books.desk.feed("inventory", *chain(*events))
    floor.seal(*days)
    assert 10 == floor.evaluate()
    report = floor.report(days[-1], "&period=month")
    [alarm] = rows_of(report, "alarms")
    assert ("counts", dealer, days[-1].isoformat(), 20) == names(alarm, "test", "dealer", "since", "observations")
    missing, other = -30_00 * 5, f"dealer-{plans[4].name}-1"
    assert [
        (dealer, "day", 10, 10, 10, missing),
        (dealer, "swing", 10, 10, 10, missing),
        (other, "day", 10, 0, 0, 0),
        (other, "swing", 10, 0, 0, 0),
    ] == [
        names(row, "dealer", "shift", "counts", "off", "short", "variance_cents") for row in rows_of(report, "counts")
    ]
    assert ["table-inventory"] == [
        entry["service"] for entry in floor.explain("statistics", days[-1], f"counts/{dealer}|swing/variance_cents")
    ]
    assert [] == floor.alarms(days[-2])
    [listed] = floor.alarms(days[-1] + timedelta(days=7))  # nobody has settled it
    assert (f"counts, {dealer}", days[-1].isoformat()) == names(listed, "subject", "gaming_day")
    behind = [(entry["shard"], entry["seq"]) for entry in floor.explain("statistics", days[-1], _since(alarm))]
    seal, *listed_behind = floor.explain("exceptions", days[-1], f"open/{listed['id']}/status")
    assert behind == [(entry["shard"], entry["seq"]) for entry in listed_behind]
    assert (20, listed["entry"]) == (len(behind), f"table-inventory/{seal['shard']}/{seal['seq']}")


def _since(alarm: dict[str, Any]) -> str:
    return f"alarms/{alarm['id']}/since"


# --- by hand ---

ROYAL, SUITED, HANDS = 4 * 6 * 6, 4 * (78 * 77 // 2) - 4 * 6 * 6, 312 * 311 // 2
"""Of the two first cards from six decks: King and Queen of one suit, other two cards of one suit, all."""
MEAN = Fraction(26 * ROYAL + Fraction(7, 2) * SUITED, HANDS)
"""Paytable D pays 25 to 1 and 2.5 to 1."""
VARIANCE = Fraction(26**2 * ROYAL + Fraction(49, 4) * SUITED, HANDS) - MEAN**2


def test_figures_are_those_of_the_exact_distribution(books: Books) -> None:
    """Stakes of 10, 20 and 30 dollars in two rounds, the first of which is a suited match."""
    under = books.submit(wagers={SIDE_BET: {"paytable": "D"}})
    won, lost, alone = (
        side_bet_line(1, 1000, "suited_match", 2500),
        side_bet_line(2, 2000, None, 0),
        side_bet_line(1, 3000, None, 0),
    )
    books.publish(side_bet_round(books, 1, under, won, lost), side_bet_round(books, 2, under, alone))
    report = books.report("statistics")
    deviation = sqrt(VARIANCE * (1000**2 + 2000**2 + 3000**2))
    expected = (
        *(3, 6000, round(6000 * MEAN), 3500, 3500 - round(6000 * MEAN), round(deviation)),
        f"{float(3500 - 6000 * MEAN) / deviation:+.2f}",
    )
    figures = ("wagers", "handle_cents", "expected_cents", "payout_cents", "difference_cents", "deviation_cents")
    for section in ("wagers", "tables", "dealers", "shifts"):
        assert expected == names(rows_of(report, section)[0], *figures, "z_score")
        assert expected == names(total_of(report, section), *figures, "z_score")
    rows = {row["row"]: names(row, "wagers", "hits", "expected", "probability") for row in rows_of(report, "rows")}
    suited, royal = SUITED / HANDS, ROYAL / HANDS
    assert {
        "suited_match": (3, 1, f"{3 * suited:.2f}", f"{1 - (1 - suited) ** 3:.2g}"),
        "royal_match": (3, 0, f"{3 * royal:.2f}", "1"),
    } == rows
    explained = books.explain("statistics", f"wagers/blackjack|{SIDE_BET}/payout_cents")
    assert [(1, 3500)] == [names(entry, "seq", "value") for entry in explained["entries"]]
    books.publish(side_bet_round(books, 3, under, lost, table="BJ-02"))
    for more, handle in (("", 8000), ("&table=BJ-01", 6000), ("&table=BJ-02", 2000)):
        dealers = rows_of(books.report("statistics", more), "dealers")
        assert [("d-1", handle)] == [names(row, "dealer", "handle_cents") for row in dealers]


def test_a_day_is_tested_when_it_is_sealed_and_again_when_it_is_restated(books: Books) -> None:
    """What had been known stays as it was, byte by byte; what is taken back counts no more, and an alarm stands."""
    under = books.submit(wagers={SIDE_BET: {"paytable": "D"}})
    hits = [side_bet_round(books, seq, under, side_bet_line(1, 1000, "suited_match", 2500)) for seq in range(1, 13)]
    books.publish(*hits)
    assert 0 == evaluate(books)
    books.close("preliminary", seconds=12)
    books.close("final", seconds=12)
    assert [1, 0] == [evaluate(books), evaluate(books)]
    sealed = books.path("statistics", "&known_at=2026-11-20T12:00:12.5Z")
    before = books.get(sealed).content
    alarms = [names(row, "test", "table", "seat", "dealer", "since", "observations") for row in _alarms(books)]
    assert ("hits", "BJ-01", 1, "", DAY, 12) in alarms
    taken_back = [
        books.reversed(12 + seq, "BJ-01", hit["data"]["totals"], round_id=f"r-{seq}", submission=under, dealer_id="d-1")
        for seq, hit in enumerate(hits[:11], 1)
    ]
    books.publish(*taken_back)
    assert [1, 0] == [evaluate(books), evaluate(books)]
    assert before == books.get(sealed).content
    assert alarms == [names(row, "test", "table", "seat", "dealer", "since", "observations") for row in _alarms(books)]
    tests = {row["test"]: row["observations"] for row in rows_of(books.report("statistics"), "tests")}
    assert (1, 2) == (tests["returns"], tests["row"])  # of one round, with two rows


def _alarms(books: Books) -> list[dict[str, Any]]:
    return rows_of(books.report("statistics"), "alarms")
