"""The legal provisions that apply to a gaming day, from the property and its jurisdiction pack."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, Self, TypeVar

from services.table_inventory.domain.windows import Window
from shared.contracts.properties import Sales
from shared.contracts.property_snapshot import MoneyLimit, PropertySnapshot
from shared.jurisdictions import DeckHours, Provision, WinFormula
from shared.jurisdictions.equipment import deck_life

Level = Literal["noted", "report", "authority"]
ValueT = TypeVar("ValueT")


@dataclass(frozen=True, slots=True)
class Provisions:
    """The provisions of a property on a gaming day. The most recent of them took effect on `effective_from`.

    `drop` names the instruments that count as drop. `counters` is the number of people who must find the same contents
    in a drop box. `counted` maps each counted table to the sales that it reports.
    """

    property_version: int
    effective_from: date
    variance_report_cents: int
    variance_authority_cents: int
    formula: WinFormula
    drop: tuple[str, ...]
    counters: int
    stub_rounds: Mapping[str, int]
    dice_hours: int | None
    deck_hours: Mapping[str, DeckHours]
    counted: Mapping[str, Sales]

    @classmethod
    def of(cls, place: PropertySnapshot, gaming_day: date) -> Self:
        """Return the provisions of a property on a gaming day.

        Raises: LookupError before the first effective date of a provision.
        """
        law, begun = place.law, list[date]()

        def on_the_day(provision: Provision[ValueT]) -> ValueT:
            dated = provision.on(gaming_day)
            begun.append(dated.effective_from)
            return dated.value

        def limit_cents(name: MoneyLimit) -> int:
            on_the_day(getattr(law.limits, name))
            return place.limit_cents(name, gaming_day)

        games = law.equipment
        dice = [on_the_day(game.dice_hours) for game in games.values() if game.dice_hours is not None]
        return cls(
            property_version=place.document.version,
            variance_report_cents=limit_cents("variance_report_cents"),
            variance_authority_cents=limit_cents("variance_authority_cents"),
            formula=on_the_day(law.win.formula),
            drop=tuple(name for name, treatment in law.instruments if on_the_day(treatment) == "drop"),
            counters=len(on_the_day(law.people.drop_count)),
            stub_rounds={name: on_the_day(game.stub_rounds) for name, game in games.items() if game.stub_rounds},
            dice_hours=min(dice, default=None),
            deck_hours={name: on_the_day(game.deck_hours) for name, game in games.items()},
            counted=place.counted_on(gaming_day),
            effective_from=max(begun),
        )

    def level(self, cents: int) -> Level:
        """Return the reporting level of a variance."""
        if abs(cents) >= self.variance_authority_cents:
            return "authority"
        return "report" if abs(cents) > self.variance_report_cents else "noted"

    def is_win(self, window: Window) -> bool:
        """Return whether a difference found by the count at the end of a window is win by count, not a variance.

        It is win by count only while a counted table is open, because a closed table wins nothing.
        """
        return window.play and window.table in self.counted

    def deck_life(self, regulation: str, dealing: str) -> timedelta:
        """Return the maximum time in use of cards under a regulation; for an unlisted regulation, the shortest time."""
        return deck_life(self.deck_hours, regulation, dealing)
