"""docs/privacy.md is the inventory of personal data: every fact of a patron stands there, with every field."""

import re
from pathlib import Path

import pytest

from services.wagering_accounts.domain.documents import IdentityDocument
from services.wagering_accounts.domain.identity import IdentifyingDocument, PatronIdentity
from services.wagering_accounts.tables import metadata
from shared.contracts.facts import KINDS
from tests.unit.contracts.personal import personal_fields

PAGE = Path(__file__).parents[3] / "docs/privacy.md"

EVERYWHERE = {"property", "by", "at", "subject_sha256"}
"""Fields that are of the house, its people and what they looked at, not of the patron."""

OF_PATRONS = [kind for kind in KINDS if kind.is_fact and "patron" in kind.model.model_fields]


@pytest.fixture(scope="module")
def rows() -> dict[str, set[str]]:
    """What the inventory says of each fact or table: the names in the cell beside it."""
    found: dict[str, set[str]] = {}
    for line in PAGE.read_text().splitlines():
        if line.startswith("| `"):
            names, fields, *_ = (cell.strip() for cell in line.strip("|").split(" | "))
            for name in re.findall(r"`([^`]+)`", names):
                found.setdefault(name, set()).update(re.findall(r"`([^`]+)`", fields))
    return found


@pytest.mark.parametrize("kind", OF_PATRONS, ids=lambda kind: kind.name)
def test_every_field_of_a_fact_about_a_patron_is_classified(kind: object, rows: dict[str, set[str]]) -> None:
    """A field that is added to one fails here until the inventory says what it is."""
    name, model = kind.name, kind.model  # type: ignore[attr-defined]
    assert set(model.model_fields) - EVERYWHERE == rows[name]


def test_every_table_that_holds_patrons_is_classified(rows: dict[str, set[str]]) -> None:
    """Each column of each table with a patron in it, but for the journal's own."""
    tables = [table for table in metadata.tables.values() if "patron" in table.columns]
    assert len(tables) >= 6
    for table in tables:
        assert {column.name for column in table.columns} - EVERYWHERE == rows[str(table)]


def test_what_a_fact_says_of_a_patron_openly_is_known() -> None:
    """No other fact has a field that is marked: whoever marks one decides whether it is to be sealed."""
    marked = {(kind.name, name) for kind in KINDS if kind.is_fact for name in personal_fields(kind.model)}
    assert {
        ("patron.admitted", "reason"),
        ("patron.code_changed", "reason"),
        ("patron.excluded", "reason"),
        ("patron.identified", "identity"),
        ("patron.tax_residence_set", "country"),
        ("patron.tax_residence_set", "reason"),
    } == marked


def test_every_part_of_an_identity_is_marked() -> None:
    """So that every answer that has one is found by its fields."""
    parts = {*PatronIdentity.model_fields, *IdentifyingDocument.model_fields}
    assert parts - {"unknown"} == personal_fields(IdentityDocument)
