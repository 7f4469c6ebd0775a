"""An identity says of each field that forms ask for what it is, or that it is unknown, and nothing else."""

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from services.wagering_accounts.domain.identity import AskedFor, PatronIdentity
from tests.support.accounts import IDENTITY

PAGE = Path(__file__).parents[3] / "docs/wagering-accounts.md"
ENTITY = {
    "kind": "entity",
    "legal_name": "Oakhurst Glass LLC",
    "taxpayer_number": "471234567",
    "taxpayer_number_kind": "ein",
    **{name: IDENTITY[name] for name in ("street", "city", "state_code", "postal_code", "country", "document")},
}
ABROAD = {name: said for name, said in IDENTITY.items() if name != "state_code"} | {
    "country": "DE",
    "postal_code": "50667",
}


def refusal(said: dict[str, Any]) -> str:
    """Return why an identity is refused; the text names fields, and what stands in none of them."""
    with pytest.raises(ValidationError) as raised:
        PatronIdentity.model_validate(said)
    return "; ".join(error["msg"] for error in raised.value.errors(include_input=False))


@given(st.sampled_from([IDENTITY, ENTITY, ABROAD]), st.frozensets(st.sampled_from(get_args(AskedFor))))
def test_each_field_is_given_or_unknown(whole: dict[str, Any], left_out: frozenset[AskedFor]) -> None:
    """Whatever nobody could learn, the identity is taken if it names exactly that, and refused otherwise."""
    kinds = {"taxpayer_number_kind"} if "taxpayer_number" in left_out else set()
    nowhere = {"state_code"} if "country" in left_out else set()  # nobody asks for a state of no country
    said = {name: value for name, value in whole.items() if name not in left_out | kinds | nowhere}
    unknown = sorted(set(whole) & left_out - nowhere)
    taken = PatronIdentity.model_validate(said | {"unknown": unknown})
    read = taken.model_dump(mode="json", exclude_none=True)
    assert {"kind": "person"} | said | {"unknown": unknown} == read
    for name in unknown:
        others = [one for one in unknown if one != name]
        assert f"{name}: neither given nor unknown" in refusal(said | {"unknown": others})
    for name in set(said) & set(get_args(AskedFor)):
        assert f"{name}: given and unknown" in refusal(said | {"unknown": [*unknown, name]})


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"legal_name": "Oakhurst Glass LLC"}, "legal_name: given, and of no person"),
        ({"unknown": ["legal_name"]}, "legal_name: unknown, and no form asks for it"),
        ({"taxpayer_number": "90055123"}, "taxpayer_number: no itin"),
        ({"taxpayer_number": "999999999"}, "taxpayer_number: no itin"),
        ({"taxpayer_number": None}, "taxpayer_number_kind: given without taxpayer_number"),
        ({"taxpayer_number_kind": None}, "taxpayer_number: given without taxpayer_number_kind"),
        ({"country": "QQ"}, "no country has this code in ISO 3166-1"),
        ({"country": "PR"}, "write US, with this code as the state"),
        ({"document": IDENTITY["document"] | {"issuing_country": "PR"}}, "write US, with this code as the state"),
        ({"postal_code": "1850"}, "postal_code: no ZIP code"),
        ({"state_code": None}, "state_code: neither given nor unknown"),
        ({"document": IDENTITY["document"] | {"kind": "other"}}, "has a description"),
        ({"document": IDENTITY["document"] | {"description": "card"}}, "has a description"),
        ({"email": "nobody"}, "should match"),
        ({"phone": "570-555-0100"}, "should match"),
        ({"last_name": "x" * 151}, "should match"),
        ({"last_name": "Oak\nhurst"}, "should match"),
    ],
)
def test_what_no_form_takes_is_refused(other: dict[str, Any], why: str) -> None:
    """With the field's name and what is wrong with it."""
    assert why in refusal(IDENTITY | other)


def test_an_entity_has_no_birthday() -> None:
    """Nor any other field of people."""
    assert "date_of_birth, first_name, suffix: given, and of no entity" == refusal(
        ENTITY | {"date_of_birth": "1971-02-03", "first_name": "Wilhelmina", "suffix": "Jr."}
    ).removeprefix("Value error, ")


@pytest.mark.parametrize("written", ["471-23-4567", "47-1234567", "471234567", " 47-1234567 "])
def test_a_taxpayer_number_is_taken_as_it_is_printed(written: str) -> None:
    """Its nine digits are kept, which the forms take, and which tell one person under two references."""
    taken = PatronIdentity.model_validate(ENTITY | {"taxpayer_number": written})
    assert "471234567" == taken.taxpayer_number
    assert "which has nine digits" in refusal(ENTITY | {"taxpayer_number": "4712-34567"})


def test_a_foreign_number_has_any_form() -> None:
    """As the country that gave it writes it."""
    foreign = ABROAD | {"taxpayer_number": "12 345 678 903", "taxpayer_number_kind": "foreign"}
    assert "12 345 678 903" == PatronIdentity.model_validate(foreign).taxpayer_number
    hyphens = foreign | {"taxpayer_number": "12-3456789"}
    assert "12-3456789" == PatronIdentity.model_validate(hyphens).taxpayer_number


def test_the_example_of_the_page_is_taken() -> None:
    """As it stands there."""
    [example] = [text.partition("```")[0] for text in PAGE.read_text().split("```json")[1:] if '"identity"' in text]
    assert "Oakhurst-Vane" == PatronIdentity.model_validate(json.loads(example)["identity"]).last_name
