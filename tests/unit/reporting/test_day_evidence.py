"""The evidence of a gaming day: what the books keep of its rounds shows the same as the rounds themselves."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from math import isclose
from typing import Any, Final

import pytest

from loadtest.floor.games import pit
from loadtest.traffic.casino import casino
from loadtest.traffic.synthetic_month import month
from services.reporting.domain.carried_evidence import Subject, statistic_of
from services.reporting.domain.day_evidence import DayEvidence, ShownRound
from services.reporting.domain.evidence import Evidence
from services.reporting.domain.house_edges import HouseEdge, edges_of
from services.reporting.domain.raised_stakes import RaisedStakes
from services.reporting.domain.statistics import SHOE_TOLERANCE, Wagers, observe_hits, observe_returns
from services.reporting.ingest.journals import Settlements
from services.reporting.read_model.evidence import shown_round
from services.reporting.read_model.rounds import RoundEntry, round_entry
from shared.contracts.submissions import SubmissionApproved
from shared.rules import compile_rules, parse_round, parse_submission
from tests.support.rounds import submission
from tests.unit.reporting.entries import Shard, total

DAY: Final = date(2026, 5, 8)
ROUNDS: Final = 120

Edges = dict[tuple[str, str], HouseEdge]


def _entry(message: bytes) -> tuple[RoundEntry, Any]:
    event: Any = Settlements.reader.decode(message)
    return round_entry(event, event.data, "day"), event.data


def _shown(entry: RoundEntry) -> ShownRound:
    return shown_round(entry)


def _edges(approved: Sequence[SubmissionApproved]) -> Edges:
    return {(edge.submission, edge.wager): edge for one in approved for edge in edges_of(one)}


@pytest.fixture(scope="module")
def played() -> tuple[Edges, list[tuple[RoundEntry, Any]]]:
    """What wagers bring back in a casino with one table of each offer of the pit, and a day of rounds of each."""
    where = casino("bayside", pit(12), DAY)
    stream = month(where, gaming_days=[DAY], rounds_per_table_day=ROUNDS, seed=3, rounds_in_pool=ROUNDS)
    return _edges(where.submissions), [_entry(message) for _, message in stream]


@pytest.fixture(scope="module")
def found(played: tuple[Edges, list[tuple[RoundEntry, Any]]]) -> Mapping[Subject, Evidence]:
    """The evidence of the day."""
    edges, rounds = played
    evidence = DayEvidence(edges)
    by_table: dict[str, list[ShownRound]] = defaultdict(list)
    for entry, _ in rounds:
        by_table[entry.table_name].append(_shown(entry))
    for table, shown in by_table.items():
        evidence.add_table(table, shown)
    return evidence.found()


def _same(one: Evidence, other: Evidence) -> bool:
    return one.n == other.n and all(isclose(*pair) for pair in zip(one.wealths, other.wealths, strict=True))


def test_hits_and_returns_are_those_of_the_lines(
    played: tuple[Edges, list[tuple[RoundEntry, Any]]], found: Mapping[Subject, Evidence]
) -> None:
    """Round by round, each line looked at: the same evidence by table, dealer, seat and row as by counting misses."""
    edges, rounds = played
    expected: dict[Subject, Evidence] = defaultdict(Evidence)
    for entry, data in rounds:
        for (version, wager), edge in edges.items():
            lines = [line for line in data.lines if line.wager == wager and line.paid_by == "house"]
            if version != entry.submission or edge.returns is None or edge.offered == "always" or not lines:
                continue
            if any(hit.won.category is None for hit in edge.returns.hits) or edge.bonus_lines:
                continue
            rows = Counter(line.category for line in lines if line.category is not None)
            seats = {line.seat: int(line.category is not None) for line in lines}
            about = Subject("hits", game=entry.game, wager=wager)
            for tested, hits, number in (
                (about._replace(table=entry.table_name), sum(rows.values()), len(lines)),
                (about._replace(dealer=entry.dealer), sum(rows.values()), len(lines)),
                *((about._replace(table=entry.table_name, seat=seat), won, 1) for seat, won in seats.items()),
            ):
                expected[tested] = observe_hits(
                    expected[tested], edge.returns.hit_frequency, hits, number, tolerance=SHOE_TOLERANCE
                )
            for row in {str(hit.won.category) for hit in edge.returns.hits}:
                tested, chance = about._replace(kind="row", row=row), edge.returns.probability(row)
                expected[tested] = observe_hits(
                    expected[tested], chance, rows[row], len(lines), tolerance=SHOE_TOLERANCE
                )
            tested = about._replace(kind="returns", table=entry.table_name)
            wagers = Wagers.of(line.stake for line in lines)
            paid = sum(line.payout + line.stake_returned for line in lines)
            expected[tested] = observe_returns(expected[tested], edge.returns, wagers, paid, tolerance=SHOE_TOLERANCE)
    assert len(expected) > 200
    assert [] == [tested for tested, one in expected.items() if not _same(one, found[tested])]


def test_raised_stakes_are_those_of_the_records(
    played: tuple[Edges, list[tuple[RoundEntry, Any]]], found: Mapping[Subject, Evidence]
) -> None:
    """What each seat wagered before the cards against what came of it; raises in sight of cards are left out."""
    edges, rounds = played
    expected: dict[Subject, RaisedStakes] = defaultdict(RaisedStakes)
    for entry, data in rounds:
        for seat in data.record.seats:
            for wager, cents in seat.wagers.items():
                lines = [line for line in data.lines if (line.seat, line.wager) == (seat.seat, wager)]
                net = sum(line.payout + line.stake_returned - line.stake for line in lines)
                against_house = all(line.paid_by == "house" for line in lines)
                edge = edges.get((entry.submission, wager))  # none where a wager is the part of another
                if net and against_house and edge is not None and edge.offered != "always":
                    tested = Subject("raised", table=entry.table_name, seat=seat.seat, game=entry.game, wager=wager)
                    expected[tested] = expected[tested].after(cents, won=net > 0)
    compared = {tested: known.evidence for tested, known in expected.items() if known.evidence.n}
    assert len(compared) > 50
    assert compared == {tested: one for tested, one in found.items() if tested.kind == "raised"}
    assert not {"insurance", "raise", "flop"} & {tested.wager for tested in found}


def test_honest_play_raises_no_alarm(found: Mapping[Subject, Evidence]) -> None:
    """Some hundred tests of a day, each of which may be wrong once in a thousand."""
    assert len(found) > 300
    assert [] == [tested for tested, one in found.items() if statistic_of(one) >= 3]


CROWN: Final = {"royal_match_21": {"paytable": "E", "crown_treasure": True}}
SUITED: Final = {
    "seat": 2,
    "player": "p2",
    "wagers": {"blackjack": 1000, "royal_match_21": 500},
    "dealt": ["Ks", "Qs"],
    "hands": [{"cards": ["Ks", "Qs"]}],
}
DOUBLED: Final = {
    "seat": 3,
    "player": "p3",
    "wagers": {"blackjack": 1000},
    "dealt": ["6d", "5d"],
    "hands": [{"cards": ["6d", "5d", "Td"], "double": 1000}],
}


def _settled() -> tuple[RoundEntry, Edges]:
    """Return a round with a Royal Match against one of the dealer, and a double that wins."""
    approved = SubmissionApproved.model_validate(submission(submission={"decks": 6, "wagers": CROWN})["data"])
    document = {"seats": [SUITED, DOUBLED], "dealer": {"cards": ["Kh", "Qh"]}}
    rules = compile_rules("pa-633a-2024", parse_submission({"decks": 6, "wagers": CROWN}))
    lines = [line.as_document() for line in rules.settle(parse_round("pa-633a-2024", document)).lines]
    more: dict[str, Any] = {"lines": lines, "record": document, "submission": {"version": 1, "hash": approved.hash}}
    totals = [total(wager) for wager in ("blackjack", "royal_match_21", "crown_treasure")]
    entry, _ = _entry(json.dumps(Shard().posted(1, "BJ-01", totals, **more)).encode())
    return entry, _edges([approved])


def test_a_bonus_on_top_is_paid_on_the_wager_that_earns_it() -> None:
    """$5 on a Royal Match with a Crown Treasure: 50 to 1 and 1,000 for 1, on one stake; both rows are hit."""
    entry, edges = _settled()
    evidence = DayEvidence(edges)
    evidence.add_table("BJ-01", [_shown(entry)])
    found, exact = evidence.found(), edges[entry.submission, "royal_match_21"].returns
    assert exact is not None
    tested = Subject("returns", table="BJ-01", game="blackjack", wager="royal_match_21")
    paid = 500 * (51 + 1000)
    assert observe_returns(Evidence(), exact, Wagers.of([500]), paid, tolerance=SHOE_TOLERANCE) == found[tested]
    hit = {tested.row for tested, one in found.items() if tested.kind == "row" and statistic_of(one) > 0}
    assert {"royal_match", "crown_treasure"} == hit


def test_a_stake_is_what_was_wagered_before_the_cards() -> None:
    """A double that wins is a stake of half; one that comes out even, as Blackjack against Blackjack, is left out."""
    entry, _ = _settled()
    assert [("royal_match_21", 2, 500), ("blackjack", 3, 1000)] == _shown(entry).stakes


def test_a_count_speaks_of_everybody_who_dealt() -> None:
    """A count that is off is an observation for each of them, and one that is not says nothing."""
    evidence = DayEvidence({})
    evidence.add_count(("d-1", "d-2"), -500)
    evidence.add_count(("d-1",), 0)
    evidence.add_count(("d-1",), 100)
    assert {"d-1": 2, "d-2": 1} == {tested.dealer: one.n for tested, one in evidence.found().items()}
