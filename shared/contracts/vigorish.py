"""Facts of the vigorish ledger, on the topic `vigorish`: assessed, reversed, collected, waived, returned."""

from datetime import date
from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.envelope import Contract, Correction, Digest, Identifier, Name, Person, Sequence
from shared.contracts.facts import Fact, fact
from shared.contracts.pit import CollectedVigorish, ReturnedVigorish, SaidAtDesk, VigorishOfRound, WaivedVigorish
from shared.contracts.settlements import SettledRound, TakenBack
from shared.contracts.topics import VIGORISH

VigorishClass = Literal["player", "player_against_bank", "bank", "co_bank"]
"""Who owes the vigorish: a player paid by the house, a player paid by a bank, the bank, or a co-bank with the house."""

Rounding = Literal["none", "quarter_up"]
"""The rounding in the rules submission: a fraction of a cent is dropped, or rounded up to a multiple of 25 cents."""


class AssessedLine(Contract):
    """Vigorish assessed by a settlement line: `cents` is `rate` times `base_cents`, rounded by `rounding`.

    `paragraph` is that of the settlement line, `rate_paragraph` that of the rate. `agrees` is false if rate and
    rounding give a different amount from the settled one.
    """

    seat: int
    wager: Name
    hand: int | None = None
    owed_by: VigorishClass
    stake_cents: int
    base_cents: int
    rate: str
    rounding: Rounding
    cents: int
    paragraph: str
    rate_paragraph: str
    agrees: bool = True


@fact("vigorish.assessed", VIGORISH, moves_money=True)
class VigorishAssessed(SettledRound):
    """The vigorish that a settled round assessed."""

    revision: int
    closed_at: AwareDatetime
    dealer_id: Person | None = None
    submission: Digest
    lines: tuple[AssessedLine, ...]


@fact("vigorish.taken_back", VIGORISH, moves_money=True)
class VigorishTakenBack(TakenBack):
    """Vigorish assessed by a revision of a round was reversed, because the round was voided or corrected.

    Cents are positive.
    """

    lines: tuple[AssessedLine, ...]


class VigorishSettled(Fact, VigorishOfRound, SaidAtDesk):
    """A table's action on assessed vigorish, and the pit event that reported it.

    If the event states a wrong gaming day or shift, it is recorded under those of its moment by the property's clock,
    and `claimed_day` and `claimed_shift` are the stated ones. For a corrected event, `sequence` is the position of its
    first record in the pit stream, `revision` the number of recordings, and `correction` the reason.
    """

    event: Identifier
    at: AwareDatetime
    claimed_day: date | None = None
    claimed_shift: Name | None = None
    sequence: Sequence | None = None
    revision: Sequence | None = None
    correction: Correction | None = None


@fact("vigorish.collection", VIGORISH, moves_money=True)
class VigorishCollection(VigorishSettled, CollectedVigorish):
    """A table collected vigorish."""


@fact("vigorish.waiver", VIGORISH, moves_money=True)
class VigorishWaiver(VigorishSettled, WaivedVigorish):
    """A table waived vigorish, for a reason."""


@fact("vigorish.return", VIGORISH, moves_money=True)
class VigorishReturn(VigorishSettled, ReturnedVigorish):
    """A table returned vigorish, with the reason."""


@fact("vigorish.voided", VIGORISH, moves_money=True)
class VigorishVoided(VigorishSettled):
    """A table's action on vigorish was reversed; pit event `event`, of type `settled`, had reported the action.

    Cents are positive.
    """

    settled: Literal["vigorish.collected", "vigorish.waived", "vigorish.returned"]
    correction: Correction


@fact("vigorish.noted", VIGORISH)
class VigorishNoted(Fact, SaidAtDesk):
    """A pit event about vigorish has no effect: a later change was already recorded, or it voids an unrecorded event.

    `sequence` is the event's position in the pit stream of the table, `event` its type.
    """

    property: Name
    table: Name
    gaming_day: date
    event: Name
    sequence: Sequence
    correction: Correction | None = None
