"""Returns that correct others: other amounts, another recipient, wins that are gone."""

from typing import Any

import pytest

from services.cli.filing.return_rows import corrections
from services.wagering_accounts.domain.identity import PatronIdentity
from tests.support.accounts import IDENTITY
from tests.support.returns_filed import FORM_1042_S, PERSON, W_2G, row

FOREIGNER = PatronIdentity.model_validate(
    {name: value for name, value in IDENTITY.items() if name not in ("state_code", "taxpayer_number_kind")}
    | {"country": "DE", "taxpayer_number": "65 929 970 489", "taxpayer_number_kind": "foreign", "postal_code": "10115"}
)


def test_other_amounts_are_one_corrected_return() -> None:
    """With everything that it should say; the same again is no correction."""
    sent, now = row(), row(winnings_cents=260_000, withheld_cents=62_400)
    assert [] == corrections(W_2G, sent, sent)
    [corrected] = corrections(W_2G, sent, now)
    assert {**now, "Corrected": "Y"} == corrected
    assert [] == corrections(W_2G, corrected, now)
    [once_more] = corrections(W_2G, corrected, sent)
    assert ("2500.00", "Y") == (once_more["Box 1 - Reportable winnings"], once_more["Corrected"])


@pytest.mark.parametrize("changed", [{"last_name": "Vane"}, {"taxpayer_number": "900551235"}])
def test_another_recipient_is_two_returns(changed: dict[str, str]) -> None:
    """One to the name or number that was sent, without amounts, and a new one; an address alone is no other person."""
    sent, now = row(), row(identity=PERSON.model_copy(update=changed))
    nothing, new = corrections(W_2G, sent, now)
    amounts = {"Box 1 - Reportable winnings": "0.00", "Box 4 - Federal income tax withheld": "0.00"}
    assert {**sent, **amounts, "Corrected": "Y"} == nothing
    assert now == new
    [moved] = corrections(W_2G, sent, row(identity=PERSON.model_copy(update={"street": "18 Gooseberry Lane"})))
    assert ("2500.00", "Y") == (moved["Box 1 - Reportable winnings"], moved["Corrected"])


def test_a_return_whose_wins_are_gone_is_corrected_to_nothing() -> None:
    """To whom it was sent, and once."""
    [nothing] = corrections(W_2G, row(), None)
    assert ("0.00", "Oakhurst-Vane", "Y") == (
        *(nothing["Box 1 - Reportable winnings"], nothing["Recipient Last Name (Surname)"], nothing["Corrected"]),
    )
    assert [] == corrections(W_2G, nothing, None)


def test_amended_returns_of_foreign_winners_keep_their_identifier() -> None:
    """And count their amendments, also where the recipient was another one."""
    said: dict[str, Any] = {"form": "1042-S", "residence": "DE"}
    sent = row(**said, identity=FOREIGNER)
    [first] = corrections(FORM_1042_S, sent, row(**said, identity=FOREIGNER.model_copy(update={"last_name": "Vane"})))
    [second] = corrections(FORM_1042_S, first, sent)
    assert [("0000000001", "Y", "1"), ("0000000001", "Y", "2")] == [
        (one["Unique Form Identifier"], one["Amended"], one["Amendment Number"]) for one in (first, second)
    ]


def test_a_layout_without_a_mark_of_corrections_corrects_nothing() -> None:
    """The portal does then."""
    columns = tuple(one for one in W_2G.columns if one.field != "corrected")
    without = W_2G.model_copy(update={"columns": columns})
    with pytest.raises(ValueError, match="correct it in the portal"):
        corrections(without, row(), None)
