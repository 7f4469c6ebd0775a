"""What people typed, on pages: every character of it is seen, at its place."""

import pytest
from markupsafe import escape

from services.console.views import environment, figures

TYPED = [
    ("\u200b", "[U+200B]"),
    ("paid \u202eevif", "paid [U+202E]evif"),
    ("a\u2028b", "a[U+2028]b"),
    ("\u3164", "[U+3164]"),
    ("\U000e0041", "[U+E0041]"),
    ("José, 7\u200d8, ❤\ufe0f", "José, 7\u200d8, ❤\ufe0f"),
    ("<b>\u200b", "&lt;b&gt;[U+200B]"),
]


@pytest.mark.parametrize(("typed", "shown"), TYPED)
def test_a_character_that_is_not_seen_is_written_out(typed: str, shown: str) -> None:
    """In templates and in the cells of reports; what is markup already stays as it is."""
    template = environment().from_string("{{ typed }}|{{ typed|cell('text') }}|{{ typed|e }}")
    assert [shown, shown, str(escape(typed))] == template.render(typed=typed).split("|")
    assert f'<td class="">{shown}</td>' == figures({"reason": typed}, [{"name": "reason", "unit": "text"}])
