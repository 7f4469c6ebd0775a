"""Logins in progress, stored encrypted in the browser, so that unfinished logins cannot exhaust the server's memory."""

import os
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import OrderedDict
from dataclasses import asdict, dataclass
from datetime import timedelta
from hmac import compare_digest
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from pydantic import TypeAdapter
from pydantic_core import to_json

from shared.runtime.clock import Clock

LOGIN: Final = timedelta(minutes=10)
"""Maximum duration of a login."""
_NONCE_BYTES: Final = 12
_THEN_MAX: Final = 1500
"""Maximum bytes of the URL to return to, so that browsers accept the cookie; a longer URL becomes the home page."""
_ENDED_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login in progress: the state expected from the provider, and the page to return to."""

    state: str
    nonce: str
    verifier: str
    """The PKCE verifier (RFC 7636), known only to this browser and this process."""
    then: str
    begun_at: float
    """Start of the login, in seconds since 1970."""


_login: Final = TypeAdapter(Login)


class Begun:
    """Encrypts login state for the browser in which the login begins, and accepts each login once.

    The key exists only in this process: after a restart, a login in progress must be started again.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._cipher = AESGCM(AESGCM.generate_key(bit_length=256))
        self._ended: OrderedDict[str, None] = OrderedDict()

    def begin(self, then: str) -> tuple[Login, str]:
        """Return a new login, and the cookie with its encrypted state."""
        login = Login(
            state=secrets.token_urlsafe(32),
            nonce=secrets.token_urlsafe(32),
            verifier=secrets.token_urlsafe(48),
            then=then if len(then.encode()) <= _THEN_MAX else "/",
            begun_at=self._clock().timestamp(),
        )
        nonce = os.urandom(_NONCE_BYTES)
        return login, urlsafe_b64encode(nonce + self._cipher.encrypt(nonce, to_json(asdict(login)), None)).decode()

    def end(self, state: str, cookie: str) -> Login | None:
        """Return the login that `state` and `cookie` identify; each login is accepted only once.

        None if the login began in another browser or process, took too long, or has already ended.
        """
        login = self._opened(cookie)
        if login is None or not compare_digest(login.state.encode(), state.encode()) or state in self._ended:
            return None
        self._ended[state] = None
        while len(self._ended) > _ENDED_MAX:  # the provider, too, redeems their codes only once
            self._ended.popitem(last=False)
        return login if self._clock().timestamp() - login.begun_at <= LOGIN.total_seconds() else None

    def _opened(self, cookie: str) -> Login | None:
        """Return the decrypted login; None if this process did not encrypt it."""
        try:
            sealed = urlsafe_b64decode(cookie.encode("ascii"))
            opened = self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
        except (ValueError, InvalidTag):
            return None
        return _login.validate_json(opened)
