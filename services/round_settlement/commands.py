"""Commands on corrections of rounds: propose one, approve or reject another person's proposal."""

from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.round_settlement.domain.corrections import (
    CorrectionDocument,
    CorrectionItem,
    Desk,
    approval_of,
    changes_nothing,
    correction_document,
)
from services.round_settlement.domain.settling import RoundHistory
from services.round_settlement.handlers import compiled, known_rounds
from services.round_settlement.queries.corrections import (
    approved_of,
    content_of,
    find_correction,
    items_of,
    next_number,
    next_sequence,
)
from services.round_settlement.queries.rounds import posted_revision
from services.round_settlement.tables import properties, submissions
from shared.contracts.corrections import (
    CorrectionApproved,
    CorrectionNumber,
    CorrectionOfRound,
    CorrectionProposed,
    CorrectionRejected,
)
from shared.contracts.envelope import Identifier, Name, Reason
from shared.contracts.rejection import Reason as Why
from shared.contracts.rejection import Rejected
from shared.contracts.rounds import AccountFunding
from shared.contracts.versions import fields_of
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Approving, Command, Commands, Now, first_loaded
from shared.runtime.ingest.property_copies import known_places
from shared.runtime.ingest.submission_copies import ApprovedSubmissions

COMMANDS: Final = Commands()

_RECORD: Final = "the complete corrected record of the round, in the format of docs/contract/ROUND.md"


class ProposeCorrection(Command):
    """Propose a correction of a round.

    The complete corrected record replaces the revision in force, once another person has approved it.
    """

    property: Annotated[Name, Field(description="the property")]
    table: Annotated[Name, Field(description="the table")]
    round_id: Annotated[Identifier, Field(description="the round's id, as assigned by its table")]
    replaces: Annotated[int, Field(ge=1, le=2**31 - 1, description="the revision that was reviewed and found wrong")]
    round: Annotated[dict[str, Any], Field(description=_RECORD)]
    account_funded: tuple[AccountFunding, ...] | None = Field(
        default=None, max_length=100, description="the corrected account-funded wagers, if these were wrong, too"
    )
    reason: Reason


class _OfCorrection(Command):
    property: Annotated[Name, Field(description="the property")]
    correction: Annotated[CorrectionNumber, Field(description="the number of the correction")]


class ApproveCorrection(_OfCorrection, Approving):
    """Approve a correction of a round, which then takes effect.

    Check its effects first. People cannot approve their own proposals.
    """


class RejectCorrection(_OfCorrection):
    """Reject a correction of a round.

    Nothing changes. Proposers withdraw their own corrections in the same way.
    """

    reason: Reason


async def desk_at(connection: AsyncConnection, property_name: str, table: str, round_id: str, replaces: int) -> Desk:
    """Return the state needed to decide on a correction of a round."""
    places = await known_places(connection, properties)
    found = connection.info.setdefault(submissions, ApprovedSubmissions(submissions, compiled))
    await found.refresh(connection)
    key = (property_name, table, round_id)
    known = (await known_rounds(connection, {key})).get(key, RoundHistory())
    return Desk(known, places.place, found.in_effect, await approved_of(connection, *key, replaces))


async def correction_shown(connection: AsyncConnection, property_name: str, correction: int) -> CorrectionDocument:
    """Return a correction with its effects. Raises: Rejected if there is no correction with this number."""
    row = await find_correction(connection, property_name, correction)
    proposed = await content_of(connection, row)
    [item] = await items_of(connection, [row])
    desk = await desk_at(connection, row.property, row.table_name, row.round_id, row.replaces)
    before = await posted_revision(connection, row.property, row.table_name, row.round_id, row.replaces)
    return correction_document(item, proposed, before, desk)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The state needed to decide on a correction: its content, its status, and the round's current state.

    `sequence` is the next one in the table's desk stream.
    """

    proposed: CorrectionProposed
    status: str
    desk: Desk
    sequence: int


async def _before_proposing(connection: AsyncConnection, command: ProposeCorrection) -> tuple[int, Desk]:
    desk = await desk_at(connection, command.property, command.table, command.round_id, command.replaces)
    return await next_number(connection, command.property), desk


async def _asked(connection: AsyncConnection, command: _OfCorrection) -> _Asked:
    row = await find_correction(connection, command.property, command.correction)
    proposed = await content_of(connection, row)
    desk = await desk_at(connection, row.property, row.table_name, row.round_id, row.replaces)
    return _Asked(proposed, row.status, desk, await next_sequence(connection, row.property, row.table_name))


async def _before_approving(
    connection: AsyncConnection, command: ApproveCorrection
) -> tuple[CorrectionDocument, _Asked]:
    shown = await correction_shown(connection, command.property, command.correction)
    return shown, await _asked(connection, command)


@COMMANDS.handles(ProposeCorrection, load=_before_proposing)
def _propose(command: ProposeCorrection, state: tuple[int, Desk], now: Now) -> Accepted:
    number, desk = state
    posted = desk.standing(command.round_id, command.replaces, "the correction")
    funded = posted.account_funded if command.account_funded is None else command.account_funded
    if changes_nothing(posted, desk.corrected(posted, command.round, funded)):
        raise Rejected(Why.NOT_ALLOWED, f"round {command.round_id} is recorded like that already: change the record")
    fact = CorrectionProposed(
        property=command.property,
        table=command.table,
        game=posted.game,
        gaming_day=posted.gaming_day,
        round_id=command.round_id,
        correction=number,
        replaces=command.replaces,
        round=command.round,
        account_funded=funded,
        reason=command.reason,
        proposed_by=now.by,
        proposed_at=now.at,
    )
    location = f"/corrections/{fact.property}/{fact.correction}"
    return Accepted(recording=FactWithPostings(fact=fact), answer=_item(fact), location=location)


@COMMANDS.handles(ApproveCorrection, load=_before_approving, subject=first_loaded)
def _approve(command: ApproveCorrection, state: tuple[CorrectionDocument, _Asked], now: Now) -> Accepted:
    del command
    _, asked = state
    proposed, desk = asked.proposed, asked.desk
    approval = approval_of(proposed, asked.status)
    approval.approve(now.by)
    posted = desk.standing(proposed.round_id, proposed.replaces, approval.name)
    desk.corrected(posted, proposed.round, proposed.account_funded)  # a record that no longer settles is not approved
    fact = CorrectionApproved(**dict(proposed), approved_by=now.by, approved_at=now.at, sequence=asked.sequence)
    decided = {"status": "approved", "decided_by": now.by, "decided_at": now.at, "effect": "waiting"}
    return Accepted(recording=FactWithPostings(fact=fact), answer=_item(fact, **decided))


@COMMANDS.handles(RejectCorrection, load=_asked)
def _reject(command: RejectCorrection, asked: _Asked, now: Now) -> Accepted:
    approval_of(asked.proposed, asked.status).reject()
    fact = CorrectionRejected(
        **fields_of(asked.proposed, CorrectionOfRound), reason=command.reason, rejected_by=now.by, rejected_at=now.at
    )
    decided = {"status": "rejected", "decided_by": now.by, "decided_at": now.at, "decision_reason": command.reason}
    return Accepted(recording=FactWithPostings(fact=fact), answer=_item(asked.proposed, **decided))


def _item(fact: CorrectionProposed, **decided: Any) -> CorrectionItem:
    said = {name: getattr(fact, name) for name in CorrectionItem.model_fields if hasattr(fact, name)}
    return CorrectionItem.model_validate(said | {"status": "asked"} | decided)
