"""Filings as people send them over HTTP: each step, and which are late or filed again."""

from datetime import timedelta
from typing import Any

import httpx

from services.wagering_accounts.watch import observe
from tests.support.accounts import PROPERTY, House
from tests.support.filings import filing_of
from tests.support.returns_filed import returns_filing

EVE, SAM = "title31.eve", "title31.sam"


FIRST, SECOND = "31000000000001", "31000000000002"


FIVE_YEARS = timedelta(days=5 * 366)


def prepare(house: House, *patrons: str, **more: Any) -> httpx.Response:
    """Prepare a filing."""
    return house.send("/filings", filing_of(*patrons or ("p-1",), **more), person=EVE)


def prepare_returns(house: House, *people: str, **more: Any) -> httpx.Response:
    """Prepare a filing of information returns."""
    return house.send("/filings", returns_filing(*people or ("p-1",), **more), person=EVE)


def step(house: House, name: str, body: Any = None, *, filing: int = 1, person: str = EVE) -> httpx.Response:
    """Take a step of a filing."""
    return house.send(f"/filings/{PROPERTY}/{filing}/{name}", body, person=person)


def file(house: House, filing: int = 1) -> None:
    """Release a filing, and record that it was sent."""
    assert 200 == step(house, "release", filing=filing, person=SAM).status_code
    sent = {"filed_at": house.clock.now.isoformat(), "tracking_id": f"26000000000{filing}"}
    assert 200 == step(house, "filed", sent, filing=filing).status_code


def answer(
    house: House, *identifiers: str | None, filing: int = 1, accepted: bool = True, **more: Any
) -> httpx.Response:
    """Record what FinCEN answered of each report: its identifier, or an error."""
    error = {"code": "F18", "place": "Activity[1]/Party[6]"}
    reports = [
        {"report": number, "accepted": one is not None} | ({"errors": [error]} if one is None else {"bsa_id": one})
        for number, one in enumerate(identifiers, start=1)
    ]
    return step(house, "acknowledgement", {"accepted": accepted, "reports": reports} | more, filing=filing)


def late(house: House) -> float | None:
    """Return the number of late filings, as the metric has it."""
    house.desk.client.run(observe(house.desk.context))
    return house.desk.context.metrics.registry.get_sample_value("pitledger_filings_late")


def filed_again(house: House) -> dict[int, bool | None]:
    """Return of each rejected filing whether all of its rejected reports are in a later one."""
    listed = house.read(f"/filings?property={PROPERTY}", person=EVE).json()["items"]
    assert all("filed_again" not in one for one in listed if one["status"] != "rejected")
    return {one["filing"]: one["filed_again"] for one in listed if one["status"] == "rejected"}
