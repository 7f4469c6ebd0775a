"""What people read in the console stands in words.yaml: what is asked for is there, and nothing else is."""

import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

from services.console.words import counted, words

CONSOLE = Path(__file__).parents[3] / "services" / "console"
TEMPLATES = sorted((CONSOLE / "templates" / "round").glob("*.html"))
SECTIONS = ("round.", "felt.", "charts.", "verify.")
FILES = (".html", ".css", ".js")
ASKED = re.compile(rf"""["']((?:{"|".join(map(re.escape, SECTIONS))})[a-z_.]+)["'{{]""")
ASKED_BY_SCRIPT = re.compile(r'(?:say|counted)\("([a-z0-9_.]+)"')
JINJA = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)


def asked() -> set[str]:
    """Return the names in the sources: of a text, or what the names of several texts begin with."""
    sources = [*CONSOLE.rglob("*.py"), *CONSOLE.rglob("*.html")]
    found = {name for path in sources for name in ASKED.findall(path.read_text()) if not name.endswith(FILES)}
    script = (CONSOLE / "static" / "verify.js").read_text()
    return found | {f"verify.{name}" for name in ASKED_BY_SCRIPT.findall(script)}


def below(name: str) -> Iterator[str]:
    """Return the texts that a name in the sources may mean."""
    return (text for text in words() if text == name or text.startswith(name if name[-1] in "._" else f"{name}."))


def test_every_text_that_is_asked_for_exists() -> None:
    """No page and no step of a verification fails for a text that is not there."""
    assert [] == [name for name in asked() if not any(below(name))]


def test_no_text_is_left_over() -> None:
    """Whatever stands there is said somewhere."""
    known = {text for name in asked() for text in below(name)}
    assert set() == {name for name in words() if name.startswith(SECTIONS)} - known


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_the_page_of_a_round_has_no_words_of_its_own(path: Path) -> None:
    """Between the elements of its templates, and in what they are called, nothing is written that people read."""
    page = JINJA.sub("", path.read_text())
    assert "" == "".join(re.findall("[A-Za-z]", re.sub("<[^>]*>", "", page)))
    assert [] == re.findall(r'(?:aria-label|title|alt|placeholder)="[^"]+"', page)


def test_a_text_about_a_number_has_both_forms_with_the_same_parts() -> None:
    """One thing and several are said with the same parts, so that no form fails for want of one."""
    ones = [name.removesuffix(".one") for name in words() if name.startswith(SECTIONS) and name.endswith(".one")]
    assert ones
    for name in ones:
        one, other = (parts(f"{name}.{form}") for form in ("one", "other"))
        assert one | {"count"} == other | {"count"}, name


def parts(name: str) -> set[str]:
    return {part for _, part, _, _ in Formatter().parse(words()[name]) if part is not None}


def test_a_number_of_things_is_said_in_its_form() -> None:
    """One is one; none and several are the other form, with their thousands apart."""
    assert ["0 rows", "1 row", "1,200 rows"] == [counted("charts.row", number) for number in (0, 1, 1200)]
