"""Over/Under under one rules submission, whose selections are resolved before rounds are settled."""

from collections.abc import Mapping
from operator import attrgetter
from typing import Final, cast

from shared.rules.catalogue import Catalogue
from shared.rules.errors import Refused
from shared.rules.line import Line, line
from shared.rules.meters import MeterBoard
from shared.rules.over_under.paragraphs import Paragraphs
from shared.rules.over_under.record import OverUnderRound, OverUnderSeat
from shared.rules.over_under.totals import (
    BONUS,
    CARDS_IN_HAND,
    CHOICES,
    LEAST,
    MOST,
    OVER_FROM,
    UNDER_TO,
    bonus_category,
    total,
    wins,
)
from shared.rules.paytable import lost, returned, rows_by_category, settled
from shared.rules.settlement import Settlement
from shared.rules.submission import Selection
from shared.rules.table import Table

_ANTE: Final = "ante"


class OverUnderRules:
    """A compiled rules submission, which settles rounds: all odds and options are resolved."""

    def __init__(self, selection: Selection) -> None:
        """Resolve a selection from an Over/Under catalogue."""
        catalogue, offers = selection.catalogue, selection.offers
        assert selection.decks is not None
        self._catalogue: Catalogue = catalogue
        self._paragraphs = Paragraphs.model_validate(catalogue.paragraphs)
        self._table = Table.of(selection, decks=selection.decks)
        (self._ante,) = rows_by_category(offers[_ANTE]).values()
        self._choices = {choice: next(iter(rows_by_category(offers[choice]).values())) for choice in CHOICES}
        rows = rows_by_category(offers[BONUS]) if BONUS in offers else {}
        self._bonus = {points: rows.get(bonus_category(points)) for points in range(LEAST, MOST + 1)}

    def settle(self, round_: OverUnderRound) -> Settlement:
        """Settle one round; raise `Refused` if its record is impossible."""
        seats, table = round_.seats, self._table
        table.check_seats(seats)
        happened = table.in_effect(round_.irregularities, {seat.seat for seat in seats})
        dead = {irregularity.seat for irregularity, rule in happened if rule.effect == "dead_hand"}
        if round_.meters:
            table.check_meters(seats, round_.meters)
        table.check_cards([(seat.seat, seat.cards) for seat in seats])
        lines: list[Line] = []
        for seat in sorted(seats, key=attrgetter("seat"), reverse=True):
            self._settle_seat(seat, lines, is_dead=seat.seat in dead)
        return MeterBoard({}).settlement(lines)

    def _settle_seat(self, seat: OverUnderSeat, lines: list[Line], *, is_dead: bool) -> None:
        number, wagers = seat.seat, cast("Mapping[str, int]", seat.wagers)
        choice = self._choice(seat, undecided=is_dead)
        cards = len(seat.cards)
        if is_dead:
            if cards != 1:
                raise Refused(
                    f"irregularity 'hand_dead': the hand holds {cards} cards, one that got no further cards holds 1",
                    seat=number,
                    paragraph=self._paragraphs.dead_hand,
                )
            lines.extend(returned(number, wager, stake, self._paragraphs.dead_hand) for wager, stake in wagers.items())
            return
        if cards != CARDS_IN_HAND:
            raise Refused(
                f"the hand holds {cards} cards, not {CARDS_IN_HAND}, and no irregularity 'hand_dead' says why",
                seat=number,
                paragraph=self._paragraphs.three_cards,
            )
        points = total(seat.cards)
        ante = wagers[_ANTE]
        if choice is None:
            lines.append(line(number, _ANTE, "surrender", ante, 0, 0, self._paragraphs.surrender))
        elif wins(choice, points):
            row, paragraph = self._choices[choice], self._catalogue.wagers[choice].decided
            lines.append(line(number, _ANTE, "win", ante, self._ante.odds.pay(ante), ante, paragraph))
            lines.append(line(number, choice, "win", ante, row.odds.pay(ante), ante, paragraph))
        else:
            in_the_middle = UNDER_TO < points < OVER_FROM
            paragraph = self._paragraphs.house_wins if in_the_middle else self._paragraphs.wrong_side
            lines.append(lost(number, _ANTE, ante, paragraph))
            lines.append(lost(number, choice, ante, paragraph))
        bonus = wagers.get(BONUS)
        if bonus is not None:
            lines.append(settled(self._bonus[points], number, BONUS, bonus, self._catalogue.wagers[BONUS].decided))

    def _choice(self, seat: OverUnderSeat, *, undecided: bool) -> str | None:
        """Return the side that the player chose; None for a surrender, or for a dead hand without a decision."""
        wagers = cast("Mapping[str, int]", seat.wagers)
        paragraph = self._paragraphs.decision
        chosen = [choice for choice in CHOICES if choice in wagers]
        if len(chosen) == 2:
            raise Refused(
                f"'over_23' {wagers['over_23']} and 'under_18' {wagers['under_18']}: a player places one of them",
                seat=seat.seat,
                paragraph=paragraph,
            )
        if chosen and seat.surrendered:
            raise Refused(
                f"'surrendered' and '{chosen[0]}' {wagers[chosen[0]]}: a player who surrenders places no other wager",
                seat=seat.seat,
                paragraph=self._paragraphs.surrender,
            )
        if not chosen:
            if not seat.surrendered and not undecided:
                raise Refused(
                    "the decision is missing: neither 'over_23' nor 'under_18' is wagered, nor 'surrendered' true",
                    seat=seat.seat,
                    paragraph=paragraph,
                )
            return None
        choice = chosen[0]
        if wagers[choice] != wagers[_ANTE]:
            raise Refused(
                f"'{choice}' {wagers[choice]} does not equal the Ante Wager {wagers[_ANTE]}",
                seat=seat.seat,
                paragraph=self._catalogue.wagers[choice].paragraph,
            )
        return choice
