"""The maximum time in use of a table's equipment. Pure."""

from collections.abc import Mapping
from datetime import timedelta

from shared.jurisdictions.model import DeckHours


def deck_life(hours: Mapping[str, DeckHours], regulation: str, dealing: str) -> timedelta:
    """Return the maximum time in use of cards that are dealt from the hand or a shoe under a regulation.

    `hours` is regulation -> limits, from a pack. For a regulation that the pack does not cover, the shortest time of
    all regulations applies.
    """
    games = [hours[regulation]] if regulation in hours else hours.values()
    return timedelta(hours=min(game.hand if dealing == "hand" else game.shoe for game in games))
