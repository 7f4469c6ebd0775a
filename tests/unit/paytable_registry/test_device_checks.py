"""What is wrong with the keys of devices and systems, as they are filed and when they are approved."""

from datetime import UTC, datetime
from typing import Any

import pytest

from services.paytable_registry.domain.device_checks import changed_keys, key_problems
from services.paytable_registry.domain.documents import History
from services.paytable_registry.domain.properties import PROPERTIES, PropertyVersion
from services.paytable_registry.domain.property_changes import changes
from shared.contracts.devices import DeviceKey
from shared.contracts.properties import PropertyDocument
from shared.contracts.rejection import Rejected
from tests.support.devices import SINCE, TERMINAL, device, registered, system
from tests.support.properties import document

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
LATER = "2026-11-23T12:00:00Z"


def wanted(*devices: dict[str, Any], **more: Any) -> PropertyDocument:
    """A property of two tables, the first of which has these devices."""
    said = {"effective_from": LATER} | more
    return PropertyDocument.model_validate(document(tables={"BJ-01": {"devices": list(devices)}, "BJ-02": {}}, **said))


def approved(*devices: dict[str, Any]) -> PropertyVersion:
    """Its first version, in effect already."""
    filed = PROPERTIES.file(wanted(*devices, effective_from="2026-11-01T12:00:00Z"), History(), by="ann", at=NOW)
    version = PROPERTIES.after(filed, filed)
    return PROPERTIES.after(version, PROPERTIES.approve(version, History(1), by="bob", at=NOW))


def wrong(*devices: dict[str, Any], **more: Any) -> list[str]:
    """What is wrong with its keys."""
    return list(key_problems(wanted(*devices, **more)))


def test_keys_as_they_should_be_have_no_problem() -> None:
    """Two of a device while they are rotated, and that of a system for a table that has none."""
    keys = (registered(), registered("new"))
    assert [] == wrong(device(*keys), systems=[system("gateway", tables=["BJ-02"])], signatures_required_from=LATER)
    assert [] == wrong()


@pytest.mark.parametrize(
    ("devices", "more", "said"),
    [
        ([device(registered(), registered())], {}, [f"key '{TERMINAL}' is listed 2 times", "public key"]),
        (
            [device()],
            {"systems": [system("x", registered("x") | {"kid": TERMINAL})]},
            ["key 'BJ-01-terminal' is"],
        ),
        ([device()], {"systems": [system("x", registered() | {"kid": "x"})]}, ["public key"]),
        ([], {"systems": [system("x"), system("x", registered("y"))]}, ["system 'x' is listed 2 times"]),
        ([], {"systems": [system("x", tables=["BJ-07"])]}, ["system x: table 'BJ-07' is not among the tables"]),
        ([device()], {"signatures_required_from": LATER}, ["table BJ-02: signatures are required from 2026-11-23"]),
        (
            [device(registered(valid_until=LATER)), device(registered("old", revoked_at=SINCE), asset_number="D-2")],
            {"signatures_required_from": "2026-01-01T00:00:00Z", "systems": [system("x", tables=["BJ-02"])]},
            ["table BJ-01: signatures are required"],
        ),
    ],
    ids=range(7),
)
def test_what_is_wrong_is_said(devices: list[dict[str, Any]], more: dict[str, Any], said: list[str]) -> None:
    """All of it at once."""
    found = wrong(*devices, **more)
    assert len(said) == len(found)
    assert all(one in other for one, other in zip(said, found, strict=True))


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"valid_until": SINCE}, "not after it begins"),
        ({"valid_from": "2026-11-22"}, "valid_from"),
        ({"public_key": "AAAA"}, "public_key"),
        ({"kid": "two words"}, "kid"),
    ],
)
def test_a_key_is_written_as_it_must_be(changed: dict[str, Any], said: str) -> None:
    """Its time, its bytes and its id."""
    with pytest.raises(ValueError, match=said):
        DeviceKey.model_validate(registered() | changed)


@pytest.mark.parametrize("incomplete", [{"signs": []}, {"signing_keys": []}, {"signs": ["settlements"]}])
def test_who_signs_says_what(incomplete: dict[str, Any]) -> None:
    """Keys without a topic are for nothing, a topic without keys is nobody's, and services sign by themselves."""
    with pytest.raises(ValueError, match="signs"):
        wanted(device() | incomplete)


def test_a_key_stays_what_it_was() -> None:
    """An id is that of one key for ever, and what was revoked is never good again."""
    before = [DeviceKey.model_validate(registered(revoked_at=SINCE)), DeviceKey.model_validate(registered("new"))]
    assert [] == list(changed_keys(wanted(device(registered(revoked_at=SINCE), registered("new"))), before))
    assert [] == list(changed_keys(wanted(device(registered("third"))), before)), "it may go"
    other = registered("third") | {"kid": "new"}
    revoked, another = sorted(changed_keys(wanted(device(registered(), other)), before))
    assert "'BJ-01-terminal' was revoked at 2020-01-01" in revoked
    assert "'new' had another public key in an approved version" in another
    with pytest.raises(Rejected, match="was revoked"):
        PROPERTIES.file(
            wanted(device()), History(1, [approved(device(registered(revoked_at=SINCE)))]), by="ann", at=NOW
        )


def test_a_key_that_was_revoked_meanwhile_is_not_approved() -> None:
    """Between the filing of a version and its approval another one may have been approved."""
    filed = PROPERTIES.file(wanted(device()), History(1), by="ann", at=NOW)
    version = PROPERTIES.after(filed, filed)
    revoked = approved(device(registered(revoked_at=SINCE)))
    with pytest.raises(Rejected, match=r"cannot be approved any more: key 'BJ-01-terminal' was revoked"):
        PROPERTIES.approve(version, History(2, [revoked]), by="bob", at=NOW)
    assert "approved" == PROPERTIES.after(version, PROPERTIES.approve(version, History(2), by="bob", at=NOW)).status


def test_a_change_of_keys_is_one_line() -> None:
    """What two people decide upon is readable."""
    one, other = wanted(device()), wanted(device(registered(revoked_at=LATER), registered("new")))
    added, revoked = sorted(changes(one, other))
    assert added.startswith("table BJ-01: device D-1: key BJ-01-terminal: revoked at: none to 2026-11-23")
    assert revoked.startswith("table BJ-01: device D-1: key new: added (public key ")
    here, both = (wanted(systems=[system("gateway", tables=names)]) for names in (["BJ-01"], ["BJ-01", "BJ-02"]))
    assert ["system gateway: table BJ-02: added"] == changes(here, both)
