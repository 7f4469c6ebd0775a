"""Winners: account owners for electronic wagers, and persons in cashiers' records for other wagers."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from typing import Any, Final

from services.reporting.domain.federal.winnings import SettledLine, candidates, occasion_of
from services.reporting.read_model.patrons import accounts_of, patrons_of
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.winnings import Won, posted_rounds, standing_lines
from shared.contracts.accounts import PatronTaxResidenceSet
from shared.contracts.cage import WinnerIdentified

SOURCES: Final = (WinnerIdentified, PatronTaxResidenceSet)
"""The facts about winners."""

_DAY: Final = timedelta(days=1)
"""The maximum distance between a round's gaming day and the date on which the round was closed."""

_Win = tuple[date, str, str, int, str]
"""The key of a win: (gaming day, table, round or minute, seat, wager)."""


@dataclass(frozen=True, slots=True)
class Winners:
    """Data about winners: the last record of each win, account owners, and countries of residence for tax."""

    recorded: Mapping[_Win, Listed]
    patrons: Mapping[str, str]
    residences: Mapping[str, str]

    def of(self, won: Won) -> Listed | None:
        """Return a cashier's last record of a win; None if no cashier recorded it."""
        return self.recorded.get(_win(won.line))

    def patron(self, won: Won) -> str | None:
        """Return the winner's patron reference, or None if unknown."""
        recorded = self.of(won)
        return self.patrons.get(won.account or "") if recorded is None else str(recorded.fact.patron)

    def paid(self, won: Won) -> Won:
        """Return a win with the date of payment that a cashier recorded, if any."""
        recorded = self.of(won)
        paid_on = None if recorded is None else recorded.fact.paid_on
        return won if paid_on is None else replace(won, line=replace(won.line, paid_on=paid_on))

    def claim(self, won: Won) -> dict[str, Any]:
        """Return a cashier's record of a claim under a treaty, and whether a taxpayer number was given."""
        recorded = self.of(won)
        if recorded is None:
            return {}
        return {"treaty": recorded.fact.treaty, "has_number": recorded.fact.tax_number == "given"}

    def residence(self, won: Won) -> str | None:
        """Return the winner's country of residence for tax, or None if unknown."""
        recorded, patron = self.of(won), self.patron(won)
        said = None if recorded is None else recorded.fact.tax_residence
        return said or (None if patron is None else self.residences.get(patron))


def _win(line: SettledLine) -> _Win:
    return line.gaming_day, line.table, line.occasion(), line.seat, line.wager


async def won_and_winners(books: Books, home: Collection[str]) -> tuple[list[Won], Winners]:
    """Return the possibly reportable wins of the queried year up to the last queried day, and their winners.

    The wins are ordered by time and include the date of payment. Wins on gaming days just before and after the period
    are included, so the caller must check the date. Small wins are included only if the winner is known to be taxed
    outside the `home` countries.
    """
    anywhere, year = books.asked(table=None), date(books.question.first.year, 1, 1)
    days = (year - _DAY, books.question.last + _DAY)
    recorded = {_win_of(one.fact): one for one in await anywhere.facts(WinnerIdentified, first=days[0], last=days[1])}
    before = {"first": date.min, "last": days[0] - _DAY}
    begins = datetime.combine(year, time(), books.place.zone)  # no payment is recorded before it
    late = {_win_of(one.fact): one for one in await anywhere.facts_since(begins, WinnerIdentified, **before)}
    late = {win: one for win, one in late.items() if one.fact.paid_on is not None and one.fact.paid_on >= year}
    recorded |= late
    residences = {one.fact.patron: one.fact.country for one in await anywhere.all_facts(PatronTaxResidenceSet)}
    foreign = (patron for patron, country in residences.items() if country not in home)
    rounds = {one.fact.round_id for one in recorded.values() if one.fact.round_id is not None}
    accounts, paid_later = await accounts_of(books, foreign), {one.fact.gaming_day for one in late.values()}
    kept = await standing_lines(books, days, accounts=accounts, rounds=rounds, paid_later=paid_later)
    patrons = await patrons_of(books, (one.account for one in kept if one.account))
    winners = Winners(recorded, patrons, residences)
    won = [
        *(winners.paid(one) for one in kept),
        *await _said(books, [one for one in recorded.values() if one.fact.paid is not None], kept),
    ]
    listed = [one for one in won if not one.small or (winners.residence(one) or "") not in ("", *home)]
    return sorted(listed, key=lambda one: one.line.moment), winners


async def _said(books: Books, recorded: Sequence[Listed], kept: Sequence[Won]) -> list[Won]:
    """Return the wins that only cashiers recorded: at counted tables, and in rounds that were not reversed."""
    known = {_win(one.line) for one in kept}
    alone = [one for one in recorded if _win_of(one.fact) not in known]
    in_rounds = [one for one in alone if one.fact.round_id is not None]
    posted = await posted_rounds(books, {_win_of(one.fact)[:3] for one in in_rounds})
    rounds = [(one, posted.get(_win_of(one.fact)[:3])) for one in in_rounds]
    return [
        *(_at_counted_table(books, one) for one in alone if one.fact.round_id is None),
        *(
            Won(
                _line(books, one, one.fact.at if found is None else found.closed_at or one.fact.at),
                one.entry,
                None,
                True,
            )
            for one, found in rounds
            if found is None or found.times
        ),
    ]


def _at_counted_table(books: Books, listed: Listed) -> Won:
    """Return a win at a counted table; it is `small` if only rules for nonresident aliens can apply to it."""
    line = _line(books, listed, listed.fact.won_at)
    of_anyone = (one for law in books.place.reporting for one in candidates(law, [line], "anyone"))
    return Won(line, listed.entry, None, small=next(of_anyone, None) is None)


def _win_of(fact: WinnerIdentified) -> _Win:
    won_in = occasion_of(fact.round_id, fact.won_at or fact.at)
    return fact.gaming_day, fact.table, won_in, fact.seat, fact.wager


def _line(books: Books, listed: Listed, moment: datetime) -> SettledLine:
    """Return the settlement line of a win that a cashier recorded; `moment` is the time of the win."""
    fact = listed.fact
    place = books.place_on(fact.gaming_day)
    game = place.table(fact.table, fact.gaming_day).game
    return SettledLine(
        **{name: getattr(fact, name) for name in ("property", "table", "gaming_day", "round_id", "seat", "wager")},
        **{
            name: getattr(fact.paid, name)
            for name in ("regulation", "stake_cents", "winnings_cents", "odds", "capped", "side_bet")
        },
        game=game,
        kind=place.kind_of(game),
        wager_words=fact.wager_words,
        hand=None,
        stake_returned_cents=fact.paid.stake_cents,
        moment=moment,
        paid_on=fact.paid_on or moment.astimezone(place.zone).date(),
        reduced_by_wager=place.document.winnings_reduced_by_wager,
    )
