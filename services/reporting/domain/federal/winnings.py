"""Reportable winnings (Forms W-2G and 1042-S), and withholding. Pure; amounts are cents.

The results are candidates only: a person reviews them and adds the winner before anything is filed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any, Final, Literal

from services.reporting.domain.law import Applied, half_up
from shared.contracts.treaties import TreatyClaim, treaty_refusal
from shared.jurisdictions import Dated, Pack, Provision
from shared.jurisdictions.forms import Winner
from shared.rules import catalogue

_LISTED_AS: Final = {
    "minibaccarat": "baccarat",
    "midibaccarat": "baccarat",
    "big_six": "big_6_wheel",
}
"""The names in the packs' lists of games for kinds of counted games, where the two names differ."""


@dataclass(frozen=True, slots=True)
class SettledLine:
    """A settlement line, or a win at a counted table: stake, winnings on top of it, and returned stake, in cents.

    Only payments by the house are included, not those by a banking player. `paid_on` is the date of payment on the
    property's clock, because thresholds depend on the calendar year. `game` is the licensee's name of the game.
    `patron` is an opaque reference, None if unknown. `reduced_by_wager` is whether the licensee chose, for the gaming
    day, to deduct the wager where a rule allows the choice; None if the licensee has not chosen.

    A counted table has no rounds and no regulation: the `moment` identifies the win, and `kind` is the property's kind
    of the game. The cashier enters `wager_words`, `odds`, `capped` (the payout limit, if one paid less than the odds
    make), `side_bet` (whether the wager is a side bet), a nonresident alien's claim under a `treaty`, and `has_number`
    (whether a taxpayer number was given).
    """

    property: str
    table: str
    game: str
    regulation: str | None
    round_id: str | None
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
    kind: str | None = None
    wager_words: str | None = None
    odds: str | None = None
    capped: str | None = None
    side_bet: bool = False
    treaty: TreatyClaim | None = None
    residence: str | None = None
    has_number: bool = False

    def occasion(self) -> str:
        """Return what identifies the occasion of the win: the round or, at a counted table, the minute (UTC)."""
        return occasion_of(self.round_id, self.moment)


def occasion_of(round_id: str | None, moment: datetime) -> str:
    """Return what identifies the occasion of a win: the round or, without a round, the minute (UTC)."""
    return round_id or f"{moment.astimezone(UTC):%Y-%m-%dT%H:%MZ}"


@dataclass(frozen=True, slots=True)
class Withholding:
    """Tax withholding: `regular`, or `backup` if the winner gives no taxpayer identification number."""

    kind: Literal["regular", "backup"]
    rate: Fraction
    base_cents: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """Winnings that a rule requires to be reported on a form.

    `amount_cents` includes the wager or not, depending on the rule and the licensee's choice. `ratio` is the winnings
    as an exact multiple of the wager, None for a bonus without a wager. `lines` are the winning lines of one wager of a
    seat in a round (one for each bonus or hand) or, if the rule combines wagers, all lines of a seat in a round.
    `treaty` is the country whose treaty sets the rate of withholding, if a treaty gives relief.
    """

    rule: str
    form: str
    lines: tuple[SettledLine, ...]
    stake_cents: int
    amount_cents: int
    ratio: Fraction | None
    withholdings: tuple[Withholding, ...]
    applied: tuple[Applied, ...]
    treaty: str | None = None


def candidates(law: Pack, lines: Iterable[SettledLine], of: Winner | None = None) -> tuple[Candidate, ...]:
    """Return the reportable winnings of settled lines under a pack's rules, ordered by time.

    With `of`, only the rules for this kind of winner are applied. If winnings are reduced by the wager, the amount
    excludes the returned stake; otherwise the stake is added. Everything that one wager of a seat won in a round is one
    win. Losing lines matter only if a rule combines wagers. A bonus without its own stake cannot be a multiple of a
    wager, so only the threshold decides. Rules for nonresident aliens apply only to lines of nonresident aliens.

    Raises: LookupError for a day without law in the pack; Refused for an unknown regulation.
    """
    lines = tuple(lines)
    rules = [_Rule(law, name) for name, rule in law.reportable_winnings.items() if of in (None, rule.winner)]
    return tuple(sorted((candidate for rule in rules for candidate in rule.candidates(lines)), key=_order))


def _order(candidate: Candidate) -> tuple[Any, ...]:
    first = candidate.lines[0]
    place = (first.property, first.table, first.occasion(), first.seat, first.wager, first.hand or 0)
    return first.moment, *place, candidate.rule


class _Rule:
    """A rule of a pack, with a cache of its values by day."""

    def __init__(self, law: Pack, name: str) -> None:
        self._law, self._name, self._rule = law, name, law.reportable_winnings[name]
        self._days: dict[date, dict[str, Dated[Any]]] = {}

    def candidates(self, lines: Iterable[SettledLine]) -> Iterator[Candidate]:
        """Yield the winnings that the rule requires to be reported."""
        together: dict[tuple[str | int, ...], list[SettledLine]] = {}
        for line in lines:
            if self._rule.winner == "nonresident_alien" and not line.nonresident_alien:
                continue
            event = (line.property, line.table, line.occasion(), line.seat)
            if self._on(line.paid_on)["combined"].value == "seat_and_round":
                together.setdefault(event, []).append(line)
            elif line.winnings_cents > 0:
                together.setdefault((*event, line.wager), []).append(line)
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
        ratio_cents = stake_cents * held["wager_ratio"].value if "wager_ratio" in held else 0
        if net_cents > 0 and amount_cents >= held["threshold_cents"].value and amount_cents >= ratio_cents:
            form, treaty = self._rule.form, _relief(held, lines, day)
            at_rate = held["withholding_rate"].value if treaty is None and "withholding_rate" in held else None
            if treaty is not None:
                at_rate = held["treaty_rates"].value[treaty]
            named = {what: dated for what, dated in held.items() if what != "treaty_rates" or treaty is not None}
            yield Candidate(
                rule=self._name,
                form=form,
                lines=lines,
                stake_cents=stake_cents,
                amount_cents=amount_cents,
                ratio=Fraction(amount_cents, stake_cents) if stake_cents else None,
                withholdings=tuple(_withholdings(held, at_rate, net_cents, amount_cents, ratio_cents)),
                treaty=treaty,
                applied=(
                    Applied.of(f"forms.{form}", self._law.forms[form].on(day)),
                    *(Applied.of(f"reportable_winnings.{self._name}.{what}", dated) for what, dated in named.items()),
                ),
            )


def _is_reduced(said: str, chosen: bool | None) -> bool:
    """Return whether the wager is deducted from winnings, by law or by the licensee's choice if the law allows one."""
    if chosen is None or said in ("always", "never"):
        return said in ("always", "unless_payer_declines")
    return chosen


def _is_excluded(held: Mapping[str, Dated[Any]], line: SettledLine) -> bool:
    if "excluded_games" not in held:
        return False
    game, is_side_bet = _listed(line)
    if game not in held["excluded_games"].value:
        return False
    return not is_side_bet or "excluded_wagers" not in held or held["excluded_wagers"].value == "all"


def _listed(line: SettledLine) -> tuple[str, bool]:
    """Return the name that packs use for a line's game, and whether the line's wager is, or may be, a side bet."""
    if line.regulation is None:
        kind = (line.kind or line.game).replace("-", "_")
        return _LISTED_AS.get(kind, kind), line.side_bet
    game = catalogue(line.regulation)
    return game.game, line.wager not in game.wagers or game.wagers[line.wager].offered == "optional"


def _relief(held: Mapping[str, Dated[Any]], lines: Iterable[SettledLine], day: date) -> str | None:
    """Return the country whose treaty gives relief from withholding on all of the lines, or None if there is none."""
    countries: set[str | None] = set()
    for line in lines if "treaty_rates" in held else ():
        claim = line.treaty
        wrong = claim is not None and treaty_refusal(
            claim,
            held["treaty_rates"].value,
            paid_on=day,
            residence=line.residence,
            has_number=line.has_number,
        )
        countries.add(claim.country if claim is not None and wrong is None else None)
    return countries.pop() if len(countries) == 1 else None


def _withholdings(
    held: Mapping[str, Dated[Any]], at_rate: str | None, net_cents: int, amount_cents: int, ratio_cents: int
) -> Iterator[Withholding]:
    """Yield the regular withholding at `at_rate` or, if it does not apply, the backup withholding.

    Regular withholding is computed on winnings net of the wager. It applies only if these winnings exceed the rule's
    amount, if there is one, and reach `ratio_cents`, the lowest multiple of the wager that is subject to withholding.
    Backup withholding is computed on the reported amount.
    """
    above_cents = held["withholding_above_cents"].value if "withholding_above_cents" in held else 0
    if at_rate is not None and net_cents > above_cents and net_cents >= ratio_cents:
        yield _withholding("regular", at_rate, net_cents)
    elif "backup_withholding_rate" in held:
        yield _withholding("backup", held["backup_withholding_rate"].value, amount_cents)


def _withholding(kind: Literal["regular", "backup"], rate: str, base_cents: int) -> Withholding:
    exact = Fraction(rate)
    return Withholding(kind, exact, base_cents, half_up(base_cents * exact))
