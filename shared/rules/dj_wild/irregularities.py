"""The effects of irregularities on a round, § 687a.7(b), § 687a.8(g) and § 687a.13."""

from dataclasses import dataclass

from shared.rules.dj_wild.record import DjWildRound
from shared.rules.table import Table


@dataclass(frozen=True, slots=True)
class Stopped:
    """What stopped a round, if it was stopped.

    `void` is the paragraph under which all wagers go back, `void_but_bonuses` the one under which Trips and Progressive
    Bonus are settled all the same; `abandoned` the seats whose player left, with the paragraph.
    """

    void: str | None = None
    void_but_bonuses: str | None = None
    abandoned: frozenset[int] = frozenset()
    abandoned_paragraph: str = ""
    any_number_of_cards: bool = False
    """A hand may hold more than five cards: they were misdealt, or the deck was wrong."""
    any_deck: bool = False
    """The deck was found wrong: a card may be there twice."""

    @property
    def before_the_end(self) -> bool:
        """Return whether the round was not played to its end."""
        return self.void is not None or self.void_but_bonuses is not None


PLAYED: Stopped = Stopped()


def what_stopped(round_: DjWildRound, table: Table) -> Stopped:
    """Read the irregularities of a round; raise `Refused` for one that the game does not have."""
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
