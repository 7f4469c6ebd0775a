"""The sign and the guide of a version over HTTP."""

import io

import pytest
from pypdf import PdfReader

from tests.support.asgi import assert_problem
from tests.support.registry import Registry


def test_a_version_has_a_sign_and_a_guide(registry: Registry) -> None:
    """As HTML and as PDF, with the version that they are of; with a warning until it is approved."""
    registry.file()
    filed = registry.read("/1/sign")
    assert (200, "text/html; charset=utf-8") == (filed.status_code, filed.headers["content-type"])
    assert "not approved" in filed.text
    registry.approve()
    for kind, said in (("sign", "Payout odds"), ("guide", "How the game is played")):
        page = registry.read(f"/1/{kind}?as=html")
        assert "not approved" not in page.text
        for text in (said, "11 to 1", "§ 633a.13(d)(1)", "blackjack, version 1, approved", "riverbend"):
            assert text in page.text
        pages = registry.read(f"/1/{kind}?as=pdf")
        assert (200, "application/pdf") == (pages.status_code, pages.headers["content-type"])
        assert "11 to 1" in "".join(one.extract_text() for one in PdfReader(io.BytesIO(pages.content)).pages)


def test_the_same_sign_is_not_sent_again(registry: Registry) -> None:
    """Who has it is told so, by its ETag; each form has its own."""
    registry.file()
    tag = registry.read("/1/sign").headers["etag"]
    assert 304 == registry.read("/1/sign", **{"if-none-match": tag}).status_code
    assert 200 == registry.read("/1/guide", **{"if-none-match": tag}).status_code


@pytest.mark.parametrize("kind", ["sign", "guide"])
def test_only_who_may_read_submissions_may_read_them(registry: Registry, kind: str) -> None:
    """Who files, approves, reads submissions or reports; nobody else, and nobody without a token."""
    registry.file()
    path = f"/submissions/riverbend/blackjack/1/{kind}"
    assert [200] * 5 == [registry.get(path, person=name).status_code for name in ("ann", "carl", "bob", "kim", "lee")]
    assert 401 == registry.get(path, person=None).status_code


def test_what_is_not_there_has_no_sign(registry: Registry) -> None:
    """No such version, a draft that the regulation does not allow, a form that nobody knows."""
    assert_problem(registry.read("/1/sign"), 404, "there is no version 1 of blackjack at riverbend")
    draft = registry.send("/submissions/drafts", _draft(registry))
    assert 201 == draft.status_code, draft.text
    assert_problem(registry.read("/1/sign"), 422, "there is no sign of version 1: wager 'roulette'")
    assert 422 == registry.read("/1/sign?as=docx").status_code


def _draft(registry: Registry) -> dict[str, object]:
    filed = registry.file(game="switch").json()
    kept = {name: filed[name] for name in ("property", "regulation", "effective_from")}
    return {**kept, "game": "blackjack", "tables": ["BJ-01"], "submission": {"decks": 6, "wagers": {"roulette": {}}}}
