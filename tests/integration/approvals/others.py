"""What two people do in the services besides table inventory: how each thing comes to be approved, twice over."""

from datetime import timedelta

from tests.integration.approvals.case import Case, Proposed
from tests.support.accounts import PROPERTY as HOUSE
from tests.support.accounts import House
from tests.support.corrections import propose
from tests.support.desk import Desk
from tests.support.filings import batch_text, filing_of
from tests.support.ledger_mappings import mapping_document
from tests.support.registry import Registry, riverbend
from tests.support.sars import sar_of
from tests.unit.progressive_meters.office import Office, terms

_PATRON = f"/patrons/{HOUSE}/p-1"
_ACCOUNT = f"/accounts/{HOUSE}/GA-1"


# --- paytable registry ---


def property_version(registry: Registry, n: int) -> Proposed:
    """Two properties are filed."""
    filed = registry.send("/properties", riverbend(f"house-{n}"))
    assert 201 == filed.status_code, filed.text
    return Proposed(f"{filed.headers['location']}/approve", "bob")


def ledger_mapping(registry: Registry, n: int) -> Proposed:
    """The mappings of two properties are filed."""
    registry.open(f"house-{n}")
    filed = registry.send("/ledger-mappings", mapping_document(f"house-{n}"))
    assert 201 == filed.status_code, filed.text
    return Proposed(f"{filed.headers['location']}/approve", "bob")


def submission(registry: Registry, n: int) -> Proposed:
    """Two versions are filed."""
    assert 201 == registry.file().status_code
    return Proposed(f"/submissions/riverbend/blackjack/{n}/approve", "bob")


def withdrawal(registry: Registry, n: int) -> Proposed:
    """The withdrawal of an approved version is asked for, returned, and asked for again."""
    path = "/submissions/riverbend/blackjack/1"
    if n == 1:
        later = (registry.desk.context.clock() + timedelta(days=2)).isoformat()
        assert 201 == registry.file(effective_from=later).status_code
        assert 200 == registry.approve().status_code
    else:
        returned = registry.send(f"{path}/withdrawal/return", {"reason": "which hotel?"}, person="bob")
        assert 200 == returned.status_code, returned.text
    asked = registry.send(f"{path}/withdraw", {"reason": f"hotel {n} opens later"})
    assert 200 == asked.status_code, asked.text
    return Proposed(f"{path}/withdrawal/approve", "bob")


# --- progressive meters ---


def pool(office: Office, n: int) -> Proposed:
    """Two versions of a pool's terms are filed."""
    filed = office.send("/pools", terms(base_cents=500_000 + n), person="carl")
    assert 201 == filed.status_code, filed.text
    return Proposed(f"{filed.headers['location']}/approve", "bob")


def change(office: Office, n: int) -> Proposed:
    """Two changes of a meter are requested."""
    if n == 1:
        office.open_pool()
    return Proposed(f"{office.request('major', kind='adjustment', cents=n)}/approve", "bob")


# --- wagering accounts ---


def account_adjustment(house: House, n: int) -> Proposed:
    """Two adjustments of an account are entered."""
    if n == 1:
        house.funded()
    entered = house.send(f"{_ACCOUNT}/adjustments", {"cents": n, "reason": "a ticket"}, person="audit.kim")
    return Proposed(f"{entered.headers['location']}/approve", "audit.lee")


def promotion(house: House, n: int) -> Proposed:
    """Two grants are entered."""
    if n == 1:
        house.funded()
    entered = house.send(f"{_ACCOUNT}/promotions", {"cents": n, "reason": "a gift"}, person="host.mo")
    return Proposed(f"{entered.headers['location']}/approve", "audit.lee")


def erasure(house: House, n: int) -> Proposed:
    """An erasure is entered, rejected, and entered again for another ground: under the same name."""
    if n == 1:
        assert 201 == house.register().status_code
    else:
        assert 200 == house.send(f"{_PATRON}/erasure/reject", person="care.max").status_code
    ground = {"ground": ("requested", "entered_by_mistake")[n - 1]}
    entered = house.send(f"{_PATRON}/erasure", ground, person="care.joy")
    assert 201 == entered.status_code, entered.text
    return Proposed(f"{_PATRON}/erasure/approve", "care.max")


def filing(house: House, n: int) -> Proposed:
    """A filing is prepared, withdrawn, and prepared again with another amount."""
    if n > 1:
        withdrawn = house.send(f"/filings/{HOUSE}/{n - 1}/withdraw", {"reason": "a mistake"}, person="title31.eve")
        assert 200 == withdrawn.status_code, withdrawn.text
    body = filing_of("p-1", file=batch_text(None, cents=1_000_000 + n * 100))
    prepared = house.send("/filings", body, person="title31.eve")
    assert 201 == prepared.status_code, prepared.text
    return Proposed(f"{prepared.headers['location']}/release", "title31.sam")


def sar(desk: Desk, n: int) -> Proposed:
    """A suspicious activity report is prepared, withdrawn, and prepared again with another amount."""
    if n > 1:
        withdrawn = desk.post(f"/sars/{HOUSE}/{n - 1}/withdraw", {"reason": "a mistake"}, person="sar.ana")
        assert 200 == withdrawn.status_code, withdrawn.text
    prepared = desk.post("/sars", sar_of(dollars=9_000 + n), person="sar.ana")
    assert 201 == prepared.status_code, prepared.text
    return Proposed(f"{prepared.headers['location']}/release", "sar.off")


# --- round settlement ---


def correction(desk: Desk, n: int) -> Proposed:
    """Two corrections of a round are proposed."""
    assert 201 == propose(desk).status_code
    return Proposed(f"/corrections/riverside/{n}/approve", "kim")


# --- the quarantine of every service ---


def request(desk: Desk, n: int) -> Proposed:
    """The dismissal of a record is asked for, rejected, and asked for again."""
    if n > 1:
        rejected = desk.post(f"/quarantine/1/requests/{n - 1}/reject", {"reason": "whose?"}, person="ann")
        assert 200 == rejected.status_code, rejected.text
    asked = desk.post("/quarantine/1/dismissal", {"reason": "noise on the line"}, person="kim")
    assert 201 == asked.status_code, asked.text
    return Proposed(f"/quarantine/1/requests/{n}/approve", "ann")


REQUEST = Case("approve-quarantine-request", request)


def dismissal(desk: Desk, n: int) -> Proposed:
    """All of the noise on the line, asked for once more."""
    asked = desk.post("/quarantine/dismissals", {"until": 1, "reason": f"noise on the line, {n}"}, person="kim")
    assert 201 == asked.status_code, asked.text
    return Proposed(f"/quarantine/dismissals/{n}/approve", "ann")


DISMISSAL = Case("approve-dismissal", dismissal)

CASES = {
    "paytable-registry": (
        Case("approve-ledger-mapping", ledger_mapping),
        Case("approve-property", property_version),
        Case("approve-submission", submission),
        Case("approve-withdrawal", withdrawal),
    ),
    "progressive-meters": (Case("approve-pool", pool), Case("approve-change", change)),
    "wagering-accounts": (
        Case("approve-adjustment", account_adjustment),
        Case("approve-promotion", promotion),
        Case("approve-erasure", erasure),
        Case("release-filing", filing),
    ),
    "suspicious-activity": (Case("release-sar", sar),),
    "round-settlement": (Case("approve-correction", correction),),
}
