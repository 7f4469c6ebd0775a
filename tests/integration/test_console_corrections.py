"""The console's pages of corrections, over the real round settlement: seen, proposed and approved as people do it."""

import asyncio
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

import httpx
import pytest

from services.console.application import create_console
from services.console.services import INVENTORY, REPORTING, SETTLEMENT
from services.round_settlement.manifest import MANIFEST
from shared.runtime.metrics import Metrics
from shared.runtime.settings import Settings
from tests.support import Databases
from tests.support.asgi import AppClient
from tests.support.corrections import PEOPLE, propose, take_effect
from tests.support.desk import Desk, desk_of
from tests.support.identities import KnownTokens
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rounds import BLACKJACK, DAY, LOSING, TABLES, completed, record, submission
from tests.support.services import settled_database

NOW = DAY + timedelta(days=1)
TOKENS = KnownTokens(PEOPLE)


class Browsers:
    """People at the console of a service."""

    def __init__(self, desk: Desk, day_status: str) -> None:
        self._day_status = day_status
        self._desk = desk
        client = httpx.AsyncClient(transport=httpx.MockTransport(self._answer))
        self._app = create_console(
            Settings(),
            url="http://test",
            urls={SETTLEMENT: "http://settlement", INVENTORY: "http://inventory", REPORTING: "http://reporting"},
            tokens=cast(
                "Any", SimpleNamespace(caller_of=TOKENS.caller_of, keys=SimpleNamespace(issuer="http://issuer"))
            ),
            client=client,
            clock=lambda: NOW,
            metrics=Metrics(),
        )
        self.client = AppClient(self._app)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.host == "inventory":
            return httpx.Response(200, json={"status": self._day_status})
        if request.url.host == "reporting":
            return httpx.Response(404, json={"title": "There is no such thing"})
        names = ("authorization", "idempotency-key", "content-type")
        headers = {name: request.headers[name] for name in names if name in request.headers}
        target = request.url.raw_path.decode()
        sent = {"content": request.content, "headers": headers}
        got = await asyncio.to_thread(self._desk.client.request, request.method, target, **sent)
        kind = {"content-type": got.headers["content-type"]}
        return httpx.Response(got.status_code, content=got.content, headers=kind)

    def login(self, person: str) -> tuple[dict[str, str], str]:
        """The cookie of a session, and what its forms carry."""
        token = f"token of {person}"
        caller = self.client.run(TOKENS.caller_of(token))
        ends = NOW + timedelta(hours=1)
        sessions = self._app.state.console.sessions
        session = sessions.open(caller, token=token, token_ends=ends, refresh_token=None, id_token="")
        return {"cookie": f"pitledger={session.name}"}, session.csrf

    def get(self, path: str, person: str) -> str:
        """A page as somebody sees it."""
        response = self.client.get(path, headers=self.login(person)[0])
        assert 200 == response.status_code, response.text
        return response.text

    def send(self, name: str, person: str, **fields: str) -> httpx.Response:
        """Send the form of a command."""
        headers, csrf = self.login(person)
        form = urlencode({"csrf": csrf, "key": f"{person}.{name}", "back": "/"} | fields)
        headers |= {"content-type": "application/x-www-form-urlencoded"}
        return self.client.post(f"/do/{SETTLEMENT}/{name}", content=form, headers=headers)


@pytest.fixture
def outbox() -> Outbox:
    """Where approved corrections go."""
    return Outbox()


@pytest.fixture
def desk(databases: Databases, outbox: Outbox) -> Iterator[Desk]:
    """Round settlement after a round."""
    url = settled_database(databases, "round-settlement")
    with desk_of(MANIFEST, url, people=PEOPLE, clock=lambda: NOW, outbox=outbox) as desk:
        desk.feed("properties", property_event())
        desk.feed("submissions", submission())
        desk.feed("table.events", completed(TABLES[0], 1, "a", record(LOSING)))
        yield desk
    databases.drop(url)


PAGE = "/p/riverside/corrections/1"
APPROVE = f"/do/{SETTLEMENT}/approve-correction"
FIELDS = {"property": "riverside", "table": TABLES[0], "round_id": "a", "replaces": "1", "reason": "misread"}


@pytest.mark.parametrize(("status", "said"), [("final", "its reports are restated"), ("audited", "It is not sealed")])
def test_who_decides_sees_before_and_after(desk: Desk, outbox: Outbox, status: str, said: str) -> None:
    """Lines side by side, cents by account, and whether a sealed day is restated; who proposed has no button."""
    with (browsers := Browsers(desk, status)).client:
        propose(desk, person="both")
        shown = browsers.get(PAGE, "kim")
        assert said in shown
        assert re.search(r"Lose.*\$100\.00.*Win, Blackjack.*\$150\.00", shown, re.DOTALL)
        assert "−$250.00" in shown
        assert APPROVE in shown
        assert APPROVE not in browsers.get(PAGE, "ann")
        own = browsers.get(PAGE, "both")
        assert APPROVE not in own
        assert "Somebody else decides" in own
        assert PAGE in browsers.get("/p/riverside/corrections", "kim")
        assert 200 == browsers.send("approve-correction", "kim", property="riverside", correction="1").status_code
        take_effect(desk, outbox)
        assert APPROVE not in (decided := browsers.get(PAGE, "kim"))
        assert "posted" in decided


def test_a_correction_is_proposed_from_the_record_that_stands(desk: Desk) -> None:
    """The form has the record as it is; what is wrong with it is said with its place, and what was typed stays."""
    with (browsers := Browsers(desk, "open")).client:
        form = browsers.get(f"/p/riverside/rounds/{TABLES[0]}/a/correct", "lee")
        assert "&#34;dealt&#34;" in form
        wrong = browsers.send("propose-correction", "lee", **FIELDS, round='{"seats": [], "dealer": {"cards": ["Zz"]}}')
        assert 422 == wrong.status_code
        assert "/round/dealer/cards/0" in wrong.text
        again = re.search(r'name="key" value="([^"]+)"', wrong.text)
        assert again is not None
        mended = FIELDS | {"round": json.dumps(record(BLACKJACK)), "key": again[1]}
        assert 200 == browsers.send("propose-correction", "lee", **mended).status_code
        assert PAGE in browsers.get("/p/riverside/corrections", "kim")
