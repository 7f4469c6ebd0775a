"""A paytable compiled for settlement: rows by category, with the lines that they pay."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from shared.rules.catalogue import Paytable, PaytableRow
from shared.rules.line import Line, Outcome, line
from shared.rules.odds import Odds
from shared.rules.returns import Returns, Won
from shared.rules.submission import Offer

DealerHandName = Literal["blackjack", "royal_match"]


@dataclass(frozen=True, slots=True)
class Row:
    """The payout of one hand on a stake: `odds`, a share of the progressive meter (`meter`), or both.

    A payout `off_meter` is deducted from the meter. A `push` returns the stake and pays nothing. `envy` is the Envy
    Bonus in cents that the hand earns other players, under the `envy_paragraph`. If the dealer has the hand that a
    dependent row requires (its `dealer`), `instead` is paid in place of this row, and `bonus` in addition.
    """

    wager: str
    category: str
    odds: Odds
    paragraph: str
    meter: Fraction = Fraction(0)
    off_meter: bool = False
    push: bool = False
    envy: int = 0
    envy_paragraph: str = ""
    limited: bool = False
    dealer: DealerHandName | None = None
    instead: "Row | None" = None
    bonus: "Row | None" = None

    @property
    def won(self) -> Won:
        """Return the win of this row at its odds, without its share of a meter and dependent bonuses."""
        return Won(self.category, self.odds.returns)

    def win(self, seat: int, stake: int, *, from_meter: int = 0) -> Line:
        """Return the line of a wager of `stake` cents that wins this row, with its award from the meter."""
        odds = self.odds
        payout, back = odds.pay(stake), stake if odds.stake_returned else 0
        outcome: Outcome = "push" if self.push else "win"
        if from_meter:  # no two awards of a meter are alike, so caching the line is useless
            return Line(
                seat=seat,
                wager=self.wager,
                outcome=outcome,
                stake=stake,
                payout=payout + from_meter,
                stake_returned=back,
                paragraph=self.paragraph,
                category=self.category,
                from_meter=from_meter,
            )
        return line(seat, self.wager, outcome, stake, payout, back, self.paragraph, None, self.category)

    def win_without_stake(self, seat: int, wagered: int) -> Line:
        """Return the line of a bonus without a stake of its own, paid on the `wagered` cents of another wager."""
        return line(seat, self.wager, "win", 0, self.odds.pay(wagered), 0, self.paragraph, None, self.category)


def rows_by_category(offer: Offer) -> dict[str, Row]:
    """Return the rows of the selected paytable that the submission offers, by category.

    A row that depends on another row is attached to that row; a bonus row that depends on no other row has its own
    entry.
    """
    rows: dict[str, Row] = {}
    building = []
    for entry in offer.paytable.rows:
        if entry.option is not None and not offer.options[entry.option]:
            continue
        if entry.of is None:
            rows[entry.category] = _row(offer, entry)
        else:
            building.append((entry.of, _row(offer, entry), entry.line is not None))
    for base, row, additional in building:
        rows[base] = replace(rows[base], bonus=row) if additional else replace(rows[base], instead=row)
    return rows


def _row(offer: Offer, entry: PaytableRow) -> Row:
    return Row(
        wager=entry.line or offer.name,
        category=entry.category,
        odds=_odds(offer.paytable, entry),
        paragraph=entry.paragraph or offer.paytable.paragraph,
        meter=entry.meter_share,
        off_meter=entry.off_meter,
        push=entry.push,
        envy=entry.envy or 0,
        envy_paragraph=offer.paytable.envy_paragraph or offer.paytable.paragraph,
        limited=entry.limited,
        dealer=entry.dealer,
    )


def _odds(table: Paytable, entry: PaytableRow) -> Odds:
    """Return the odds of a row; an amount becomes odds on the only stake that the paytable allows."""
    if entry.parsed_odds is not None:
        return entry.parsed_odds
    ratio = Fraction(0)
    if entry.amount is not None:
        assert table.stake is not None
        ratio = Fraction(entry.amount, table.stake)
    return Odds(ratio=ratio, stake_returned=table.stake_returned or entry.push)


def count_returns(hands: Iterable[tuple[int | Fraction, Row | None]]) -> Returns:
    """Return the returns of a wager; `hands` are pairs of a number of hands and the row that they win."""
    return Returns.counted((ways, None if row is None else row.won) for ways, row in hands)


def settled(row: Row | None, seat: int, wager: str, stake: int, decided: str, *, from_meter: int = 0) -> Line:
    """Return the line of a wager that wins `row`, or that is lost under the paragraph `decided` if no row wins."""
    return lost(seat, wager, stake, decided) if row is None else row.win(seat, stake, from_meter=from_meter)


def lost(seat: int, wager: str, stake: int, paragraph: str) -> Line:
    """Return the line of a wager that loses."""
    return line(seat, wager, "lose", stake, 0, 0, paragraph)


def returned(seat: int, wager: str, stake: int, paragraph: str) -> Line:
    """Return the line of a wager that did not count and is returned."""
    return line(seat, wager, "void", stake, 0, stake, paragraph)
