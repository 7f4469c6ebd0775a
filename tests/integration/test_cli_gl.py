"""`pitledger gl` on a running registry: a mapping is filed, compared, decided and read; its answers for an export."""

import os
from collections.abc import Iterator

import pytest
import yaml

from services.cli.stack.running_stack import RunningStack
from tests.support.brokers import AnyBroker
from tests.support.ledger_mappings import mapping_document, remapped
from tests.support.properties import document
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]


@pytest.fixture(scope="module")
def stack(module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """The registry and reporting, which have no property yet."""
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    services = ["paytable-registry", "reporting"]
    with RunningStack(environment={**os.environ, **servers}, settings={}, services=services) as running:
        yield running


class Desk:
    """`pitledger gl` as one person or another calls it."""

    def __init__(self, stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self._tokens = stack.home.tokens
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, person: str = "demo.auditor", stdin: str = "", command: str = "gl") -> Called:
        """Calls a command as a person."""
        with self._monkeypatch.context() as patched:
            patched.setenv("PITLEDGER_TOKEN", self._tokens[person])
            return self._pitledger(command, *words, stdin=stdin)

    def open(self) -> None:
        """Opens the property, unless it is open."""
        if self("show", "riverside", person="demo.filer", command="property").code == 0:
            return
        opened = yaml.safe_dump(document())
        assert 0 == self("file", "-", person="demo.filer", stdin=opened, command="property").code
        assert 0 == self("approve", "riverside", "1", person="demo.approver", command="property").code

    def file(self, mapping: object, *words: str) -> Called:
        """Files a mapping."""
        return self("file", "-", *words, person="demo.ledger_accountant", stdin=yaml.safe_dump(mapping))

    def decide(self, *words: str) -> Called:
        """Approves or returns."""
        return self(*words, person="demo.financial_controller")


@pytest.fixture
def desk(stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The command line on the registry."""
    return Desk(stack, pitledger, monkeypatch)


def test_a_mapping_is_filed_decided_and_read(desk: Desk) -> None:
    """Two people for each version; what it changes is said when it is filed, and to whoever approves it."""
    early = desk.file(mapping_document())
    assert (4, True) == (early.code, "there is no approved property 'riverside'" in early.stderr)
    desk.open()
    filed = desk.file(mapping_document())
    assert (0, "the ledger mapping of riverside: filed for the first time\n") == (filed.code, filed.stdout), (
        filed.stderr
    )
    assert "somebody else approves it: pitledger gl approve riverside 1" in filed.stderr
    assert 4 == desk("show", "riverside").code
    assert "demo.auditor does not have the role" in desk("approve", "riverside", "1").stderr
    approved = desk.decide("approve", "riverside", "1")
    assert (0, True) == (approved.code, "of riverside is approved, from 2020-01-01" in approved.stderr)
    changed = remapped("round-settlement", "payout", account="4020") | {"effective_from": "2190-01-01T09:00:00Z"}
    (said,) = desk.file(changed, "--json").documents
    assert [2, "filed", 1] == [said[name] for name in ("version", "status", "from_version")]
    line = "round-settlement payout: account 4010, department 300 → account 4020, department 300"
    assert line in desk("diff", "riverside", "2").stdout.splitlines()
    assert said["changes"] == desk("diff", "riverside", "2", "--json").documents[0]["changes"]
    (back,) = desk.decide("return", "riverside", "2", "--reason", "not so", "--json").documents
    assert ("returned", "not so") == (back["status"], back["return_reason"])
    shown = desk("show", "riverside")
    assert 0 == shown.code
    for words in ("version 1: approved", "Table inventories", "game baccarat"):
        assert words in shown.stdout
    assert 2 == desk("show", "riverside", "--version", "2", "--json").documents[0]["version"]


def test_what_is_wrong_is_said_one_fault_a_line(desk: Desk) -> None:
    """Of a mapping, which is not filed then; and of an export."""
    desk.open()
    refused = desk.file(remapped("table-inventory", "drop", account="4010"))
    assert 3 == refused.code
    assert "table-inventory drop: account 4010 is of kind revenue; " in refused.stderr
    assert 3 == desk.file([]).code
    wrong = desk("export", "--property", "riverside", "--day", "2026-11-20", "--as", "pdf")
    assert (2, True) == (wrong.code, "--as 'pdf': one of csv, iif, xero" in wrong.stderr)
    unknown = desk("export", "--property", "atlantis", "--month", "2026-11", "--as", "beancount")
    assert (4, True) == (unknown.code, "property 'atlantis' is not known" in unknown.stderr)


def test_departments_are_counted_before_a_mapping_is_filed(desk: Desk) -> None:
    """Nothing knows a property's departments: one that few rules have may be a typing error."""
    desk.open()
    first, *rest = mapping_document()["rules"]
    rules = [{**first, "department": "30O"}, *({**rule, "department": "300"} for rule in rest)]
    for rule in rules:
        rule.pop("cost_center", None)
    filed = desk.file(mapping_document(rules=rules, effective_from="2028-01-01T06:00:00-05:00"))
    assert 0 == filed.code, filed.stderr
    assert f"departments of the rules: 300 ({len(rest)}), 30O (1)\n" in filed.stderr
    assert "cost centers of the rules" not in filed.stderr


def test_a_rule_of_a_game_or_pit_that_no_table_has_is_named_before_it_is_filed(desk: Desk) -> None:
    """A game of another spelling would never be posted there; the games and pits that there are help to find it."""
    desk.open()
    mapping = mapping_document(effective_from="2027-01-01T06:00:00-05:00")
    mapping["rules"] = [
        *(rule for rule in mapping["rules"] if "game" not in rule),
        {"service": "round-settlement", "leg": "handle", "game": "blackjakc", "account": "4020"},
        {"service": "round-settlement", "leg": "payout", "game": "blackjack", "pit": "pit-9", "account": "4020"},
    ]
    filed = desk.file(mapping)
    assert 0 == filed.code, filed.stderr
    unused = [line for line in filed.stderr.splitlines() if "no table of riverside has it" in line]
    assert ["game blackjakc", "pit pit-9"] == [line.partition(":")[0] for line in unused]
    assert "the pits of its tables are pit-1" in unused[1]
    assert "blackjack" in unused[0]
