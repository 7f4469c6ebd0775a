"""Settlement lines with possibly reportable winnings: stored as rounds are posted, read for the log of forms.

A line is stored if a rule that applies to all winners would require a report, with or without deduction of the wager.
It is stored as `small` if only a rule for nonresident aliens would require one, and the wager was from an account,
whose owner may become known later. The packs at the time of reading the entries decide, so a rebuild evaluates all
lines again.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import text

from services.reporting.domain.federal.winnings import SettledLine, candidates
from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import against_house
from shared.contracts.facts import EntryEvent
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlement_views import PostedRound
from shared.contracts.topics import SETTLEMENTS
from shared.jurisdictions import Dated, Pack, Provision
from shared.jurisdictions.forms import Winner
from shared.rules import Line

_SAME: Final = (
    *("property", "game", "regulation", "round_id", "seat", "wager", "hand", "stake_cents", "winnings_cents"),
    *("stake_returned_cents", "gaming_day", "moment", "paid_on"),
)
"""The columns of `won_lines` that have the names of SettledLine's fields."""

_STANDING: Final = text("""
    SELECT w.* FROM reporting.won_lines w
    WHERE w.property = :property AND w.recorded_at <= :known_at
      AND (w.gaming_day BETWEEN :first AND :last OR w.gaming_day = ANY(:paid_later) AND w.round_id = ANY(:rounds))
      AND (NOT w.small OR w.account = ANY(:accounts) OR w.round_id = ANY(:rounds))
      AND NOT EXISTS (
          SELECT FROM reporting.rounds r
          WHERE r.property = w.property AND r.gaming_day = w.gaming_day AND r.table_name = w.table_name
            AND r.round_id = w.round_id AND r.revision = w.revision AND r.sign = -1 AND r.recorded_at <= :known_at)
    ORDER BY w.moment, w.shard, w.seq, w.number""")

_POSTED: Final = text("""
    SELECT gaming_day, table_name, round_id, sum(sign) AS rounds, max(closed_at) FILTER (WHERE sign = 1) AS closed_at
    FROM reporting.rounds
    WHERE property = :property AND recorded_at <= :known_at AND (gaming_day, table_name, round_id) IN (
        SELECT * FROM unnest(CAST(:days AS date[]), CAST(:tables AS text[]), CAST(:rounds AS text[])))
    GROUP BY gaming_day, table_name, round_id""")

RoundOfDay = tuple[date, str, str]
"""The key of a round: (gaming day, table, round)."""


@dataclass(frozen=True, slots=True)
class Won:
    """A line with possibly reportable winnings, from a settlement or, without one, from a cashier's record.

    `entry` posted the line, or is the cashier's record; `account` placed the wager, if it was from an account. A
    `small` line is reportable only for nonresident aliens.
    """

    line: SettledLine
    entry: EntryRef
    account: str | None
    small: bool = False


class WonLines:
    """Finds possibly reportable lines, with a cache of the lowest reportable amounts by property and day."""

    def __init__(self) -> None:
        self._least: dict[tuple[str, date], tuple[float, int]] = {}

    def of_round(
        self, event: EntryEvent[Any], data: PostedRound, place: PropertySnapshot, back_cents: int
    ) -> Iterable[dict[str, Any]]:
        """Return the rows of a posted round's possibly reportable lines; `back_cents` is the house's total payout."""
        if not back_cents:
            return ()
        paid_on = data.closed_at.astimezone(place.zone).date()
        key = (place.document.hash, paid_on)
        if key not in self._least:
            self._least[key] = _least(place.reporting, paid_on)
        least_cents, times = self._least[key]
        # If several wagers together reach the multiple of their stakes, at least one of them does by itself.
        is_large = back_cents >= least_cents and any(_is_worth(line, times) for line in data.lines)
        if is_large or data.account_credits:
            return _rows(event, data, place.reporting, paid_on, is_large=is_large)
        return ()


def _is_worth(line: Line, times: int) -> bool:
    back = line.payout + line.stake_returned
    return back > 0 and back >= times * line.stake


def _rows(
    event: EntryEvent[Any], data: PostedRound, packs: Iterable[Pack], paid_on: date, *, is_large: bool
) -> Iterator[dict[str, Any]]:
    """Yield rows for the reportable lines of a round; only if it `is_large` can a line be reportable for any winner."""
    accounts = {(one.seat, one.wager): one.account for one in data.account_credits}
    settled = {
        number: _settled(data, line, paid_on, nonresident_alien=(line.seat, line.wager) in accounts)
        for number, line in enumerate(data.lines, 1)
        if (is_large or (line.seat, line.wager) in accounts) and against_house(line)
    }
    of_anyone = _reportable(packs, settled.values(), "anyone") if is_large else frozenset()
    of_aliens = _reportable(packs, settled.values(), "nonresident_alien")
    entry = {"shard": event.shard, "seq": event.sequence, "recorded_at": event.recordedat, "revision": data.revision}
    for number, line in settled.items():
        small = id(line) not in of_anyone
        if not small or id(line) in of_aliens:
            row = entry | {name: getattr(line, name) for name in _SAME} | {"number": number, "small": small}
            yield row | {"table_name": line.table, "account": accounts.get((line.seat, line.wager))}


def _least(packs: Iterable[Pack], day: date) -> tuple[float, int]:
    """Return the lowest amount (cents) and multiple of the wager that are reportable for any winner on a day.

    The amount is infinite if no rule applies to all winners.
    """
    rules = [rule for law in packs for rule in law.reportable_winnings.values() if rule.winner == "anyone"]
    amounts = [held.value for rule in rules if (held := _held(rule.threshold_cents, day)) is not None]
    ratios = [None if rule.wager_ratio is None else _held(rule.wager_ratio, day) for rule in rules]
    times = [0 if held is None else held.value for held in ratios]
    return min(amounts, default=float("inf")), min(times, default=0)


def _held(provision: Provision[Any], day: date) -> Dated[Any] | None:
    return next((one for one in provision.root[::-1] if one.effective_from <= day), None)


def _reportable(packs: Iterable[Pack], lines: Collection[SettledLine], winner: Winner) -> frozenset[int]:
    """Return the `id()` of each line that is reportable under the rules for this kind of winner."""
    if not any(line.winnings_cents > 0 for line in lines):
        return frozenset()
    found: list[SettledLine] = []
    for law in packs:
        with suppress(LookupError):  # the pack has no law for the day: nothing is reportable
            found += [line for one in candidates(law, lines, winner) for line in one.lines]
    return frozenset(map(id, found))


def _settled(data: PostedRound, line: Line, paid_on: date, *, nonresident_alien: bool) -> SettledLine:
    return SettledLine(
        property=data.property,
        table=data.table,
        game=data.game,
        regulation=data.regulation,
        round_id=data.round_id,
        seat=line.seat,
        wager=line.wager,
        hand=line.hand,
        stake_cents=line.stake,
        winnings_cents=line.payout,
        stake_returned_cents=line.stake_returned,
        gaming_day=data.gaming_day,
        moment=data.closed_at,
        paid_on=paid_on,
        nonresident_alien=nonresident_alien,
        reduced_by_wager=False,
    )


async def standing_lines(
    books: Books,
    days: tuple[date, date],
    *,
    accounts: Collection[str],
    rounds: Collection[str],
    paid_later: Collection[date],
) -> list[Won]:
    """Return the stored lines of posted, not reversed rounds from one gaming day to another, ordered by time.

    Lines that are `small` are included only if wagered from `accounts`, or in `rounds`. For the further gaming days
    `paid_later`, only lines in `rounds` are included, because only these were paid later.
    """
    asked = {"accounts": sorted(accounts), "rounds": sorted(rounds), "paid_later": sorted(paid_later)}
    service = SETTLEMENTS.publisher
    assert service is not None, "settlements have a publisher"
    return [
        Won(
            SettledLine(table=row.table_name, **{name: getattr(row, name) for name in _SAME}),
            EntryRef(service, row.shard, row.seq),
            row.account,
            row.small,
        )
        for row in await books.read(_STANDING, first=days[0], last=days[1], **asked)
    ]


class Posted(NamedTuple):
    """The number of a round's postings less reversals (`times`), and the time at which the round was closed."""

    times: int
    closed_at: datetime | None


async def posted_rounds(books: Books, rounds: Collection[RoundOfDay]) -> dict[RoundOfDay, Posted]:
    """Return the number of postings and the closing time of rounds, keyed by round; unknown rounds are missing."""
    days, tables, names = zip(*sorted(rounds), strict=True) if rounds else ((), (), ())
    rows = await books.read(_POSTED, days=list(days), tables=list(tables), rounds=list(names))
    return {(row.gaming_day, row.table_name, row.round_id): Posted(int(row.rounds), row.closed_at) for row in rows}
