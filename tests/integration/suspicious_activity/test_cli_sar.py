"""`pitledger sar`, from a pattern of the currency report to what FinCEN answered and what is due."""

import stat
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
import yaml

from services.cli.filing import reading
from services.suspicious_activity.manifest import MANIFEST
from tests.integration.reporting.test_currency import Till, _moved
from tests.support import Databases
from tests.support.accounts import IDENTITY, NOON, Clock
from tests.support.desk import Desk, desk_of
from tests.support.filings import ACCEPTED, ERROR, FILER, acknowledgement
from tests.support.properties import property_event
from tests.support.reporting import PEOPLE, Books, books_of
from tests.support.sars import NARRATIVE
from tests.support.sars import PEOPLE as SAR_PEOPLE
from tests.support.services import settled_database
from tests.support.shell_calls import ShellCalls
from tests.support.table_days import TableDays
from tests.unit.cli.calling import Caller

HOUSE: dict[str, Any] = {"filer": FILER.model_dump(mode="json"), "time_zone": "America/New_York"}
ANA, OFF, READER = "sar.ana", "sar.off", "cage.lou"


@pytest.fixture
def clock() -> Clock:
    """The clock of the room."""
    return Clock()


@pytest.fixture
def till() -> Till:
    """The wagering accounts, whose entries reporting reads."""
    return Till()


@pytest.fixture
def books(databases: Databases, till: Till) -> Iterator[Books]:
    """Reporting, which knows of three movements just below the threshold."""
    reporting = settled_database(databases, "reporting")
    with books_of(reporting) as books:
        before = [till.registered("p-7", "w-7"), till.paid(9_500, "w-7", day=-2), till.paid(9_600, "w-7", day=-1)]
        books.desk.feed("accounts", *before, till.paid(9_700, "w-7"))
        yield books
    databases.drop(reporting)


@pytest.fixture
def call(
    books: Books,
    url: str,
    clock: Clock,
    patron_keys: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[ShellCalls]:
    """The command line."""
    del patron_keys
    with desk_of(MANIFEST, url, people=SAR_PEOPLE, clock=clock) as room:
        room.feed("properties", property_event())
        services: dict[str, Desk | Mapping[str, Any]] = {
            "suspicious-activity": room,
            "reporting": books.desk,
            "paytable-registry": {"/properties/riverside/in-effect": HOUSE},
            "wagering-accounts": {"/patrons/riverside/p-7/identity": {"identity": IDENTITY}},
        }
        yield ShellCalls(services, Caller(capsys, monkeypatch), monkeypatch)


def test_a_pattern_becomes_a_report_and_is_filed(
    call: ShellCalls, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person writes the narrative, another releases what was prepared; what FinCEN answered is on record."""
    monkeypatch.setattr(reading, "now", lambda: NOON)
    draft, file, answer = tmp_path / "p-7.yaml", tmp_path / "sar.xml", tmp_path / "answer.xml"
    of_day = ("--property", "riverside", "--day", "2026-11-20")
    asked = ("sar", "draft", *of_day, "--detected-on", "2026-11-20", "-o", str(draft))
    none = call(*asked, "--person", "p-8", person=READER)
    assert (4, True) == (none.code, "docs/examples/suspicion.yaml" in none.stderr)
    drafted = call(*asked, "--person", "p-7", person=READER)
    assert 0 == drafted.code, drafted.stderr
    assert 0o600 == stat.S_IMODE(draft.stat().st_mode)
    said = yaml.safe_load(draft.read_text())
    assert ("p-7", "2026-11-18", "2026-11-20", 28_800, "") == (
        *(said["subject"], said["first_day"], said["last_day"], said["dollars"], said["narrative"]),
    )
    assert any("3 movements of $9,500.00 to $9,700.00" in seen for seen in said["saw"])

    prepare = ("sar", "prepare", str(draft), "-o", str(file), "--filed-on", "2026-11-20")
    refused = call(*prepare, person=ANA)
    assert (3, True, False) == (refused.code, "'narrative' is empty" in refused.stderr, file.exists())
    draft.write_text(yaml.safe_dump(said | {"narrative": NARRATIVE}))
    ahead = call(*prepare[:-1], "2026-11-21", person=ANA)
    assert (2, True) == (ahead.code, "--filed-on 2026-11-21 has not come yet: it is 2026-11-20" in ahead.stderr)
    prepared = call(*prepare, person=ANA)
    assert (0, True) == (prepared.code, "report 1 of riverside is prepared; file by 2026-12-20" in prepared.stdout)
    assert 2 == call("sar", "list", "--property", "riverside", person="nobody").code

    other = tmp_path / "other.xml"
    other.write_text(file.read_text() + "\n")
    assert 3 == call("sar", "release", "riverside", "1", "--file", str(other), person=OFF).code
    assert 0 == call("sar", "release", "riverside", "1", "--file", str(file), person=OFF).code
    due = call("sar", "due", "--property", "riverside", person=OFF)
    assert (0, True) == (due.code, "2026-12-20" in due.stdout)
    clock.now = NOON + timedelta(days=31)
    late = call("sar", "due", "--property", "riverside", person=OFF)
    assert (1, True) == (late.code, "late: 1" in late.stderr)
    assert 0 == call("sar", "filed", "riverside", "1", "--tracking-id", "260000000001", person=ANA).code
    answer.write_bytes(acknowledgement("A", ERROR.format(level="FATAL")))
    rejected = call("sar", "acknowledge", "riverside", "1", str(answer), person=ANA)
    assert (1, True) == (rejected.code, "RawZIPCode" in rejected.stdout)

    unlinked = call(*prepare, person=ANA)
    assert (1, True) == (unlinked.code, "--again 1" in unlinked.stderr), unlinked.stderr
    assert 0 == call(*prepare, "--again", "1", person=ANA).code
    assert 0 == call("sar", "release", "riverside", "2", person=OFF).code
    assert 0 == call("sar", "filed", "riverside", "2", "--tracking-id", "260000000002", person=ANA).code
    answer.write_bytes(acknowledgement("A", ACCEPTED))
    assert 0 == call("sar", "acknowledge", "riverside", "2", str(answer), person=ANA).code
    assert 0 == call("sar", "due", "--property", "riverside", person=OFF).code
    listed = call("sar", "list", "--property", "riverside", "--json", person=OFF)
    assert ["rejected", "accepted"] == [one["status"] for one in yaml.safe_load(listed.stdout)]
    other.unlink()
    assert 0 == call("sar", "content", "riverside", "2", "-o", str(other), person=OFF).code
    assert file.read_bytes() == other.read_bytes()
    [bsa_id] = [one["bsa_id"] for one in yaml.safe_load(listed.stdout) if one["status"] == "accepted"]
    draft.write_text(yaml.safe_dump(said | {"narrative": NARRATIVE, "corrects": bsa_id}))
    assert 0 == call(*prepare, person=ANA).code
    amending = call("sar", "due", "--property", "riverside", person=OFF)  # after the last day of the first report
    assert (0, True) == (amending.code, "prepared" in amending.stdout), amending.stderr
    assert 0 == call("sar", "withdraw", "riverside", "3", "--reason", "nothing was wrong", person=ANA).code
    assert 1 == call("sar", "withdraw", "riverside", "2", "--reason", "too late", person=ANA).code
    assert 1 == call("sar", "destroy", "riverside", "2", person=ANA).code
    clock.now = NOON + timedelta(days=6 * 366)
    assert 0 == call("sar", "destroy", "riverside", "2", person=ANA).code
    assert READER in PEOPLE


def test_the_amount_is_all_that_the_patterns_have(call: ShellCalls, books: Books, till: Till, tmp_path: Path) -> None:
    """In and out together: what several patterns share counts once, as does an exchange, what one alone has too."""
    moved_in = 9_000 + 9_500 + 9_600 + 200 + 9_700  # of these, only consecutive days have the 200
    out = 9_400
    exchanged = 8_500
    books.desk.feed(
        "accounts",
        till.paid(9_000, "w-7", day=-4),  # no day beside it: it is in no run of consecutive days
        till.paid(200, "w-7", day=-1),
        till.paid(out, "w-7", out=True),
        till.registered("p-8", "w-8"),
        till.paid(9_100, "w-8", day=-1),
        till.paid(9_100, "w-8"),
    )
    exchange = _moved(TableDays(), 1, "currency_exchange", exchanged, gaming_day="2026-11-16")
    books.desk.feed("inventory", exchange)
    draft = tmp_path / "p-7.yaml"
    asked = ("sar", "draft", "--property", "riverside", "--day", "2026-11-20", "--person", "p-7", "-o", str(draft))
    drafted = call(*asked, person=READER)
    assert 0 == drafted.code, drafted.stderr
    said = yaml.safe_load(draft.read_text())
    assert ["in", "in", "out"] == sorted(seen.partition(",")[0] for seen in said["saw"])
    assert moved_in + out + exchanged == said["dollars"]


@pytest.mark.parametrize("zone", ["Etc/GMT+12", "Etc/GMT-14"])
def test_today_is_that_of_the_property(
    call: ShellCalls, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, zone: str
) -> None:
    """At any moment, one of the two has another day than UTC."""
    monkeypatch.setitem(HOUSE, "time_zone", zone)
    draft = tmp_path / "p-7.yaml"
    asked = ("sar", "draft", "--property", "riverside", "--day", "2026-11-20", "--person", "p-7", "-o", str(draft))
    before = datetime.now(ZoneInfo(zone)).date()
    drafted = call(*asked, person=READER)
    assert 0 == drafted.code, drafted.stderr
    days = {before, datetime.now(ZoneInfo(zone)).date()}
    assert date.fromisoformat(yaml.safe_load(draft.read_text())["detected_on"]) in days
