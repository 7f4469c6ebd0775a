"""Logins that have begun: what must come back is kept in the browser, sealed, so that nothing here can be filled up."""

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
"""How long somebody may take to log in."""
_NONCE_BYTES: Final = 12
_THEN_MAX: Final = 1500
"""Characters of a page to come back to, so that the cookie is one that browsers keep; what is longer begins at home."""
_ENDED_MAX: Final = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """A login that has begun: what must come back, and where the person wanted to go."""

    state: str
    nonce: str
    verifier: str
    """What only this browser and this process know, and prove to the provider (RFC 7636)."""
    then: str
    begun_at: float
    """Seconds since 1970."""


_login: Final = TypeAdapter(Login)


class Begun:
    """Seals logins for the browsers in which they begin, and opens each of them once.

    The key is this process's own: a login that began before a restart is begun again.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._cipher = AESGCM(AESGCM.generate_key(bit_length=256))
        self._ended: OrderedDict[str, None] = OrderedDict()

    def begin(self, then: str) -> tuple[Login, str]:
        """Return a login, and the cookie that its browser keeps."""
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
        """Return the login of a browser that comes back with this state, once.

        None where it began in another browser or another process, took too long, or has ended.
        """
        login = self._opened(cookie)
        if login is None or not compare_digest(login.state.encode(), state.encode()) or state in self._ended:
            return None
        self._ended[state] = None
        while len(self._ended) > _ENDED_MAX:  # the provider refuses a code of these a second time, too
            self._ended.popitem(last=False)
        return login if self._clock().timestamp() - login.begun_at <= LOGIN.total_seconds() else None

    def _opened(self, cookie: str) -> Login | None:
        """Return what this process sealed; None for anything else."""
        try:
            sealed = urlsafe_b64decode(cookie.encode("ascii"))
            opened = self._cipher.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], None)
        except (ValueError, InvalidTag):
            return None
        return _login.validate_json(opened)
