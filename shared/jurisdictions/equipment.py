"""How long the equipment of a table may be used. Pure."""

from collections.abc import Mapping
from datetime import timedelta

from shared.jurisdictions.model import DeckHours


def deck_life(hours: Mapping[str, DeckHours], regulation: str, dealing: str) -> timedelta:
    """Return how long cards dealt from the hand or a shoe may be used at a table under a regulation.

    `hours` are those of each regulation of a pack; under one that is not of the pack, it is the shortest time of all.
    """
    games = [hours[regulation]] if regulation in hours else hours.values()
    return timedelta(hours=min(game.hand if dealing == "hand" else game.shoe for game in games))
