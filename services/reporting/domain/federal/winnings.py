"""Winnings that are reportable (Forms W-2G and 1042-S), and what is withheld of them. Pure; amounts are cents.

Nothing is filed here: these are candidates, which a person completes with who won, and judges.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Literal

from services.reporting.domain.law import Applied, half_up
from shared.jurisdictions import Dated, Pack, Provision
from shared.jurisdictions.forms import Winner
from shared.rules import catalogue


@dataclass(frozen=True, slots=True)
class SettledLine:
    """A line of a settlement: what was wagered, what was paid on top of the stake, what went back of the stake, cents.

    Only what the house settles: what a banking player pays is none of its winnings. `paid_on` is the date of the
    payment on the property's own clock, for thresholds are those of the calendar year, and `game` the licensee's name
    of the game. `patron` is a reference without meaning here; None where nobody is known. `reduced_by_wager` is the
    licensee's choice on the gaming day, where a rule leaves it one; None where it made none.
    """

    property: str
    table: str
    game: str
    regulation: str
    round_id: str
    seat: int
    wager: str
    hand: int | None
    stake_cents: int
    winnings_cents: int
    stake_returned_cents: int
    gaming_day: date
    moment: datetime
    paid_on: date
    patron: str | None = None
    nonresident_alien: bool = False
    reduced_by_wager: bool | None = None


@dataclass(frozen=True, slots=True)
class Withholding:
    """What is withheld: `regular` in any case, `backup` where the winner gives no taxpayer identification number."""

    kind: Literal["regular", "backup"]
    rate: Fraction
    base_cents: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Winnings that a rule has reported on a form.

    `amount_cents` is what came back for the wager, with or without the wager itself as the rule and the licensee's
    choice have it; `ratio` is that by the wager, exact, None for a bonus that had none. `lines` are one wager, or all
    of a seat in a round where the rule combines them.
    """

    rule: str
    form: str
    lines: tuple[SettledLine, ...]
    stake_cents: int
    amount_cents: int
    ratio: Fraction | None
    withholdings: tuple[Withholding, ...]
    applied: tuple[Applied, ...]


def candidates(law: Pack, lines: Iterable[SettledLine], of: Winner | None = None) -> tuple[Candidate, ...]:
    """Return what the rules of a pack have reported of settled lines, in the order of their moments.

    `of`: only the rules for these winners.

    Where winnings are reduced by the wager, the amount of a wager that won is what was paid on top of the stake, which
    goes back to the player beside it; where they are not, the stake is added.
    Lines that lost matter only where a rule combines wagers. A bonus without a stake of its own has no wager to be a
    multiple of: the threshold alone decides. Rules for nonresident aliens take the lines of those alone.

    Raises: LookupError for a day of which the pack does not know the law; Refused for an unknown regulation.
    """
    lines = tuple(lines)
    rules = [_Rule(law, name) for name, rule in law.reportable_winnings.items() if of in (None, rule.winner)]
    return tuple(sorted((candidate for rule in rules for candidate in rule.candidates(lines)), key=_order))


def _order(candidate: Candidate) -> tuple[Any, ...]:
    first = candidate.lines[0]
    place = (first.property, first.table, first.round_id, first.seat, first.wager, first.hand or 0)
    return first.moment, *place, candidate.rule


class _Rule:
    """A rule of a pack, with what it says of each day looked up once."""

    def __init__(self, law: Pack, name: str) -> None:
        self._law, self._name, self._rule = law, name, law.reportable_winnings[name]
        self._days: dict[date, dict[str, Dated[Any]]] = {}

    def candidates(self, lines: Iterable[SettledLine]) -> Iterator[Candidate]:
        """Give what the rule has reported."""
        together: dict[tuple[str, str, str, int], list[SettledLine]] = {}
        for line in lines:
            if self._rule.winner == "nonresident_alien" and not line.nonresident_alien:
                continue
            if self._on(line.paid_on)["combined"].value == "seat_and_round":
                event = (line.property, line.table, line.round_id, line.seat)
                together.setdefault(event, []).append(line)
            elif line.winnings_cents > 0:
                yield from self._candidate((line,))
        for group in together.values():
            yield from self._candidate(tuple(group))

    def _on(self, day: date) -> dict[str, Dated[Any]]:
        if day not in self._days:
            said = dict(self._rule).items()
            self._days[day] = {what: one.on(day) for what, one in said if isinstance(one, Provision)}
        return self._days[day]

    def _candidate(self, lines: tuple[SettledLine, ...]) -> Iterator[Candidate]:
        day = max(line.paid_on for line in lines)
        held = self._on(day)
        lines = tuple(line for line in lines if not _is_excluded(held, line))
        stake_cents = sum(line.stake_cents for line in lines)
        back_cents = sum(line.winnings_cents + line.stake_returned_cents for line in lines)
        net_cents = back_cents - stake_cents
        is_reduced = any(_is_reduced(held["reduced_by_wager"].value, line.reduced_by_wager) for line in lines)
        amount_cents = net_cents if is_reduced else back_cents
        least_ratio = held["wager_ratio"].value if "wager_ratio" in held else 0
        if (
            net_cents > 0
            and amount_cents >= held["threshold_cents"].value
            and amount_cents >= least_ratio * stake_cents
        ):
            form = self._rule.form
            yield Candidate(
                rule=self._name,
                form=form,
                lines=lines,
                stake_cents=stake_cents,
                amount_cents=amount_cents,
                ratio=Fraction(amount_cents, stake_cents) if stake_cents else None,
                withholdings=tuple(_withholdings(held, net_cents, amount_cents)),
                applied=(
                    Applied.of(f"forms.{form}", self._law.forms[form].on(day)),
                    *(Applied.of(f"reportable_winnings.{self._name}.{what}", dated) for what, dated in held.items()),
                ),
            )


def _is_reduced(said: str, chosen: bool | None) -> bool:
    """Return whether the wager comes off, as law says and, where law lets it, the licensee chose."""
    if chosen is None or said in ("always", "never"):
        return said in ("always", "unless_payer_declines")
    return chosen


def _is_excluded(held: Mapping[str, Dated[Any]], line: SettledLine) -> bool:
    if "excluded_games" not in held:
        return False
    game = catalogue(line.regulation)
    if game.game not in held["excluded_games"].value:
        return False
    if "excluded_wagers" not in held or held["excluded_wagers"].value == "all":
        return True
    return line.wager in game.wagers and game.wagers[line.wager].offered != "optional"


def _withholdings(held: Mapping[str, Dated[Any]], net_cents: int, amount_cents: int) -> Iterator[Withholding]:
    """Give the regular withholding, or what is withheld where there is none and no number is given.

    The regular one is of the winnings net of the wager, and begins above an amount of them where the rule has one; the
    other is of the amount that is reported.
    """
    above_cents = held["withholding_above_cents"].value if "withholding_above_cents" in held else 0
    if "withholding_rate" in held and net_cents > above_cents:
        yield _withholding("regular", held["withholding_rate"].value, net_cents)
    elif "backup_withholding_rate" in held:
        yield _withholding("backup", held["backup_withholding_rate"].value, amount_cents)


def _withholding(kind: Literal["regular", "backup"], rate: str, base_cents: int) -> Withholding:
    exact = Fraction(rate)
    return Withholding(kind, exact, base_cents, half_up(base_cents * exact))
