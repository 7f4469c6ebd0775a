"""The page of design tokens and components, and its page in the documentation."""

import re
from pathlib import Path
from typing import Final

import pytest

from services.console.pages.design import tokens
from services.console.words import said
from tests.support.console import Stage

ROOT: Final = Path(__file__).parents[3]
STYLES: Final = (ROOT / "services" / "console" / "static" / "console.css").read_text()
DOCUMENTED: Final = (ROOT / "docs" / "console-design.md").read_text()

ENOUGH: Final = 4.5
"""The contrast of text that WCAG 2.2 asks for (1.4.3, level AA)."""
TEXT_ON: Final = {
    "ink": ("paper", "panel"),
    "quiet": ("paper", "panel"),
    "strong": ("paper", "panel"),
    "strong-ink": ("strong",),
    "flag": ("flag-paper",),
    "good": ("good-paper", "panel"),
    "bad": ("bad-paper", "panel"),
}
"""The colors of text, with the colors behind it."""


def colors(theme: str) -> dict[str, str]:
    """Return the colors of a theme, by name."""
    light, _, rest = STYLES.partition("@media (prefers-color-scheme: dark)")
    text = light if theme == "light" else rest.partition("}")[0]
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", text))


def luminance(color: str) -> float:
    """Return the relative luminance of a color in sRGB, as WCAG 2.2 defines it."""
    parts = (int(color[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colors: from 1 to 21."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def test_the_page_shows_each_token_and_component(stage: Stage) -> None:
    """Every color and size with its name and use; cards, states, notices, tables, forms as pages have them."""
    page = stage.browser("pit.pat").get("/design")
    assert 200 == page.status_code
    for name in tokens():
        assert f"<code>--{name}</code>" in page.text
    for shown in ("Suggested fill: $11,600.00", "beyond 3 standard deviations", 'aria-invalid="true"', "<caption>"):
        assert shown in page.text, shown


def test_each_token_is_documented_as_it_is() -> None:
    """With its use, and its values in both themes or its size; nothing else is."""
    rows = dict(re.findall(r"^\| `--([a-z-]+)` \| (.*) \|$", DOCUMENTED, re.MULTILINE))
    light, dark = colors("light"), colors("dark")
    assert light.keys() == dark.keys()
    of_colors = {name: f"{said('design.color')[name]} | `{light[name]}` | `{dark[name]}`" for name in light}
    sizes = {name: value for name, value in tokens().items() if name not in light}
    of_sizes = {name: f"{said('design.size')[name.removeprefix('text-')]} | {sizes[name]}" for name in sizes}
    assert of_colors | of_sizes == rows


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_legible_on_what_is_behind_it(theme: str) -> None:
    """In both themes."""
    of = colors(theme)
    found = {(one, on): contrast(of[one], of[on]) for one, behind in TEXT_ON.items() for on in behind}
    assert {} == {names: round(value, 2) for names, value in found.items() if value < ENOUGH}
