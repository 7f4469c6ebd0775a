"""What people do with pools: file and approve terms, request and approve changes, reconcile a day."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime

from pydantic_core import to_json
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.progressive_meters import books, configuration, domain
from services.progressive_meters.answers import Command, Done, record
from services.progressive_meters.configuration import Contradicts, PoolVersion, SamePerson
from services.progressive_meters.domain import Moved, Pool
from services.progressive_meters.exact import exact_text
from services.progressive_meters.reading import ApprovedPools, PoolKey, new_pool, pool_of, pool_rows, version_of
from services.progressive_meters.reports import rows_sha256
from services.progressive_meters.submissions import Submissions
from services.progressive_meters.tables import changes, pool_versions
from shared.contracts.envelope import Contract, as_json
from shared.contracts.meters import (
    ChangeApproved,
    ChangeRejected,
    ChangeRequested,
    DayReconciled,
    PoolTerms,
    WantedChange,
)
from shared.journal.ledger import Fenced
from shared.rules.errors import Refused
from shared.runtime.command.answers import Answer
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound


@dataclass(slots=True)
class _Decided:
    """The numbers of the pools on which a decision rests; None: there was no such pool."""

    numbers: dict[PoolKey, int | None] = field(default_factory=dict)

    async def check(self, connection: AsyncConnection) -> None:
        """Raises Fenced where one of them has moved since."""
        rows = await pool_rows(connection, self.numbers, lock=True)
        for key, number in self.numbers.items():
            if (rows[key].number if key in rows else None) != number:
                raise Fenced(f"pool {key[1]} at {key[0]} has moved since this command read it")


class Commands:
    """Everything that people do, each recorded with its answer in one transaction."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._submissions = Submissions()
        self._pools = ApprovedPools()

    # --- terms ---

    async def file(self, wanted: PoolTerms, *, person: str, key: str) -> Answer:
        """Files the next version of a pool's terms; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            await self._submissions.refresh(connection)
            t = pool_versions
            count = select(func.count()).where(t.c.property == wanted.property, t.c.pool == wanted.pool)
            versions = (await connection.execute(count)).scalar_one()
            pools = await self._pools.refresh(connection)
            filed = configuration.file(wanted, versions, pools, self._submissions.of_feed, by=person, at=at)
            await self._check_limit(connection, filed)
            location = f"/pools/{filed.property}/{filed.pool}/versions/{filed.version}"
            return Done("pool.filed", filed, _answer(201, configuration.after(filed, filed), location=location))

        command = Command(person, key, "POST /pools", as_json(wanted), wanted.property, wanted.pool)
        return await record(self._parts, command, decide)

    async def approve(self, property_name: str, pool: str, version: int, *, person: str, key: str) -> Answer:
        """Approves a version; answers 200 with it. The first puts in the base."""
        decided = _Decided()

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            await self._submissions.refresh(connection)
            filed = await _version(connection, property_name, pool, version)
            pools = await self._pools.refresh(connection)
            configuration.approve(filed, pools, self._submissions.of_feed, by=person, at=at)
            moved: Moved | None = None
            if pools.versions(property_name, pool):
                await self._check_limit(connection, filed)
            else:
                moved = domain.seed(new_pool(filed), filed.base_cents)
            decided.numbers = {(property_name, pool): None} if moved is not None else {}
            fact = configuration.approved(filed, moved.movement if moved else None, by=person, at=at)
            return Done(
                "pool.approved",
                fact,
                _answer(200, configuration.after(filed, fact)),
                gaming_day=filed.gaming_day if moved else None,
                postings=moved.postings if moved else (),
            )

        name = f"POST /pools/{property_name}/{pool}/versions/{version}/approve"
        command = Command(person, key, name, None, property_name, pool)
        return await record(self._parts, command, decide, decided.check)

    async def reject(
        self, property_name: str, pool: str, version: int, reason: str, *, person: str, key: str
    ) -> Answer:
        """Rejects a version; answers 200 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            filed = await _version(connection, property_name, pool, version)
            fact = configuration.reject(filed, by=person, at=at, reason=reason)
            return Done("pool.rejected", fact, _answer(200, configuration.after(filed, fact)))

        name = f"POST /pools/{property_name}/{pool}/versions/{version}/reject"
        command = Command(person, key, name, {"reason": reason}, property_name, pool)
        return await record(self._parts, command, decide)

    async def _check_limit(self, connection: AsyncConnection, wanted: PoolTerms) -> None:
        """Raises: Refused for a limit below what the pool shows: that would take money off a display."""
        key = (wanted.property, wanted.pool)
        row = (await pool_rows(connection, [key])).get(key)
        if row is None or wanted.limit_cents is None:
            return
        shows = pool_of(row, wanted).display_cents
        if wanted.limit_cents < shows:
            raise Refused(
                f"'limit_cents' {wanted.limit_cents}: pool {wanted.pool} shows {shows}; have the difference "
                "transferred or adjusted first"
            )

    # --- changes ---

    async def request(self, property_name: str, pool: str, wanted: WantedChange, *, person: str, key: str) -> Answer:
        """Requests a change of a meter; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            count = select(func.count()).where(changes.c.property == property_name)
            number = (await connection.execute(count)).scalar_one() + 1
            fact = ChangeRequested(
                **{name: getattr(wanted, name) for name in WantedChange.model_fields},
                property=property_name,
                pool=pool,
                change=number,
                requested_by=person,
                requested_at=at,
            )
            await self._change(connection, fact, at)
            answer = _answer(201, fact, location=f"/changes/{property_name}/{number}", status="requested")
            return Done("meter.change_requested", fact, answer)

        name = f"POST /pools/{property_name}/{pool}/changes"
        command = Command(person, key, name, as_json(wanted), property_name, pool)
        return await record(self._parts, command, decide)

    async def approve_change(self, property_name: str, number: int, *, person: str, key: str) -> Answer:
        """Approves a change, which is made; answers 200 with it, the display before and after included."""
        decided = _Decided()

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            wanted = await _requested(connection, property_name, number)
            if person == wanted.requested_by:
                raise SamePerson(
                    f"{person} requested change {number} at {property_name}: somebody else must approve it"
                )
            try:
                pool, moved = await self._change(connection, wanted, at)
            except Refused as error:
                raise Contradicts(f"change {number} at {property_name} cannot be made any more: {error}") from error
            decided.numbers = {(one.pool.property_name, one.pool.name): one.pool.number - 1 for one in moved}
            fact = ChangeApproved(
                **{name: getattr(wanted, name) for name in ChangeRequested.model_fields},
                approved_by=person,
                approved_at=at,
                display_before=exact_text(pool.display),
                movements=tuple(one.movement for one in moved),
            )
            return Done(
                "meter.change_approved",
                fact,
                _answer(200, fact, status="approved"),
                pool=fact.pool,
                gaming_day=fact.gaming_day,
                postings=tuple(posting for one in moved for posting in one.postings),
            )

        command = Command(person, key, f"POST /changes/{property_name}/{number}/approve", None, property_name)
        return await record(self._parts, command, decide, decided.check)

    async def reject_change(self, property_name: str, number: int, reason: str, *, person: str, key: str) -> Answer:
        """Rejects a change; answers 200 with the rejection."""

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            wanted = await _requested(connection, property_name, number)
            fact = ChangeRejected(
                property=property_name,
                pool=wanted.pool,
                change=number,
                rejected_by=person,
                rejected_at=at,
                reason=reason,
            )
            return Done("meter.change_rejected", fact, _answer(200, fact, status="rejected"), pool=wanted.pool)

        name = f"POST /changes/{property_name}/{number}/reject"
        command = Command(person, key, name, {"reason": reason}, property_name)
        return await record(self._parts, command, decide)

    async def _change(
        self, connection: AsyncConnection, wanted: ChangeRequested, at: datetime
    ) -> tuple[Pool, Sequence[Moved]]:
        """The pool before a change, and what the change does. Raises: NotFound; Refused where it cannot be made."""
        pools = await self._pools.refresh(connection)
        pool = await self._pool(connection, pools, wanted.property, wanted.pool, at)
        if wanted.kind == "reset":
            _require(wanted.cents is None and wanted.to is None, "a 'reset' has neither 'cents' nor 'to'")
            return pool, [domain.reset(pool)]
        cents = wanted.cents or 0
        _require(cents != 0, f"'cents' is missing: a '{wanted.kind}' says how many")
        if wanted.kind == "transfer":
            _require(cents > 0 and wanted.to is not None, "a 'transfer' has 'cents' above 0 and the pool 'to'")
            assert wanted.to is not None
            _require(wanted.to != wanted.pool, f"'to' {wanted.to} is the pool itself")
            to = await self._pool(connection, pools, wanted.property, wanted.to, at)
            return pool, domain.transfer(pool, to, cents)
        _require(wanted.to is None, f"'to' {wanted.to}: only a 'transfer' goes to another pool")
        if wanted.kind == "adjustment":
            return pool, [domain.adjust(pool, cents)]
        _require(cents > 0, f"'cents' {cents}: what comes from the overflow meter is above 0")
        return pool, [domain.release(pool, cents)]

    @staticmethod
    async def _pool(
        connection: AsyncConnection, pools: configuration.Pools, property_name: str, name: str, at: datetime
    ) -> Pool:
        key = (property_name, name)
        versions = pools.versions(*key)
        if not versions:
            raise NotFound(f"there is no pool {name} at {property_name}")
        terms = pools.in_effect(*key, at) or versions[0]
        return pool_of((await pool_rows(connection, [key]))[key], terms)

    # --- days ---

    async def reconcile(self, property_name: str, gaming_day: date, reason: str, *, person: str, key: str) -> Answer:
        """Records the reconciliation of a day as it is known now; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Done:
            del connection
            async with books.snapshot(self._parts.engine) as whole:
                day = await books.day_of(whole, property_name, gaming_day)
            if not day.rows:
                raise NotFound(f"no pool of {property_name} had moved by {gaming_day.isoformat()}")
            fact = DayReconciled(
                property=property_name,
                gaming_day=gaming_day,
                balanced=not day.wrong and all(row.difference == "0" for row in day.rows),
                exceptions=len(day.exceptions),
                input_open=day.input_open,
                liability_cents=sum(row.liability_cents for row in day.rows),
                pools=day.rows,
                rows_sha256=rows_sha256(day.rows),
                reason=reason,
                reconciled_by=person,
                reconciled_at=at,
            )
            return Done("meter.day_reconciled", fact, _answer(201, fact), gaming_day=gaming_day)

        content = {"property": property_name, "gaming_day": gaming_day.isoformat(), "reason": reason}
        command = Command(person, key, "POST /reconciliations", content, property_name)
        return await record(self._parts, command, decide)


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Refused(otherwise)


async def _version(connection: AsyncConnection, property_name: str, pool: str, version: int) -> PoolVersion:
    t = pool_versions
    query = select(t).where(t.c.property == property_name, t.c.pool == pool, t.c.version == version)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"there is no version {version} of pool {pool} at {property_name}")
    return version_of(row)


async def _requested(connection: AsyncConnection, property_name: str, number: int) -> ChangeRequested:
    t = changes
    row = (await connection.execute(select(t).where(t.c.property == property_name, t.c.change == number))).one_or_none()
    if row is None:
        raise NotFound(f"there is no change {number} at {property_name}")
    if row.status != "requested":
        raise Contradicts(f"change {number} at {property_name} was {row.status} already")
    return ChangeRequested.model_validate(row.document)


def _answer(code: int, contract: Contract, *, location: str | None = None, **more: str) -> Answer:
    return Answer(code, to_json(contract.model_dump(mode="json", exclude_none=True) | more).decode(), location)
