"""The revocation list: tokens and people that are locked out at once, in a file that is reloaded when it changes.

The file is YAML, with one item per token or person:

    - person: jane.roe
      issued_before: 2026-11-22T18:00:00-05:00
    - token_sha256: 5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8

While the file cannot be read, all requests are denied.
"""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import structlog
import yaml
from pydantic import AwareDatetime, Field, TypeAdapter, ValidationError

from shared.contracts.envelope import Contract, Person
from shared.contracts.people import canonical_person
from shared.contracts.rejection import Reason, Rejected
from shared.rules.packaged import parsed

log = structlog.get_logger()


class RevokedPerson(Contract):
    """Revokes all tokens of a person that were issued before a given time."""

    person: Person
    issued_before: AwareDatetime


class RevokedToken(Contract):
    """Revokes one token, by its SHA-256 in hexadecimal."""

    token_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


_items: TypeAdapter[tuple[RevokedPerson | RevokedToken, ...]] = TypeAdapter(tuple[RevokedPerson | RevokedToken, ...])


class Revoked:
    """The revoked tokens and people; without a file there are none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._state: tuple[int, int, int] | None = None
        self._tokens: frozenset[str] = frozenset()
        self._persons: dict[str, datetime] = {}
        self._error: str | None = None

    async def check(self) -> str | None:
        """Return why the file cannot be used, or None."""
        self._look()
        return self._error

    def is_revoked(self, person: str, token_sha256: str, issued_at: datetime) -> bool:
        """Return whether a token is revoked. Raises: Rejected if the file cannot be read."""
        self._look()
        if self._error is not None:
            raise Rejected(Reason.TRY_AGAIN, "who is locked out cannot be read; the log of the service says why")
        before = self._persons.get(canonical_person(person))
        return token_sha256 in self._tokens or (before is not None and issued_at < before)

    def _look(self) -> None:
        """Reload the file if it has changed."""
        if self._path is None:
            return
        try:
            found = self._path.stat()
            state = (found.st_ino, found.st_mtime_ns, found.st_size)
            if state == self._state:
                return
            items = _items.validate_python(parsed(self._path.read_text()) or ())
        except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError) as error:
            wrong = f"{self._path} does not say who is locked out: {error}"
            if wrong != self._error:
                log.error("revocation list unreadable, denying all requests", error=wrong)
            self._error, self._state = wrong, None
            return
        persons: dict[str, datetime] = {}
        for one in items:
            if isinstance(one, RevokedPerson):
                person = canonical_person(one.person)
                persons[person] = max(one.issued_before, persons.get(person, one.issued_before))
        self._tokens = frozenset(one.token_sha256 for one in items if isinstance(one, RevokedToken))
        self._persons, self._error, self._state = persons, None, state
        log.info("revocation list reloaded", tokens=len(self._tokens), persons=len(persons))
