"""What the vigorish ledger publishes on `vigorish`: assessed, taken back, collected, waived, returned."""

from datetime import date
from typing import Literal

from pydantic import AwareDatetime

from shared.contracts.envelope import Contract, Correction, Digest, Identifier, Name, Person, Sequence
from shared.contracts.facts import Fact, fact
from shared.contracts.pit import CollectedVigorish, ReturnedVigorish, SaidAtDesk, VigorishOfRound, WaivedVigorish
from shared.contracts.settlements import SettledRound, TakenBack
from shared.contracts.topics import VIGORISH

VigorishClass = Literal["player", "player_against_bank", "bank", "co_bank"]
"""Who owes it: a player whom the house paid, a player whom a bank paid, the bank, or who banked with the house."""

Rounding = Literal["none", "quarter_up"]
"""As the rules submission says: a share of a cent is dropped, or up to 25 cents or the next highest multiple."""


class AssessedLine(Contract):
    """Vigorish that a settlement line assessed, cents: `rate` of `base_cents`, rounded as said, is `cents`.

    `paragraph` is the settlement line's, `rate_paragraph` where the rate stands. `agrees` is false where rate and
    rounding come to something else than was settled.
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
    """What a settled round assessed."""

    revision: int
    closed_at: AwareDatetime
    dealer_id: Person | None = None
    submission: Digest
    lines: tuple[AssessedLine, ...]


@fact("vigorish.taken_back", VIGORISH, moves_money=True)
class VigorishTakenBack(TakenBack):
    """What a revision of a round had assessed was taken back: it was voided or corrected. Cents are positive."""

    lines: tuple[AssessedLine, ...]


class VigorishSettled(Fact, VigorishOfRound, SaidAtDesk):
    """What a table did about vigorish, and the pit event that reported it.

    `claimed_day` and `claimed_shift` are the gaming day and shift that it claimed, where it is recorded under those of
    its moment, by the property's clock, instead. Of one that was corrected, `sequence` is the place of its first record
    in the pit stream, `revision` how often it was recorded, and `correction` says why.
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
    """A table gave vigorish back, for a reason."""


@fact("vigorish.voided", VIGORISH, moves_money=True)
class VigorishVoided(VigorishSettled):
    """What a table said that it did about vigorish is taken back; `settled` is what that was, `event` who said it.

    Cents are positive.
    """

    settled: Literal["vigorish.collected", "vigorish.waived", "vigorish.returned"]
    correction: Correction


@fact("vigorish.noted", VIGORISH)
class VigorishNoted(Fact, SaidAtDesk):
    """What was said of a pit event about vigorish moves nothing: something later had come, or nothing is on record.

    `sequence` is the place of the event in the pit stream of the table, `event` its type.
    """

    property: Name
    table: Name
    gaming_day: date
    event: Name
    sequence: Sequence
    correction: Correction | None = None
