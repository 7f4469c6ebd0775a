"""The rules that are compiled into the image are those that were held to every test of the rules."""

from infra.compiled import DONE, digest


def test_the_compiled_rules_passed_as_they_are() -> None:
    """A compiler takes types at their word: what is annotated wrongly works in Python, and fails in the image."""
    assert DONE.read_text().strip() == digest(), (
        "run `make compiled`, and commit what it writes to infra/compiled.sha256"
    )
