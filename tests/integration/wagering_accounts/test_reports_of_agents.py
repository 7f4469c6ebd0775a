"""A report of a person whose movements somebody else's report contains: no money is reported twice."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.wagering_accounts.domain.identity import PatronIdentity
from tests.integration.wagering_accounts.filing_steps import FIRST, SECOND, answer, file, prepare
from tests.integration.wagering_accounts.offices import SAM, CurrencyOffice
from tests.support.accounts import IDENTITY, SOMEBODY_ELSE, House, a_house
from tests.support.asgi import assert_problem
from tests.support.filings import DAY, FILED_ON, FILER

THIRD = "31000000000003"


def test_what_an_agent_moves_later_is_prepared_as_an_amendment(currency_office: CurrencyOffice) -> None:
    """The principal's accepted report is in the agent's now, who amends it; an initial one is refused."""
    office = currency_office
    office.house.register("p-8", "w-8")
    assert office.house.send("/patrons/riverside/p-8/identity", {"identity": SOMEBODY_ELSE}).is_success
    bought: dict[str, Any] = {"cents": 1_200_000, "instrument": "currency", "dealer": "dealer.1", "patron": "p-7"}
    sale = office.ledger.pit("chips.sold", "BJ-01", moved=-1_200_000, **bought, on_behalf_of=["p-8"])
    office.books.desk.feed("inventory", sale)
    [principal] = office.prepare().documents
    assert [("p-8", ["p-7"])] == [(one["reference"], one["with_others"]) for one in principal["reports"]]
    office.send(1)
    office.tell()
    office.sell(3_000)
    unanswered = office.prepare()
    assert (3, True) == (unanswered.code, "it is of patron p-8): record its acknowledgement" in unanswered.stderr)
    office.answer(1, FIRST)
    initial = office.prepare()
    assert (3, True) == (initial.code, initial.stderr.strip().endswith(f"say --corrects p-7={FIRST}")), initial.stderr
    refused = office.prepare("--only", "p-8", "--corrects", f"p-8={FIRST}")
    assert (3, True) == (refused.code, "p-8: all of it is in the report of p-7" in refused.stderr)
    [agent] = office.prepare("--corrects", f"p-7={FIRST}").documents
    said = ("reference", "with_others", "in_dollars", "amends")
    assert [("p-7", ["p-8"], 15_000, FIRST)] == [tuple(one[name] for name in said) for one in agent["reports"]]
    again = office.prepare()
    assert (3, True) == (again.code, "p-7 is left out: filing 2 has the report as it is" in again.stderr)
    office.accept(2, SECOND)
    assert (3, True) == ((later := office.prepare()).code, "filing 2 has the report as it is" in later.stderr)
    released = office.call("filing", "release", "riverside", "2", person=SAM)
    assert 0 != released.code


@pytest.fixture
def house(url: str, patron_keys: None) -> Iterator[House]:
    """The service after the report of p-1, which names p-2, was accepted."""
    del patron_keys
    with a_house(url) as house:
        assert 201 == of_two(house, "p-1", "p-2").status_code
        file(house)
        assert 200 == answer(house, FIRST).status_code
        yield house
        house.check()


def of_two(house: House, patron: str, other: str, corrects: str | None = None) -> httpx.Response:
    """Prepare the report of a patron for whom another one acted."""
    who, agent = (PatronIdentity.model_validate(one) for one in (IDENTITY, SOMEBODY_ELSE))
    lines = [Line("chip purchase", "in", 1, 1_000_001, other, (patron,))]
    activity = CtrActivity(DAY, who, lines, corrects, reference=patron, others={other: agent})
    subjects = [{"kind": "patron", "reference": patron, "with_others": [other]}]
    return prepare(house, subjects=subjects, file=ctr_batch(FILER, [activity], filed_on=FILED_ON).decode())


def test_the_report_of_a_person_is_amended_by_one_that_names_the_person(house: House) -> None:
    """By no other; taken over, it is amended by its new identifier alone, and its person may be reported anew."""
    assert_problem(prepare(house, "p-2", corrects=[FIRST]), 409, f"{FIRST} is the report of patron p-1")
    assert_problem(of_two(house, "p-3", "p-2", FIRST), 409, f"{FIRST} is the report of patron p-1")
    assert 201 == of_two(house, "p-2", "p-1", FIRST).status_code
    assert_problem(prepare(house, "p-1"), 409, f"was accepted as {FIRST} in filing 1: amend it")
    file(house, 2)
    assert 200 == answer(house, SECOND, filing=2).status_code
    assert_problem(of_two(house, "p-1", "p-2", FIRST), 409, f"{FIRST} is amended by the report of patron p-2")
    assert 201 == of_two(house, "p-1", "p-2").status_code
    file(house, 3)
    assert 200 == answer(house, THIRD, filing=3).status_code
    assert 201 == of_two(house, "p-1", "p-2", THIRD).status_code
    assert 201 == of_two(house, "p-2", "p-1", SECOND).status_code
