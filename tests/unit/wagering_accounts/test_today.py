"""The properties at the moment of a command: whose gaming day it is, whose law, which tables."""

from datetime import UTC, date, datetime, timedelta

import pytest

from services.wagering_accounts.commands import COMMANDS
from services.wagering_accounts.commands.accounts import OpenAccount
from services.wagering_accounts.commands.deciding import AccountsCommand
from services.wagering_accounts.commands.patrons import RegisterPatron
from services.wagering_accounts.domain.access_codes import hash_code
from services.wagering_accounts.domain.books import Books
from services.wagering_accounts.domain.today import Todays
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.runtime.commands.command import Now
from tests.support.properties import place

BEFORE_SIX = datetime(2026, 11, 20, 10, tzinfo=UTC)  # five in New York
PLACES = {
    "riverside": place("riverside", ["BJ-01"]),
    "lincoln": place("lincoln", ["PG-01"], packs=["us-ri", "us-federal"], gaming_day_begins="06:00"),
}


def places(name: str, moment: datetime) -> PropertySnapshot | None:
    """Two properties of two states, from 2020 on."""
    found = PLACES.get(name)
    return found if found is not None and found.document.effective_from <= moment else None


def decide(command: AccountsCommand, moment: datetime = BEFORE_SIX) -> date | None:
    """Return the gaming day under which a command is recorded."""
    return COMMANDS.decide(command, Books(places), Now("ann", moment, "k")).recording.gaming_day


def test_the_gaming_day_is_that_of_the_property() -> None:
    """At one moment two properties are in different gaming days."""
    days = [
        decide(OpenAccount(property=name, account="GA-1", table=table))
        for name, table in (("riverside", "BJ-01"), ("lincoln", "PG-01"))
    ]
    assert [date(2026, 11, 20), date(2026, 11, 19)] == days


def test_the_law_is_that_of_the_property() -> None:
    """Each property's accounts are guarded as the pack says that it names."""
    todays = Todays(places)
    for name, found in PLACES.items():
        assert found.law.accounts == todays.at(name, BEFORE_SIX).law
    assert PLACES["riverside"].law.accounts != PLACES["lincoln"].law.accounts


def test_a_batch_asks_for_a_property_once() -> None:
    """Commands of one moment share what was worked out for the first; another moment is another question."""
    asked: list[datetime] = []

    def counted(name: str, moment: datetime) -> PropertySnapshot | None:
        asked.append(moment)
        return places(name, moment)

    todays = Todays(counted)
    later = BEFORE_SIX + timedelta(hours=2)
    for moment in (BEFORE_SIX, BEFORE_SIX, later):
        todays.at("lincoln", moment)
    assert [BEFORE_SIX, later] == asked


@pytest.mark.parametrize(("name", "year"), [("nowhere", 2026), ("riverside", 2019)])
def test_nothing_is_opened_at_a_property_that_is_not_there(name: str, year: int) -> None:
    """One that was never approved, or is not in effect yet: it is said what to file."""
    with pytest.raises(Rejected, match=f"property '{name}'.*file and approve a property document") as rejected:
        decide(OpenAccount(property=name, account="GA-1", table="BJ-01"), BEFORE_SIX.replace(year=year))
    assert Reason.NOT_FOUND is rejected.value.reason


def test_no_code_is_kept_of_a_patron_who_is_not_registered() -> None:
    """Registering at a property that is not there changes nothing at all."""
    books = Books(places)
    command = RegisterPatron(property="nowhere", patron="p-1", wallet="W-1", access_code="4711-kiwi")
    hashed = command.hashed(hash_code("4711-kiwi"), "a fingerprint")
    with pytest.raises(Rejected, match="property 'nowhere'"):
        COMMANDS.decide(hashed, books, Now("ann", BEFORE_SIX, "k"))
    assert not any((*books.new.values(), *books.changed.values()))


def test_a_game_account_is_for_a_table_of_the_property() -> None:
    """Of another property's tables none is meant."""
    with pytest.raises(Rejected, match="table 'BJ-01' is not among the tables of lincoln") as rejected:
        decide(OpenAccount(property="lincoln", account="GA-1", table="BJ-01"))
    assert Reason.NOT_FOUND is rejected.value.reason
