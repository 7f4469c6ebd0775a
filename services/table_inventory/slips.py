"""Fills and credits at the cage: requested, prepared under the next number, received, voided, entered from paper."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, Field
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.commands import Command, Decision, Denied, once
from services.table_inventory.domain import Slip, SlipKey, name_of
from services.table_inventory.money import TableAccounts
from services.table_inventory.processing import find_slips
from services.table_inventory.tables import manual_slips, requests, slips
from shared.contracts.envelope import Contract, Name, Person, Reason, as_json
from shared.contracts.inventory import (
    CreditReceived,
    ManualSlip,
    ManualSlipEntered,
    ManualSlipVoided,
    Number,
    SlipKind,
    SlipPrepared,
    SlipRequested,
    SlipVoided,
)
from shared.contracts.pit import Contents, Pieces, SlipNumber, value_of
from shared.rules.errors import Refused
from shared.runtime.command.answers import Answer
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound

SlipStatus = Literal["prepared", "carried", "received", "void"]
FilledContents = Annotated[Contents, Field(min_length=1)]


class SlipWanted(Contract):
    """What the pit asks of the cage: a fill for a table, or to take a credit from it."""

    slip: SlipKind
    property: Name
    table: Name
    gaming_day: date
    shift: Name
    contents: FilledContents


class SlipToPrepare(Contract):
    """The request for which the cage prepares a slip."""

    property: Name
    request: Number


class Received(Contract):
    """What arrived at the cage."""

    contents: Contents


class Void(Contract):
    """Why a slip is void."""

    reason: Reason


class SpoiltForm(Contract):
    """A numbered paper form that cannot be used."""

    slip: SlipKind
    property: Name
    gaming_day: date
    number: SlipNumber
    reason: Reason


class SlipDocument(BaseModel):
    """A slip as it stands, with everybody who did a step. `difference_cents` is what arrived beyond what was sent."""

    property: str
    slip: SlipKind
    number: int
    request: int
    table: str
    gaming_day: date
    shift: str
    contents: tuple[Pieces, ...]
    cents: int
    status: SlipStatus
    received_contents: tuple[Pieces, ...] | None = None
    received_cents: int | None = None
    difference_cents: int | None = None
    requested_by: Person
    requested_at: AwareDatetime
    prepared_by: Person
    prepared_at: AwareDatetime
    surrendered_by: Person | None = None
    carried_by: Person | None = None
    carried_at: AwareDatetime | None = None
    received_by: Person | None = None
    received_at: AwareDatetime | None = None
    observed_by: Person | None = None
    voided_by: Person | None = None
    voided_at: AwareDatetime | None = None
    void_reason: str | None = None


def document(row: Any, **changed: Any) -> SlipDocument:
    """The document of a row of the table of slips, with what has changed since."""
    values = {**row._mapping, **changed}
    values["table"] = values.pop("table_name")
    if values["voided_at"] is not None:
        status = "void"
    elif values["received_at"] is not None:
        status = "received"
        values["difference_cents"] = values["received_cents"] - values["cents"]
    else:
        status = "prepared" if values["carried_at"] is None else "carried"
    return SlipDocument.model_validate({**values, "status": status})


class SlipCommands:
    """What the pit and the cage do with slips."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def request(self, wanted: SlipWanted, *, person: str, key: str) -> Answer:
        """Records a request; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            last = await _last(connection, requests.c.request, requests.c.property == wanted.property)
            fact = SlipRequested(
                **{name: getattr(wanted, name) for name in SlipWanted.model_fields},
                request=last + 1,
                requested_by=person,
                requested_at=at,
            )
            return Decision(fact=fact, document=fact, status=201)

        command = Command(person, key, "POST /requests", as_json(wanted), wanted.property, wanted.gaming_day)
        return await once(self._parts, command, decide)

    async def prepare(self, wanted: SlipToPrepare, *, person: str, key: str) -> Answer:
        """Prepares the slip of a request under the next number of its series; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            c = requests.c
            query = select(requests).where(c.property == wanted.property, c.request == wanted.request)
            row = (await connection.execute(query)).one_or_none()
            if row is None:
                raise NotFound(f"there is no request {wanted.request} at {wanted.property}")
            if row.number is not None:
                what = f"request {wanted.request} was prepared already: {row.slip} slip {row.number}"
                raise Denied(409, what, row.gaming_day)
            if row.requested_by == person:
                what = f"{person} made request {wanted.request}: somebody else must prepare the slip"
                raise Denied(403, what, row.gaming_day)
            series = (slips.c.property == wanted.property) & (slips.c.slip == row.slip)
            fact = SlipPrepared(
                slip=row.slip,
                property=row.property,
                table=row.table_name,
                gaming_day=row.gaming_day,
                shift=row.shift,
                request=row.request,
                contents=row.contents,
                requested_by=row.requested_by,
                requested_at=row.requested_at,
                number=await _last(connection, slips.c.number, series) + 1,
                prepared_by=person,
                prepared_at=at,
            )
            made = SlipDocument(**_fields(fact), cents=value_of(fact.contents), status="prepared")
            return Decision(
                fact=fact,
                document=made,
                status=201,
                location=path_of(SlipKey(fact.property, fact.slip, fact.number)),
                gaming_day=fact.gaming_day,
            )

        command = Command(person, key, "POST /slips", as_json(wanted), wanted.property)
        return await once(self._parts, command, decide)

    async def receive(self, which: SlipKey, received: Received, *, person: str, key: str) -> Answer:
        """The cage receives a credit; answers 200 with the slip."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            row, slip = await _find(connection, which)
            if "carried_by" not in slip.people:
                raise Denied(409, f"{name_of(which)} has not left its table yet", row.gaming_day)
            _take(slip, which, row.gaming_day, received_by=person)
            cents = value_of(received.contents)
            fact = CreditReceived(**_step(which, row), contents=received.contents, received_by=person, received_at=at)
            after = document(
                row,
                received_by=person,
                received_at=at,
                received_contents=received.contents,
                received_cents=cents,
            )
            postings = TableAccounts(which.property, slip.table).arrived("credit", cents)
            return Decision(fact=fact, document=after, postings=postings, gaming_day=row.gaming_day)

        name = f"POST {path_of(which)}/receive"
        return await once(self._parts, Command(person, key, name, as_json(received), which.property), decide)

    async def void(self, which: SlipKey, reason: str, *, person: str, key: str) -> Answer:
        """Voids a slip that was not received; what is on its way goes back. Answers 200 with the slip."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            row, slip = await _find(connection, which)
            if slip.void:
                raise Denied(409, f"{name_of(which)} is void already", row.gaming_day)
            if "received_by" in slip.people:
                raise Denied(409, f"{name_of(which)} was received: adjust the gaming day instead", row.gaming_day)
            returned = slip.contents if "carried_by" in slip.people else ()
            fact = SlipVoided(**_step(which, row), returned=returned, reason=reason, voided_by=person, voided_at=at)
            after = document(row, voided_by=person, voided_at=at, void_reason=reason)
            postings = TableAccounts(which.property, slip.table).returned(which.slip, value_of(returned))
            return Decision(fact=fact, document=after, postings=postings, gaming_day=row.gaming_day)

        name = f"POST {path_of(which)}/void"
        return await once(self._parts, Command(person, key, name, {"reason": reason}, which.property), decide)

    async def enter_manual(self, paper: ManualSlip, *, person: str, key: str) -> Answer:
        """Enters a paper slip afterwards, flagged as late; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            people = [getattr(paper, step) for step in _MANUAL_STEPS]
            twice = next((one for one in people if people.count(one) > 1), None)
            if twice is not None:
                steps = [step for step in _MANUAL_STEPS if getattr(paper, step) == twice]
                raise Denied(403, f"{twice} signed as {' and '.join(steps)}: a slip takes five people (§ 465a.38)")
            if paper.occurred_at > at:
                raise Denied(422, f"'occurred_at' {paper.occurred_at.isoformat()} has not come yet")
            await _require_new_form(connection, paper)
            fact = ManualSlipEntered(**_fields(paper), entered_by=person, entered_at=at)
            cents = value_of(paper.contents)
            table = TableAccounts(paper.property, paper.table)
            postings = table.sent(paper.slip, cents) + table.arrived(paper.slip, cents)
            return Decision(fact=fact, document=fact, status=201, postings=postings, occurred_at=paper.occurred_at)

        command = Command(person, key, "POST /manual-slips", as_json(paper), paper.property, paper.gaming_day)
        return await once(self._parts, command, decide)

    async def spoil(self, form: SpoiltForm, *, person: str, key: str) -> Answer:
        """Accounts for a paper form that was spoilt; answers 201 with the fact."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            await _require_new_form(connection, form)
            fact = ManualSlipVoided(**_fields(form), voided_by=person, voided_at=at)
            return Decision(fact=fact, document=fact, status=201)

        command = Command(person, key, "POST /manual-slips/void", as_json(form), form.property, form.gaming_day)
        return await once(self._parts, command, decide)


_MANUAL_STEPS = ("requested_by", "prepared_by", "carried_by", "received_by", "observed_by")


def path_of(which: SlipKey) -> str:
    """Where a slip is found."""
    return f"/slips/{which.property}/{which.slip}/{which.number}"


async def find_row(connection: AsyncConnection, which: SlipKey) -> Any:
    """The row of a slip. Raises: NotFound."""
    c = slips.c
    query = select(slips).where(c.property == which.property, c.slip == which.slip, c.number == which.number)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"there is no {name_of(which)}")
    return row


async def _find(connection: AsyncConnection, which: SlipKey) -> tuple[Any, Slip]:
    row = await find_row(connection, which)
    return row, (await find_slips(connection, {which}))[which]


def _take(slip: Slip, which: SlipKey, gaming_day: date, **people: str) -> None:
    try:
        slip.take(which, **people)
    except Refused as refused:
        done = slip.void or any(step in slip.people for step in people)
        raise Denied(409 if done else 403, str(refused), gaming_day) from refused


async def _last(connection: AsyncConnection, number: Any, condition: Any) -> int:
    found = await connection.execute(select(func.coalesce(func.max(number), 0)).where(condition))
    return int(found.scalar_one())


async def _require_new_form(connection: AsyncConnection, form: ManualSlip | SpoiltForm) -> None:
    c = manual_slips.c
    query = select(c.void).where(c.property == form.property, c.slip == form.slip, c.number == form.number)
    found = (await connection.execute(query)).scalar_one_or_none()
    if found is not None:
        how = "was voided" if found else "was entered"
        raise Denied(409, f"paper {form.slip} slip {form.number} of {form.property} {how} already")


def _step(which: SlipKey, row: Any) -> dict[str, Any]:
    return {**which._asdict(), "table": row.table_name, "gaming_day": row.gaming_day}


def _fields(contract: Contract) -> dict[str, Any]:
    return {name: getattr(contract, name) for name in type(contract).model_fields}
