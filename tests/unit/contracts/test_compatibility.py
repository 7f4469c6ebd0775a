"""Which changes of a schema would break those who send or read by the older one."""

from typing import Any

import pytest

from shared.contracts.compatibility import breaking_changes

NAME = {"type": "string", "pattern": "^[a-z]+$", "maxLength": 10}
ROUND: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"$ref": "#/$defs/Name"},
        "cents": {"type": "integer", "minimum": 0},
        "state": {"enum": ["open", "closed"]},
        "dealer": {"anyOf": [{"$ref": "#/$defs/Name"}, {"type": "null"}]},
        "cards": {"type": "array", "items": {"enum": ["As", "Kd"]}, "maxItems": 5},
        "meters": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["name", "cents"],
    "additionalProperties": False,
    "$defs": {"Name": NAME},
}


def _with(name: str, schema: Any) -> dict[str, Any]:
    return ROUND | {"properties": ROUND["properties"] | {name: schema}}


def _without(name: str) -> dict[str, Any]:
    left = {key: value for key, value in ROUND["properties"].items() if key != name}
    return ROUND | {"properties": left, "required": [one for one in ROUND["required"] if one != name]}


def test_the_same_schema_breaks_nothing() -> None:
    """Nothing changed, nothing broken."""
    assert [] == breaking_changes(ROUND, ROUND)


@pytest.mark.parametrize(
    "new",
    [
        _with("table", {"type": "string"}),
        _with("cents", {"type": "number", "minimum": -5}),
        _with("cents", {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string"}]}),
        _with("state", {"enum": ["open", "closed", "void"]}),
        _with("state", {"type": "string"}),
        _with("dealer", {"anyOf": [{"type": "null"}, {"type": "integer"}, {"$ref": "#/$defs/Name"}]}),
        _with("cards", {"type": "array", "items": {"enum": ["As", "Kd", "Qh"]}, "maxItems": 6}),
        ROUND | {"required": ["name"]},
        {name: value for name, value in ROUND.items() if name != "additionalProperties"},
    ],
    ids=str,
)
def test_more_may_be_allowed(new: dict[str, Any]) -> None:
    """A property more, a wider type, a further value or form, a looser bound: what was valid stays valid."""
    assert [] == breaking_changes(ROUND, new)


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (_without("cents"), "(document).cents: removed"),
        (_without("state"), "(document).state: removed"),
        (ROUND | {"required": ["name", "cents", "state"]}, "(document).state: newly required"),
        (
            _with("table", {"type": "string"}) | {"required": ["name", "cents", "table"]},
            "(document).table: newly required",
        ),
        (_with("cents", {"type": "string"}), "(document).cents: integer is no longer allowed"),
        (_with("cents", {"type": "integer", "minimum": 1}), "(document).cents: minimum 1 where it was 0"),
        (
            _with("cents", {"type": "integer", "minimum": 0, "maximum": 9}),
            "(document).cents: maximum 9 where it was free",
        ),
        (_with("state", {"enum": ["open"]}), "(document).state: 'closed' is no longer allowed"),
        (_with("state", {"const": "open"}), "(document).state: 'closed' is no longer allowed"),
        (_with("dealer", {"$ref": "#/$defs/Name"}), "(document).dealer: null is no longer allowed"),
        (
            _with("cards", {"type": "array", "items": {"enum": ["As"]}, "maxItems": 5}),
            "(document).cards[items]: 'Kd' is no longer allowed",
        ),
        (
            _with("meters", {"type": "object", "additionalProperties": {"type": "string"}}),
            "(document).meters.*: integer is no longer allowed",
        ),
        (
            _with("meters", {"type": "object", "additionalProperties": False}),
            "(document).meters: other properties are no longer allowed",
        ),
        (
            ROUND | {"$defs": {"Name": NAME | {"maxLength": 5}}},
            "(document).name: maxLength 5 where it was 10",
        ),
        (
            ROUND | {"$defs": {"Name": NAME | {"pattern": "^[A-Z]+$"}}},
            "(document).name: pattern '^[A-Z]+$' where it was '^[a-z]+$'",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_less_may_not(new: dict[str, Any], expected: str) -> None:
    """Whatever refuses a document that was valid, or drops what readers rely on, is named with its place."""
    assert expected in breaking_changes(ROUND, new)


def test_a_number_does_not_become_an_integer() -> None:
    """Fractions that were allowed would be refused."""
    assert ["(document): number is no longer allowed"] == breaking_changes({"type": "number"}, {"type": "integer"})


def test_values_that_were_free_cannot_be_listed() -> None:
    """An enumeration in place of any string is named with its values."""
    assert ["(document): only 'a' are allowed now"] == breaking_changes(
        {"type": "string"}, {"enum": ["a"], "type": "string"}
    )


def test_positions_of_an_array_are_compared() -> None:
    """Each place of a fixed array has its own schema."""
    old = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}
    new = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]}
    assert ["(document)[1]: integer is no longer allowed"] == breaking_changes(old, new)


def test_a_schema_that_refers_to_itself_ends() -> None:
    """Recursion is followed only so far."""
    tree = {
        "$ref": "#/$defs/Node",
        "$defs": {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}},
    }
    assert [] == breaking_changes(tree, tree)
