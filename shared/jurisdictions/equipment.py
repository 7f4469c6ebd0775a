"""The maximum time in use of a table's equipment. Pure."""

from collections.abc import Mapping
from datetime import timedelta

from shared.jurisdictions.model import DeckHours


def deck_life(hours: Mapping[str, DeckHours], regulation: str, dealing: str) -> timedelta:
    """Return how long cards may stay in use at a table, by how they are dealt: from the hand or from a shoe.

    `hours`: the limits of a jurisdiction pack by the regulation of a game. For a regulation that the pack does not
    list, the shortest limit of the pack applies.
    """
    games = [hours[regulation]] if regulation in hours else hours.values()
    return timedelta(hours=min(game.hand if dealing == "hand" else game.shoe for game in games))
