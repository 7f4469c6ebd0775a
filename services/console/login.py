"""Routes of login and logout, and renewal of the sessions' tokens before they expire."""

import asyncio
from datetime import timedelta
from typing import Final

import structlog
from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse, Response

from services.console.begun import LOGIN
from services.console.console import Console, LoginNeeded, console_of, page, require_own_form, session_of
from services.console.protection import local_path
from services.console.provider import Granted, LoginRefused
from services.console.sessions import LIFE, Session
from shared.contracts.rejection import Rejected
from shared.runtime.http.access import Caller

log = structlog.get_logger()

_SOON: Final = timedelta(seconds=60)


class Logins:
    """Opens and renews sessions with tokens of the identity provider."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._renewing = asyncio.Lock()

    async def let_in(self, granted: Granted) -> Session:
        """Return a new session for the person named by the token. Raises: LoginRefused."""
        return self._console.sessions.open(
            await self._caller(granted.token),
            token=granted.token,
            token_ends=granted.ends,
            refresh_token=granted.refresh_token,
            id_token=granted.id_token or "",
        )

    async def renewed(self, session: Session) -> Session:
        """Return the session, its token renewed if it expires soon; end it if the token is revoked or expired.

        Raises: LoginNeeded.
        """
        try:
            if session.refresh_token is not None and self._ends_soon(session):
                async with self._renewing:
                    if self._ends_soon(session):
                        await self._renew(session)
            session.caller = await self._caller(session.token)
        except LoginRefused as refused:
            log.info("session ended", person=session.person, why=str(refused))
            self._console.sessions.close(session.name)
            raise LoginNeeded from None
        return session

    def _ends_soon(self, session: Session) -> bool:
        return self._console.clock() > session.token_ends - _SOON

    async def _renew(self, session: Session) -> None:
        granted = await self._console.provider.refresh(session.refresh_token or "")
        session.token, session.token_ends = granted.token, granted.ends
        session.refresh_token = granted.refresh_token or session.refresh_token

    async def _caller(self, token: str) -> Caller:
        try:
            return await self._console.tokens.caller_of(token)
        except Rejected as rejected:
            raise LoginRefused.of(rejected) from None


def routes() -> APIRouter:
    """Return the routes of login and logout."""
    router = APIRouter()

    @router.get("/login")
    async def login(request: Request, then: str = "/") -> Response:
        console = console_of(request)
        begun, cookie = console.begun.begin(local_path(then))
        try:
            address = await console.provider.address(
                state=begun.state, nonce=begun.nonce, verifier=begun.verifier, back=console.back
            )
        except LoginRefused as refused:
            return page(request, "login.html", status=refused.status, why=str(refused))
        response = RedirectResponse(address, status_code=303)
        _set(response, console, console.login_cookie, cookie, seconds=int(LOGIN.total_seconds()))
        return response

    @router.get("/login/back")
    async def back(request: Request, code: str = "", state: str = "", error: str = "") -> Response:
        console = console_of(request)
        begun = console.begun.end(state, request.cookies.get(console.login_cookie, ""))
        if begun is None:
            return page(request, "login.html", status=400, why="")
        if error or not code:
            return page(request, "login.html", status=403, why=error[:200])
        try:
            granted = await console.provider.redeem(code, verifier=begun.verifier, nonce=begun.nonce, back=console.back)
            session = await request.app.state.logins.let_in(granted)
        except LoginRefused as refused:
            log.warning("login refused", why=str(refused))
            return page(request, "login.html", status=refused.status, why=str(refused))
        if (before := session_of(request)) is not None:
            console.sessions.close(before.name)  # a session from before the login must not remain usable
        log.info("logged in", person=session.person)
        response = RedirectResponse(begun.then, status_code=303)
        _set(response, console, console.cookie, session.name, seconds=int(LIFE.total_seconds()))
        _set(response, console, console.login_cookie, "", seconds=0)
        return response

    @router.post("/logout")
    async def logout(request: Request) -> Response:
        console, session = console_of(request), session_of(request)
        if session is None:
            return RedirectResponse("/bye", status_code=303)
        await require_own_form(request, console, session)
        console.sessions.close(session.name)
        log.info("logged out", person=session.person)
        farewell = await console.provider.farewell(session.id_token, f"{console.url}/bye")
        response = RedirectResponse(farewell, status_code=303)
        _set(response, console, console.cookie, "", seconds=0)
        return response

    @router.get("/bye")
    async def bye(request: Request) -> Response:
        return page(request, "bye.html")

    return router


def _set(response: Response, console: Console, name: str, value: str, *, seconds: int) -> None:
    """Set an HttpOnly, SameSite=Lax cookie; with zero seconds, delete it."""
    response.set_cookie(name, value, max_age=seconds, path="/", httponly=True, secure=console.secure, samesite="lax")
