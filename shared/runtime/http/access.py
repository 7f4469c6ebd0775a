"""Who may call the HTTP interfaces: a person with roles and properties, as a bearer token says, and what routes take.

Which tokens there are is another matter: those of an OpenID provider (shared.runtime.http.bearer_tokens). A route
takes one of the roles that it names, and declares whose data it is about: those of the property that its path, query
or body names; those of every property; those of the caller's own properties, which it looks up itself; or what belongs
to none. Nothing is looked at that a route does not declare, and a query parameter that it does not know is refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Protocol

from fastapi import Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.models import HTTPBearer
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from pydantic import Field

from shared.contracts.envelope import Contract, Person
from shared.contracts.json_text import require_members_once
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.http.roles import Role
from shared.runtime.http.segregation_of_duties import Conflict, conflict_among

ALL_PROPERTIES: Final = "*"
"""Among the properties of a caller: those that there are, and those that will be."""

Whose = Literal["named", "every", "own", "none"]
"""Whose data a route is about.

`named`: those of the property that its path, its query or its body names, as the route declares it. `every`: those of
all properties at once. `own`: those of the caller's properties, as what is stored says; the route asks the caller.
`none`: what belongs to no property, such as the text of regulations.
"""


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

    @property
    def own(self) -> frozenset[str] | None:
        """Return the properties for which the caller works; None for every one."""
        return None if ALL_PROPERTIES in self.properties else self.properties

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

    def require_properties_of(self, what: str, found: Iterable[str]) -> None:
        """Let somebody pass who works for all properties that something names which was asked for by a number.

        Raises: Rejected, without a word of which properties those are.
        """
        if self.own is not None and (not (wanted := set(found)) or wanted - self.own):
            raise Rejected(Reason.PROPERTY_MISSING, f"{self.person} does not work for every property of {what}")


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
    """Return the properties that path and query of a request name, as far as its route declares them."""
    in_path: str | None = request.path_params.get("property")
    in_query: Iterable[str] = ()
    if request.scope["query_string"] and "property" in query_parameters(request.scope["route"]):
        in_query = request.query_params.getlist("property")
    return {*in_query, *(() if in_path is None else (in_path,))}


def query_parameters(route: APIRoute) -> frozenset[str]:
    """Return the names of the query parameters that a route declares."""
    return frozenset(parameter.alias for one in _dependants(route.dependant) for parameter in one.query_params)


def require_known_parameters(request: Request, known: frozenset[str]) -> None:
    """Let a request pass whose query has no other parameters than these. Raises: RequestValidationError."""
    if not request.scope["query_string"]:
        return
    if unknown := sorted(request.query_params.keys() - known):
        allowed = f"this route knows {', '.join(sorted(known))}" if known else "this route knows none"
        raise RequestValidationError(
            [
                {"type": "extra_forbidden", "loc": ("query", name), "msg": f"unknown query parameter; {allowed}"}
                for name in unknown[:MISTAKES_MAX]
            ]
        )


def _require_members_once(body: bytes) -> None:
    """Let a body pass that the framework has read. Raises: RequestValidationError where it has a member twice."""
    try:
        require_members_once(body)
    except ValueError as error:
        raise RequestValidationError([{"type": "member_twice", "loc": ("body",), "msg": str(error)}]) from error


MISTAKES_MAX: Final = 20
"""So many of the mistakes of a request are told."""


class _Bearer(SecurityBase):
    """A bearer token of a person who has one of the roles; it stands in the OpenAPI document as `bearer`."""

    def __init__(self, roles: frozenset[str], whose: Whose) -> None:
        self.scheme_name = "bearer"
        self.model = HTTPBearer(
            bearerFormat="JWT", description="a token of the OpenID provider; any of the roles listed is enough"
        )
        self._roles = roles
        self.whose = whose

    async def caller(self, request: Request) -> Caller:
        """Return who calls, if that person may. Raises: Rejected, RequestValidationError."""
        caller = await caller_with(request, self._roles)
        route: APIRoute = request.scope["route"]
        require_known_parameters(request, query_parameters(route))
        if route.body_field is not None:
            _require_members_once(await request.body())
        if self.whose == "named":
            caller.require_properties(properties_named(request))
        elif self.whose == "every":
            caller.require_properties(())
        return caller

    async def __call__(self, request: Request) -> Any:
        caller = await self.caller(request)
        return caller if self.whose == "own" else caller.person


def require_role(*roles: Role, whose: Literal["named", "every", "none"] = "named") -> Any:
    """Return a dependency that gives the name of the person who calls, if that person has any of the roles.

        Reader = Annotated[str, require_role(READ_REPORTS, PAY_OUT)]

    The person must work for the property that path or query of the request name, and for all where they name none.
    Raises: ValueError without a role: whatever needs no role needs no person.
    """
    return _with(roles, whose)


def caller_for_own(*roles: Role) -> Any:
    """Return a dependency that gives the `Caller`, if that person has any of the roles: whose data may be seen.

    The route asks it: what is stored says to which property it belongs. Raises: ValueError without a role.
    """
    return _with(roles, "own")


def _with(roles: Iterable[Role], whose: Whose) -> Any:
    names = [role.name for role in roles]
    if not names:
        raise ValueError("name a role; what everybody may read takes no person")
    return Security(_Bearer(frozenset(names), whose), scopes=names)


def whose_data(route: APIRoute) -> Whose | None:
    """Return whose data a route is about; None for one that takes no person."""
    calls = [one.call for one in _dependants(route.dependant)]
    found = {call.whose for call in calls if isinstance(call, _Bearer)}
    if len(found) > 1:
        raise ValueError(f"{route.path} is about the data of {' and of '.join(sorted(found))}")
    return found.pop() if found else None


def require_property_declared(route: APIRoute, in_body: bool = False) -> None:
    """Let a route pass that says whose data it is about, as its parameters do.

    `in_body`: its body names the property. Raises: ValueError for one that does not.
    """
    whose = whose_data(route)
    is_named: bool = in_body or "property" in query_parameters(route) or "{property}" in route.path
    if whose is not None and is_named != (whose == "named"):
        what = "names a property" if is_named else "names no property in path, query or body"
        raise ValueError(f"{sorted(route.methods or ())} {route.path} {what}, and is about data of: {whose}")


def _dependants(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for one in dependant.dependencies:
        yield from _dependants(one)
