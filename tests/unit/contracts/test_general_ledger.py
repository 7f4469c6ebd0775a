"""The catalogue of legs, and what a general-ledger mapping says of each of them."""

from typing import Any

import pytest
from pydantic import ValidationError

from shared.contracts.general_ledger import LedgerMappingDocument, LedgerRule, problems
from shared.contracts.legs import LEGS, require_declared
from shared.contracts.postings import LegPosting, postings_as_text, postings_of_text
from tests.support.ledger_mappings import mapping_document, remapped

EVERY_LEG = [(service, leg) for service, legs in LEGS.items() for leg in legs]


def document(said: dict[str, Any] | None = None) -> LedgerMappingDocument:
    """The mapping of the documentation, or one like it."""
    return LedgerMappingDocument.model_validate(mapping_document() if said is None else said)


def with_rule(**rule: Any) -> LedgerMappingDocument:
    """The mapping of the documentation with one more rule."""
    whole = mapping_document()
    return document(whole | {"rules": [*whole["rules"], rule]})


def test_the_mapping_of_the_documentation_is_without_a_fault() -> None:
    """Whoever declares a leg gives it an account there, too."""
    assert [] == list(problems(document()))


@pytest.mark.parametrize(("service", "leg"), EVERY_LEG, ids="/".join)
def test_no_leg_can_be_forgotten(service: str, leg: str) -> None:
    """A mapping without a rule for one of the catalogue is refused, and the leg is named."""
    whole = mapping_document()
    kept = [rule for rule in whole["rules"] if (rule["service"], rule["leg"]) != (service, leg)]
    assert f"{service} {leg}: there is no rule for it without conditions" in problems(document(whole | {"rules": kept}))


@pytest.mark.parametrize(("service", "leg"), EVERY_LEG, ids="/".join)
def test_an_account_of_another_kind_is_found(service: str, leg: str) -> None:
    """A planted wrong mapping: of each leg, one account of the chart that is not of its kind."""
    kinds = LEGS[service][leg].kinds
    wrong = next(one for one in document().accounts if one.kind not in kinds)
    [found] = [fault for fault in problems(document(remapped(service, leg, account=wrong.account))) if "kind" in fault]
    assert found.startswith(f"{service} {leg}: account {wrong.account} is of kind {wrong.kind}; ")


def test_both_sides_of_a_transfer_have_one_account() -> None:
    """Chips of rounds that were cleared to another account than the table inventories have them from."""
    [found] = problems(document(remapped("table-inventory", "rounds", account="1920")))
    assert found.startswith("the legs of the transfer of rounds go to 1910, 1920: give them one clearing account")


@pytest.mark.parametrize(
    ("rule", "fault"),
    [
        ({"leg": "win", "account": "4010"}, "round-settlement win: round-settlement has no such leg; it has handle, "),
        ({"leg": "handle", "game": "craps", "account": "9999"}, "handle game craps: account 9999 is not in the chart"),
        ({"leg": "handle", "account": "4010"}, "round-settlement handle: there are two rules for it"),
    ],
)
def test_a_rule_is_of_what_there_is(rule: dict[str, str], fault: str) -> None:
    """A leg that no service has, an account that is not there, and two rules for one thing."""
    assert any(fault in one for one in problems(with_rule(service="round-settlement", **rule)))


@pytest.mark.parametrize("twice", [{"account": "1010", "title": "Safe"}, {"account": "1011", "title": "Rake"}])
def test_an_account_is_in_the_chart_once(twice: dict[str, str]) -> None:
    """By its number and by its title: programs know accounts by either."""
    whole = mapping_document()
    accounts = [*whole["accounts"], {"kind": "asset", **twice}]
    assert any("is in the chart twice" in one for one in problems(document(whole | {"accounts": accounts})))


def test_the_most_specific_rule_counts() -> None:
    """Item before game, game before pit, pit before class; what applies to another one does not."""
    whole = mapping_document()
    rules = [
        {"service": "table-inventory", "leg": "drop", "account": account, **condition}
        for account, condition in {
            "A": {"table_class": "banking"},
            "B": {"pit": "pit-1"},
            "C": {"game": "craps"},
            "D": {"game": "craps", "pit": "pit-1"},
            "E": {"item": "coupon"},
        }.items()
    ]
    mapping = document(whole | {"rules": [*whole["rules"], *rules]})

    def account(**given: str) -> str | None:
        rule: LedgerRule | None = mapping.rule_for("table-inventory", "drop", **given)
        return None if rule is None else rule.account

    assert "1010" == account(table_class="non_banking")
    assert "A" == account(table_class="banking", pit="pit-2")
    assert "B" == account(table_class="banking", pit="pit-1", game="baccarat")
    assert "C" == account(game="craps", pit="pit-2", table_class="banking")
    assert "D" == account(game="craps", pit="pit-1")
    assert "E" == account(item="coupon", game="craps", pit="pit-1")
    assert mapping.rule_for("table-inventory", "no_leg") is None


def test_a_service_posts_on_the_legs_that_it_declares() -> None:
    """A leg of another one, or a new one, is a bug; what has no catalogue is nobody's journal here."""
    require_declared("vigorish", "waived")
    require_declared("somebody-else", "anything")
    with pytest.raises(LookupError, match="vigorish posts on the leg 'handle': declare it"):
        require_declared("vigorish", "handle")


def test_postings_are_read_as_they_are_written() -> None:
    """With and without table and wager, and none at all."""
    postings = [LegPosting("BJ-01", "pai.gow_1", "handle", -5), LegPosting("", "", "cage", 9_999_999_999)]
    assert postings == postings_of_text(postings_as_text(postings))
    assert [] == postings_of_text(postings_as_text([]))


@pytest.mark.parametrize(
    "titles",
    [("Fees - late", "Fees: late"), ('"Fees"', "'Fees'"), ("Tipy Ř", "Tipy Ş"), ("LATE FEES", "Late fees")],
)
def test_titles_are_distinct_also_as_programs_read_them(titles: tuple[str, str]) -> None:
    """A program that knows accounts by their titles would add up two of them as one."""
    accounts = mapping_document()["accounts"]
    more = [{"account": f"999{number}", "title": title, "kind": "asset"} for number, title in enumerate(titles)]
    wanted = LedgerMappingDocument.model_validate(mapping_document(accounts=[*accounts, *more]))
    how = "as some programs read them, in any case, without colons, quotes, and letters that Windows-1252 lacks"
    first, second = titles
    assert [f"the titles {first!r}, {second!r} are one {how}"] == [*problems(wanted)]


@pytest.mark.parametrize("segment", ["department", "cost_center"])
def test_a_department_has_one_spelling(segment: str) -> None:
    """QuickBooks would post both to one class; it is a typing error."""
    first, second, *rest = mapping_document()["rules"]
    rules = [first | {segment: "Pit-3"}, second | {segment: "PIT-3"}, *rest]
    wanted = LedgerMappingDocument.model_validate(mapping_document(rules=rules))
    words = segment.replace("_", " ")
    assert [f"the {words}s 'PIT-3', 'Pit-3' differ only in case: some programs read them as one"] == [*problems(wanted)]


@pytest.mark.parametrize("currency", ["JPY", "XXQ", "usd"])
def test_amounts_are_in_dollars_of_a_hundred_cents(currency: str) -> None:
    """A yen has no cents, and nobody has XXQ."""
    with pytest.raises(ValidationError, match="Input should be 'USD' or 'CAD'"):
        LedgerMappingDocument.model_validate(mapping_document(currency=currency))
    assert "CAD" == LedgerMappingDocument.model_validate(mapping_document(currency="CAD")).currency
