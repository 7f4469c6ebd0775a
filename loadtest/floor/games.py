"""The games of the floor, and a pit with their tables."""

from collections.abc import Iterable
from datetime import datetime
from itertools import count, cycle, islice
from typing import Final

from loadtest.floor.blackjack import BLACKJACK
from loadtest.floor.dj_wild import DJ_WILD
from loadtest.floor.face_up import FACE_UP_PAI_GOW
from loadtest.floor.game import FloorGame, TablePlan
from loadtest.floor.holdem import HOLDEM
from loadtest.floor.over_under import OVER_UNDER
from loadtest.floor.pai_gow import PAI_GOW, RHODE_ISLAND_PAI_GOW
from shared.contracts.submissions import RulesSubmission
from shared.rules import parse_submission

GAMES: Final[tuple[FloorGame, ...]] = (
    BLACKJACK,
    HOLDEM,
    DJ_WILD,
    OVER_UNDER,
    PAI_GOW,
    FACE_UP_PAI_GOW,
    RHODE_ISLAND_PAI_GOW,
)
"""Every game that can be simulated. The last game is not in the pit, because the pit is in Pennsylvania."""

_PIT: Final = (
    *["blackjack"] * 2,
    "blackjack-progressive",
    "blackjack-house-money",
    "blackjack-switch",
    "blackjack-double-deck",
    "holdem-bonus",
    "holdem-flush",
    "dj-wild",
    "over-under",
    "pai-gow",
    "face-up-pai-gow",
)
"""Twelve tables, by the licensee's names for their games; `loadtest.floor.messages` plants faults at the first."""

_MINIMUMS: Final = (1500, 2500, 2500, 5000)
"""Table minimums in cents, assigned to the tables in turn."""

_SEATS: Final = {"blackjack-switch": 5, "blackjack-double-deck": 5}
"""The number of seats of games whose tables have fewer seats than the game allows."""

_BY_OFFER: Final = {offer: game for game in GAMES for offer in game.offers}


def pit(tables: int) -> tuple[TablePlan, ...]:
    """Return the tables of a pit: the twelve in `_PIT`, repeated or truncated to this number."""
    return _plans(islice(cycle(_PIT), tables))


def floor_of(game: FloorGame, tables: int) -> tuple[TablePlan, ...]:
    """Return tables of one game, outside the pit, that use the game's offers in turn."""
    return _plans(islice(cycle(game.offers), tables))


def _plans(offers: Iterable[str]) -> tuple[TablePlan, ...]:
    submissions = {offer: parse_submission(game.offers[offer]) for offer, game in _BY_OFFER.items()}
    numbers = {game.code: count(1) for game in GAMES}
    plans = []
    for offer, minimum in zip(offers, cycle(_MINIMUMS), strict=False):
        game = _BY_OFFER[offer]
        plans.append(
            TablePlan(
                name=f"{game.code}{next(numbers[game.code]):02}",
                game=offer,
                kind=game,
                submission=submissions[offer],
                seats=_SEATS.get(offer, game.seats),
                minimum_cents=minimum,
            )
        )
    return tuple(plans)


def rules_submissions(
    property_name: str, plans: tuple[TablePlan, ...], effective_from: datetime
) -> tuple[RulesSubmission, ...]:
    """Return the licensee's rules submissions for these tables, one for each offer."""
    tables: dict[str, list[TablePlan]] = {}
    for plan in plans:
        tables.setdefault(plan.game, []).append(plan)
    return tuple(
        RulesSubmission(
            property=property_name,
            game=offer,
            regulation=same[0].regulation,
            tables=tuple(plan.name for plan in same),
            effective_from=effective_from,
            submission=same[0].submission,
        )
        for offer, same in tables.items()
    )
