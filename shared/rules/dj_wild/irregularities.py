"""The effects of irregularities on a round, § 687a.7(b), § 687a.8(g) and § 687a.13."""

from dataclasses import dataclass

from shared.rules.dj_wild.record import DjWildRound
from shared.rules.table import Table


@dataclass(frozen=True, slots=True)
class Stopped:
    """How irregularities stopped a round, if they did.

    `void` is the paragraph under which all wagers are returned. `void_but_bonuses` is the paragraph under which all
    wagers but the Trips and Progressive Bonus are returned. `abandoned` are the seats whose player left, under
    `abandoned_paragraph`.
    """

    void: str | None = None
    void_but_bonuses: str | None = None
    abandoned: frozenset[int] = frozenset()
    abandoned_paragraph: str = ""
    any_number_of_cards: bool = False
    """Whether a hand may have more than five cards, because cards were misdealt or the deck was wrong."""
    any_deck: bool = False
    """Whether a card may appear twice, because the deck was found wrong."""

    @property
    def before_the_end(self) -> bool:
        """Return whether the round was not played to its end."""
        return self.void is not None or self.void_but_bonuses is not None


PLAYED: Stopped = Stopped()


def what_stopped(round_: DjWildRound, table: Table) -> Stopped:
    """Return how a round's irregularities stopped it; raise `Refused` for an irregularity unknown to the game."""
    if not round_.irregularities:
        return PLAYED
    void = void_but_bonuses = None
    abandoned: set[int] = set()
    left = ""
    codes = set()
    for irregularity, rule in table.in_effect(round_.irregularities, {seat.seat for seat in round_.seats}):
        codes.add(irregularity.code)
        if rule.effect == "dead_round":
            void = rule.paragraph
        elif rule.effect == "dead_round_but_bonuses":
            void_but_bonuses = rule.paragraph
        elif rule.effect == "abandoned":
            assert irregularity.seat is not None
            abandoned.add(irregularity.seat)
            left = rule.paragraph
    return Stopped(
        void=void,
        void_but_bonuses=void_but_bonuses,
        abandoned=frozenset(abandoned),
        abandoned_paragraph=left,
        any_number_of_cards=not codes.isdisjoint({"misdeal", "deck_count_wrong"}),
        any_deck="deck_count_wrong" in codes,
    )
