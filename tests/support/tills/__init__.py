"""A tiny service for tests of what all services have in common: tills that people open, pay into and adjust.

Its commands are decided one after the other, or together on tills that are locked; each command is written once for
both. Its facts are those of the wagering accounts, so that the registry has no kinds that no service records.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter
from pydantic import BaseModel
from sqlalchemy import BigInteger, CheckConstraint, Column, MetaData, Table, Text
from sqlalchemy.ext.asyncio import AsyncConnection

from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountAdjustmentEntered,
    AccountBoughtIn,
    AccountOpened,
)
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.topics import Topic
from shared.journal.bulk import added, insert, keyed, replaced, select
from shared.journal.entry import Account, Posting
from shared.journal.recording import FactWithPostings, Recorded
from shared.journal.tables import journal_tables
from shared.runtime.commands.approval import ACCOUNT_ADJUSTMENT, Approval, Decision
from shared.runtime.commands.command import Accepted, Answered, Command, Commands, Now
from shared.runtime.http.command_routes import command_route
from shared.runtime.http.roles import declare_role
from shared.runtime.projector import Projector, Transaction
from shared.runtime.service.manifest import Manifest
from shared.runtime.service.service_context import ServiceContext

MIGRATIONS: Final = Path(__file__).with_name("migrations")
POISON_CENTS: Final = 666
"""Nobody can pay so much in: the handler breaks."""
REFUSED_CENTS: Final = 4711
"""The database refuses a till with so much in it."""

WORK: Final = declare_role("tills.work", "Open tills and pay into them.")
APPROVE: Final = declare_role("tills.work.approve", "Approve adjustments of tills.")

metadata = MetaData()
journal = journal_tables(metadata, "tills")
tills = Table(
    "tills",
    metadata,
    Column("property", Text, primary_key=True),
    Column("till", Text, primary_key=True),
    Column("cents", BigInteger, nullable=False),
    CheckConstraint(f"cents <> {REFUSED_CENTS}", name="no_such_sum"),
    schema="tills",
)
adjustments = Table(
    "adjustments",
    metadata,
    Column("property", Text, primary_key=True),
    Column("till", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("cents", BigInteger, nullable=False),
    Column("entered_by", Text, nullable=False),
    Column("status", Text, nullable=False),
    schema="tills",
)

TillKey = tuple[str, str]


class Tills:
    """What is loaded: the cents in each till, and what waits for somebody, as rows by (property, till, number)."""

    def __init__(self) -> None:
        self.cents: dict[TillKey, int] = {}
        self.adjustments: dict[tuple[str, str, int], Any] = {}


class _OnTill(Command):
    property: Name
    till: Name

    def key(self) -> TillKey:
        """Return what names the till."""
        return (self.property, self.till)


class OpenTill(_OnTill):
    """Open a till."""


class PayIn(_OnTill):
    """Pay into a till, up to 1,000 cents in all; the note is recorded of nobody's command."""

    cents: int
    note: str = ""

    def shown(self) -> dict[str, Any]:
        """Return the command without the note."""
        return self.model_dump(mode="json", exclude={"note"})


class EnterAdjustment(_OnTill):
    """Enter an adjustment of a till."""

    number: int
    cents: int


class ApproveAdjustment(_OnTill):
    """Approve an adjustment of a till."""

    number: int


class Till(BaseModel):
    """A till as it is answered."""

    till: Name
    cents: int


_TILLS: Final = {lock: select(tills, lock=lock) for lock in (False, True)}
_ADJUSTMENTS: Final = select(adjustments, by=("property", "till"))
_OPEN: Final = insert(tills)
_PAY: Final = insert(tills, on_conflict=added(tills, "cents"))
_ADJUST: Final = insert(adjustments, on_conflict=replaced(adjustments, "status"))


async def load(connection: AsyncConnection, keys: Iterable[TillKey], *, lock: bool) -> Tills:
    """Return some tills and their adjustments."""
    found, wanted = Tills(), sorted(set(keys))
    for row in await _TILLS[lock].read(connection, keyed(_TILLS[lock], wanted)):
        found.cents[row.property, row.till] = row.cents
    for row in await _ADJUSTMENTS.read(connection, keyed(_ADJUSTMENTS, wanted)):
        found.adjustments[row.property, row.till, row.number] = row
    return found


async def _load_one(connection: AsyncConnection, command: _OnTill) -> Tills:
    return await load(connection, [command.key()], lock=False)


async def _ask_all(transaction: Transaction, commands: Sequence[Any]) -> Answered:
    return partial(load, transaction.connection, [command.key() for command in commands], lock=True)


def _require(state: Tills, command: _OnTill) -> int:
    if command.key() not in state.cents:
        raise Rejected(Reason.NOT_FOUND, f"there is no till {command.till}")
    return state.cents[command.key()]


def open_till(command: OpenTill, state: Tills, now: Now) -> Accepted:
    """Open a till."""
    if command.key() in state.cents:
        raise Rejected(Reason.ALREADY_DECIDED, f"till {command.till} exists already")
    state.cents[command.key()] = 0
    fact = AccountOpened(property=command.property, account=command.till, table="cage", by=now.by)
    answer = Till(till=command.till, cents=0)
    return Accepted(recording=FactWithPostings(fact=fact), answer=answer, location=f"/tills/{command.till}")


def pay_in(command: PayIn, state: Tills, now: Now) -> Accepted:
    """Pay into a till."""
    cents = _require(state, command) + command.cents
    if command.cents == POISON_CENTS:
        raise KeyError("a defect")
    if cents > 1_000 and cents != REFUSED_CENTS:
        raise Rejected(Reason.LIMIT_EXCEEDED, f"{cents} exceeds 1000", cites="§ 465a.1")
    state.cents[command.key()] = cents
    fact = AccountBoughtIn(
        property=command.property,
        account=command.till,
        instrument="cash",
        cents=command.cents,
        by=now.by,
        movements=(),
    )
    legs = (("cash", command.cents), ("available", -command.cents))
    postings = tuple(Posting(Account(command.property, "cage", "", leg), part) for leg, part in legs)
    return Accepted(
        recording=FactWithPostings(fact=fact, postings=postings), answer=Till(till=command.till, cents=cents)
    )


def enter(command: EnterAdjustment, state: Tills, now: Now) -> Accepted:
    """Enter an adjustment for somebody else to approve."""
    before = _require(state, command)
    fact = AccountAdjustmentEntered(
        property=command.property,
        account=command.till,
        adjustment=command.number,
        cents=command.cents,
        before_cents=before,
        reason="counted again",
        by=now.by,
    )
    return Accepted(recording=FactWithPostings(fact=fact), answer=Till(till=command.till, cents=before))


def approve(command: ApproveAdjustment, state: Tills, now: Now) -> Accepted:
    """Let an adjustment count."""
    before, found = _require(state, command), state.adjustments.get((*command.key(), command.number))
    if found is None:
        raise Rejected(Reason.NOT_FOUND, f"there is no adjustment {command.number}")
    decision = Decision.ASKED if found.status == "entered" else Decision.APPROVED
    Approval(ACCOUNT_ADJUSTMENT, f"adjustment {command.number}", found.entered_by, decision).approve(now.by)
    after = state.cents[command.key()] = before + found.cents
    fact = AccountAdjustmentApproved(
        property=command.property,
        account=command.till,
        adjustment=command.number,
        cents=found.cents,
        before_cents=before,
        after_cents=after,
        reason="counted again",
        entered_by=found.entered_by,
        by=now.by,
        movements=(),
    )
    return Accepted(recording=FactWithPostings(fact=fact), answer=Till(till=command.till, cents=after))


async def project(transaction: Transaction, recorded: Sequence[Recorded]) -> None:
    """Bring the tills up to date."""
    async with transaction.pipeline() as sent:
        for _, fact in recorded:
            match fact:
                case AccountOpened():
                    await sent.write(_OPEN, [{"property": fact.property, "till": fact.account, "cents": 0}])
                case AccountBoughtIn():
                    await sent.write(_PAY, [{"property": fact.property, "till": fact.account, "cents": fact.cents}])
                case AccountAdjustmentEntered() | AccountAdjustmentApproved():
                    entered = isinstance(fact, AccountAdjustmentEntered)
                    row = {
                        "property": fact.property,
                        "till": fact.account,
                        "number": fact.adjustment,
                        "cents": fact.cents,
                        "entered_by": fact.by if isinstance(fact, AccountAdjustmentEntered) else fact.entered_by,
                        "status": "entered" if entered else "approved",
                    }
                    await sent.write(_ADJUST, [row])
                    paid = 0 if entered else fact.cents
                    await sent.write(_PAY, [{"property": fact.property, "till": fact.account, "cents": paid}])


def _commands(*, together: bool) -> Commands:
    commands = Commands(ask_all=_ask_all if together else None)
    how: dict[str, Any] = {} if together else {"load": _load_one}
    commands.handles(OpenTill, **how)(open_till)
    commands.handles(PayIn, **how)(pay_in)
    commands.handles(EnterAdjustment, **how)(enter)
    commands.handles(ApproveAdjustment, load=_load_one)(approve)  # alone in both: it waits for nobody's batch
    return commands


def _routes(context: ServiceContext) -> APIRouter:
    router = APIRouter(prefix="/tills")
    path = "/{property}/{till}"
    command_route(router, context.commands, OpenTill, path, role=WORK, answers=Till, status=201)
    command_route(router, context.commands, PayIn, path + "/payments", role=WORK, answers=Till)
    command_route(router, context.commands, EnterAdjustment, path + "/adjustments", role=WORK, answers=Till)
    approval = path + "/adjustments/{number}/approve"
    command_route(router, context.commands, ApproveAdjustment, approval, role=APPROVE, answers=Till)
    return router


def manifest(*, together: bool) -> Manifest:
    """Return the service, whose commands are decided together or one after the other."""
    return Manifest(
        name="tills",
        title="Tills",
        port=8199,
        journal=journal,
        publishes=Topic(name="tills", title="Tills", description="Tills", publisher="tills"),
        commands=_commands(together=together),
        projector=Projector(tables=(tills, adjustments), project=project),
        routes=_routes,
    )
