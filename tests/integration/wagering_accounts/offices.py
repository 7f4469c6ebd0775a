"""The offices of a casino that file what was moved and what was won; their books are two services in this process."""

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

from tests.integration.reporting.test_currency import sold
from tests.integration.reporting.test_winnings import _identified, _line, _posted
from tests.support.accounts import IDENTITY, ROLES, SOMEBODY_ELSE, House
from tests.support.browsers import Browsers
from tests.support.filings import FILER
from tests.support.published import published
from tests.support.reporting import Books
from tests.support.shell_calls import ShellCalls
from tests.support.table_days import TableDays
from tests.unit.cli.calling import Called
from tests.unit.reporting.entries import NOON as REPORTED

EVE, SAM, READER = "title31.eve", "title31.sam", "cage.lou"
PATRONS = ("p-8", "p-9", "p-10")
DOCUMENT = {
    "time_zone": "America/New_York",
    "property": "riverside",
    "packs": ["us-pa", "us-federal"],
    "filer": FILER.model_dump(mode="json") | {"state_tax_number": "12-345678"},
}
CANADIAN = {name: IDENTITY[name] for name in IDENTITY if name != "state_code"} | {
    "country": "CA",
    "state_code": "ON",
    "postal_code": "K1A0B1",
    "taxpayer_number": "123 456 789",
    "taxpayer_number_kind": "foreign",
}
PREPARE = ("filing", "prepare", "--property", "riverside", "--day", "2026-11-20", "--filed-on", "2026-11-21", "--json")
REGISTRY: Mapping[str, Any] = {
    "/properties/riverside/in-effect": {
        "filer": FILER.model_dump(mode="json"),
        "packs": ["us-pa", "us-federal"],
        "time_zone": "America/New_York",
    }
}


class WinningsOffice:
    """The tax office of a casino whose books are two services in this process."""

    def __init__(self, house: House, books: Books, call: ShellCalls, folder: Path) -> None:
        self.house, self.books, self.call, self.folder = house, books, call, folder
        self.ledger = TableDays()
        self._told = 0

    def won(self) -> None:
        """Have two residents win above the threshold, and a Canadian twice."""
        self.books.desk.feed(
            "settlements",
            *(_posted(self.books, seq, _line(5, 2000 + 500 * seq), round_id=f"r-{seq}") for seq in range(1, 5)),
        )
        for number, (patron, country, cents) in enumerate(
            (("p-9", "US", 0), ("p-10", "US", 72_000), ("p-8", "CA", 105_000), ("p-8", "CA", 120_000)), start=1
        ):
            self.identify(number, patron, cents, country)

    def identify(self, number: int, patron: str, withheld_cents: int | None, country: str = "US", **more: Any) -> None:
        """Have a cashier record who won in a round."""
        said = {"patron": patron, "tax_residence": country, "withheld_cents": withheld_cents, **more}
        self.books.desk.feed("inventory", _identified(self.ledger, f"r-{number}", **said))

    def register(self) -> None:
        """Have all patrons identified."""
        for patron in PATRONS:
            self.house.register(patron, f"W-{patron}", code="4711-kiwi")
            self.know(patron, {"p-8": CANADIAN, "p-10": SOMEBODY_ELSE}.get(patron, IDENTITY))

    def know(self, patron: str, identity: dict[str, Any]) -> None:
        """Record who a patron is."""
        path = f"/patrons/riverside/{patron}/identity"
        assert self.house.send(path, {"identity": identity}, person="cage.ann").is_success

    def returns(self, form: str = "w-2g", *more: str, person: str = EVE) -> Called:
        """Prepare returns of 2026, after reporting has read what the wagering accounts published."""
        self.tell()
        asked = ("--property", "riverside", "--year", "2026", "--form", form, "-o", str(self.folder), "--json")
        return self.call("filing", "returns", *asked, *more, person=person)

    def tell(self) -> None:
        """Let reporting read what it has not read yet of filings."""
        entries = [one for one in self.house.desk.entries() if one.draft.kind.startswith("filing.")]
        for entry in entries[self._told :]:
            self._told += 1
            data = json.loads(entry.draft.data)
            message = published(entry.draft.kind, data, service="wagering-accounts", sequence=self._told, at=REPORTED)
            self.books.desk.feed("accounts", message)

    def release(self, filing: int) -> Called:
        """Release a filing by its file."""
        [file] = self.folder.glob(f"*-{filing}.csv")
        return self.call("filing", "release", "riverside", str(filing), "--file", str(file), person=SAM)

    def send(self, filing: int, *answer: str) -> Called:
        """Release a filing by its file, record that it was sent, and what the portal shows."""
        number, released = str(filing), self.release(filing)
        assert 0 == released.code, released.stderr
        assert (
            0 == self.call("filing", "filed", "riverside", number, "--tracking-id", f"2027-{number}", person=EVE).code
        )
        return self.call("filing", "acknowledge", "riverside", number, *answer, person=EVE)

    def rows(self, filing: int) -> list[dict[str, str]]:
        """Return the rows of a file."""
        [file] = self.folder.glob(f"*-{filing}.csv")
        with file.open(newline="") as opened:
            return list(csv.DictReader(opened))

    def report(self) -> dict[str, Any]:
        """Return the report of the year."""
        self.tell()
        found = self.books.get("/reports/winnings?property=riverside&gaming_day=2026-12-31&period=year", person=READER)
        report: dict[str, Any] = found.json()
        return report


@dataclass
class CurrencyOffice:
    """The services behind the command line, whose reporting reads what the wagering accounts recorded of filings."""

    house: House
    books: Books
    call: ShellCalls
    ledger: TableDays
    folder: Path
    told: int = 0

    def sell(self, dollars: int, patron: str | None = "p-7") -> dict[str, Any]:
        """Sell chips to the patron, or to an unidentified person, for currency."""
        sale: dict[str, Any] = sold(self.ledger, dollars, patron)
        self.books.desk.feed("inventory", sale)
        return sale

    def tell(self) -> None:
        """Have reporting read what it has not read of filings."""
        entries = [one for one in self.house.desk.entries() if one.draft.kind.startswith("filing.")]
        for entry in entries[self.told :]:
            self.told += 1
            data = json.loads(entry.draft.data)
            message = published(entry.draft.kind, data, service="wagering-accounts", sequence=self.told, at=REPORTED)
            self.books.desk.feed("accounts", message)

    def prepare(self, *more: str) -> Called:
        """Prepare the file of the gaming day."""
        file = self.folder / f"ctr-{self.told}.xml"
        called = self.call(*PREPARE, *more, "-o", str(file), person=EVE)
        self.tell()
        return called

    def accept(self, filing: int, bsa_id: str) -> None:
        """Release a filing, record that it was sent, and that it was accepted."""
        self.send(filing)
        self.answer(filing, bsa_id)

    def send(self, filing: int) -> None:
        """Release a filing, and record that it was sent."""
        released = self.call("filing", "release", "riverside", str(filing), person=SAM)
        assert 0 == released.code, released.stderr
        path, sent = f"/filings/riverside/{filing}", {"tracking_id": f"26000000000{filing}"}
        assert self.house.send(f"{path}/filed", sent, person=EVE).is_success

    def answer(self, filing: int, bsa_id: str | None, **more: Any) -> None:
        """Record what FinCEN answered of the only report of a filing: its identifier, or that it was rejected."""
        said = {"accepted": False} if bsa_id is None else {"accepted": True, "bsa_id": bsa_id}
        answer = {"accepted": True, "reports": [{"report": 1, **said}]} | more
        assert self.house.send(f"/filings/riverside/{filing}/acknowledgement", answer, person=EVE).is_success
        self.tell()


def prepared_by(called: Called) -> list[dict[str, Any]]:
    """Return the filings that a command prepared."""
    assert 0 == called.code, called.stderr
    found: list[dict[str, Any]] = json.loads(called.stdout)
    return found


def listed(office: WinningsOffice | CurrencyOffice, person: str = EVE) -> dict[str, str]:
    """Return the status of each filing by number, as the command line lists it, with "late" if it is."""
    called = office.call("filing", "list", "--property", "riverside", person=person)
    assert 0 == called.code, called.stderr
    found = {}
    for line in called.stdout.splitlines():
        if match := re.match(
            r" *(\d+) .*?(\(late\))? +((?:prepared|released|filed|accepted|rejected|withdrawn).*?)  ", line
        ):
            found[match[1]] = match[3] + (" (late)" if match[2] else "")
    return found


@contextmanager
def console(office: WinningsOffice | CurrencyOffice) -> Iterator[Browsers]:
    """People at the console before the services of an office."""
    browsers = Browsers(office.house.desk, office.books.desk, people=ROLES, clock=office.house.clock)
    with browsers.client:
        yield browsers


def table_of(page: str, title: str) -> list[dict[str, str]]:
    """Return the rows of a page's table with this caption, by the headings of its columns."""
    found = page.partition(f'aria-label="{title}"')[2].partition("</table>")[0]
    rows = [
        [unescape(re.sub("<[^>]+>", "", cell)).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.S)]
        for row in re.findall(r"<tr>(.*?)</tr>", found, re.S)
    ]
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
