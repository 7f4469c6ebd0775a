"""Authorization of HTTP requests: the roles and properties in the caller's bearer token, and a route's requirements.

Tokens are verified elsewhere (shared.runtime.http.bearer_tokens). A route requires one of the roles that it names. It
also declares whose data it serves: that of the property named in its path, query or body; that of every property; that
of the caller's properties, which the route itself checks; or that of no property. Query parameters that a route does
not declare are refused.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, Protocol

from fastapi import Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.models import HTTPBearer
from fastapi.routing import APIRoute
from fastapi.security.base import SecurityBase
from pydantic import Field, TypeAdapter, ValidationError
from starlette.routing import Route

from shared.contracts.envelope import Contract, Person
from shared.contracts.json_text import require_members_once
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.http.roles import Role
from shared.runtime.http.segregation_of_duties import Conflict, conflict_among

ALL_PROPERTIES: Final = "*"
"""The wildcard among a caller's properties: all present and future properties."""

Whose = Literal["named", "every", "own", "none"]
"""Whose data a route serves.

`named`: the data of the property in its path, query or body, as the route declares it. `every`: the data of all
properties at once. `own`: the data of the caller's properties, which the route itself determines from the stored data.
`none`: data of no property, such as the text of regulations.
"""


class Caller(Contract):
    """An authenticated person with roles, properties (`*` for all), and the SHA-256 of the token."""

    person: Person
    token_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    roles: frozenset[str] = frozenset()
    properties: frozenset[str] = frozenset()

    @cached_property
    def conflict(self) -> Conflict | None:
        """Return the first two of the caller's roles that no one person may have together, or None."""
        return conflict_among(self.roles)

    def require_role(self, roles: frozenset[str]) -> None:
        """Check that the caller has any of the roles, and no conflicting roles. Raises: Rejected."""
        if (conflict := self.conflict) is not None:
            raise Rejected(Reason.ROLES_INCOMPATIBLE, f"{self.person} has {conflict}")
        if self.roles.isdisjoint(roles):
            names = " or ".join(f"'{name}'" for name in sorted(roles))
            raise Rejected(Reason.ROLE_MISSING, f"{self.person} does not have the role {names}")

    @property
    def own(self) -> frozenset[str] | None:
        """Return the properties that the caller works for, or None if the caller works for every property."""
        return None if ALL_PROPERTIES in self.properties else self.properties

    def require_properties(self, named: Iterable[str]) -> None:
        """Check that the caller works for all of these properties, or for every property if the list is empty.

        Raises: Rejected.
        """
        if ALL_PROPERTIES in self.properties:
            return
        wanted = set(named)
        if not wanted:
            detail = f"{self.person} does not work for every property: name one, or have it done by who does"
            raise Rejected(Reason.PROPERTY_MISSING, detail)
        if missing := sorted(wanted - self.properties):
            raise Rejected(Reason.PROPERTY_MISSING, f"{self.person} does not work for property {', '.join(missing)}")

    def require_properties_of(self, what: str, found: Iterable[str]) -> None:
        """Check that the caller works for all properties (`found`) of a resource that was requested by its number.

        `what` is the name of the resource. Raises: Rejected, with a message that does not name the properties.
        """
        if self.own is not None and (not (wanted := set(found)) or wanted - self.own):
            raise Rejected(Reason.PROPERTY_MISSING, f"{self.person} does not work for every property of {what}")


TOLD_WITHOUT_ONE: Final = "send 'Authorization: Bearer <token>'"
"""The problem detail for a request without a token."""


class Identities(Protocol):
    """Resolves bearer tokens to callers."""

    async def caller_of(self, token: str) -> Caller:
        """Return the caller that a token identifies; the token is empty if none was sent.

        Raises: Rejected if the token is invalid, or cannot be verified now.
        """


@dataclass(frozen=True, slots=True)
class Nobody:
    """Identities of a service without an OpenID provider: no caller is known."""

    async def caller_of(self, token: str) -> Caller:
        """Raise Rejected for every token, because no provider is configured."""
        del token
        raise Rejected(Reason.UNKNOWN_CALLER, "this service knows nobody: PITLEDGER_OIDC_ISSUER is not set")


def token_hash(token: str) -> str:
    """Return the SHA-256 of a token in hexadecimal, the only form in which tokens are kept."""
    return sha256(token.encode()).hexdigest()


async def caller_of(request: Request, known: Identities | None = None) -> Caller:
    """Return the caller that a request's bearer token identifies. Raises: Rejected.

    `known` resolves the token; by default, the identities of the app do.
    """
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    identities: Identities = known or request.app.state.identities
    return await identities.caller_of(token if scheme.lower() == "bearer" else "")


async def caller_with(request: Request, roles: frozenset[str]) -> Caller:
    """Return the caller of a request. Raises: Rejected if unknown, or without any of the roles."""
    caller = await caller_of(request)
    caller.require_role(roles)
    return caller


def properties_named(request: Request) -> set[str]:
    """Return the properties in a request's path and query, as declared by its route."""
    in_path: str | None = request.path_params.get("property")
    in_query: Iterable[str] = ()
    if request.scope["query_string"] and "property" in query_parameters(request.scope["route"]):
        in_query = request.query_params.getlist("property")
    return {*in_query, *(() if in_path is None else (in_path,))}


def query_parameters(route: APIRoute) -> frozenset[str]:
    """Return the names of the query parameters that a route declares."""
    return frozenset(parameter.alias for one in _dependants(route.dependant) for parameter in one.query_params)


def require_known_parameters(request: Request, known: frozenset[str]) -> None:
    """Check that a request has no query parameters other than `known`. Raises: RequestValidationError."""
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


def _require_readable(annotation: Any, body: bytes) -> None:
    """Check a body for two faults that the framework does not report: duplicate members, and too many mistakes to list.

    Raises: RequestValidationError.
    """
    try:
        require_members_once(body)
        _adapter(annotation).validate_json(body)
    except ValidationError as error:
        if (count := error.error_count()) > LISTED_MAX:
            raise RequestValidationError([too_many_mistakes(count)]) from None
    except ValueError as error:
        raise RequestValidationError([{"type": "member_twice", "loc": ("body",), "msg": str(error)}]) from error


@cache
def _adapter(annotation: Any) -> TypeAdapter[Any]:
    return TypeAdapter(annotation)


def too_many_mistakes(count: int) -> dict[str, Any]:
    """Return one error for all `count` mistakes, because describing each of them would block other requests."""
    told = f"{count} mistakes, too many to list: send what the OpenAPI document says"
    return {"type": "too_many_mistakes", "loc": ("body",), "msg": told}


LISTED_MAX: Final = 200
"""Maximum number of mistakes in a body that are listed; more are only counted."""

MISTAKES_MAX: Final = 20
"""Maximum number of unknown parameters or members reported for a request."""


class _Bearer(SecurityBase):
    """Security dependency: a bearer token of a person with one of the roles. Appears in OpenAPI as `bearer`."""

    def __init__(self, roles: frozenset[str], whose: Whose) -> None:
        self.scheme_name = "bearer"
        self.model = HTTPBearer(
            bearerFormat="JWT", description="a token of the OpenID provider; any of the roles listed is enough"
        )
        self._roles = roles
        self.whose = whose

    async def caller(self, request: Request) -> Caller:
        """Return the authorized caller of a request. Raises: Rejected, RequestValidationError."""
        caller = await caller_with(request, self._roles)
        route: APIRoute = request.scope["route"]
        require_known_parameters(request, query_parameters(route))
        if route.body_field is not None:
            _require_readable(route.body_field.field_info.annotation, await request.body())
        if self.whose == "named":
            caller.require_properties(properties_named(request))
        elif self.whose == "every":
            caller.require_properties(())
        return caller

    async def __call__(self, request: Request) -> Any:
        caller = await self.caller(request)
        return caller if self.whose == "own" else caller.person


def require_role(*roles: Role, whose: Literal["named", "every", "none"] = "named") -> Any:
    """Return a dependency that requires any of the roles, and yields the caller's name.

        Reader = Annotated[str, require_role(READ_REPORTS, PAY_OUT)]

    The caller must work for the property that path or query names, or for all properties if neither names one. Raises:
    ValueError without a role, because a route that needs no role needs no caller.
    """
    return _with(roles, whose)


def caller_for_own(*roles: Role) -> Any:
    """Return a dependency that requires any of the roles, and yields the `Caller`.

    The route itself checks the caller against the property of the stored data. Raises: ValueError without a role.
    """
    return _with(roles, "own")


def _with(roles: Iterable[Role], whose: Whose) -> Any:
    names = [role.name for role in roles]
    if not names:
        raise ValueError("name a role; what everybody may read takes no person")
    return Security(_Bearer(frozenset(names), whose), scopes=names)


def whose_data(route: APIRoute) -> Whose | None:
    """Return the route's declaration of whose data it serves, or None if it needs no caller.

    Raises: ValueError if it declares two.
    """
    calls = [one.call for one in _dependants(route.dependant)]
    found = {call.whose for call in calls if isinstance(call, _Bearer)}
    if len(found) > 1:
        raise ValueError(f"{route.path} is about the data of {' and of '.join(sorted(found))}")
    return found.pop() if found else None


def require_property_declared(route: Route, whose: Whose | None, *, is_named: bool) -> None:
    """Check that a route names a property in path, query or body exactly if it serves the named property's data.

    `is_named` states whether the route names a property. Raises: ValueError on a mismatch.
    """
    if whose is not None and is_named != (whose == "named"):
        what = "names a property" if is_named else "names no property in path, query or body"
        raise ValueError(f"{sorted(route.methods or ())} {route.path} {what}, and is about data of: {whose}")


def require_parameters_declared(route: APIRoute) -> None:
    """Check that a route's parameters match the declaration of whose data it serves. Raises: ValueError."""
    is_named = "property" in query_parameters(route) or "{property}" in route.path
    require_property_declared(route, whose_data(route), is_named=is_named)


def _dependants(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for one in dependant.dependencies:
        yield from _dependants(one)
