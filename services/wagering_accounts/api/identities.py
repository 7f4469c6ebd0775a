"""Routes for patrons' identities, and their erasure.

Identities are encrypted before a command is decided, and decrypted after the access is recorded.
"""

import asyncio
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Path, Response

from services.wagering_accounts.api.looks import record_look, record_looks
from services.wagering_accounts.api.roles import APPROVE_ERASURE, ERASE, MANAGE
from services.wagering_accounts.commands.identities import (
    ApproveErasure,
    EnterErasure,
    IdentifyPatron,
    RejectErasure,
)
from services.wagering_accounts.domain.access_codes import fingerprint
from services.wagering_accounts.domain.documents import (
    ErasureDocument,
    IdentityDocument,
    PatronDocument,
    SamePersonDocument,
)
from services.wagering_accounts.domain.identity import ERASED, PatronIdentity
from services.wagering_accounts.queries.patron_keys import digest_key, key_of, key_to_seal_with
from services.wagering_accounts.queries.same_person import digests_of, one_person_each, sharing
from services.wagering_accounts.tables import patron_erasures, patron_identities
from shared.contracts.envelope import Name
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.database import snapshot
from shared.runtime.http import PropertyPath, PropertyQuery, command_route, problems, require_role
from shared.runtime.http.roles import READ_PATRON_REPORTS
from shared.runtime.rows import find_row
from shared.runtime.sealing import SealError, wrapping_keys
from shared.runtime.service.service_context import ServiceContext

_WHAT: Final = "identity"
_PATRON: Final = "/patrons/{property}/{patron}"

IdentityReader = Annotated[str, require_role(READ_PATRON_REPORTS, MANAGE)]
ErasureReader = Annotated[str, require_role(READ_PATRON_REPORTS, ERASE, APPROVE_ERASURE)]
_PatronPath = Annotated[Name, Path(description="the patron")]


def identity_routes(context: ServiceContext) -> APIRouter:
    """Return the routes for patrons' identities."""
    router = APIRouter(tags=["patrons"])
    add, known = partial(command_route, router, context.commands), (Reason.NOT_FOUND, Reason.ALREADY_DECIDED)
    add = partial(add, subject=_PATRON)
    add(
        IdentifyPatron,
        _PATRON + "/identity",
        role=MANAGE,
        answers=PatronDocument,
        rejects=(*known, Reason.CONTRADICTS, Reason.NOT_READY),
        prepare=partial(_sealed, context),
    )
    add = partial(add, answers=ErasureDocument)
    entered = (*known, Reason.PATRON_EXCLUDED, Reason.TOO_EARLY)
    add(EnterErasure, _PATRON + "/erasure", role=ERASE, status=201, rejects=entered)
    decide, approved = partial(add, role=APPROVE_ERASURE, subject=_PATRON + "/erasure"), (*entered, Reason.SAME_PERSON)
    decide(ApproveErasure, _PATRON + "/erasure/approve", rejects=approved)
    decide(RejectErasure, _PATRON + "/erasure/reject", rejects=known)

    @router.get(
        _PATRON + "/identity",
        response_model_exclude_none=True,
        summary="Read the identity of a patron",
        responses=problems(Reason.NOT_FOUND, Reason.NOT_READY),
    )
    async def read_identity(
        response: Response, reader: IdentityReader, property_name: PropertyPath, patron: _PatronPath
    ) -> IdentityDocument:
        """Return a patron's documented identity, for the forms that law requires. The access is recorded."""
        response.headers["Cache-Control"] = "no-store"
        return await _identity(context, property_name, patron, reader)

    @router.get("/same-persons", summary="List references that are one person")
    async def list_same_persons(
        response: Response, reader: IdentityReader, property_name: PropertyQuery
    ) -> list[SamePersonDocument]:
        """List patron references that share a taxpayer number or document with others. Each access is recorded."""
        response.headers["Cache-Control"] = "no-store"
        async with snapshot(context.pools.readers) as connection:
            found = await one_person_each(connection, property_name)
        await record_looks(context, property_name, found, "identity", reader)
        return [SamePersonDocument(patron=one, same_person_as=tuple(others)) for one, others in found.items()]

    @router.get(
        _PATRON + "/erasure",
        response_model_exclude_none=True,
        summary="Read the erasure of a patron",
        responses=problems(Reason.NOT_FOUND),
    )
    async def read_erasure(reader: ErasureReader, property_name: PropertyPath, patron: _PatronPath) -> ErasureDocument:
        """Return the last erasure entered, with its status. The access is recorded."""
        missing = f"no erasure of patron {patron} at {property_name} was entered"
        async with snapshot(context.pools.readers) as connection:
            row = await find_row(connection, patron_erasures, missing, property=property_name, patron=patron)
        await record_look(context, property_name, patron, "erasure", reader)
        return ErasureDocument.of(row)

    return router


async def _identity(context: ServiceContext, property_name: str, patron: str, reader: str) -> IdentityDocument:
    """Return a patron's identity, after the access is recorded."""
    missing = f"nobody identified patron {patron} at {property_name}"
    keys = wrapping_keys(context.settings.patron_keys_file)
    async with snapshot(context.pools.readers) as connection:
        row = await find_row(connection, patron_identities, missing, property=property_name, patron=patron)
        key = await key_of(connection, keys, property_name, patron)
    await record_look(context, property_name, patron, "identity", reader)
    if row.identity is None:
        raise Rejected(Reason.NOT_FOUND, f"the identity of patron {patron} at {property_name} {ERASED}")
    if key is None:
        raise Rejected(Reason.NOT_FOUND, f"the key to the identity of patron {patron} at {property_name} is lost")
    try:
        identity = PatronIdentity.model_validate_json(key.open(row.identity, _WHAT))
    except SealError as error:
        raise Rejected(Reason.NOT_AS_RECORDED, str(error)) from error
    return IdentityDocument(
        property=property_name,
        patron=patron,
        identified_by=row.identified_by,
        identified_at=row.identified_at,
        identity=identity,
    )


async def _sealed(context: ServiceContext, command: IdentifyPatron, person: str, key: str) -> IdentifyPatron:
    """Return the command with the identity encrypted by the patron's key; the plain identity is not stored."""
    keys = wrapping_keys(context.settings.patron_keys_file)
    born = command.identity.date_of_birth
    if born is not None and born > context.clock().date():
        raise Rejected(Reason.CONTRADICTS, "the date of birth is in the future")
    text = command.identity.model_dump_json(exclude_none=True)
    own = await key_to_seal_with(context.pools.commands, keys, command.property, command.patron)
    sealed = None if own is None else own.seal(text, _WHAT)
    digests = digests_of(await digest_key(context.pools.commands, keys, command.property), command.identity)
    async with context.pools.commands.connect() as connection:
        others = await sharing(connection, command.property, command.patron, digests)
    return command.sealed(sealed, await asyncio.to_thread(fingerprint, text, person, key), digests, others)
