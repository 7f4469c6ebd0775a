"""Logging in and out: what another browser, another site or an old login cannot do."""

import asyncio
from datetime import timedelta
from http.cookies import SimpleCookie
from pathlib import Path
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
from joserfc import jwt
from joserfc.jwk import ECKey

from services.console.sessions import IDLE, LIFE
from shared.local.issuer import DevelopmentIssuer
from tests.support.console import PEOPLE, URL, Browser, Stage, console_stage


def picked(stage: Stage, person: str, address: str) -> str:
    """Return where the provider sends the browser of a person who picked a name."""
    back = stage.issuer.code_for(person, dict(parse_qsl(urlsplit(address).query)))
    assert back is not None
    return back


def assert_out(browser: Browser) -> None:
    """Nobody is logged in with this browser: the first page sends to the login."""
    assert (303, "/login?then=%2F") == ((answer := browser.get("/")).status_code, answer.headers["location"])


def cookies_of(answer: httpx.Response) -> SimpleCookie:
    """Return the cookies that an answer sets."""
    found = SimpleCookie()
    for one in answer.headers.get_list("set-cookie"):
        found.load(one)
    return found


def test_a_login_ends_where_it_began(stage: Stage) -> None:
    """Who logs in comes back to the page that was asked for, as the person whom the provider names."""
    browser = stage.browser()
    asked = browser.get("/do/table-inventory/request-slip?table=BJ-01")
    assert 303 == asked.status_code
    then = dict(parse_qsl(urlsplit(asked.headers["location"]).query))["then"]
    answer = browser.log_in("pit.pat", then)
    assert "/do/table-inventory/request-slip?table=BJ-01" == answer.headers["location"]
    assert "<span>pit.pat</span>" in browser.get(then).text


def test_a_login_of_another_browser_lets_nobody_in(stage: Stage) -> None:
    """Login CSRF: an answer of the provider counts only in the browser in which its login began, and only there."""
    attacker, victim = stage.browser(), stage.browser()
    back = picked(stage, "pit.sam", attacker.begin_login())
    for before in ("nothing", "a login of its own"):
        if before == "a login of its own":
            victim.begin_login()
        assert 400 == victim.get(back).status_code, before
        assert_out(victim)
    assert 303 == attacker.get(back).status_code


def test_an_answer_of_the_provider_counts_once(stage: Stage) -> None:
    """Neither the same answer again, nor its code under a later login, opens a second session."""
    browser = stage.browser()
    back = picked(stage, "pit.pat", browser.begin_login())
    assert 303 == browser.get(back).status_code
    assert 400 == browser.get(back).status_code
    other = stage.browser()
    state = dict(parse_qsl(urlsplit(other.begin_login()).query))["state"]
    code = dict(parse_qsl(urlsplit(back).query))["code"]
    assert 403 == other.get(f"/login/back?{urlencode({'code': code, 'state': state})}").status_code
    assert_out(other)


def test_a_code_of_another_login_is_worth_nothing(stage: Stage) -> None:
    """A stolen code that was not used yet: the thief's login has another verifier (RFC 7636)."""
    victim, thief = stage.browser(), stage.browser()
    stolen = dict(parse_qsl(urlsplit(picked(stage, "pit.sam", victim.begin_login())).query))["code"]
    state = dict(parse_qsl(urlsplit(thief.begin_login()).query))["state"]
    answer = thief.get(f"/login/back?{urlencode({'code': stolen, 'state': state})}")
    assert (403, "gives no token") == (answer.status_code, answer.text[answer.text.find("gives no token") :][:14])
    assert_out(thief)


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ({"nonce": "of another login"}, "answers another login"),
        ({"aud": "another-client"}, "for another client"),
        ({"iss": "https://elsewhere.example"}, "of another issuer"),
        ({"exp": 1}, "has expired"),
        ({"exp": None}, "has expired"),
    ],
)
def test_an_id_token_of_another_login_lets_nobody_in(
    stage: Stage, claims: dict[str, object], why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ID token must answer this login, be for this client, of this issuer, and hold."""
    redeem = stage.issuer.redeem

    def altered(asked: dict[str, str]) -> object:
        granted = dict(redeem(asked) or {})
        found = jwt.decode(granted["id_token"], stage.issuer._key).claims | claims
        return granted | {
            "id_token": jwt.encode({"alg": "ES256", "kid": stage.issuer._key.kid}, found, stage.issuer._key)
        }

    monkeypatch.setattr(stage.issuer, "redeem", altered)
    browser = stage.browser()
    answer = browser.log_in("pit.pat")
    assert 403 == answer.status_code
    assert why in answer.text
    assert_out(browser)


def test_an_id_token_that_somebody_else_signed_lets_nobody_in(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key of the same name is not the same key."""
    redeem = stage.issuer.redeem
    forged = ECKey.generate_key("P-256")

    def altered(asked: dict[str, str]) -> object:
        granted = dict(redeem(asked) or {})
        found = jwt.decode(granted["id_token"], stage.issuer._key).claims
        return granted | {"id_token": jwt.encode({"alg": "ES256", "kid": stage.issuer._key.kid}, found, forged)}

    monkeypatch.setattr(stage.issuer, "redeem", altered)
    browser = stage.browser()
    assert "signature" in browser.log_in("pit.pat").text
    assert_out(browser)


def test_no_session_survives_a_login(stage: Stage) -> None:
    """Session fixation: a name that was planted is never a session, and a session of before the login is over."""
    planted = stage.browser()
    planted.cookies.set("pitledger", "planted", domain="console.test")
    assert 303 == planted.log_in("pit.sam").status_code
    known = planted.cookies["pitledger"]
    assert "planted" != known
    victim = stage.browser()
    victim.cookies.set("pitledger", known, domain="console.test")
    assert 303 == victim.log_in("pit.pat").status_code
    assert known != victim.cookies["pitledger"]
    assert_out(planted)
    assert "<span>pit.pat</span>" in victim.get("/").text


@pytest.mark.parametrize(("url", "name"), [(URL, "pitledger"), ("https://console.test", "__Host-pitledger")])
def test_cookies_are_read_by_no_script_and_sent_by_no_form_of_another_site(url: str, name: str) -> None:
    """HttpOnly, SameSite=Lax, for this host alone; with TLS Secure and under a name that only this host can set."""
    with console_stage(url) as stage:
        browser = stage.browser()
        begun = browser.get("/login")
        done = browser.get(picked(stage, "pit.pat", begun.headers["location"]))
        assert 303 == done.status_code, done.text
        out = browser.post("/logout", {"csrf": browser.csrf()})
        found = [(f"{name}-login", cookies_of(begun)), (name, cookies_of(done)), (name, cookies_of(out))]
        for cookie, each in found:
            flags = each[cookie]
            assert (True, "lax", "/", "") == (
                flags["httponly"],
                flags["samesite"],
                flags["path"],
                flags["domain"],
            )
            assert url.startswith("https:") == bool(flags["secure"])
        assert ["max-age=31536000"] * url.startswith("https:") == done.headers.get_list("strict-transport-security")


def test_a_logout_ends_the_session_on_the_server(stage: Stage) -> None:
    """Who kept the cookie has nothing any more; the provider is told, with a way back."""
    browser, thief = stage.browser("pit.pat"), stage.browser()
    thief.cookies.set("pitledger", browser.cookies["pitledger"], domain="console.test")
    csrf = thief.csrf()
    answer = browser.post("/logout", {"csrf": csrf})
    address = urlsplit(answer.headers["location"])
    assert (303, f"{stage.issuer.url}/logout") == (
        answer.status_code,
        f"{address.scheme}://{address.netloc}{address.path}",
    )
    assert f"{URL}/bye" == dict(parse_qsl(address.query))["post_logout_redirect_uri"]
    assert_out(thief)


def test_a_session_ends_when_it_lies_still_and_after_a_shift(stage: Stage) -> None:
    """Half an hour without a request ends it; so do twelve hours of work, however busy."""
    browser, busy = stage.browser("pit.pat"), stage.browser("pit.sam")
    stage.clock.moved = IDLE - timedelta(seconds=5)
    assert 200 == busy.get("/").status_code
    stage.clock.moved = IDLE + timedelta(seconds=5)
    assert_out(browser)
    while stage.clock.moved + IDLE < LIFE:
        assert 200 == busy.get("/").status_code
        stage.clock.moved += IDLE - timedelta(seconds=5)
    stage.clock.moved = LIFE + timedelta(seconds=5)
    assert_out(busy)


def test_a_login_that_takes_long_is_begun_again(stage: Stage) -> None:
    """An answer of the provider after ten minutes lets nobody in."""
    browser = stage.browser()
    back = picked(stage, "pit.pat", browser.begin_login())
    stage.clock.moved = timedelta(minutes=11)
    assert 400 == browser.get(back).status_code


def test_logins_of_nobody_do_not_stop_those_of_others(stage: Stage) -> None:
    """More than ten thousand logins, not finished or finished with nothing, while somebody is at the provider."""
    browser = stage.browser()
    back = picked(stage, "pit.pat", browser.begin_login("/days"))
    crowd = stage.browser()
    for _ in range(50):
        state = dict(parse_qsl(urlsplit(crowd.begin_login()).query))["state"]
        assert 403 == crowd.get(f"/login/back?{urlencode({'state': state})}").status_code
    begun = stage.app.state.console.begun
    for _ in range(11_000):  # as many requests take a minute and a half
        login, cookie = begun.begin("/")
        assert begun.end(login.state, cookie) == login
    assert (303, "/days") == ((answer := browser.get(back)).status_code, answer.headers["location"])
    assert 303 == stage.browser().log_in("pit.sam").status_code


def test_a_login_is_known_by_the_cookie_that_this_console_made(stage: Stage) -> None:
    """Altered in any place, cut, empty, of another login, or of a console that was started since: nobody is let in."""
    browser, other, name = stage.browser(), stage.browser(), "pitledger-login"
    back = picked(stage, "pit.pat", browser.begin_login())
    other.begin_login()
    made = browser.cookies[name]
    altered = [made[:at] + ("A" if made[at] != "A" else "B") + made[at + 1 :] for at in range(0, len(made) - 4, 7)]
    with console_stage() as another:
        stranger = another.browser()
        stranger.begin_login()
        foreign = stranger.cookies[name]
    for cookie in (*altered, made[:40], "", "x", "é", other.cookies[name], foreign):
        answer = stage.browser().get(back, headers={"cookie": f"{name}={cookie}".encode()})
        assert 400 == answer.status_code, cookie
    assert 303 == browser.get(back).status_code


def test_a_login_ends_once_also_for_who_copied_the_cookie(stage: Stage) -> None:
    """The browser forgets it; a copy of cookie and answer is refused before the provider is asked."""
    browser, thief = stage.browser(), stage.browser()
    back = picked(stage, "pit.pat", browser.begin_login())
    copied = browser.cookies["pitledger-login"]
    assert 303 == browser.get(back).status_code
    thief.cookies.set("pitledger-login", copied, domain="console.test")
    assert 400 == thief.get(back).status_code
    assert_out(thief)


def test_a_long_address_to_come_back_to_makes_no_cookie_that_browsers_drop(stage: Stage) -> None:
    """It is left out, and the login begins at home."""
    browser = stage.browser()
    answer = browser.log_in("pit.pat", f"/p/riverside?{'x' * 3000}")
    assert (303, "/") == (answer.status_code, answer.headers["location"])
    assert len(max(answer.request.headers["cookie"].split("; "), key=len)) < 4096


def test_a_revoked_token_ends_the_session(tmp_path: Path) -> None:
    """Who is locked out is out with the next request, and the session does not come back with the lock taken away."""
    revoked = tmp_path / "revoked.yaml"
    revoked.write_text("[]")
    with console_stage(oidc_revoked_file=revoked) as stage:
        browser = stage.browser("pit.pat")
        assert 200 == browser.get("/").status_code
        revoked.write_text("- {person: pit.pat, issued_before: 2999-01-01T00:00:00Z}")
        assert_out(browser)
        revoked.write_text("[]")
        assert_out(browser)


def test_a_token_is_renewed_before_it_ends(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a refresh token the services are asked under a new token; once the provider refuses, the session ends."""
    redeem, refused = stage.issuer.redeem, False

    def renewing(asked: dict[str, str]) -> object:
        if asked["grant_type"] == "refresh_token":
            if refused:
                return None
            return {"access_token": stage.issuer.token("pit.pat", PEOPLE["pit.pat"]), "expires_in": 300}
        return dict(redeem(asked) or {}) | {"expires_in": 300, "refresh_token": "again"}

    monkeypatch.setattr(stage.issuer, "redeem", renewing)
    browser = stage.browser("pit.pat")

    def token() -> str:
        browser.get("/")
        return str(stage.services.asked[-1].headers["authorization"])

    first = token()
    assert first == token()
    stage.clock.moved = timedelta(seconds=250)
    second = token()
    assert first != second
    refused = True
    stage.clock.moved = timedelta(seconds=600)
    assert_out(browser)


def assert_silent(answer: httpx.Response) -> None:
    """The answer is a page that says that the provider is silent."""
    assert (503, True, True) == (
        answer.status_code,
        "<h1>Log in</h1>" in answer.text,
        "does not answer" in answer.text,
    ), answer.text


def test_a_provider_that_falls_silent_gives_a_page_that_says_so(stage: Stage) -> None:
    """Between the login and the token, and between the token and the keys: a page with status 503, and no session."""
    without_keys, without_token = stage.browser(), stage.browser()
    backs = [picked(stage, "pit.pat", browser.begin_login()) for browser in (without_keys, without_token)]
    del stage.issuer._server.documents["/keys"]  # type: ignore[attr-defined]
    assert_silent(without_keys.get(backs[0]))
    stage.issuer.close()
    assert_silent(without_token.get(backs[1]))
    assert_out(without_keys)
    assert_out(without_token)


def test_a_provider_that_is_down_gives_a_page_that_says_so() -> None:
    """Nobody can log in while discovery fails."""
    with DevelopmentIssuer() as gone:
        pass
    with asyncio.Runner() as runner:
        stage = Stage(gone, runner, URL, {})
        assert_silent(stage.browser().get("/login"))
        stage.close()
