"""`pitledger cage`, `credit` and `checks` on a running stack: the commands of the pages, as their people call them."""

import os
import re
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
import yaml

from services.cli.stack.running_stack import RunningStack
from shared.contracts.topics import PIT_EVENTS
from tests.support.brokers import AnyBroker
from tests.support.documented import Block, blocks
from tests.support.pit import Table
from tests.support.polling import eventually
from tests.support.services import ROOT, produce
from tests.unit.cli.calling import Called, Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

PEOPLE = {
    "cage.transact": ["demo.cage"],
    "cage.transact: somebody else": ["demo.cashier"],
    "creditlines.request": ["demo.credit_clerk"],
    "creditlines.approve": ["demo.credit_manager"],
    "creditlines.approve: as many people as the tier wants": ["demo.credit_manager", "demo.credit_director"],
    "checks.prepare": ["demo.check_clerk"],
    "reports.read": ["demo.auditor"],
}
"""Who calls a command, by how the comment beside it begins; the longest of these counts."""

APPROVERS = ("demo.credit_manager", "demo.credit_director")
RULES = {
    "credit_lines": {"tiers": [{"limit_cents_max": 10_000_00, "approvals": 2, "roles": ["credit.manager"]}]},
    "people": [{"person": person, "roles": ["credit.manager"]} for person in APPROVERS],
}
CASH = "docs/examples/cage_contents.yaml"


class Desk:
    """`pitledger` as one person or another calls it."""

    def __init__(self, stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
        self.stack = stack
        self._pitledger = pitledger
        self._monkeypatch = monkeypatch

    def __call__(self, *words: str, person: str = "demo.auditor", stdin: str = "") -> Called:
        """Call a command as a person, from the root of the repository."""
        with self._monkeypatch.context() as patched:
            patched.chdir(ROOT)
            patched.setenv("PITLEDGER_TOKEN", self.stack.home.tokens[person])
            return self._pitledger(*words, stdin=stdin)

    def run(self, block: Block) -> list[str]:
        """Run every command of a block, each as the people that its comment names; return what each call says."""
        said = []
        for line in block.text.splitlines():
            command, _, comment = (part.strip() for part in line.partition("  # "))
            named = [who for who in PEOPLE if comment.startswith(who)]
            for person in PEOPLE[max(named, key=len)] if named else ["demo.auditor"]:
                called = self(*shlex.split(command, comments=True)[1:], person=person)
                assert 0 == called.code, f"{person}: {command}: {called.stderr}"
                said.append(called.stdout + called.stderr)
        return said

    def done(self, person: str, *words: str) -> dict[str, Any]:
        """Call a command as a person; return the document that it prints."""
        called = self(*words, "--json", person=person)
        assert 0 == called.code, called.stderr
        (document,) = called.documents
        return document


@pytest.fixture(scope="module")
def stack(module_database_url: str, module_broker: AnyBroker) -> Iterator[RunningStack]:
    """The registry and table inventory."""
    servers = {"DATABASE_URL": module_database_url, "KAFKA_BOOTSTRAP_SERVERS": module_broker.bootstrap_servers}
    services = ["paytable-registry", "table-inventory"]
    with RunningStack(environment={**os.environ, **servers}, settings={}, services=services) as running:
        yield running


@pytest.fixture
def desk(stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The command line, at a property that gives credit."""
    found = Desk(stack, pitledger, monkeypatch)
    if found("credit", "list", "riverside").code:
        document = yaml.safe_load((ROOT / "docs" / "examples" / "property.yaml").read_text()) | RULES
        document["cage_locations"].append({"location": "drawer-2", "kind": "drawer", "opened_on": "2026-01-01"})
        filed = found("property", "file", "-", person="demo.filer", stdin=yaml.safe_dump(document, sort_keys=False))
        assert 0 == filed.code, filed.stderr
        assert 0 == found("property", "approve", "riverside", "1", person="demo.approver").code
        eventually(lambda: found("credit", "list", "riverside").code == 0, because="table inventory knows the property")
    return found


def issue(desk: Desk, prepared: dict[str, Any]) -> None:
    """The table of a prepared counter check issues it; wait until it is on hand."""
    table = Table(prepared["table"], property_name="riverside")
    table.day, table.shift = prepared["gaming_day"], prepared["shift"]
    serial, people = prepared["serial"], {"dealer": "dealer.dan", "floorperson": "floor.fay"}
    event = table.event("counter_check.issued", datetime.now(UTC), serial=serial, cents=prepared["cents"], **people)
    produce(desk.stack.bootstrap_servers, PIT_EVENTS.name, [event])
    eventually(
        lambda: serial in desk("checks", "list", "riverside").stdout, because="table inventory has read the issuance"
    )


def test_the_commands_of_the_page_on_the_cage(desk: Desk) -> None:
    """A transfer by two people, a count by two people, and what the books say then."""
    [block] = blocks("docs/cage.md")
    issued, received, listed, counted, verified, empty, counts, locations, books = desk.run(block)
    way = "transfer 1 at riverside, from bank to drawer-1, 50 x 100.00 in currency; 100 x 20.00 in currency: "
    assert (f"{way}issued\n", f"{way}received\n") == (issued, received)
    assert "received" in listed
    assert (["entered\n"], ["verified\n"]) == (counted.split(": ")[1:], verified.split(": ")[1:])
    assert ["entered\n"] == empty.split(": ")[1:]
    assert "7,000.00" in counts
    assert re.search(r"drawer-1 +drawer .*ann\.lee", locations)
    assert re.search(r"drawer-1 +7,000\.00 .*received 7,000\.00", books)


def test_what_is_over_or_short_wants_a_reason(desk: Desk) -> None:
    """A count that differs is refused until one is given; transfers go back, and counts are rejected."""
    returned = desk.done("demo.cage", "cage", "transfer", "riverside", "bank", "vault", CASH)["transfer"]
    back = desk.done("demo.cashier", "cage", "return", "riverside", str(returned), "--reason", "a strap is short")
    assert ("returned", "a strap is short") == (back["status"], back["return_reason"])
    count = ("cage", "count", "riverside", "main-bank", CASH, "--cashier", "ann.lee")
    for waiting in desk("cage", "counts", "riverside", "--status", "entered", "--json").documents:
        desk.done("demo.cashier", "cage", "reject", "riverside", str(waiting["count"]), "--reason", "once more")
    first = desk.done("demo.cage", *count)["count"]
    assert (
        "rejected" == desk.done("demo.cashier", "cage", "reject", "riverside", str(first), "--reason", "no")["status"]
    )
    first = desk.done("demo.cage", *count)["count"]
    desk.done("demo.cashier", "cage", "verify", "riverside", str(first))
    cash = yaml.safe_dump([{"kind": "currency", "cents": 100_00, "count": 69}])
    second = desk(
        "cage", "count", "riverside", "main-bank", "-", "--cashier", "ann.lee", person="demo.cage", stdin=cash
    )
    assert 0 == second.code, second.stderr
    number = str(first + 1)
    refused = desk("cage", "verify", "riverside", number, person="demo.cashier")
    assert (1, True) == (refused.code, "is not what the ledger expects: count it again" in refused.stderr)
    said = desk("cage", "verify", "riverside", number, "--reason", "a note is torn", person="demo.cashier")
    assert (0, True) == (said.code, said.stderr.endswith("verified, over or short: -100.00\n"))


def test_the_commands_of_the_page_on_credit(desk: Desk) -> None:
    """A limit that two people approve, a check within it, and what becomes of it: cleared, written off, recovered."""
    lines, checks = blocks("docs/table-inventory.md")
    said = desk.run(lines)
    what = "request 1 at riverside, limit of 5,000.00 for p-1001: "
    steps = ("requested", "verified", "verified (1 of 2 approvals)", "approved (2 of 2 approvals)")
    assert [f"{what}{step}\n" for step in steps] == said[:4]
    assert "counter check CC-88 is prepared: p-1001 owes 500.00 of 5,000.00\n" == said[4]
    assert "p-1001 at riverside: 4,500.00 available of 5,000.00, 500.00 outstanding" in said[5]
    assert "p-1001 at riverside has a limit of 1,000.00, suspended (patron_request)\n" == said[-1]
    [owed] = desk.done("demo.auditor", "credit", "show", "riverside", "p-1001")["checks"]
    issue(desk, owed)
    said = desk.run(checks)
    assert "redemption 1: 100.00 of counter check CC-88 in deposit, 400.00 left\n" == said[1]
    assert "write-off 1 at riverside, 400.00 of counter check CC-88 (uncollectible): approved\n" == said[5]
    assert "recovery 5: 150.00 are recovered of counter check CC-88\n" == said[6]
    assert re.search(r"CC-88 .*uncollectible +approved +400\.00 +150\.00", said[7])


def test_the_other_ways_of_a_line(desk: Desk) -> None:
    """A request is declined, a line comes back for two approvals, and a prepared check is void by somebody else."""
    asked = ("credit", "request", "riverside", "p-1002", "--limit", "2000", "--reason", "application 18")
    number = str(desk.done("demo.credit_clerk", *asked)["request"])
    assert "p-1002" in desk("credit", "requests", "riverside", "--open").stdout
    declined = ("credit", "decline", "riverside", number, "--reason", "no answer")
    assert "declined" == desk.done("demo.credit_manager", *declined)["status"]
    grant(desk, *asked)
    suspend = ("credit", "suspend", "riverside", "p-1002", "--for", "creditworthiness", "--reason", "a bounced check")
    assert "creditworthiness" == desk.done("demo.credit_clerk", *suspend)["terms"]["suspended_for"]
    grant(desk, *asked, "--reinstate")
    assert {"p-1002"} <= {one["patron"] for one in desk("credit", "list", "riverside", "--json").documents}
    prepare = ("credit", "prepare", "riverside", "CC-91", "--patron", "p-1002", "--table", "BJ-01", "--amount")
    above = desk(*prepare, "2000.01", person="demo.check_clerk")
    assert (True, True) == (above.code != 0, "above the available credit" in above.stderr)
    desk.done("demo.check_clerk", *prepare, "100")
    void = ("credit", "void", "riverside", "CC-91", "--reason", "the patron left")
    assert "demo.check_clerk prepared counter check CC-91" in desk(*void, person="demo.check_clerk").stderr


def test_the_other_ways_of_a_check(desk: Desk) -> None:
    """A payment entered by mistake is void, two checks become one, its deposit comes back, a write-off is rejected."""
    grant(desk, "credit", "request", "riverside", "p-1003", "--limit", "2000", "--reason", "application 19")
    for serial, table in (("CC-92", "BJ-02"), ("CC-93", "PG-01")):
        prepare = ("credit", "prepare", "riverside", serial, "--patron", "p-1003", "--table", table, "--amount", "100")
        issue(desk, desk.done("demo.check_clerk", *prepare))
    redeem = ("checks", "redeem", "riverside", "CC-92", "--amount", "100", "--in")
    own = ("--instrument", "personal_check", "--issuer", "First Bank of Oakhurst", "--reference", "check 12")
    by_check = desk.done("demo.cage", *redeem, "check", "--paid-by", "p-1003", *own)
    described = {"instrument_type": "personal_check", "issuer": "First Bank of Oakhurst", "references": ["check 12"]}
    assert described == by_check["instrument"]
    paid = str(by_check["step"])
    void = desk("checks", "void", "riverside", paid, "--reason", "another check", person="demo.cashier")
    assert f"redemption {paid} is void: 100.00 of counter check CC-92 are owed again\n" == void.stderr
    replaces = ("--replaces", "CC-92", "--replaces", "CC-93")
    assert 200_00 == desk.done("demo.cage", "checks", "replace", "riverside", "CC-94", *replaces)["cents"]
    deposit = ("checks", "redeem", "riverside", "CC-94", "--amount", "100", "--in", "deposit")
    paid = str(desk.done("demo.cage", *deposit)["step"])
    back = desk("checks", "return", "riverside", paid, "--reason", "no funds", person="demo.cage")
    assert f"redemption {paid} came back unpaid: 100.00 of counter check CC-94 are owed again\n" == back.stderr
    again = desk("checks", "replace", "riverside", "CC-95", "--replaces", "CC-94", person="demo.cage")
    assert (3, True) == (again.code, "counter check CC-94 came back unpaid" in again.stderr)
    lost = (
        "checks",
        "write-off",
        "riverside",
        "CC-94",
        "--amount",
        "200",
        "--kind",
        "settlement",
        "--reason",
        "agreed",
    )
    number = str(desk.done("demo.credit_clerk", *lost)["check_write_off"])
    reject = ("checks", "reject", "riverside", number, "--reason", "not agreed")
    assert "rejected" == desk.done("demo.credit_manager", *reject)["status"]


@pytest.mark.parametrize("amount", ["0", "-5", "12.345", "nan", "much"])
def test_an_amount_is_dollars(desk: Desk, amount: str) -> None:
    """What is none is refused before anybody is asked."""
    refused = desk("checks", "redeem", "riverside", "CC-1", f"--amount={amount}", "--in", "chips")
    assert (2, True) == (refused.code, f"--amount '{amount}': give dollars, such as 25 or 12.50" in refused.stderr)


def test_a_request_is_temporary_or_a_reinstatement(desk: Desk) -> None:
    """Not both."""
    both = ("--limit", "5", "--reason", "x", "--until", "2026-11-22", "--reinstate")
    assert 2 == desk("credit", "request", "riverside", "p-1001", *both).code


def grant(desk: Desk, *asked: str) -> None:
    """A change of a line is requested, verified and approved by two people."""
    number = str(desk.done("demo.credit_clerk", *asked)["request"])
    desk.done("demo.credit_clerk", "credit", "verify", "riverside", number, "--found", "on no list")
    for person in APPROVERS:
        desk.done(person, "credit", "approve", "riverside", number)


def test_a_list_of_counts_shows_who_takes_a_drawer_over(desk: Desk) -> None:
    """So does the answer, and afterwards the list of locations."""
    count = ("cage", "count", "riverside", "drawer-2", CASH, "--cashier", "ann.lee", "--next-cashier", "bo.kay")
    entered = desk(*count, person="demo.cage")
    assert (0, True) == (entered.code, "at riverside, bo.kay takes it over: entered" in entered.stderr), entered.stderr
    [number] = [one["count"] for one in desk("cage", "counts", "riverside", "--json").documents if "bo.kay" in str(one)]
    desk.done("demo.cashier", "cage", "verify", "riverside", str(number))
    assert re.search(r"drawer-2 +verified .*ann\.lee +bo\.kay", desk("cage", "counts", "riverside").stdout)
    assert re.search(rf"drawer-2 +drawer .*bo\.kay +{number} ", desk("cage", "locations", "riverside").stdout)
