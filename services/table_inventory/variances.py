"""Variances: found between what was expected and what was counted, owned by somebody, and resolved into the books."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Literal, NamedTuple

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import reading
from services.table_inventory.books import Box, Window
from services.table_inventory.commands import Command, Decision, Denied, once
from services.table_inventory.domain import Stacks
from services.table_inventory.money import TableAccounts
from services.table_inventory.policies import Level, policy_on
from services.table_inventory.tables import variance_cases
from shared.contracts.envelope import Contract, Person, Reason, as_json
from shared.contracts.inventory import VarianceKind, VarianceOwned, VarianceResolved
from shared.journal.entry import Posting
from shared.runtime.command.answers import Answer
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound

VarianceState = Literal["open", "owned", "resolved", "changed"]


class VarianceKey(NamedTuple):
    """The name of a variance: `number` is that of the count, the box exchange (pit sequences) or the slip."""

    property: str
    gaming_day: date
    variance: VarianceKind
    table: str
    number: int


class Owner(Contract):
    """Who explains a variance."""

    owner: Person


class Conclusion(Contract):
    """What the investigation of a variance found."""

    conclusion: Reason


class Variance(BaseModel):
    """A difference. `cents` is what was counted (or arrived) beyond what was expected; negative: it is missing.

    `by_instrument` splits the difference of a drop box. `expected_by_denomination` and `counted_by_denomination` say
    how many pieces, where every movement since the count before is known by denomination; where rounds were played,
    `unexplained_by_denomination` has what is left of each denomination after the movements that are known so.
    State `changed`: it was resolved, and what came later made another difference.
    """

    property: str
    gaming_day: date
    variance: VarianceKind
    table: str
    number: int
    shift: str
    at: AwareDatetime
    what: str
    expected_cents: int
    counted_cents: int
    cents: int
    level: Level
    state: VarianceState
    by_instrument: dict[str, int] | None = None
    expected_by_denomination: dict[str, int] | None = None
    counted_by_denomination: dict[str, int] | None = None
    unexplained_by_denomination: dict[str, int] | None = None
    owner: str | None = None
    owned_at: AwareDatetime | None = None
    resolved_cents: int | None = None
    resolved_at: AwareDatetime | None = None
    conclusion: str | None = None


def key_of(variance: Variance) -> VarianceKey:
    """The name of a variance."""
    return VarianceKey(variance.property, variance.gaming_day, variance.variance, variance.table, variance.number)


class VarianceCommands:
    """What those do who follow up differences."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def own(self, which: VarianceKey, owner: Owner, *, person: str, key: str) -> Answer:
        """Names who explains a variance; answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            variance = await _find(connection, which)
            fact = VarianceOwned(**_ref(variance), owner=owner.owner, by=person, at=at)
            state: VarianceState = "owned" if variance.resolved_at is None else variance.state
            after = variance.model_copy(update={"state": state, "owner": owner.owner, "owned_at": at})
            return Decision(fact=fact, document=after)

        command = Command(person, key, f"POST {path_of(which)}/own", as_json(owner), which.property, which.gaming_day)
        return await once(self._parts, command, decide)

    async def resolve(self, which: VarianceKey, wanted: Conclusion, *, person: str, key: str) -> Answer:
        """Its owner concludes; the books follow what was counted. Answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            variance = await _find(connection, which)
            if variance.owner is None:
                raise Denied(409, "the variance has no owner yet: name one first")
            if variance.owner != person:
                raise Denied(403, f"the variance is {variance.owner}'s to resolve")
            if variance.state == "resolved":
                raise Denied(409, "the variance is resolved already")
            fact = VarianceResolved(**_ref(variance), owner=person, conclusion=wanted.conclusion, at=at)
            after = variance.model_copy(
                update={
                    "state": "resolved",
                    "resolved_cents": variance.cents,
                    "resolved_at": at,
                    "conclusion": wanted.conclusion,
                }
            )
            return Decision(fact=fact, document=after, postings=_postings(variance))

        name = f"POST {path_of(which)}/resolve"
        command = Command(person, key, name, as_json(wanted), which.property, which.gaming_day)
        return await once(self._parts, command, decide)


def path_of(which: VarianceKey) -> str:
    """Where a variance is found."""
    return f"/variances/{which.property}/{which.gaming_day}/{which.variance}/{which.table}/{which.number}"


async def variances_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Variance]:
    """All variances of a gaming day, in the order of table and time."""
    found = _of_windows(property_name, await reading.windows_of_day(connection, property_name, gaming_day))
    found += _of_boxes(property_name, await reading.boxes_of_day(connection, property_name, gaming_day))
    found += await _of_slips(connection, property_name, gaming_day)
    c = variance_cases.c
    cases = {
        (row.table_name, row.variance, row.number): row
        for row in await connection.execute(
            select(variance_cases).where(
                c.property == property_name, c.table_name.in_({variance.table for variance in found})
            )
        )
    }
    standing: list[Variance] = []
    for variance in found:
        case = cases.get((variance.table, variance.variance, variance.number))
        if (
            variance.cents == 0
            and variance.by_instrument is None
            and (case is None or case.resolved_cents in (None, 0))
        ):
            continue
        if case is not None:
            state: VarianceState = "owned"
            if case.resolved_at is not None:
                state = "resolved" if case.resolved_cents == variance.cents else "changed"
            variance = variance.model_copy(
                update={
                    "state": state,
                    "owner": case.owner,
                    "owned_at": case.owned_at,
                    "resolved_cents": case.resolved_cents,
                    "resolved_at": case.resolved_at,
                    "conclusion": case.conclusion,
                }
            )
        standing.append(variance)
    return sorted(standing, key=lambda variance: (variance.table, variance.at, variance.variance, variance.number))


async def _find(connection: AsyncConnection, which: VarianceKey) -> Variance:
    for variance in await variances_of_day(connection, which.property, which.gaming_day):
        if key_of(variance) == which:
            return variance
    raise NotFound(f"there is no such variance: {path_of(which)}")


def _ref(variance: Variance) -> dict[str, object]:
    return {**key_of(variance)._asdict(), "cents": variance.cents}


def _postings(variance: Variance) -> tuple[Posting, ...]:
    """What brings the books to what was counted, beyond what an earlier resolution did."""
    table = TableAccounts(variance.property, variance.table)
    cents = variance.cents - (variance.resolved_cents or 0)
    match variance.variance:
        case "inventory":
            return table.inventory_variance(cents)
        case "drop":
            if variance.resolved_cents is not None:
                return table.drop_variance("currency", cents)
            split = variance.by_instrument or {"currency": cents}
            return tuple(
                posting for instrument, part in split.items() for posting in table.drop_variance(instrument, part)
            )
        case "fill" | "credit" as slip:
            return table.transit_variance(slip, cents)


def _of_windows(property_name: str, windows: Sequence[Window]) -> list[Variance]:
    found: list[Variance] = []
    for window in windows:
        cents, end = window.variance_cents, window.end
        if cents is None or end is None:
            continue
        policy = policy_on(end.gaming_day)
        expected: Stacks | None = window.expected_by_denomination
        found.append(
            Variance(
                property=property_name,
                gaming_day=end.gaming_day,
                variance="inventory",
                table=end.table,
                number=end.sequence,
                shift=end.shift,
                at=end.at,
                what=end.purpose,
                expected_cents=window.expected_cents,
                counted_cents=end.cents,
                cents=cents,
                level=policy.level(cents),
                state="open",
                expected_by_denomination=expected,
                counted_by_denomination=end.contents,
                unexplained_by_denomination=None if expected is not None else window.unexplained_by_denomination,
            )
        )
    return found


def _of_boxes(property_name: str, boxes: Sequence[Box]) -> list[Variance]:
    found: list[Variance] = []
    for box in boxes:
        split = {name: cents for name, cents in box.differences.items() if cents}
        if not split:
            continue
        recorded = box.recorded_currency + box.recorded_checks
        cents = sum(split.values())
        found.append(
            Variance(
                property=property_name,
                gaming_day=box.gaming_day,
                variance="drop",
                table=box.table,
                number=box.exchange,
                shift=box.shift,
                at=box.removed_at,
                what=f"box {box.box}",
                expected_cents=recorded,
                counted_cents=recorded + cents,
                cents=cents,
                level=policy_on(box.gaming_day).level(max(split.values(), key=abs)),
                state="open",
                by_instrument=split,
            )
        )
    return found


async def _of_slips(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Variance]:
    found: list[Variance] = []
    for row in await reading.slips_of_day(connection, property_name, gaming_day):
        if row.received_at is None:
            continue
        cents = row.received_cents - row.cents
        found.append(
            Variance(
                property=property_name,
                gaming_day=gaming_day,
                variance=row.slip,
                table=row.table_name,
                number=row.number,
                shift=row.shift,
                at=row.received_at,
                what=f"{row.slip} slip {row.number}",
                expected_cents=row.cents,
                counted_cents=row.received_cents,
                cents=cents,
                level=policy_on(gaming_day).level(cents),
                state="open",
            )
        )
    return found
