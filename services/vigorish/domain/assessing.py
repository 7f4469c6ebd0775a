"""The vigorish assessed on a round, and the postings of vigorish. Pure; amounts are cents.

Accounts are (property, table, class, leg), where the class is `player` or `bank` (the bank or a co-bank):

| leg | posting |
|---|---|
| `outstanding` | plus assessed and returned vigorish, minus collected and waived vigorish |
| `assessed` | minus assessed vigorish |
| `collected` | plus collected vigorish |
| `waived` | plus waived vigorish |
| `returned` | minus returned vigorish |
"""

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Final

from shared.contracts.pit import VigorishOfRound
from shared.contracts.settlement_views import PostedRound
from shared.contracts.settlements import SettledRound
from shared.contracts.vigorish import AssessedLine, Rounding, VigorishAssessed, VigorishClass, VigorishTakenBack
from shared.journal.entry import Account, Posting
from shared.jurisdictions import Dated, GamingPack
from shared.rules import Line
from shared.rules.errors import Refused

_QUARTER: Final = 25
_BANK: Final = "bank"


def rate_of(law: GamingPack, regulation: str, gaming_day: date) -> Dated[str]:
    """Return a regulation's vigorish rate on a gaming day. Raises: Refused if the pack has no rate."""
    if regulation not in law.vigorish:
        raise Refused(f"pack {law.id} has no rate of vigorish for {regulation}")
    try:
        return law.vigorish[regulation].on(gaming_day)
    except LookupError as missing:
        raise Refused(f"no rate of vigorish for {regulation}: {missing}") from None


def rounded(exact: Fraction, rounding: Rounding) -> int:
    """Return an exact amount rounded to the cents that are charged.

    >>> exact = Fraction("60.95")
    >>> rounded(exact, "none"), rounded(exact, "quarter_up"), rounded(Fraction(25), "quarter_up")
    (60, 75, 25)
    """
    if rounding == "none":
        return exact.numerator // exact.denominator
    steps = exact / _QUARTER
    return -(-steps.numerator // steps.denominator) * _QUARTER


def assess(data: PostedRound, rounding: Rounding, law: GamingPack) -> tuple[AssessedLine, ...]:
    """Return the vigorish assessed on a round's lines, at the law's rate. Raises: Refused if the law has no rate."""
    taken = [line for line in data.lines if line.vigorish]
    if not taken:
        return ()
    rate = rate_of(law, data.regulation, data.gaming_day)
    share = Fraction(rate.value)
    return tuple(
        AssessedLine(
            seat=line.seat,
            wager=line.wager,
            hand=line.hand,
            owed_by=_owed_by(line),
            stake_cents=line.stake,
            base_cents=line.payout,
            rate=rate.value,
            rounding=rounding,
            cents=line.vigorish,
            paragraph=line.paragraph,
            rate_paragraph=rate.source,
            agrees=line.vigorish == rounded(line.payout * share, rounding),
        )
        for line in taken
    )


def _owed_by(line: Line) -> VigorishClass:
    if line.wager == _BANK:
        return "bank" if line.house_share is None else "co_bank"
    return "player_against_bank" if line.paid_by == _BANK else "player"


def is_bank(line: AssessedLine) -> bool:
    """Return whether the bank or a co-bank owes the vigorish."""
    return line.owed_by in ("bank", "co_bank")


def assessment(fact: VigorishAssessed | VigorishTakenBack) -> tuple[Posting, ...]:
    """Return the postings that record the vigorish assessed on a round."""
    sums: dict[bool, int] = {}
    for line in fact.lines:
        sums[is_bank(line)] = sums.get(is_bank(line), 0) + line.cents
    return tuple(
        posting
        for bank, cents in sorted(sums.items())
        for posting in _moved(fact, "outstanding", "assessed", cents, bank)
    )


def settled(fact: VigorishOfRound, leg: str) -> tuple[Posting, ...]:
    """Return the postings of a collection (leg `collected`), a waiver (`waived`) or a return (`returned`)."""
    cents = -fact.cents if leg == "returned" else fact.cents
    return _moved(fact, leg, "outstanding", cents, fact.bank)


def _moved(
    fact: SettledRound | VigorishOfRound, debit: str, credit: str, cents: int, bank: bool
) -> tuple[Posting, Posting]:
    owner = "bank" if bank else "player"
    return (
        Posting(Account(fact.property, fact.table, owner, debit), cents),
        Posting(Account(fact.property, fact.table, owner, credit), -cents),
    )


def owed(lines: Sequence[AssessedLine]) -> dict[tuple[int, bool], tuple[int, VigorishClass]]:
    """Return the vigorish that each seat owes, as a player and as the bank: cents and class by (seat, is bank)."""
    found: dict[tuple[int, bool], tuple[int, VigorishClass]] = {}
    for line in lines:
        key = (line.seat, is_bank(line))
        cents, _ = found.get(key, (0, line.owed_by))
        found[key] = (cents + line.cents, line.owed_by)
    return found
