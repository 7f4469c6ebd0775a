"""Countries by their codes: those of ISO 3166-1, and those that federal forms take."""

import importlib.resources

import pytest
from pydantic import TypeAdapter, ValidationError

from shared.contracts.countries import COUNTRIES, US_TERRITORIES, Country, CountryOnForms

ANY: TypeAdapter[str] = TypeAdapter(Country)
ON_FORMS: TypeAdapter[str] = TypeAdapter(CountryOnForms)


def test_every_code_of_the_standard_is_a_country() -> None:
    """As the time zone database has them, which follows the standard."""
    lines = (importlib.resources.files("tzdata") / "zoneinfo" / "iso3166.tab").read_text("utf-8").splitlines()
    assert {line.split("\t")[0] for line in lines if not line.startswith("#")} <= COUNTRIES
    assert US_TERRITORIES < COUNTRIES
    assert sorted(COUNTRIES) == sorted(map(ANY.validate_python, COUNTRIES))


@pytest.mark.parametrize("code", ["QQ", "EU", "XX", "UK", "us", "USA", ""])
def test_other_letters_are_no_country(code: str) -> None:
    """Neither unassigned codes nor those of unions; the refusal says which list counts."""
    for kind in (ANY, ON_FORMS):
        with pytest.raises(ValidationError, match=r"ISO 3166-1|pattern"):
            kind.validate_python(code)


def test_a_territory_of_the_united_states_is_a_state_on_forms() -> None:
    """The refusal says how to write it. Others of its kind, such as Canada, are countries."""
    for code in sorted(US_TERRITORIES):
        with pytest.raises(ValidationError, match="write US, with this code as the state"):
            ON_FORMS.validate_python(code)
    assert "CA" == ON_FORMS.validate_python("CA")
