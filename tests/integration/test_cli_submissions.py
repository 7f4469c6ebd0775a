"""`pitledger submissions` on a running registry: a submission goes through its life, as people call it."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from services.cli.stack.running_stack import RunningStack
from shared.rules.set_hands.house_way import named_ways
from tests.support import eventually
from tests.support.brokers import AnyBroker
from tests.support.services import ROOT
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

NAMED = ("riverside", "blackjack")


@pytest.fixture(scope="module")
def stack(module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """The registry alone, in which nothing is filed yet."""
    settings = {"PITLEDGER_CHECKPOINT_SECONDS": "1"}
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    with RunningStack(
        environment={**os.environ, **servers}, settings=settings, services=["paytable-registry"]
    ) as running:
        yield running


class Desk:
    """The command line as one person or another calls it."""

    def __init__(self, stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
        self._tokens = stack.home.tokens
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch
        self._file = folder / "submission.json"

    def __call__(self, *words: str, person: str = "demo.filer", of: str = "submissions") -> Called:
        """Calls a command as a person."""
        with self._monkeypatch.context() as patched:
            patched.setenv("PITLEDGER_TOKEN", self._tokens[person])
            return self._pitledger(of, *words)

    def decide(self, *words: str) -> Called:
        """Approves, or returns."""
        return self(*words, person="demo.approver")

    def written(self, **changes: Any) -> str:
        """The submission of the documentation with changes, in a file."""
        document = json.loads((ROOT / "docs" / "examples" / "submission.json").read_text())
        self._file.write_text(json.dumps(document | changes))
        return str(self._file)


@pytest.fixture
def desk(stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Desk:
    """The command line on the registry, in which the property of the documentation is approved."""
    desk = Desk(stack, pitledger, monkeypatch, tmp_path)
    if not desk("list", "--json", of="property", person="demo.operator").documents:
        assert 0 == desk("file", str(ROOT / "docs" / "examples" / "property.yaml"), of="property").code
        assert 0 == desk("approve", "riverside", "1", of="property", person="demo.approver").code
    return desk


def test_a_submission_goes_through_its_life(desk: Desk) -> None:
    """Drafted, filed, returned, approved, compared, withdrawn, and in effect where it should be."""
    later = (datetime.now(UTC) + timedelta(days=2)).isoformat()

    assert 0 == desk("check", desk.written()).code
    refused = desk("file", desk.written(tables=["BJ-01", "XX-99"], submission={"wagers": {}}))
    assert (3, "") == (refused.code, refused.stdout)
    *problems, last = refused.stderr.splitlines()
    assert ["/submission/decks", "/tables/1"] == [line.partition(": ")[0] for line in problems]
    assert last.endswith("422: 2 problems, above")

    assert 0 == desk("draft", desk.written(submission={"wagers": {}})).code
    assert 0 == desk("draft", desk.written(), "--version", "1").code
    filed = desk("file", "--draft", *NAMED, "1")
    assert (0, True) == (filed.code, "pitledger submissions approve riverside blackjack 1" in filed.stderr)
    assert 2 == desk("approve", *NAMED, "1").code
    assert 0 == desk.decide("approve", *NAMED, "1").code

    selected = {"decks": 8, "wagers": {"match_the_dealer": {}}}
    assert 0 == desk("file", desk.written(effective_from=later)).code
    assert 0 == desk.decide("return", *NAMED, "2", "--reason", "eight decks were agreed").code
    (third,) = desk("file", desk.written(effective_from=later, submission=selected), "--json").documents
    assert (3, "filed") == (third["version"], third["phase"])
    assert "decks: 6 to 8" in desk("diff", *NAMED, "1", "3").stdout.splitlines()
    assert 0 == desk.decide("approve", *NAMED, "3").code
    assert 0 == desk("withdraw", *NAMED, "3", "--reason", "the hotel opens later").code
    assert 0 == desk.decide("return", *NAMED, "3", "--withdrawal", "--reason", "it does not").code
    assert 0 == desk("withdraw", *NAMED, "3", "--reason", "it does").code
    assert 0 == desk.decide("approve", *NAMED, "3", "--withdrawal").code

    listed = desk("list", "--property", "riverside", "--game", "blackjack", "--json").documents
    assert ["effective", "returned", "withdrawn"] == [one["phase"] for one in listed]
    said = " ".join(desk("list").stdout.split())
    assert "returned by demo.approver: eight decks were agreed" in said
    shown = desk("show", *NAMED, "3")
    assert (0, True) == (shown.code, "blackjack at riverside, version 3: withdrawn" in shown.stdout)
    assert 4 == desk("show", *NAMED, "9").code
    (found,) = desk("in-effect", "riverside", "--table", "BJ-01", "--at", later, "--json").documents
    assert [("BJ-01", 1)] == [(one["table"], one["submission"]["version"]) for one in found["tables"]]
    assert "In effect at riverside" in desk("in-effect", "riverside").stdout


def test_what_pays_back_something_else_is_approved_with_an_override(desk: Desk) -> None:
    """What was counted is shown beside what is stated; refused, then approved with a reason that is shown."""
    later = (datetime.now(UTC) + timedelta(days=20)).isoformat()
    stated = {"stated_paybacks": {"match_the_dealer": "95"}}
    (filed,) = desk("file", desk.written(effective_from=later, **stated), "--json").documents
    version = (*NAMED, str(filed["version"]))
    refused = desk.decide("approve", *version)
    said = "/paybacks/match_the_dealer: match_the_dealer pays back 95.9382%, the licensee states 95%"
    assert (3, True) == (refused.code, said in refused.stderr)
    line = next(line.split() for line in refused.stdout.splitlines() if "match_the_dealer" in line)
    assert ["match_the_dealer", "95.9382%", "exact", "95%"] == line[:4]
    assert 0 == desk.decide("approve", *version, "--override", "rounded by hand").code
    assert "rounded by hand" in desk("show", *version).stderr
    (found,) = desk("paybacks", *version, "--json").documents
    assert [("match_the_dealer", "differs")] == [
        (finding["wager"], finding["problem"]) for one in found["wagers"] for finding in one["findings"]
    ]


def test_what_was_approved_goes_to_another_installation_in_a_file(
    desk: Desk, stack: RunningStack, tmp_path: Path
) -> None:
    """Exported once a checkpoint covers it, verified with the public key, and drafted where it is imported."""
    file, key = str(tmp_path / "export.json"), str(stack.home.verifiers_file)
    poker = ("riverside", "pai-gow-poker")
    rules = {"regulation": "pa-645a-2011", "submission": {"options": {"house_way": "standard"}}}
    wanted = desk.written(game=poker[1], tables=["PG-01"], effective_from="2031-01-01T06:00:00-05:00", **rules)
    (filed,) = desk("file", wanted, "--json").documents
    assert 0 == desk.decide("approve", *poker, "1").code
    eventually(lambda: desk("export", *poker, "-o", file).code == 0, every=0.2, because="a checkpoint covers it")
    assert 0 == desk("verify", file, "--key", key, "--hash", filed["hash"]).code
    (drafted,) = desk("import", file, "--key", key, "--property", "riverside", "--json").documents
    assert ("draft", 2, filed["effective_from"], filed["submission"]) == tuple(
        drafted[name] for name in ("status", "version", "effective_from", "submission")
    )
    assert 4 == desk("import", file, "--key", key, "--version", "99").code


def test_the_licensees_own_house_edge_stands_beside_what_nobody_counted(desk: Desk) -> None:
    """With its source, after the reason; a counted wager has none."""
    way = named_ways()["standard"].replace("two pair, single K or higher: two highest singles\n", "")
    later = "2032-01-01T06:00:00-05:00"
    own = {"wager": "pai_gow_poker", "house_edge_percent": "2.715", "source": "GLI report MO-337"}
    rules = {"regulation": "pa-645a-2011", "submission": {"options": {"house_way": way}}, "stated_house_edges": [own]}
    poker = {"game": "pai-gow-poker", "tables": ["PG-01"], "effective_from": later, "stated_paybacks": {}}
    beside = [own | {"wager": "fortune_bonus"}]
    offered = {"submission": {"options": {"house_way": way}, "wagers": {"fortune_bonus": {"paytable": "A"}}}}
    checked = desk("check", desk.written(**poker, **rules | offered | {"stated_house_edges": beside}))
    assert (3, True) == (checked.code, "counts the house edge of 'fortune_bonus' itself" in checked.stdout)
    filed = desk("file", desk.written(**poker, **rules), "--json")
    assert 0 == filed.code, filed.stderr
    version = str(filed.documents[0]["version"])
    shown = desk("paybacks", "riverside", "pai-gow-poker", version)
    assert "pai_gow_poker: the licensee's own house edge is 2.715% (GLI report MO-337)" in " ".join(
        shown.stderr.split()
    )
    (found,) = desk("paybacks", "riverside", "pai-gow-poker", version, "--json").documents
    assert [own] == [one["stated_house_edge"] for one in found["wagers"]]
    assert 0 == desk.decide("return", "riverside", "pai-gow-poker", version, "--reason", "only tried").code
