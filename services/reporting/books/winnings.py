"""Settlement lines whose winnings may have to be reported: kept as rounds are posted, read for the log of forms.

A line is kept where a rule for anyone's winnings holds, whether or not the licensee reduces winnings by the wager.
Which lines these are follows from the packs as they are when a line is read: a rebuild looks at all of them again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from sqlalchemy import text

from services.reporting.books.reading import Books
from services.reporting.books.rounds import against_house
from services.reporting.domain.federal.winnings import SettledLine, candidates
from services.reporting.domain.views import PostedRound
from services.reporting.kit.figures import EntryRef
from shared.contracts.facts import EntryEvent
from shared.contracts.places import Place
from shared.contracts.topics import SETTLEMENTS
from shared.jurisdictions import Pack

_SAME: Final = (
    *("property", "game", "regulation", "round_id", "seat", "wager", "hand", "stake_cents", "winnings_cents"),
    *("stake_returned_cents", "gaming_day", "moment", "paid_on"),
)
"""The columns that a line has by the same name."""

_STANDING: Final = text("""
    SELECT w.* FROM reporting.won_lines w
    WHERE w.property = :property AND w.gaming_day BETWEEN :first AND :last AND w.recorded_at <= :known_at
      AND NOT EXISTS (
          SELECT FROM reporting.rounds r
          WHERE r.property = w.property AND r.gaming_day = w.gaming_day AND r.table_name = w.table_name
            AND r.round_id = w.round_id AND r.revision = w.revision AND r.sign = -1 AND r.recorded_at <= :known_at)
    ORDER BY w.moment, w.shard, w.seq, w.number""")

_POSTED: Final = text("""
    SELECT coalesce(sum(sign), 0) AS rounds FROM reporting.rounds
    WHERE property = :property AND recorded_at <= :known_at AND (gaming_day, table_name, round_id) IN (
        SELECT * FROM unnest(CAST(:days AS date[]), CAST(:tables AS text[]), CAST(:rounds AS text[])))""")


@dataclass(frozen=True, slots=True)
class Won:
    """A kept line: its number in the settlement, the entry that posted it, and the account that wagered, if one did."""

    line: SettledLine
    number: int
    entry: EntryRef
    account: str | None


def won_lines(event: EntryEvent[Any], data: PostedRound, place: Place) -> list[dict[str, Any]]:
    """Return the rows of a posted round's lines that may have to be reported."""
    lines = {number: line for number, line in enumerate(data.lines, 1) if against_house(line)}
    back_cents = sum(line["payout"] + line["stake_returned"] for line in lines.values())
    paid_on = data.closed_at.astimezone(place.zone).date()
    laws = [law for law in place.reporting if back_cents >= _least_cents(law, paid_on)]
    if not laws or not back_cents:
        return []
    settled = {number: _settled(data, line, paid_on) for number, line in lines.items()}
    wanted = {id(line) for law in laws for line in _reportable(law, settled.values())}
    accounts = {(one.seat, one.wager): one.account for one in data.account_credits}
    entry = {"shard": event.shard, "seq": event.sequence, "recorded_at": event.recordedat, "revision": data.revision}
    return [
        entry
        | {name: getattr(line, name) for name in _SAME}
        | {"number": number, "table_name": line.table, "account": accounts.get((line.seat, line.wager))}
        for number, line in settled.items()
        if id(line) in wanted
    ]


def _least_cents(law: Pack, day: date) -> float:
    """Return the least amount that is reported of anyone, cents; infinite where there is no such rule on the day."""
    rules = (rule for rule in law.reportable_winnings.values() if rule.winner == "anyone")
    held = (one for rule in rules for one in rule.threshold_cents.root[::-1] if one.effective_from <= day)
    return min((one.value for one in held), default=float("inf"))


def _reportable(law: Pack, lines: Iterable[SettledLine]) -> Iterable[SettledLine]:
    try:
        return [line for found in candidates(law, lines, reduces_by_wager=False) for line in found.lines]
    except LookupError:  # the pack does not reach back to the day: it reports nothing of it
        return ()


def _settled(data: PostedRound, line: Mapping[str, Any], paid_on: date) -> SettledLine:
    return SettledLine(
        property=data.property,
        table=data.table,
        game=data.game,
        regulation=data.regulation,
        round_id=data.round_id,
        seat=line["seat"],
        wager=line["wager"],
        hand=line.get("hand"),
        stake_cents=line["stake"],
        winnings_cents=line["payout"],
        stake_returned_cents=line["stake_returned"],
        gaming_day=data.gaming_day,
        moment=data.closed_at,
        paid_on=paid_on,
    )


async def standing_lines(books: Books, first: date) -> list[Won]:
    """Return the kept lines of rounds that stand, from a gaming day to the last of the question, by moment."""
    service = SETTLEMENTS.publisher
    assert service is not None, "settlements have a publisher"
    return [
        Won(
            SettledLine(table=row.table_name, **{name: getattr(row, name) for name in _SAME}),
            row.number,
            EntryRef(service, row.shard, row.seq),
            row.account,
        )
        for row in await books.read(_STANDING, first=first, last=books.question.last)
    ]


async def posted_rounds(books: Books, lines: Sequence[SettledLine]) -> int:
    """Return how many of the rounds of lines stand: those that were posted less those that were taken back."""
    rounds = sorted({(line.gaming_day, line.table, line.round_id) for line in lines})
    [row] = await books.read(
        _POSTED,
        days=[day for day, _, _ in rounds],
        tables=[table for _, table, _ in rounds],
        rounds=[round_id for _, _, round_id in rounds],
    )
    return int(row.rounds)
