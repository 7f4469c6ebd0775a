"""Who may call the HTTP interfaces: named people with tokens, kept as hashes, and the roles that a route takes.

The tokens file is YAML, one item per person:

    - person: jane.roe
      token_sha256: 5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8
      roles: [submissions.file]

Without a file nobody is known, and everything that needs a person is rejected.
"""

from collections.abc import Sequence
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Annotated, Any

import yaml
from fastapi import Request, Security
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Person
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.errors import Stop
from shared.runtime.web.roles import Role


class Caller(Contract):
    """A person with the hash of a token, and the roles that the person has."""

    person: Person
    token_sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    roles: frozenset[str] = Field(default=frozenset())


_callers: TypeAdapter[tuple[Caller, ...]] = TypeAdapter(tuple[Caller, ...])


def load_callers(path: Path | None) -> Sequence[Caller]:
    """Return the people of a tokens file; nobody without one. Raises: Stop where the file is not as it should be."""
    if path is None:
        return ()
    try:
        return _callers.validate_python(yaml.safe_load(path.read_text()) or ())
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise Stop(f"{path} does not say who may call: {error}") from error


def token_hash(token: str) -> str:
    """Return what the tokens file keeps of a token."""
    return sha256(token.encode()).hexdigest()


def caller_of(request: Request) -> Caller:
    """Return who calls, by the bearer token. Raises: Rejected where that is nobody known."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise Rejected(Reason.UNKNOWN_CALLER, "send 'Authorization: Bearer <token>'")
    digest = token_hash(token)
    callers: Sequence[Caller] = request.app.state.callers
    for caller in callers:
        if compare_digest(caller.token_sha256, digest):
            return caller
    raise Rejected(Reason.UNKNOWN_CALLER, "the token is not known")


def person_of(request: Request, roles: frozenset[str]) -> str:
    """Return the name of the person who calls. Raises: Rejected for nobody known, or without any of the roles."""
    caller = caller_of(request)
    if caller.roles.isdisjoint(roles):
        names = " or ".join(f"'{name}'" for name in sorted(roles))
        raise Rejected(Reason.ROLE_MISSING, f"{caller.person} does not have the role {names}")
    return caller.person


class _Bearer(SecurityBase):
    """A bearer token of a person who has one of the roles; it stands in the OpenAPI document as `bearer`."""

    def __init__(self, roles: frozenset[str]) -> None:
        self.scheme_name = "bearer"
        self.model = HTTPBearer(description="a token of the tokens file; any of the roles listed is enough")
        self._roles = roles

    async def __call__(self, request: Request) -> str:
        return person_of(request, self._roles)


def person_with(*roles: Role) -> Any:
    """Return a dependency that gives the name of the person who calls, if that person has any of the roles.

        Reader = Annotated[str, person_with(READ_REPORTS, PAY_OUT)]

    Raises: ValueError without a role: whatever needs no role needs no person.
    """
    if not roles:
        raise ValueError("name a role; what everybody may read takes no person")
    names = [role.name for role in roles]
    return Security(_Bearer(frozenset(names)), scopes=names)
