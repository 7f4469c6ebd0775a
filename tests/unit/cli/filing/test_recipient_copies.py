"""What recipients of information returns are given: what the file says of them, one document each."""

from io import BytesIO

from pypdf import PdfReader

from services.cli.filing.recipient_copies import copy_document, recipient_copies
from services.cli.filing.return_rows import corrections, row_of
from tests.support.returns_filed import FORM_1042_S, PERSON, W_2G, returned, row
from tests.unit.cli.filing.test_return_corrections import FOREIGNER
from tests.unit.cli.filing.test_returns import A_PAYER, BESIDE, ENTITY


def text_of(pages: bytes) -> str:
    """The text of a document."""
    return " ".join(" ".join(page.extract_text() for page in PdfReader(BytesIO(pages)).pages).split())


def test_each_recipient_has_one_document_with_all_returns() -> None:
    """As filed, the same bytes each time; the recipient's number is cut, the payer's is not."""
    rows = [row(), row(account_number="0000000002", identity=ENTITY), row(account_number="0000000003")]
    people = ["p-1", "p-2", "p-1"]
    first, second = made = [*recipient_copies("W-2G", W_2G, rows, people)]
    assert made == [*recipient_copies("W-2G", W_2G, rows, people)]
    assert ("p-1", "p-2") == (first[0], second[0])
    words = text_of(first[1])
    for said in ("Winnings paid in 2026", "Form W-2G", "Wilhelmina Oakhurst-Vane", "Riverside Casino LLC", "231234567"):
        assert said in words
    for said in ("0000000001", "0000000003", "$2,500.00", "11/20/2026", "*****1234", "not a form of the Internal"):
        assert said in words
    assert "900551234" not in words
    assert "0000000002" not in words
    assert "Oakhurst & Vane LLC" in text_of(second[1])


def test_taxes_of_a_state_are_shown() -> None:
    """By the boxes of the form, in dollars."""
    said = row_of(W_2G, returned(**BESIDE).fields(A_PAYER))
    boxes = [box for box in copy_document("W-2G", W_2G, [said])["returns"][0]["boxes"] if int(box[0]) > 12]
    assert ["PA", "12-345678", "$2,500.00", "$36.00", "$2,500.00", "$10.00", "Scranton"] == [text for *_, text in boxes]


def test_a_corrected_return_says_so() -> None:
    """What was filed before is not shown as if nothing had been."""
    [nothing] = corrections(W_2G, row(), None)
    document = copy_document("W-2G", W_2G, [nothing])
    [said] = document["returns"]
    assert (True, ["1", "Reportable winnings", "$0.00"]) == (said["corrected"], said["boxes"][0])
    [(_, pages)] = recipient_copies("W-2G", W_2G, [nothing], ["p-1"])
    assert "Account number 0000000001 (corrected)" in text_of(pages)


def test_each_return_has_the_recipient_whom_it_names() -> None:
    """A mended name takes two returns: the one to nothing has the old name and number."""
    renamed = PERSON.model_copy(update={"last_name": "Vane", "taxpayer_number": "900559999"})
    rows = corrections(W_2G, row(), row(identity=renamed))
    document = copy_document("W-2G", W_2G, rows)
    assert [("Wilhelmina Oakhurst-Vane", "*****1234"), ("Wilhelmina Vane", "*****9999")] == [
        (one["recipient"][0], one["recipient_tin"]) for one in document["returns"]
    ]
    [(_, pages)] = recipient_copies("W-2G", W_2G, rows, ["p-1", "p-1"])
    words = text_of(pages)
    assert words.index("Wilhelmina Vane") < words.index("(corrected)") < words.index("Wilhelmina Oakhurst-Vane")
    assert 1 == words.count("Recipient of this return")


def test_a_foreign_winner_is_shown_rate_and_code() -> None:
    """Each box that is not empty, by its number."""
    document = copy_document("1042-S", FORM_1042_S, [row(form="1042-S", identity=FOREIGNER, residence="DE")])
    boxes = {number: text for number, _, text in document["returns"][0]["boxes"]}
    assert ("28", "30.00", "$600.00", "GM") == (boxes["1"], boxes["3b"], boxes["7a"], boxes["13b"])
    assert "** *** **0 489" == document["recipient_tin"] == boxes["13i"]
    assert "DE" == document["recipient"][-1]
