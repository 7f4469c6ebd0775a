"""The HTTP API of round settlement: rounds of a day, one round with its history, proofs, corrections, what-ifs."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel

from services.round_settlement.correction_routes import correction_routes
from services.round_settlement.domain.history import RoundDocument, RoundItem
from services.round_settlement.minimum_routes import minimum_routes
from services.round_settlement.queries.rounds import (
    entry_about,
    find_by_hash,
    find_rounds,
    find_rounds_like,
    round_item,
    rounds_with_history,
)
from services.round_settlement.tables import journal, rounds
from services.round_settlement.what_if_routes import what_if_routes
from shared.contracts.envelope import Identifier, Name
from shared.contracts.rejection import Reason, Rejected
from shared.journal.merkle import EvidenceError
from shared.journal.proof import ProofDocument
from shared.journal.proof_builder import covering_checkpoint, prove_entry
from shared.journal.verification import read_shards
from shared.runtime.database import snapshot
from shared.runtime.http import (
    UNCHANGED,
    AskedOfDay,
    Day,
    FromEnd,
    Page,
    PropertyPath,
    PropertyQuery,
    TableListing,
    TypedReference,
    declare_role,
    document_response,
    problems,
    require_role,
)
from shared.runtime.http.merged_routers import merge_routers
from shared.runtime.service.service_context import ServiceContext

READ_ROUNDS = declare_role("rounds.read", "Read rounds: their records, lines, postings, corrections and proofs.")

Reader = Annotated[str, require_role(READ_ROUNDS)]
TableName = Annotated[Name, Path(description="the table")]
RoundId = Annotated[Identifier, Path(description="the round's id, as assigned by its table")]

ROUNDS = TableListing(rounds, "table_name", "round_id")

_HASH = "a prefix of the hash of the round's entry"


class RoundsFound(BaseModel):
    """The rounds that match a search."""

    items: list[RoundItem]


def routes(context: ServiceContext) -> APIRouter:
    """Return the routes, which read the database of the running service."""
    router = APIRouter(prefix="/rounds", tags=["rounds"])

    @router.get("", response_model_exclude_none=True, summary="List the rounds of a gaming day")
    async def list_rounds(reader: Reader, asked: AskedOfDay, from_end: FromEnd = False) -> Page[RoundItem]:
        """List rounds by table and id: whether each is posted or void, and the number of corrections."""
        del reader
        wanted = {"property": asked.property, "gaming_day": asked.gaming_day, "table_name": asked.table}
        async with snapshot(context.pools.readers) as connection:
            return await ROUNDS.read(connection, asked, round_item, from_end, **wanted)

    @router.get("/find", response_model_exclude_none=True, summary="Search rounds")
    async def find(
        reader: Reader,
        property_name: PropertyQuery,
        round_id: Annotated[Identifier | None, Query(description="the round's id, at any table")] = None,
        typed: TypedReference | None = None,
        digest: Annotated[str | None, Query(alias="hash", pattern="^[0-9a-f]{8,64}$", description=_HASH)] = None,
        gaming_day: Annotated[Day | None, Query(description="the gaming day of the entry with that hash")] = None,
    ) -> RoundsFound:
        """Find rounds by the table's round id, or by gaming day and the hash of the entry in force.

        `typed` is a round's id or its last characters, ignoring case; at most 20 such rounds are returned.
        """
        del reader
        async with snapshot(context.pools.readers) as connection:
            items = [] if round_id is None else await find_rounds(connection, property_name, round_id)
            if typed is not None:
                items += await find_rounds_like(connection, property_name, typed)
            if digest is not None and gaming_day is not None:
                items += await find_by_hash(connection, property_name, gaming_day, digest)
        return RoundsFound(items=items)

    @router.get(
        "/{property}/{table}/{round_id}",
        response_model=RoundDocument,
        summary="Read a round with its history",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND)},
    )
    async def show_round(
        request: Request, reader: Reader, property_name: PropertyPath, table: TableName, round_id: RoundId
    ) -> Response:
        """Return a round: the settlement in force, and every record, correction, reversal and void, with proofs."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            found = await rounds_with_history(connection, round_id, property_name=property_name, table=table)
        if not found:
            raise Rejected(Reason.NOT_FOUND, f"no round {round_id} of table {table} of {property_name} is settled")
        return document_response(request, found[0])

    @router.get(
        "/{property}/{table}/{round_id}/proofs/{shard}/{seq}",
        response_model=ProofDocument,
        summary="Read the proof that an entry of a round is in the journal",
        responses={**UNCHANGED, **problems(Reason.NOT_FOUND, Reason.TOO_EARLY, Reason.CONTRADICTS)},
    )
    async def prove(
        request: Request,
        reader: Reader,
        property_name: PropertyPath,
        table: TableName,
        round_id: RoundId,
        shard: Annotated[int, Path(ge=1, le=2**31 - 1, description="the number of the entry's shard")],
        seq: Annotated[int, Path(ge=1, le=2**62, description="the entry's number in its shard")],
    ) -> Response:
        """Return an entry, its path in the Merkle tree and the signed checkpoint, so that an outsider can verify it."""
        del reader
        async with snapshot(context.pools.readers) as connection:
            entry = await entry_about(connection, property_name, table, round_id, shard=shard, seq=seq)
            if entry is None:
                raise Rejected(Reason.NOT_FOUND, f"entry {seq} of shard {shard} is not about round {round_id}")
            covering = await covering_checkpoint(connection, journal, shard, seq)
            if covering is None:
                raise Rejected(Reason.TOO_EARLY, f"no checkpoint covers entry {seq} of shard {shard} yet")
            size, note = covering
            [name] = [one.name for one in await read_shards(connection, journal) if one.shard == shard]
            try:
                document = await prove_entry(connection, journal, entry, shard_name=name, size=size, note=note)
            except EvidenceError as error:
                detail = f"entry {seq} of shard {shard} cannot be proven: {error}; run: pitledger verify"
                raise Rejected(Reason.CONTRADICTS, detail) from error
        return document_response(request, ProofDocument.model_validate_json(document))

    return merge_routers(
        router,
        correction_routes(context, READ_ROUNDS),
        what_if_routes(context, READ_ROUNDS),
        minimum_routes(context, READ_ROUNDS),
    )
