"""Corrections of rounds that one person proposes and another approves, instead of the table's system.

Proposal and decision are recorded in the journal of round settlement. An approved correction takes effect like a
table's own event: its approval is published in the table's desk stream on `table.events`, and the resulting settlement
names the correction.
"""

from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, Field

from shared.contracts.approvals import AsShown
from shared.contracts.envelope import Event, Person, Reason, Sequence, table_source
from shared.contracts.facts import Fact, envelope, fact
from shared.contracts.rounds import AccountFunding, TableData
from shared.contracts.topics import SETTLEMENTS, TABLE_EVENTS
from shared.contracts.versions import fields_of

CorrectionNumber = Annotated[int, Field(ge=1, le=2**31 - 1)]
"""The number of a correction within its property."""

_STREAM = "/properties/{property}/tables/{table}/corrections"


class CorrectionOfRound(Fact, TableData):
    """The round and the number of its correction: the fields common to facts about corrections."""

    correction: CorrectionNumber


@fact("correction.proposed", SETTLEMENTS, stream=_STREAM)
class CorrectionProposed(CorrectionOfRound):
    """A person proposed a record of a round to replace its revision `replaces`; nothing changes yet."""

    replaces: Annotated[int, Field(ge=1)]
    round: dict[str, Any]
    account_funded: tuple[AccountFunding, ...] = ()
    reason: Reason
    proposed_by: Person
    proposed_at: AwareDatetime


@fact("correction.approved", SETTLEMENTS, stream=_STREAM)
class CorrectionApproved(CorrectionProposed, AsShown):
    """Another person approved a correction. `sequence` is the approval's position in the desk stream of the table."""

    approved_by: Person
    approved_at: AwareDatetime
    sequence: Sequence


@fact("correction.rejected", SETTLEMENTS, stream=_STREAM)
class CorrectionRejected(CorrectionOfRound):
    """A correction was rejected, or withdrawn by its proposer: it never takes effect."""

    reason: Reason
    rejected_by: Person
    rejected_at: AwareDatetime


class DecidedCorrection(TableData):
    """The approved correction of a round; its content is in the journal of round settlement."""

    correction: CorrectionNumber


@envelope(TABLE_EVENTS)
class RoundCorrectionApproved(Event[DecidedCorrection]):
    """An approved correction of a round takes effect; only round settlement publishes this."""

    type: Literal["round.correction_approved"]


def desk_source(property_name: str, table: str) -> str:
    """Return the desk stream of a table: the corrections of its rounds that people approved in round settlement."""
    return f"{table_source(property_name, table)}/desk"


def event_of(approved: CorrectionApproved) -> RoundCorrectionApproved:
    """Return the event that puts an approved correction into effect, the same on every retry."""
    return RoundCorrectionApproved(
        specversion="1.0",
        id=f"correction-{approved.correction}",
        source=desk_source(approved.property, approved.table),
        type="round.correction_approved",
        time=approved.approved_at,
        sequence=approved.sequence,
        data=DecidedCorrection(**fields_of(approved, DecidedCorrection)),
    )
