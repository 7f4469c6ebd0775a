"""Who may call the HTTP interfaces: named people with tokens, kept as hashes.

The tokens file is YAML, one item per person:

    - person: jane.roe
      token_sha256: 5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8
      roles: [submit]

Without a file nobody is known, and everything that needs a person is refused.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Annotated

import yaml
from fastapi import HTTPException, Request
from pydantic import Field, StringConstraints, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Person
from shared.runtime.errors import Stop


class Caller(Contract):
    """A person with the hash of a token, and what the person may do."""

    person: Person
    token_sha256: Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
    roles: frozenset[str] = Field(default=frozenset())


_callers: TypeAdapter[tuple[Caller, ...]] = TypeAdapter(tuple[Caller, ...])


def load_callers(path: Path | None) -> Sequence[Caller]:
    """The people of a tokens file; nobody without one. Raises Stop where the file is not what it should be."""
    if path is None:
        return ()
    try:
        return _callers.validate_python(yaml.safe_load(path.read_text()) or ())
    except (OSError, yaml.YAMLError, ValidationError) as error:
        raise Stop(f"{path} does not say who may call: {error}") from error


def token_hash(token: str) -> str:
    """What the tokens file keeps of a token."""
    return sha256(token.encode()).hexdigest()


def caller_of(request: Request) -> Caller:
    """Who calls, by the bearer token. Raises: HTTPException 401 where that is nobody known."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token:
        raise HTTPException(401, "send 'Authorization: Bearer <token>'", {"WWW-Authenticate": "Bearer"})
    digest = token_hash(token)
    callers: Sequence[Caller] = request.app.state.callers
    for caller in callers:
        if compare_digest(caller.token_sha256, digest):
            return caller
    raise HTTPException(401, "the token is not known", {"WWW-Authenticate": "Bearer"})


def caller_with(role: str) -> Callable[[Request], str]:
    """A FastAPI dependency that gives the name of the person who calls, if that person has the role."""

    def dependency(request: Request) -> str:
        caller = caller_of(request)
        if role not in caller.roles:
            raise HTTPException(403, f"{caller.person} does not have the role '{role}'")
        return caller.person

    return dependency
