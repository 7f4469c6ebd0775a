"""Which representation a caller prefers, and whether it has it already."""

import pytest

from shared.runtime.http.conditional_requests import accepted, is_current

JSON, CSV = OFFERED = ("application/json", "text/csv")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("text/csv", CSV),
        ("TEXT/CSV", CSV),
        ("text/*", CSV),
        ("application/json, text/csv", JSON),
        ("application/json;q=0.5, text/csv", CSV),
        ("text/csv;q=0, */*", JSON),
        ("text/csv; header=present; q=0.9, application/json; q=0.8", CSV),
        ("text/html,application/xhtml+xml,*/*;q=0.8", JSON),
        ("image/png", None),
        ("text/csv;q=0", None),
        ("text/csv;q=nonsense", None),
    ],
)
def test_the_preferred_representation_is_given(header: str, expected: str | None) -> None:
    """The highest quality wins, an exact type over a range, the first offered where it is all the same."""
    assert expected == accepted(header, OFFERED)


@pytest.mark.parametrize(
    ("header", "expected"),
    [('W/"a"', True), ('"a"', True), ('"b", W/"a"', True), ("*", True), ('"b"', False), ("", False)],
)
def test_tags_compare_weakly(header: str, expected: bool) -> None:
    """A tag is recognized with and without the sign of weakness, among others too."""
    assert expected is is_current(header, 'W/"a"')
