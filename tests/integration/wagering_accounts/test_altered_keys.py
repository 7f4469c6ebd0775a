"""Keys and codes of patrons, as somebody alters them in the database past the service."""

from pathlib import Path

import pytest

from services.wagering_accounts.tables import patron_codes, patron_keys
from shared.runtime.sealing import new_wrapping_key
from tests.support.accounts import IDENTITY, PROPERTY, a_house
from tests.support.asgi import assert_problem
from tests.support.rebuilding import assert_named, named
from tests.support.tampering import tampered

SERVICE = "wagering-accounts"
PATRON = f"/patrons/{PROPERTY}/p-1"


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keys that wrap."""
    file = tmp_path / "patron-keys.txt"
    file.write_text(new_wrapping_key("k1"))
    monkeypatch.setenv("PITLEDGER_PATRON_KEYS_FILE", str(file))


def test_an_altered_key_opens_nothing(url: str) -> None:
    """Nothing is shown of the patron; one more key is of no use; one that is gone is named."""
    with a_house(url) as house:
        assert 201 == house.register().status_code
        assert 200 == house.send(PATRON + "/identity", {"identity": IDENTITY}).status_code
        shown = house.read(PATRON + "/identity").json()["identity"]["last_name"]
        with tampered(url, patron_keys, "altered", "wrapped"):
            assert_problem(house.read(PATRON + "/identity"), 503, "p-1")
        with tampered(url, patron_keys, "added"):
            assert shown == house.read(PATRON + "/identity").json()["identity"]["last_name"]
            assert set() == named(SERVICE, url)
        assert_named(SERVICE, url, patron_keys, "deleted")


def test_an_altered_code_is_named(url: str) -> None:
    """Before somebody uses it."""
    with a_house(url) as house:
        assert 201 == house.register().status_code
        assert_named(SERVICE, url, patron_codes, "altered", "added")
