"""Settlements of rounds with progressive wagers, as events, for tests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any

from shared.contracts.envelope import shard_source
from tests.support.published import published
from tests.support.rounds import submission

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = "2026-11-20"
PROPERTY = "riverside"
CORRECTION = {"reason": "misread card", "entered_by": "floor.lee", "approved_by": "audit.kim"}
BAD_BEAT = "bad_beat_progressive"

Event = dict[str, Any]


def rules(rate: str = "0.205", reset: int = 500000, *, sequence: int = 1, **changes: Any) -> Event:
    """An approved submission for Blackjack that offers the Bad Beat Progressive."""
    wager = {
        "any_20": False,
        "magic_card": False,
        "lucky_player": False,
        "meter": {"rate": rate, "reset": reset},
    }
    return submission(sequence, submission={"decks": 6, "wagers": {BAD_BEAT: wager}}, **changes)


def moment(minute: float) -> datetime:
    """So many minutes after noon."""
    return NOON + timedelta(minutes=minute)


@dataclass(frozen=True)
class Shard:
    """A shard of the settlement journal: makes the entries of rounds of one table game with one meter.

    `before` of a round is what the table says that the meter showed; what it shows afterwards follows as in a
    settlement: whole cents, without the share below.
    """

    rules: Event
    number: int = 1
    property_name: str = PROPERTY

    @property
    def source(self) -> str:
        """The stream of its entries."""
        return shard_source("round-settlement", self.number)

    def posted(
        self,
        seq: int,
        *,
        before: int,
        stakes: Sequence[int] = (100,),
        award: int = 0,
        reset: int = 0,
        table: str = "BJ-01",
        game: str = "blackjack",
        meter: str = BAD_BEAT,
        round_id: str = "",
        revision: int = 1,
        opened: float | None = None,
        closed: float | None = None,
        rate: str | None = None,
        **changes: Any,
    ) -> Event:
        """A round was posted, with one seat for each stake; the first of them wins the award."""
        offered = self.rules["data"]["submission"]["wagers"][meter]
        contribution = int(sum(stakes) * Fraction(rate or offered["meter"]["rate"]))
        total = {
            "wager": meter,
            "count": 1,
            "handle_cents": sum(stakes),
            "payout_cents": award,
            "meter_contribution_cents": contribution,
            "meter_payout_cents": award,
            "meter_reset_cents": reset,
        }
        lines = [
            {
                "seat": seat,
                "wager": meter,
                "outcome": "win" if award and seat == 1 else "lose",
                "category": "dealer_21_with_seven_or_more_cards" if award and seat == 1 else None,
                "stake": stake,
                "payout": award if seat == 1 else 0,
                "stake_returned": 0,
                "vigorish": 0,
                "from_meter": award if seat == 1 else 0,
                "paid_by": "house",
                "paragraph": "§ 633a.7(o)",
            }
            for seat, stake in enumerate(stakes, 1)
        ]
        data = self._round(table, game, round_id or f"r-{self.number}-{seq}") | {
            "regulation": self.rules["data"]["regulation"],
            "opened_at": moment(seq if opened is None else opened).isoformat(),
            "closed_at": moment(seq + 0.5 if closed is None else closed).isoformat(),
            "submission": {"version": self.rules["data"]["version"], "hash": self.rules["data"]["hash"]},
            "revision": revision,
            "totals": [{"wager": "blackjack", "count": 1, "handle_cents": 10000, "payout_cents": 0}, total],
            "lines": lines,
            "meters": {meter: before + contribution - award + reset},
            "record": {"seats": [], "meters": {meter: before}},
        }
        if revision > 1:
            data["correction"] = CORRECTION
        return self.entry(seq, "settlement.posted", table, data | changes)

    def reversed(self, seq: int, posted: Mapping[str, Any]) -> Event:
        """The money of a posted round was taken back."""
        was = posted["data"]
        names = ("property", "table", "game", "gaming_day", "round_id", "revision", "submission")
        totals = [
            {name: -value if isinstance(value, int) else value for name, value in total.items()}
            for total in was["totals"]
        ]
        data = {name: was[name] for name in names} | {"reverses": 1, "correction": CORRECTION, "totals": totals}
        return self.entry(seq, "settlement.reversed", was["table"], data)

    def entry(self, seq: int, kind: str, table: str, data: Mapping[str, Any]) -> Event:
        """An entry of the shard."""
        return published(
            kind,
            data,
            service="round-settlement",
            sequence=seq,
            at=moment(seq + 0.75),
            shard=self.number,
            subject=f"/properties/{self.property_name}/tables/{table}",
        )

    def _round(self, table: str, game: str, round_id: str) -> dict[str, Any]:
        return {
            "property": self.property_name,
            "table": table,
            "game": game,
            "gaming_day": DAY,
            "round_id": round_id,
        }
