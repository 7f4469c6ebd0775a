"""The stored file of a filing: sealed, each look on record, destroyed with the filing or a patron in it."""

import json
from datetime import timedelta

import pytest

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from services.wagering_accounts.queries.patron_keys import rewrap
from services.wagering_accounts.tables import filing_files
from shared.contracts.accounts import PatronSeen
from shared.runtime.database import create_engine
from shared.runtime.sealing import new_wrapping_key, wrapping_keys
from tests.integration.wagering_accounts.filing_steps import (
    EVE,
    FIRST,
    FIVE_YEARS,
    SAM,
    SECOND,
    answer,
    file,
    prepare,
    step,
)
from tests.support.accounts import CODE, IDENTITY, NOON, PROPERTY, House
from tests.support.asgi import assert_problem
from tests.support.filings import DAY, FILED_ON, FILER, batch_text
from tests.support.rebuilding import assert_named, named
from tests.support.services import query
from tests.support.tampering import tampered


@pytest.fixture
def house(filing_house: House) -> House:
    """The service whose books come to the same when they are rebuilt."""
    return filing_house


def test_a_file_is_sealed_and_each_look_is_on_record(house: House) -> None:
    """Nothing that it says stands in a table or an entry; whoever reads it reads the bytes that were prepared."""
    prepare(house)
    said = [IDENTITY["last_name"], IDENTITY["street"], IDENTITY["taxpayer_number"]]
    rows = query(house.url, "SELECT sealed, encode(wrapped, 'escape') FROM wagering_accounts.filing_files")
    stored = json.dumps([*map(list, rows), *(one.draft.data.decode() for one in house.desk.entries())])
    assert [] == [one for one in said if one in stored]
    found = house.read(f"/filings/{PROPERTY}/1/file", person=SAM)
    assert (200, "no-store", "application/xml") == (
        *(found.status_code, found.headers["cache-control"], found.headers["content-type"]),
    )
    assert batch_text(None) == found.text
    assert 403 == house.read(f"/filings/{PROPERTY}/1/file", person="host.mo").status_code
    house.read(f"/filings/{PROPERTY}/1", person=EVE)
    looks = [fact for fact in house.desk.facts("patron.seen") if isinstance(fact, PatronSeen)]
    assert [("p-1", "filing", SAM), ("p-1", "filing", EVE)] == [(one.patron, one.what, one.by) for one in looks]


def test_a_withdrawn_file_is_destroyed(house: House) -> None:
    """The record of it stays."""
    prepare(house)
    assert "withdrawn" == step(house, "withdraw", {"reason": "another document"}).json()["status"]
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=EVE), 404, "was destroyed")
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")
    assert "withdrawn" == house.read(f"/filings/{PROPERTY}/1", person=EVE).json()["status"]


def test_the_files_of_a_patron_are_destroyed_with_the_patron(house: House) -> None:
    """Not before the law lets go of what was filed, of which nobody need say the day."""
    house.register("p-1", "W-1", code=CODE)
    prepare(house)
    file(house)
    answer(house, FIRST)
    erase = (f"/patrons/{PROPERTY}/p-1/erasure", {"ground": "requested"})
    assert_problem(house.send(*erase, person="care.joy"), 409, "records of 2026-11-20 that name patron p-1 are kept")
    house.clock.now = NOON + FIVE_YEARS
    assert 201 == house.send(*erase, person="care.joy").status_code
    assert 200 == house.send(erase[0] + "/approve", person="care.max").status_code
    assert [] == query(house.url, "SELECT FROM wagering_accounts.filing_files")
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=EVE), 404, "was destroyed")


def test_nobody_is_erased_while_a_filing_has_no_answer(house: House) -> None:
    """However long ago its gaming day was: whoever has a part in a report, and the holder of an account."""
    house.register("p-1", "W-1", code=CODE)
    house.register("p-2", "W-2", code=CODE)
    house.open("GA-2", patron="p-2")
    assert house.cash_out(None, "GA-2", close=True).is_success
    prepare(house)
    by_account = CtrActivity(DAY, None, [Line("buy-in", "in", 1, 1_000_001)], account="GA-2", reference="account GA-2")
    text = ctr_batch(FILER, [by_account], filed_on=FILED_ON).decode()
    assert prepare(house, subjects=[{"kind": "account", "reference": "GA-2"}], file=text).is_success
    house.clock.now = NOON + FIVE_YEARS
    ground = {"ground": "requested"}

    def assert_refused(patron: str, why: str) -> None:
        refused = house.send(f"/patrons/{PROPERTY}/{patron}/erasure", ground, person="care.joy")
        assert_problem(
            refused, 409, f"filings that name patron {patron} have no answer: {why}; withdraw them, or record"
        )
        assert "urn:pitledger:problem:too-early" == refused.json()["type"]

    assert_refused("p-2", "filing 2 is prepared")
    assert_refused("p-1", "filing 1 is prepared")
    assert step(house, "release", person=SAM).is_success
    assert_refused("p-1", "filing 1 is released")
    assert step(house, "withdraw", {"reason": "a wrong file"}).is_success
    erasure = f"/patrons/{PROPERTY}/p-1/erasure"
    assert 201 == house.send(erasure, ground, person="care.joy").status_code
    assert prepare(house).is_success
    approved = house.send(f"{erasure}/approve", person="care.max")
    assert_problem(approved, 409, "filing 3 is prepared")
    assert step(house, "withdraw", {"reason": "a wrong file"}, filing=3).is_success
    assert 200 == house.send(f"{erasure}/approve", person="care.max").status_code


def test_a_file_is_kept_from_the_day_on_which_it_was_sent(house: House) -> None:
    """Five years from the last one that names the patron, amendments among them; on the property's clock."""
    house.register("p-1", "W-1", code=CODE)
    prepare(house)
    file(house)
    answer(house, FIRST)
    house.clock.now = NOON + timedelta(days=731)
    assert 201 == prepare(house, corrects=[FIRST], file=batch_text(FIRST, cents=1_200_000)).status_code
    file(house, 2)
    answer(house, SECOND, filing=2)
    erase = (f"/patrons/{PROPERTY}/p-1/erasure", {"ground": "requested"})
    house.clock.now = NOON + FIVE_YEARS
    kept = "records of 2028-11-20 that name patron p-1 are kept until 2033-11-20"
    assert_problem(house.send(*erase, person="care.joy"), 409, kept)
    house.clock.now = NOON + timedelta(days=731) + FIVE_YEARS
    assert 201 == house.send(*erase, person="care.joy").status_code


def test_the_key_that_wraps_the_key_of_a_file_is_replaced(house: House) -> None:
    """The file opens without the former one."""
    prepare(house)
    path = house.desk.context.settings.patron_keys_file
    assert path is not None
    path.write_text(new_wrapping_key("k2") + path.read_text())

    async def wrap_anew() -> int:
        engine = create_engine(house.url, role="wagering_accounts")
        async with engine.begin() as connection:
            count = await rewrap(connection, wrapping_keys(path))
        await engine.dispose()
        return count

    assert [1, 0] == [house.desk.client.run(wrap_anew()) for _ in range(2)]
    path.write_text(path.read_text().splitlines()[0])
    assert batch_text(None) == house.read(f"/filings/{PROPERTY}/1/file", person=EVE).text


def test_an_altered_file_is_not_shown(house: House) -> None:
    """Nor one with another key; one more is of no use; one that is gone is named."""
    prepare(house)
    path = f"/filings/{PROPERTY}/1/file"
    for column in ("sealed", "wrapped", "wrapped_by"):
        with tampered(house.url, filing_files, "altered", column):
            assert_problem(house.read(path, person=EVE), 409, "")
    with tampered(house.url, filing_files, "added"):
        assert batch_text(None) == house.read(path, person=EVE).text
        assert set() == named("wagering-accounts", house.url)
    assert_named("wagering-accounts", house.url, filing_files, "deleted")


def test_a_report_names_everybody_with_a_part_in_it(house: House) -> None:
    """A look is on record for each of them, and the file goes with the first who is erased."""
    for number in (1, 2):
        house.register(f"p-{number}", f"W-{number}")
    who = PatronIdentity.model_validate(IDENTITY)
    by_agent = Line("chip purchase", "in", 1, 1_000_001, "p-2", ("p-1",))
    report = CtrActivity(DAY, who, [by_agent], reference="p-1", others={"p-2": None})
    text = ctr_batch(FILER, [report], filed_on=FILED_ON).decode()
    subject = {"kind": "patron", "reference": "p-1"}
    refused = prepare(house, subjects=[subject], file=text)
    assert_problem(refused, 409, "report 1 of the file has 2 to 2 persons, of 1 said")
    assert_problem(prepare(house, subjects=[subject | {"with_others": ["p-2", "p-3"]}], file=text), 409, "of 3 said")
    assert_problem(prepare(house, subjects=[subject | {"with_others": ["p-1"]}], file=text), 422, "each of them once")
    prepared = prepare(house, subjects=[subject | {"with_others": ["p-2"]}], file=text)
    assert ["p-2"] == prepared.json()["reports"][0]["with_others"]
    assert 200 == house.read(f"/filings/{PROPERTY}/1/file", person=SAM).status_code
    seen = [json.loads(one.draft.data)["patron"] for one in house.desk.entries() if one.draft.kind == "patron.seen"]
    assert {"p-1", "p-2"} == set(seen)
    erasure = f"/patrons/{PROPERTY}/p-2/erasure"
    ground = {"ground": "requested"}
    assert_problem(house.send(erasure, ground, person="care.joy"), 409, "filing 1 is prepared")
    file(house)
    answer(house, FIRST)
    assert_problem(house.send(erasure, ground, person="care.joy"), 409, "records of 2026-11-20")
    house.clock.now += FIVE_YEARS
    assert house.send(erasure, ground, person="care.joy").is_success
    assert house.send(f"{erasure}/approve", person="care.max").is_success
    assert_problem(house.read(f"/filings/{PROPERTY}/1/file", person=SAM), 404, "was destroyed")
