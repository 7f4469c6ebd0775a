"""Facts about counter checks after a deposit or default: clearing, collection, write-off, recovery. In cents."""

from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.cage import AtCage, CheckPayment
from shared.contracts.envelope import Contract, DocumentNumber, Name, Patron, Person, Reason
from shared.contracts.facts import Fact, fact
from shared.contracts.instruments import PaidByInstrument
from shared.contracts.inventory import DESK, Number
from shared.contracts.moments import EnteredLate
from shared.contracts.rounds import Cents
from shared.contracts.topics import INVENTORY

WriteOffKind = Literal["uncollectible", "settlement"]
"""Why a counter check is written off: it is uncollectible, or a settlement for less was agreed."""


class OwedCheck(Contract):
    """A counter check owed by its `drawer`. `table` issued the check; it is None for a check that replaced others."""

    table: Name | None = None
    serial: DocumentNumber
    drawer: Patron | None = None


@fact("counter_check.cleared", INVENTORY, stream=DESK)
class CheckCleared(AtCage, CheckPayment, EnteredLate):
    """The payment in step `clears`, by deposit or by the payer's own check, cleared and can no longer be returned."""

    clears: Number


@fact("counter_check.collection_begun", INVENTORY, stream=DESK)
class CollectionBegun(AtCage, OwedCheck, EnteredLate):
    """A counter check with `left_cents` outstanding was handed to a `collector`."""

    left_cents: Cents
    collector: Reason


class CheckWriteOffRef(Fact):
    """A write-off of a counter check; write-offs of checks are numbered by property."""

    property: Name
    check_write_off: Number


class CheckToWriteOff(OwedCheck):
    """The part of a counter check to write off: `cents` of the amount owed."""

    write_off_kind: Annotated[WriteOffKind, Field(description="uncollectible, or the remainder after a settlement")]
    cents: Cents
    reason: Reason


@fact("check_write_off.entered", INVENTORY, stream=DESK)
class CheckWriteOffEntered(CheckWriteOffRef, CheckToWriteOff):
    """A write-off of a counter check was entered; it awaits another person's approval."""

    entered_by: Person
    entered_at: AwareDatetime


@fact("counter_check.written_off", INVENTORY, moves_money=True, stream=DESK)
class CheckWrittenOff(AtCage, CheckToWriteOff, AsShown):
    """A write-off of a counter check, whole or partial, was approved by a different person from the one who entered it.

    `left_cents` is still owed on the check.
    """

    check_write_off: Number
    entered_by: Person
    left_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)]


@fact("check_write_off.rejected", INVENTORY, stream=DESK)
class CheckWriteOffRejected(CheckWriteOffRef):
    """A write-off of a counter check was rejected: the amount stays owed."""

    rejection_reason: Reason
    rejected_by: Person
    rejected_at: AwareDatetime


@fact("counter_check.recovered", INVENTORY, moves_money=True, stream=DESK)
class CheckRecovered(AtCage, CheckPayment, PaidByInstrument, EnteredLate):
    """A payment was made on a written-off counter check; `recovered_cents` is the total including this payment."""

    check_write_off: Number
    recovered_cents: Cents


class RecoveryUndone(AtCage, CheckPayment):
    """A recovery was reversed: its amount is written off again, and `recovered_cents` in total remain recovered."""

    check_write_off: Number
    recovered_cents: Annotated[int, Field(strict=True, ge=0, le=10**12)]
    reason: Reason


@fact("counter_check.recovery_voided", INVENTORY, moves_money=True, stream=DESK)
class RecoveryVoided(RecoveryUndone, AsShown):
    """A recovery entered by mistake as step `voids` was voided by a different person from the one who entered it."""

    voids: Number
    recovered_by: Person


@fact("counter_check.recovery_returned", INVENTORY, moves_money=True, stream=DESK)
class RecoveryReturned(RecoveryUndone, EnteredLate):
    """The check that paid a recovery in step `returns` came back unpaid.

    Like the return of a redemption, this fact belongs to the gaming day and shift in which the cage learned of it.
    """

    returns: Number
