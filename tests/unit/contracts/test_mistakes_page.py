"""docs/mistakes.md: each mistake, made in a true message, is refused in the words that the page shows."""

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError

from services.cli.services import load
from services.round_settlement.manifest import MANIFEST as ROUND_SETTLEMENT
from services.table_inventory.manifest import MANIFEST as TABLE_INVENTORY
from shared.rules import Refused, parse_round
from shared.rules.errors import what_is_wrong
from shared.runtime.database import Pools
from shared.runtime.http.access import Nobody
from shared.runtime.http.command_routes import _Endpoint
from shared.runtime.process.run import application, context_of
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.settings import Settings
from tests.support.services import ROOT
from tests.unit.contracts.examples import EXAMPLES

PAGE = (ROOT / "docs" / "mistakes.md").read_text()
ROWS_MIN = 60
READERS = {
    handler().topic: handler().reader
    for manifest in (ROUND_SETTLEMENT, TABLE_INVENTORY)
    for handler in manifest.handlers
}
COMMAND = ("wagering-accounts", "/accounts/{property}/{account}/buy-ins")
BUY_IN = {"access_code": "483920", "instrument": "cash", "reference": "R-17", "cents": 5000}
IN_PATH = {"property": "riverside", "account": "GA-1"}


def rows() -> Iterator[tuple[str, str, str]]:
    """Yield section, mistake and answer of each row of the page."""
    section = ""
    for line in PAGE.splitlines():
        if line.startswith("## "):
            section = line[3:]
        elif found := re.fullmatch(r"\| `(.+?)` \| (.+) \|", line):
            yield section, found[1].replace(r"\|", "|"), found[2].strip("`")


def made(example: Any, mistake: str) -> str:
    """Return a message with a mistake: `a.b = JSON`, `without a.b`, or `raw TEXT`, where MESSAGE is the message."""
    if mistake.startswith("raw "):
        return mistake.removeprefix("raw ").replace("MESSAGE", json.dumps(example))
    document = deepcopy(example)
    where, _, value = mistake.removeprefix("without ").partition(" = ")
    *above, last = [int(part) if part.isdecimal() else part for part in where.split(".")]
    place = document
    for part in above:
        place = place[part]
    if mistake.startswith("without "):
        del place[last]
    else:
        place[last] = json.loads(value)
    return json.dumps(document)


def said_of_record(kind: str, mistake: str) -> str:
    """Return why a record is refused that has a mistake."""
    topic = "table.events" if kind == "round.completed" else "pit.events"

    def read() -> None:
        event = READERS[topic].decode(made(EXAMPLES[kind], mistake).encode())
        parse_round(event.data.regulation, event.data.round)

    with pytest.raises(Refused) as refused:
        read()
    return str(refused.value)


def said_of_request(mistake: str) -> str:
    """Return what is wrong with a command that has a mistake."""
    manifest = load(COMMAND[0])
    context: ServiceContext = context_of(manifest, Settings(), Pools.of(Settings(), manifest.schema))
    app = application(manifest, context, identities=Nobody())
    found = [getattr(route, "endpoint", None) for route in app.routes if getattr(route, "path", "") == COMMAND[1]]
    [endpoint] = [one for one in found if isinstance(one, _Endpoint)]
    keys = ["2f6c1b9e"]
    if mistake.startswith("Idempotency-Key"):
        keys = [] if mistake.endswith("missing") else [mistake.partition(": ")[2]]
        mistake = "cents = 5000"
    with pytest.raises(RequestValidationError) as refused:
        endpoint._read(IN_PATH, made(BUY_IN, mistake).encode(), keys)
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {what_is_wrong(one)}" for one in refused.value.errors())


@pytest.mark.parametrize(("section", "mistake", "answer"), [pytest.param(*row, id=row[1]) for row in rows()])
def test_a_mistake_is_refused_as_the_page_shows(section: str, mistake: str, answer: str) -> None:
    """The value, what is allowed, and the way out."""
    kind = section.partition("`")[2].partition("`")[0]
    said = said_of_request(mistake) if kind == "POST" else said_of_record(kind, mistake)
    assert answer == said.replace("|", r"\|")


def test_the_page_has_the_common_mistakes() -> None:
    """Of both topics from outside, and of commands."""
    assert len(list(rows())) >= ROWS_MIN
    assert len({section for section, *_ in rows()}) == 3
