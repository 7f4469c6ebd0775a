"""One person under two references: told when it is entered, on the patron's page, and wherever it is reported."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from services.wagering_accounts.domain.identity import PatronIdentity
from tests.support.accounts import IDENTITY, PROPERTY, House, a_house
from tests.support.asgi import assert_problem
from tests.support.services import query

DOCUMENT = IDENTITY["document"]


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service with its keys and two patrons, whose books are in order at the end of every test."""
    del patron_keys
    with a_house(url) as house:
        for number in (1, 2):
            assert 201 == house.register(f"r-{number}", f"w-{number}").status_code
        yield house
        house.check()


def identify(house: House, patron: str, **other: Any) -> list[str]:
    """Say who a patron is, and return the references that the answer names as the same person."""
    answer = house.send(f"/patrons/{PROPERTY}/{patron}/identity", {"identity": IDENTITY | other})
    assert 200 == answer.status_code, answer.text
    found: list[str] = answer.json()["same_person_as"]
    return found


def shown(house: House, patron: str) -> list[str]:
    """Return the references that a patron's page names as the same person."""
    found: list[str] = house.read(f"/patrons/{PROPERTY}/{patron}").json()["same_person_as"]
    return found


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"taxpayer_number_kind": "ssn", "document": DOCUMENT | {"number": "1"}},
        {"taxpayer_number": "900551235", "document": DOCUMENT | {"number": "9876-5432"}},
    ],
)
def test_a_second_reference_of_a_person_is_named(house: House, other: dict[str, Any]) -> None:
    """It is taken, because law may need it corrected; by number or document alone, in any spelling and kind."""
    assert [] == identify(house, "r-1")
    assert ["r-1"] == identify(house, "r-2", **other)
    assert (["r-2"], ["r-1"]) == (shown(house, "r-1"), shown(house, "r-2"))
    listed = house.read(f"/same-persons?property={PROPERTY}")
    assert [("r-1", ["r-2"]), ("r-2", ["r-1"])] == [(one["patron"], one["same_person_as"]) for one in listed.json()]
    assert {"r-1", "r-2"} <= {getattr(one, "patron", "") for one in house.desk.facts("patron.seen")}


def test_other_people_are_not_the_same_person(house: House) -> None:
    """Nor is who was corrected, or erased: the digests follow the identity."""
    other = {"taxpayer_number": "900551235", "document": DOCUMENT | {"issuing_state": "NJ"}}
    nobody = {"taxpayer_number": None, "taxpayer_number_kind": None, "document": None}
    assert [] == identify(house, "r-1")
    assert [] == identify(house, "r-2", **other)
    assert [] == identify(house, "r-2", **nobody, unknown=["taxpayer_number", "document"])
    assert ["r-1"] == identify(house, "r-2")
    assert [] == identify(house, "r-2", **other)
    assert ([], []) == (shown(house, "r-1"), house.read(f"/same-persons?property={PROPERTY}").json())
    assert ["r-1"] == identify(house, "r-2")
    house.clock.now += timedelta(days=5 * 366)
    assert 201 == house.send(f"/patrons/{PROPERTY}/r-2/erasure", {"ground": "requested"}, person="care.joy").status_code
    assert 200 == house.send(f"/patrons/{PROPERTY}/r-2/erasure/approve", person="care.max").status_code
    assert [] == shown(house, "r-1")
    assert [] == query(house.url, "SELECT FROM wagering_accounts.patron_keys WHERE patron = 'r-2'")


def test_a_digest_tells_nothing_without_its_key(house: House) -> None:
    """It is of 32 bytes, and another under another property's key."""
    identify(house, "r-1")
    [(number, document)] = query(
        house.url,
        "SELECT taxpayer_number_digest, document_digest FROM wagering_accounts.patron_keys WHERE patron = 'r-1'",
    )
    assert (32, 32, False) == (len(number), len(document), number == document)
    with_foreign = PatronIdentity(**IDENTITY | {"taxpayer_number_kind": "foreign", "country": "DE", "state_code": None})
    assert "DE 900551234" == with_foreign.taxpayer_number_text()


def test_a_patron_who_only_pays_in_currency_needs_no_wallet_and_no_code(house: House) -> None:
    """Registered by the reference alone, then identified; the wallet is empty, and nothing leaves it without a code."""
    path = f"/patrons/{PROPERTY}/p-9"
    assert_problem(house.send(f"{path}/identity", {"identity": IDENTITY}), 404, "register it first (POST /patrons)")
    registered = house.send("/patrons", {"property": PROPERTY, "patron": "p-9"})
    assert (201, "p-9", []) == (
        registered.status_code,
        registered.json()["wallet"],
        registered.json()["same_but_for_case"],
    )
    assert [] == identify(house, "p-9")
    assert 200 == house.buy_in(5_000, "p-9").status_code
    assert_problem(house.cash_out(5_000, "p-9", access_code="4711"), 403, "was never given, or is lost")
    assert 200 == house.send(f"{path}/access-code", {"access_code": "4711-fig", "reason": "asked"}).status_code
    assert 200 == house.cash_out(5_000, "p-9", access_code="4711-fig").status_code


def test_references_that_differ_only_in_case_are_named(house: House) -> None:
    """They are different patrons, and a person may have meant one."""
    other = house.send("/patrons", {"property": PROPERTY, "patron": "R-1"})
    assert (201, ["r-1"]) == (other.status_code, other.json()["same_but_for_case"])
    assert ["R-1"] == house.read(f"/patrons/{PROPERTY}/r-1").json()["same_but_for_case"]
