"""Who may call the HTTP interfaces: a person with roles and properties, as a bearer token says, and what routes take.

Which tokens there are is another matter: those of an OpenID provider (shared.runtime.web.tokens). A route takes one of
the roles that it names, and the property that the request names; one that names no property takes every property.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Final, Protocol

from fastapi import Request, Security
from fastapi.openapi.models import HTTPBearer
from fastapi.security.base import SecurityBase
from pydantic import Field

from shared.contracts.envelope import Contract, Person
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.web.duties import Conflict, conflict_among
from shared.runtime.web.roles import Role

ALL_PROPERTIES: Final = "*"
"""Among the properties of a caller: those that there are, and those that will be."""


class Caller(Contract):
    """A person who calls: the roles, the properties (`*` for all), and the hash of the token."""

    person: Person
    token_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    roles: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()

    @cached_property
    def conflict(self) -> Conflict | None:
        """Return two roles that one person must never have together; None where there are no such two."""
        return conflict_among(self.roles)

    def require_role(self, roles: frozenset[str]) -> None:
        """Let somebody with any of the roles pass. Raises: Rejected, also with roles that exclude each other."""
        if (conflict := self.conflict) is not None:
            raise Rejected(Reason.ROLES_INCOMPATIBLE, f"{self.person} has {conflict}")
        if self.roles.isdisjoint(roles):
            names = " or ".join(f"'{name}'" for name in sorted(roles))
            raise Rejected(Reason.ROLE_MISSING, f"{self.person} does not have the role {names}")

    def require_properties(self, named: Iterable[str]) -> None:
        """Let somebody pass who works for all of these; for none, whoever works for every one. Raises: Rejected."""
        if ALL_PROPERTIES in self.properties:
            return
        wanted = set(named)
        if not wanted:
            detail = f"{self.person} does not work for every property: name one, or have it done by who does"
            raise Rejected(Reason.PROPERTY_MISSING, detail)
        if missing := sorted(wanted - self.properties):
            raise Rejected(Reason.PROPERTY_MISSING, f"{self.person} does not work for property {', '.join(missing)}")


TOLD_WITHOUT_ONE: Final = "send 'Authorization: Bearer <token>'"
"""What somebody is told who sends no token."""


class Identities(Protocol):
    """Those who know whose token it is."""

    async def caller_of(self, token: str) -> Caller:
        """Return whose token it is; it is empty where none was sent.

        Raises: Rejected where it is nobody's, or cannot be said now.
        """


@dataclass(frozen=True, slots=True)
class Nobody:
    """Identities of a service that was told of no provider: nobody is known."""

    async def caller_of(self, token: str) -> Caller:
        """Raise Rejected."""
        del token
        raise Rejected(Reason.UNKNOWN_CALLER, "this service knows nobody: PITLEDGER_OIDC_ISSUER is not set")


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal: what is kept of it."""
    return sha256(token.encode()).hexdigest()


async def caller_of(request: Request) -> Caller:
    """Return who calls, by the bearer token. Raises: Rejected where that is nobody known."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    identities: Identities = request.app.state.identities
    return await identities.caller_of(token if scheme.lower() == "bearer" else "")


async def caller_with(request: Request, roles: frozenset[str]) -> Caller:
    """Return who calls. Raises: Rejected for nobody known, or without any of the roles."""
    caller = await caller_of(request)
    caller.require_role(roles)
    return caller


def properties_named(request: Request) -> set[str]:
    """Return the properties that the path and the query of a request name."""
    in_path: str | None = request.path_params.get("property")
    in_query = request.query_params.getlist("property") if request.scope["query_string"] else ()
    return {*in_query, *(() if in_path is None else (in_path,))}


class _Bearer(SecurityBase):
    """A bearer token of a person who has one of the roles; it stands in the OpenAPI document as `bearer`."""

    def __init__(self, roles: frozenset[str], *, of_property: bool) -> None:
        self.scheme_name = "bearer"
        self.model = HTTPBearer(
            bearerFormat="JWT", description="a token of the OpenID provider; any of the roles listed is enough"
        )
        self._roles = roles
        self._of_property = of_property

    async def __call__(self, request: Request) -> str:
        caller = await caller_with(request, self._roles)
        if self._of_property:
            caller.require_properties(properties_named(request))
        return caller.person


def person_with(*roles: Role, of_property: bool = True) -> Any:
    """Return a dependency that gives the name of the person who calls, if that person has any of the roles.

        Reader = Annotated[str, person_with(READ_REPORTS, PAY_OUT)]

    The person must work for the property that the request names, and for all where it names none; `of_property=False`
    is for what belongs to no property, such as the text of regulations.
    Raises: ValueError without a role: whatever needs no role needs no person.
    """
    if not roles:
        raise ValueError("name a role; what everybody may read takes no person")
    names = [role.name for role in roles]
    return Security(_Bearer(frozenset(names), of_property=of_property), scopes=names)
