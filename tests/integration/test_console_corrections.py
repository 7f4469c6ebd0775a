"""The console's pages of corrections, over the real round settlement: seen, proposed and approved as people do it."""

import json
import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from services.console.services import INVENTORY, SETTLEMENT
from services.round_settlement.manifest import MANIFEST
from tests.support import Databases
from tests.support.browsers import Browsers
from tests.support.corrections import PEOPLE, propose, take_effect
from tests.support.desk import Desk, desk_of
from tests.support.identities import KnownTokens
from tests.support.outbox import Outbox
from tests.support.properties import property_event
from tests.support.rounds import BLACKJACK, DAY, LOSING, PROPERTY, TABLES, completed, record, submission
from tests.support.services import settled_database

NOW = DAY + timedelta(days=1)
TOKENS = KnownTokens(PEOPLE)


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


def _browsers(desk: Desk, day_status: str) -> Browsers:
    """People at the console, where the gaming day of the round stands like this."""
    day = {(INVENTORY, f"/gaming-days/{PROPERTY}/{DAY.date()}"): {"status": day_status}}
    return Browsers(desk, people=PEOPLE, clock=lambda: NOW, beside=day)


PAGE = "/p/riverside/corrections/1"
APPROVE = f"/do/{SETTLEMENT}/approve-correction"
CORRECT = f"/p/{PROPERTY}/rounds/{TABLES[0]}/a/correct"
PROPOSE = f"/do/{SETTLEMENT}/propose-correction"
FIELDS = {"property": "riverside", "table": TABLES[0], "round_id": "a", "replaces": "1", "reason": "misread"}


@pytest.mark.parametrize(
    ("status", "said"), [("final", "its reports are restated"), ("audited", "The day is not sealed")]
)
def test_who_decides_sees_before_and_after(desk: Desk, outbox: Outbox, status: str, said: str) -> None:
    """Lines side by side, cents by account, and whether a sealed day is restated; who proposed has no button."""
    with (browsers := _browsers(desk, status)).client:
        propose(desk, person="both")
        shown = browsers.get(PAGE, "kim")
        assert said in shown
        assert re.search(r"Lose.*\$100\.00.*Win, Blackjack.*\$150\.00", shown, re.DOTALL)
        assert "−$250.00" in shown
        assert APPROVE in shown
        assert APPROVE not in browsers.get(PAGE, "ann")
        own = browsers.get(PAGE, "both")
        assert APPROVE not in own
        assert "Another person must decide" in own
        assert PAGE in browsers.get("/p/riverside/corrections", "kim")
        assert 200 == browsers.send(APPROVE, "kim", property="riverside", correction="1").status_code
        take_effect(desk, outbox)
        assert APPROVE not in (decided := browsers.get(PAGE, "kim"))
        assert "posted" in decided


def test_a_correction_is_proposed_from_the_record_that_stands(desk: Desk) -> None:
    """The form has the record as it is; what is wrong with it is said with its place, and what was typed stays."""
    with (browsers := _browsers(desk, "open")).client:
        form = browsers.get(CORRECT, "lee")
        assert 'class="felt-frame' in form
        inputs = re.findall(r'<input id="f-[^"]+" name="(round\.[^"]+)" value="([^"]+)"', form)
        typed = {"replaces": "1", "reason": "misread", **dict(inputs)}
        seat = {"round.seats.0.seat": "1", "round.seats.0.wagers.blackjack": "100.00", "round.seats.0.dealt": "Ts 7d"}
        assert typed.items() >= seat.items()
        no_card = browsers.send(CORRECT, "lee", **typed | {"round.dealer.cards": "Zz"})
        assert (422, True) == (no_card.status_code, "&#39;Zz&#39; is no card" in no_card.text)
        assert 'class="felt-frame' in no_card.text
        no_wager = browsers.send(CORRECT, "lee", **typed | {"round.seats.0.wagers.blackjack": ""})
        assert (422, True) == (no_wager.status_code, 'value="Ts 7d"' in no_wager.text)
        cards = dict.fromkeys(("round.seats.0.dealt", "round.seats.0.hands.0.cards"), "as KD")
        right = typed | cards | {"round.dealer.cards": "9d 8s", "key": "again"}
        assert 200 == browsers.send(CORRECT, "lee", **right).status_code
        page = browsers.get(PAGE, "kim")
        assert re.search(r"Lose.*\$100\.00.*Win, Blackjack.*\$150\.00", page, re.DOTALL)


def test_a_correction_is_proposed_as_json(desk: Desk) -> None:
    """What is wrong is said with its place."""
    with (browsers := _browsers(desk, "open")).client:
        wrong = browsers.send(PROPOSE, "lee", **FIELDS, round='{"seats": [], "dealer": {"cards": ["Zz"]}}')
        assert 422 == wrong.status_code
        assert "/round/dealer/cards/0" in wrong.text
        again = re.search(r'name="key" value="([^"]+)"', wrong.text)
        assert again is not None
        mended = FIELDS | {"round": json.dumps(record(BLACKJACK)), "key": again[1]}
        assert 200 == browsers.send(PROPOSE, "lee", **mended).status_code
        assert PAGE in browsers.get("/p/riverside/corrections", "kim")
