"""The effects of irregularities on a round with set hands: whether it was stopped, and voidable or abandoned hands."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from shared.rules.record import Irregularity, Seat
from shared.rules.table import Table


class Interruptions(NamedTuple):
    """The effects of a round's irregularities, with their paragraphs."""

    stopped: str | None
    """The paragraph under which no hand counts and every wager is returned; None if the round was completed."""
    misdealt: bool
    """Whether a player or the dealer got a wrong number of cards."""
    exposed: frozenset[int]
    """The seats with a card that the dealer exposed; their players may void the hand."""
    abandoned: Mapping[int, str]
    """Seat -> paragraph, for the seats whose players left, so that their wagers lose."""


NOTHING: Final = Interruptions(stopped=None, misdealt=False, exposed=frozenset(), abandoned={})


def interruptions(table: Table, irregularities: Sequence[Irregularity], seats: Sequence[Seat]) -> Interruptions:
    """Return the effects of a round's irregularities; raise `Refused` for an irregularity unknown to the game."""
    if not irregularities:
        return NOTHING
    stopped, misdealt = None, False
    exposed: set[int] = set()
    abandoned: dict[int, str] = {}
    # Positions without wagers are dealt cards, too.
    positions = range(1, table.catalogue.seats.most + 1)
    for irregularity, rule in table.in_effect(irregularities, {seat.seat for seat in seats}, positions=positions):
        if rule.effect == "dead_round":
            stopped = stopped or rule.paragraph
            misdealt = misdealt or irregularity.code == "misdeal"
        elif rule.effect == "may_void_hand":
            assert irregularity.seat is not None
            exposed.add(irregularity.seat)
        elif rule.effect == "abandoned":
            assert irregularity.seat is not None
            abandoned[irregularity.seat] = rule.paragraph
    return Interruptions(stopped, misdealt, frozenset(exposed), abandoned)
