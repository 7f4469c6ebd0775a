"""The sessions of logged-in people, in the memory of this process.

The browser stores only the session's name, which is new at each login and invalid after logout. Restarting the console
logs everybody out; with single sign-on, the next login is one redirect.
"""

import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from hmac import compare_digest
from typing import Final

from shared.runtime.clock import Clock
from shared.runtime.http.access import ALL_PROPERTIES, Caller

IDLE: Final = timedelta(minutes=30)
"""Maximum idle time of a session."""
LIFE: Final = timedelta(hours=12)
"""Maximum duration of a session: a shift with its hand-over."""
_SESSIONS_MAX: Final = 10_000


def _name() -> str:
    return secrets.token_urlsafe(32)


@dataclass(slots=True, kw_only=True)
class Session:
    """A logged-in person's session, with the token that is sent with every request."""

    caller: Caller
    token: str
    token_ends: datetime
    refresh_token: str | None
    id_token: str
    begun_at: datetime
    seen_at: datetime
    name: str = field(default_factory=_name)
    csrf: str = field(default_factory=_name)
    """The CSRF token in every form of this session."""

    @property
    def person(self) -> str:
        """Return the name of the person."""
        return self.caller.person

    def may(self, *roles: str) -> bool:
        """Return whether the person has any of these roles; the services check the token again."""
        return self.caller.conflict is None and not self.caller.roles.isdisjoint(roles)

    def works_for(self, property_name: str) -> bool:
        """Return whether the person works for a property."""
        return not self.caller.properties.isdisjoint({ALL_PROPERTIES, property_name})

    def is_own(self, csrf: str) -> bool:
        """Return whether a CSRF token is that of this session."""
        return compare_digest(self.csrf.encode(), csrf.encode())


class Sessions:
    """The live sessions by name."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._sessions: OrderedDict[str, Session] = OrderedDict()

    def open(
        self, caller: Caller, *, token: str, token_ends: datetime, refresh_token: str | None, id_token: str
    ) -> Session:
        """Return a new session of a person."""
        now = self._clock()
        session = Session(
            caller=caller,
            token=token,
            token_ends=token_ends,
            refresh_token=refresh_token,
            id_token=id_token,
            begun_at=now,
            seen_at=now,
        )
        self._sessions[session.name] = session
        while len(self._sessions) > _SESSIONS_MAX:
            self.close(next(iter(self._sessions)))
        return session

    def find(self, name: str, *, seen: bool = True) -> Session | None:
        """Return a live session, or None. With `seen`, the look-up counts as activity and resets the idle timeout."""
        session = self._sessions.get(name)
        if session is None:
            return None
        now = self._clock()
        if now - session.seen_at > IDLE or now - session.begun_at > LIFE:
            self.close(name)
            return None
        if seen:
            session.seen_at = now
            self._sessions.move_to_end(name)
        return session

    def close(self, name: str) -> None:
        """End a session if it exists."""
        self._sessions.pop(name, None)
