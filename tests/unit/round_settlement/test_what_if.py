"""Rounds settled again under another rules submission: what they would have come to, and which of them cannot."""

import json
from collections import Counter
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from pydantic_core import from_json

from loadtest.floor.games import pit
from loadtest.traffic.casino import casino
from loadtest.traffic.synthetic_month import month
from services.round_settlement.domain.money import totals_of
from services.round_settlement.domain.what_if import Alternative, Outcome, Sums, TableDay
from shared.contracts.submissions import RulesSubmission
from shared.rules import Refused, parse_round, parse_submission, settle

GOLDEN: Final = Path(__file__).parents[2] / "golden" / "pa-633a-2024" / "side-bets-two-cards.yaml"
OF: Final = TableDay(date(2026, 11, 20), "BJ-01", 1, 7)
PLAYED: Final = {"decks": 6, "wagers": {"match_the_dealer": {}}}
"""Matching cards are paid 11 to 1 of the same suit, 4 to 1 of another; with eight decks it is 14 to 1 and 3 to 1."""


def _other(submission: dict[str, Any], regulation: str = "pa-633a-2024") -> Alternative:
    return Alternative(
        RulesSubmission(
            property="riverside",
            game="blackjack",
            regulation=regulation,
            tables=("BJ-01",),
            effective_from=datetime(2026, 11, 20, tzinfo=UTC),
            submission=parse_submission(submission),
        )
    )


@pytest.fixture(scope="module")
def posted() -> str:
    """The data of the entry that posted a golden round: three players match the dealer, two do not."""
    [case] = [each for each in yaml.safe_load(GOLDEN.read_text()) if each["submission"] == PLAYED]
    regulation, record = case["regulation"], case["round"]
    settlement = settle(regulation, parse_round(regulation, record), parse_submission(case["submission"]))
    totals = [total.model_dump(exclude_defaults=True) for total in totals_of(settlement, {})]
    return json.dumps({"regulation": regulation, "record": record, "totals": totals})


def test_another_paytable_changes_what_players_receive(posted: str) -> None:
    """Nothing else changes: 22,000 cents went back for 2,500 wagered, and 25,500 would have."""
    found = _other(PLAYED | {"decks": 8}).settle(OF, [posted])
    assert {"match_the_dealer", "blackjack"} == set(found.wagers)
    matched, main = found.wagers["match_the_dealer"], found.wagers["blackjack"]
    assert ([2_500, 22_000, -19_500], [2_500, 25_500, -23_000]) == (matched.recorded, matched.other)
    assert ([0, 3_500, -3_500], [0, 0, 0]) == (matched.difference, main.difference)
    assert not found.refused


def test_the_same_submission_changes_nothing(posted: str) -> None:
    """Twice the same round comes to twice as much, on both sides."""
    found = _other(PLAYED).settle(OF, [posted, posted])
    assert [5_000, 44_000, -39_000] == found.wagers["match_the_dealer"].recorded
    assert all(sums.recorded == sums.other for sums in found.wagers.values())


def test_rounds_of_every_game_come_to_what_they_came_to() -> None:
    """A day of a simulated casino with eleven games, as round settlement published it."""
    where = casino("grand", pit(24), OF.gaming_day)
    posted: dict[tuple[str, str], list[str]] = {}
    for _, value in month(where, gaming_days=[OF.gaming_day], rounds_per_table_day=5, seed=1, rounds_in_pool=120):
        data = from_json(value)["data"]
        posted.setdefault((data["game"], data["regulation"]), []).append(json.dumps(data))
    found = {}
    for wanted in where.submissions:
        if (wanted.game, wanted.regulation) in posted:
            found[wanted.game] = Alternative(wanted).settle(OF, posted.pop((wanted.game, wanted.regulation)))
    assert (11, {}) == (len(found), posted)
    for outcome in found.values():
        assert not outcome.refused
        assert outcome.wagers
        assert all(sums.recorded == sums.other for sums in outcome.wagers.values())


@pytest.mark.parametrize(
    ("regulation", "submission", "why"),
    [
        ("pa-633a-2024", {"decks": 6}, "wager 'match_the_dealer' …: the rules submission does not offer it"),
        ("pa-633a-2011", PLAYED, "the round is one under pa-633a-2024, not under pa-633a-2011"),
    ],
)
def test_what_cannot_be_settled_so_is_counted_and_in_no_sum(
    posted: str, regulation: str, submission: dict[str, Any], why: str
) -> None:
    """A round with a wager that would not have been offered, or under another regulation."""
    found = _other(submission, regulation).settle(OF, [posted, posted])
    assert {} == found.wagers
    [(reason, count)] = found.refused.items()
    assert (2, why) == (count, reason)


def test_what_the_regulation_does_not_allow_is_refused() -> None:
    """Before any round is read."""
    with pytest.raises(Refused, match="faro"):
        _other({"decks": 6, "wagers": {"faro": {}}})


def test_outcomes_are_read_as_they_were_written() -> None:
    """A run that goes on has the sums of the one before."""
    outcome = Outcome(OF, {"blackjack": Sums([1, 2, -1], [1, 0, 1])}, Counter({"not offered": 3}))
    assert outcome == Outcome.of_document(json.loads(json.dumps(outcome.as_document())))
