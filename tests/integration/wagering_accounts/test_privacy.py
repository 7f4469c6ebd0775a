"""Who patrons are: sealed everywhere, shown to nobody without a trace, and erased without touching an entry."""

import json
import logging
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.routing import APIRoute

from services.wagering_accounts.api import routes
from services.wagering_accounts.domain.documents import AccountDocument, PatronDocument
from services.wagering_accounts.queries.patron_keys import rewrap
from shared.contracts.accounts import PatronErased, PatronSeen
from shared.contracts.facts import Fact
from shared.runtime.database import create_engine
from shared.runtime.sealing import WrappingKeys, new_wrapping_key
from tests.support.accounts import IDENTITY, NOON, PROPERTY, House, a_house
from tests.support.asgi import assert_problem
from tests.support.services import query
from tests.unit.contracts.personal import personal_fields

TELLING = (
    *("last_name", "first_name", "date_of_birth", "street", "city", "postal_code"),
    *("taxpayer_number", "number", "occupation"),
)
PATRON = f"/patrons/{PROPERTY}/p-1"
FIVE_YEARS = timedelta(days=5 * 366)


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of the keys that wrap, as the service is given it."""
    file = tmp_path / "patron-keys.txt"
    file.write_text(new_wrapping_key("k1"))
    monkeypatch.setenv("PITLEDGER_PATRON_KEYS_FILE", str(file))
    return file


@pytest.fixture
def house(url: str, keys: Path) -> Iterator[House]:
    """The service with its keys, whose books are in order at the end of every test."""
    with a_house(url) as house:
        yield house
        house.check()


def who(**other: Any) -> dict[str, Any]:
    """Return the body of the command that says who a patron is, with these fields otherwise."""
    return {"identity": IDENTITY | other}


def identified(house: House) -> None:
    """Register a patron, and say who it is."""
    assert 201 == house.register().status_code
    answer = house.send(PATRON + "/identity", who())
    assert (200, []) == (answer.status_code, found_in(answer.text))


def enter(house: House, **more: Any) -> httpx.Response:
    """Enter an erasure."""
    return house.send(PATRON + "/erasure", {"ground": "requested"} | more, person="care.joy")


def approve(house: House, person: str = "care.max") -> httpx.Response:
    """Approve it."""
    return house.send(PATRON + "/erasure/approve", person=person)


def everything(url: str) -> str:
    """Return every row of every table of every schema, as text; what is bytes also as the text that it may be."""
    tables = query(
        url, "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname !~ '^(pg_|information)'"
    )
    assert len(tables) > 20
    rows = [row for [table] in tables for [row] in query(url, f"SELECT t::text FROM {table} t")]
    columns = query(
        url,
        """SELECT format('SELECT encode(%I, ''escape'') FROM %I.%I WHERE %1$I IS NOT NULL', column_name, table_schema,
                         table_name)
           FROM information_schema.columns
           WHERE data_type = 'bytea' AND table_schema !~ '^(pg_|information)'""",
    )
    return "\n".join([*rows, *(str(text) for [select] in columns for [text] in query(url, select))])


def found_in(text: str) -> list[str]:
    """Return what of the identity stands in a text, of what is long enough to stand there for no other reason."""
    said = {**IDENTITY, **IDENTITY["document"]}
    return [name for name in TELLING if said[name] in text or json.dumps(said[name])[1:-1] in text]


def _with_keys(house: House) -> list[tuple[str]]:
    """Return the patrons that have a key; the property's own key has none."""
    found = query(house.url, "SELECT patron FROM wagering_accounts.patron_keys WHERE patron <> '' ORDER BY patron")
    return [(patron,) for [patron] in found]


def test_nobody_reads_who_a_patron_is_but_through_the_service(house: House) -> None:
    """No table has it, no entry that is published; who may read it finds it whole, and the look is on record."""
    identified(house)
    assert [] == found_in(everything(house.url))
    assert [] == found_in("".join(entry.draft.data.decode() for entry in house.desk.entries()))
    shown = house.read(PATRON + "/identity")
    assert (200, "no-store") == (shown.status_code, shown.headers["cache-control"])
    assert IDENTITY == {name: said for name, said in shown.json()["identity"].items() if name in IDENTITY}
    assert 403 == house.read(PATRON + "/identity", person="table.bj01").status_code
    looks = [(fact.what, fact.by) for fact in house.desk.facts("patron.seen") if isinstance(fact, PatronSeen)]
    assert [("identity", "cage.ann")] == looks


def test_an_erasure_leaves_the_journal_as_it_was(house: House) -> None:
    """Hashes, money and other patrons stay; the key is gone, and a rebuild comes to the same bytes without it."""
    identified(house)
    house.register("p-2", "W-2")
    house.send(f"/patrons/{PROPERTY}/p-2/identity", who(last_name="Somebody Else"))
    before = [(entry.shard, entry.seq, entry.hash) for entry in house.desk.entries()]
    money = house.desk.balances()
    assert 201 == enter(house).status_code
    assert 200 == approve(house).status_code
    after = [(entry.shard, entry.seq, entry.hash) for entry in house.desk.entries()]
    assert (before, money) == ([one for one in after if one in before], house.desk.balances())
    assert [("p-2",)] == _with_keys(house)
    [fact] = house.desk.facts("patron.erased")
    assert isinstance(fact, PatronErased)
    assert ("care.joy", "care.max", "requested") == (fact.entered_by, fact.by, fact.ground)
    assert_problem(house.read(PATRON + "/identity"), 404, "was erased")
    assert "Somebody Else" == house.read(f"/patrons/{PROPERTY}/p-2/identity").json()["identity"]["last_name"]
    model = house.desk.read_model(house.url)
    house.desk.project_again(house.url, [one for one in house.desk.entries() if one.draft.kind != "patron.seen"])
    assert model == house.desk.read_model(house.url)
    for path, body in (("/identity", who()), ("/tax-residence", {"country": "CA", "reason": "passport"})):
        assert_problem(house.send(PATRON + path, body), 409, "was erased")
    assert [("p-2",)] == _with_keys(house)


def test_a_key_that_a_backup_brings_back_is_destroyed_by_the_next_rebuild(house: House) -> None:
    """The entry of the erasure destroys it whenever it is projected."""
    identified(house)
    kept = "SELECT wrapped_by, wrapped FROM wagering_accounts.patron_keys WHERE patron = 'p-1'"
    [(wrapped_by, wrapped)] = query(house.url, kept)
    assert (201, 200) == (enter(house).status_code, approve(house).status_code)
    back = (
        f"INSERT INTO wagering_accounts.patron_keys VALUES ('riverside', 'p-1', '{wrapped_by}', '\\x{wrapped.hex()}')"
    )
    assert [("p-1",)] == [tuple(row) for row in query(house.url, back + " RETURNING patron")]
    house.desk.project_again(house.url, [one for one in house.desk.entries() if one.draft.kind != "patron.seen"])
    assert [] == _with_keys(house)


def test_an_erasure_takes_two_people(house: House) -> None:
    """Whoever entered it cannot approve it; a rejected one erases nothing, and can be entered again."""
    identified(house)
    assert_problem(approve(house), 404, "no erasure")
    assert 201 == enter(house).status_code
    assert_problem(enter(house), 409, "waits for approval already")
    assert 403 == approve(house, "care.joy").status_code
    assert "rejected" == house.send(PATRON + "/erasure/reject", person="care.max").json()["status"]
    assert 200 == house.read(PATRON + "/identity").status_code
    assert 201 == enter(house).status_code
    assert "approved" == approve(house).json()["status"]
    assert_problem(approve(house), 409, "was erased")


def test_what_law_has_kept_is_not_erased(house: House) -> None:
    """Not with money left, an open account, an exclusion, nor before the records that name the patron may go."""
    identified(house)
    house.buy_in(5_000, "W-1")
    assert_problem(enter(house), 409, "5000 cents")
    house.cash_out(None, "W-1", access_code="4711-kiwi")
    assert_problem(enter(house), 409, "kept until 2031-11-20 (58 Pa. Code § 465a.6)")
    house.clock.now = NOON + FIVE_YEARS
    house.open(patron="p-1")
    assert_problem(enter(house), 409, "game accounts of patron p-1 are open: GA-1")
    house.cash_out(None, close=True)
    house.send(PATRON + "/exclusion", {"excluded": True, "reason": "asked for it"}, person="care.joy")
    assert_problem(enter(house), 403, "exclusion list")
    house.send(PATRON + "/exclusion", {"excluded": False, "reason": "asked for it"}, person="care.joy")
    assert_problem(enter(house, last_form_on="2030-01-01"), 409, "kept until 2035-01-01")
    assert 201 == enter(house, last_form_on="2026-11-19").status_code
    [fact] = [approve(house)] and house.desk.facts("patron.erased")
    assert isinstance(fact, PatronErased)
    assert "2031-11-20" == str(fact.kept_until)


def test_the_same_identity_sent_again_is_the_same_command(house: House) -> None:
    """It is recorded once under its key; another one under that key is a conflict, and a refusal shows nothing."""
    house.register()
    for body, status in ((who(), 200), (who(), 200), (who(city="Dunmore"), 409)):
        assert status == house.send(PATRON + "/identity", body, key="k-1").status_code
    assert 1 == len(house.desk.facts("patron.identified"))
    assert 404 == house.send(f"/patrons/{PROPERTY}/p-9/identity", who()).status_code
    assert [] == found_in(everything(house.url))


def test_no_personal_data_in_logs_problems_metrics_and_addresses(
    house: House, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Neither when it is taken and read, nor when it is refused."""
    caplog.set_level(logging.DEBUG)
    identified(house)
    wrong = [
        house.send(PATRON + "/identity", who(date_of_birth="1971-02-03x")),
        house.send(PATRON + "/identity", who(last_name=IDENTITY["last_name"] + "\x00")),
        house.send(PATRON + "/identity", who(nickname=IDENTITY["last_name"])),
        house.send(PATRON + "/identity", who(unknown=["last_name"])),
        house.send(f"/patrons/{PROPERTY}/p-9/identity", who()),
    ]
    assert [422, 422, 422, 422, 404] == [one.status_code for one in wrong]
    shown = house.read(PATRON + "/identity")
    said = [*(one.text for one in wrong), str(shown.url), house.desk.client.get("/metrics").text, caplog.text]
    assert [] == found_in("\n".join([*said, *capfd.readouterr()]))


def test_without_its_keys_the_service_shows_and_takes_no_identity(house: House, keys: Path) -> None:
    """It says so, and everything else goes on."""
    identified(house)
    keys.unlink()
    assert_problem(house.read(PATRON + "/identity"), 503, "cannot be read")
    assert_problem(house.send(PATRON + "/identity", who()), 503, "cannot be read")
    assert 200 == house.buy_in(100, "W-1").status_code
    keys.write_text(new_wrapping_key("k2"))
    assert_problem(house.read(PATRON + "/identity"), 503, "wrapped by k1")


def test_the_key_that_wraps_is_replaced(house: House, keys: Path) -> None:
    """Every key is wrapped anew, also the property's own, and the former one is not needed any more."""
    identified(house)
    keys.write_text(new_wrapping_key("k2") + keys.read_text())

    async def wrap_anew() -> int:
        engine = create_engine(house.url, role="wagering_accounts")
        async with engine.begin() as connection:
            count = await rewrap(connection, WrappingKeys.read(keys))
        await engine.dispose()
        return count

    assert [2, 0] == [house.desk.client.run(wrap_anew()) for _ in range(2)]
    keys.write_text(keys.read_text().splitlines()[0])
    assert IDENTITY["last_name"] == house.read(PATRON + "/identity").json()["identity"]["last_name"]
    assert ["p-1"] == _same_person(house).json()["same_person_as"]


def _same_person(house: House) -> httpx.Response:
    """Register and identify the same person again, under another reference."""
    house.register("p-2", "W-2")
    return house.send(f"/patrons/{PROPERTY}/p-2/identity", who())


def test_every_route_that_shows_a_patron_records_the_look(house: House) -> None:
    """Each GET whose answer names a patron or has a personal field is asked for, and one entry more says so of each."""
    identified(house)
    _same_person(house)
    assert 201 == enter(house).status_code
    assert 201 == house.open(patron="p-1").status_code
    shown = {}
    for route in routes(house.desk.context).routes:
        if isinstance(route, APIRoute) and "GET" in (route.methods or ()) and _shows_patron(route.response_model):
            shown[route.path] = route
    for path in shown:
        before = looks(house)
        filled = path.format(property=PROPERTY, patron="p-1", account="GA-1")
        person = "care.joy" if path.endswith("/erasure") else "cage.ann"
        asked = house.read(filled + (f"?property={PROPERTY}" if "{" not in path else ""), person=person)
        assert 200 == asked.status_code, path
        assert before + (1 if "{" in path else 2) == looks(house), path
    ends = {f"{PATRON_PATH}{end}" for end in ("", "/identity", "/erasure")}
    assert ends | ACCOUNT_PATHS | {SAME_PERSONS} == shown.keys()


PATRON_PATH = "/patrons/{property}/{patron}"
SAME_PERSONS = "/same-persons"
ACCOUNT_PATHS = {"/accounts", "/accounts/{property}/{account}", "/accounts/{property}/{account}/statement"}


def looks(house: House) -> int:
    """Return how many looks are on record."""
    facts: list[Fact] = house.desk.facts("patron.seen")
    return len(facts)


def _shows_patron(model: Any) -> bool:
    """Return whether a model has a personal field or a patron's reference, itself or in what it holds."""
    return model is not None and bool(personal_fields(model, also=("patron",)))


def test_the_documents_that_show_patrons_are_found() -> None:
    """By their fields, also where these are optional or lie deeper."""
    assert {"tax_residence", "patron"} == personal_fields(PatronDocument, also=("patron",))
    assert {"patron"} == personal_fields(AccountDocument, also=("patron",))
