"""Settlement lines as table rows: outcome, category, odds, amounts, and the rule cited."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.console.felt.paying import WagerRules, odds_of, rules_of
from services.console.felt.readings import Reading, readings_of, under
from services.console.felt.words import OUTCOMES, of_hand, words
from services.console.money import dollars
from services.console.words import say

_DEALER_SEAT: Final = 0
_AMOUNTS: Final = ("stake", "payout", "stake_returned", "vigorish")


@dataclass(frozen=True, slots=True)
class Amounts:
    """The amounts of a settlement line, or the totals of several lines, in dollars."""

    stake: str
    payout: str
    returned: str
    vigorish: str
    net: str

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, Any]]) -> "Amounts":
        """Return the sums of settlement lines."""
        stake, payout, returned, vigorish = (sum(line.get(name, 0) for line in lines) for name in _AMOUNTS)
        return cls(*map(dollars, (stake, payout, returned, vigorish, payout + returned - stake - vigorish)))


@dataclass(frozen=True, slots=True)
class LineView:
    """A settlement line as display text. `outcome_kind` is the outcome's name in records, used as a CSS class."""

    seat: str
    wager: str
    outcome: str
    outcome_kind: str
    category: str
    odds: str
    amounts: Amounts
    paragraph: str
    notes: tuple[str, ...] = ()
    readings: tuple[Reading, ...] = ()
    rules: WagerRules | None = None

    @property
    def is_explained(self) -> bool:
        """Return whether the line has details to show: readings or rules."""
        return bool(self.readings) or self.rules is not None


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The columns that a table of settlement lines needs, depending on the lines' content."""

    categories: bool
    vigorish: bool

    @classmethod
    def of(cls, lines: Sequence[LineView]) -> "Outcomes":
        """Return the columns in which at least one line has a value."""
        return cls(any(line.category for line in lines), any(line.amounts.vigorish != dollars(0) for line in lines))


def lines_of_entry(
    data: Mapping[str, Any], catalogue: Mapping[str, Any] | None, selected: Mapping[str, Any]
) -> tuple[LineView, ...]:
    """Return the settlement lines of an entry, each with the readings and the catalogue row that apply to it."""
    further = [Reading(one["paragraph"], "", "", one["taken"], "") for one in (catalogue or {}).get("readings") or ()]
    known = (*readings_of(data.get("regulation", "")), *further)
    return tuple(_line(line, known, catalogue, selected) for line in data.get("lines") or ())


def _line(
    line: Mapping[str, Any], known: Sequence[Reading], catalogue: Mapping[str, Any] | None, selected: Mapping[str, Any]
) -> LineView:
    notes = []
    if line.get("from_meter"):
        notes.append(say("felt.result.from_meter", amount=dollars(line["from_meter"])))
    if line.get("paid_by", "house") != "house":
        notes.append(say("felt.result.banked"))
    if line.get("house_share") is not None:
        notes.append(say("felt.result.house_share", amount=dollars(line["house_share"])))
    return LineView(
        seat=seat_of(line),
        wager=wager_of(line),
        outcome=OUTCOMES.get(line["outcome"], words(line["outcome"])),
        outcome_kind=line["outcome"],
        category=words(line["category"]) if line.get("category") else "",
        odds=odds_of(line, catalogue, selected),
        amounts=Amounts.of([line]),
        paragraph=line.get("paragraph", ""),
        notes=tuple(notes),
        readings=under(line.get("paragraph", ""), known),
        rules=rules_of(line, catalogue, selected),
    )


def totals_of(lines: Sequence[Mapping[str, Any]]) -> Amounts | None:
    """Return the players' total stakes and payouts; None if there are no settlement lines."""
    players = [line for line in lines if line["wager"] != "bank" and line["seat"] != _DEALER_SEAT]
    return Amounts.of(players) if players else None


def seat_of(line: Mapping[str, Any]) -> str:
    """Return a settlement line's seat number as text, or the display name of the dealer."""
    return say("felt.dealer") if line["seat"] == _DEALER_SEAT else str(line["seat"])


def wager_of(line: Mapping[str, Any]) -> str:
    """Return the display name of a settlement line's wager, with its hand number if there is one."""
    return of_hand(line["wager"], line.get("hand"))
