"""One person in every spelling of a name: the rule itself, and that nothing else compares two people."""

import ast
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shared
from services.reporting.read_model.people import people_fields
from services.round_settlement.domain.settling import require_two_people
from services.table_inventory.domain.people import require_different
from shared.contracts import pit
from shared.contracts.envelope import Contract, Correction
from shared.contracts.facts import ModelT
from shared.contracts.people import canonical_person, held_twice, same_person
from shared.contracts.rejection import Reason, Rejected
from shared.jurisdictions import Dated
from shared.rules.errors import Refused
from shared.runtime.commands.approval import Approval, Policy

NAME = "Kim.Renée"
SPELLINGS = {
    "upper case": NAME.upper(),
    "full width": "\uff2b\uff49\uff4d.Ren\u00e9e",
    "decomposed": "Kim.Rene\u0301e",
    "Kelvin sign": "\u212aim.Renée",
    "zero-width joiner": "Kim\u200d.Renée",
    "zero-width space": "Kim.Ren\u200bée",
    "soft hyphen": "Kim.\u00adRenée",
    "byte order mark": "\ufeffKim.Renée",
    "right-to-left mark": "Kim.Renée\u200f",
    "variation selector": "Kim\ufe0f.Renée",
    "Hangul filler": "Kim.Renée\u3164",
    "tag characters": "Kim.Renée\U000e0041",
    "trailing space": "Kim.Renée ",
    "no-break space": "\u00a0Kim.Renée\u00a0",
    "ligature of a mark inside": "Kim.Rene\u034f\u0301e",
}
ROOT = Path(shared.__file__).parent.parent
every_spelling = pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS)


@every_spelling
def test_another_spelling_is_the_same_person(spelling: str) -> None:
    """Nobody becomes a second person by writing the name in another way."""
    assert same_person(NAME, spelling)


def test_spaces_between_names_are_one() -> None:
    """However many spaces of whichever kind stand between two names."""
    assert canonical_person("Jane \u2003\u00a0 Roe") == canonical_person("jane roe") != canonical_person("janeroe")


def test_letters_of_another_script_are_another_name() -> None:
    """A Cyrillic letter is not the Latin one that it looks like: docs/security.md says so."""
    assert not same_person("jane", "j\u0430ne")


@given(st.text())
def test_the_canonical_form_is_its_own(name: str) -> None:
    """A form of a form is the form, so that sameness goes through any number of spellings."""
    assert canonical_person(canonical_person(name)) == canonical_person(name)


@given(st.text(), st.sampled_from("\u200b\u200d\u00ad\ufeff\u2060\u202e"), st.data())
def test_a_character_that_is_not_seen_makes_no_other_name(name: str, unseen: str, data: Any) -> None:
    """Wherever in the name it stands, also between a letter and its accent."""
    at = data.draw(st.integers(0, len(name)))
    assert same_person(name, name[:at] + unseen + name[at:])


@every_spelling
def test_what_takes_two_people_is_not_approved_by_one(spelling: str) -> None:
    """The one mechanism of approval."""
    with pytest.raises(Rejected) as caught:
        Approval(Policy("filed"), "it", NAME).approve(spelling)
    assert caught.value.reason is Reason.SAME_PERSON


@every_spelling
def test_steps_of_the_law_are_not_taken_by_one(spelling: str) -> None:
    """Slips, and the steps of closing a day."""
    law: Any = Dated(
        value=("prepared_by", "received_by"), source="law", status="confirmed", effective_from=date(2020, 1, 1)
    )
    with pytest.raises(Rejected) as caught:
        require_different("slip 1", law, {"prepared_by": NAME, "received_by": spelling})
    assert caught.value.reason is Reason.SAME_PERSON


@every_spelling
def test_an_event_does_not_name_one_person_for_two(spelling: str) -> None:
    """Every event of the pit whose steps take different people, and the correction of a round."""
    models: list[Any] = [model for model in _subclasses(pit.PitData) if model.DIFFERENT]
    assert len(models) > 5
    for model in models:
        one, *others = model.DIFFERENT
        said = model.model_construct(**{one: NAME}, **dict.fromkeys(others, spelling))
        with pytest.raises(ValueError, match="it takes two people"):
            said._done_by_different_people()
    with pytest.raises(Refused, match="it takes two people"):
        require_two_people(Correction(reason="misread", entered_by=NAME, approved_by=spelling))


def test_nobody_is_not_a_person_twice() -> None:
    """Steps that nobody has taken are not taken by one."""
    assert held_twice([("one", None), ("two", None), ("three", "jane")]) is None
    assert not same_person(None, None)


def test_two_people_are_compared_by_their_canonical_names_alone() -> None:
    """No `==`, `!=`, `in` or `not in` of the services has a person on a side."""
    named = {name for model in _subclasses(Contract) for name in people_fields(model)} | {"by", "person", "asked_by"}
    assert {"entered_by", "dealer", "owner", "approved_by"} <= named
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for folder in ("services", "shared/contracts", "shared/runtime", "shared/journal")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for node in _comparisons(ast.parse(file.read_text()))
        if not named.isdisjoint(_sides(node))
    ]
    assert found == []


def _subclasses(model: type[ModelT]) -> Iterator[type[ModelT]]:
    for one in model.__subclasses__():
        yield one
        yield from _subclasses(one)


def _comparisons(tree: ast.AST) -> Iterator[ast.Compare]:
    kinds = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
    return (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and any(isinstance(one, kinds) for one in node.ops)
    )


def _sides(node: ast.Compare) -> set[str | None]:
    """Return the names of what is compared; of what something may be in, none: that is a container.

    What is compared with a word of the code is no person.
    """
    if any(isinstance(side, ast.Constant) for side in (node.left, *node.comparators)):
        return set()
    compared = zip(node.ops, node.comparators, strict=True)
    sides = [side for op, side in compared if isinstance(op, ast.Eq | ast.NotEq)]
    return {_name_of(side) for side in (node.left, *sides)}


def _name_of(node: ast.expr) -> str | None:
    """Return a name, also of a member and of one under a key; `by` alone is what figures are added up by."""
    match node:
        case ast.Attribute(attr=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Name(id=name) if name != "by":
            return name
    return None
