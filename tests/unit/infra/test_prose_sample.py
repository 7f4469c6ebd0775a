"""The sample of texts for a reader is drawn from the sources, and the same seed draws the same texts."""

import pytest

from infra import prose_sample


@pytest.fixture(scope="module")
def texts() -> list[prose_sample.Text]:
    """Every text of the sources, which takes seconds to gather."""
    return prose_sample.texts_of()


def test_a_sample_has_each_kind_of_text(capsys: pytest.CaptureFixture[str]) -> None:
    """Each text under its place."""
    prose_sample.main(["--seed", "1", "--number", "5"])
    printed = capsys.readouterr().out
    assert ["docstring", "log event", "page text"] == [
        line.strip("= ") for line in printed.splitlines() if line.startswith("==")
    ]
    assert 15 == sum(".py:" in line or ".yaml:" in line for line in printed.splitlines() if line[:1].isalpha())


def test_a_seed_draws_the_same_texts_again(texts: list[prose_sample.Text]) -> None:
    """And another seed draws others."""
    first = prose_sample.draw(texts, "docstring", 100, 1)
    assert first == prose_sample.draw(texts, "docstring", 100, 1)
    assert first != prose_sample.draw(texts, "docstring", 100, 2)
    assert 100 == len(set(first))


def test_docstrings_are_drawn_with_their_lines(texts: list[prose_sample.Text]) -> None:
    """The line that is printed is where the text begins."""
    for text in prose_sample.draw(texts, "docstring", 20, 3):
        lines = (prose_sample.ROOT / text.path).read_text(encoding="utf-8").splitlines()
        assert text.text.splitlines()[0].split()[0] in lines[text.line - 1]
