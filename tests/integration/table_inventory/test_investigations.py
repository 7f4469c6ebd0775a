"""Investigations of a hold that lies far from its base: opened, assigned, concluded by the owner."""

from tests.support.asgi import assert_problem
from tests.support.pit import PROPERTY, InventoryDesk

HOLD = {"property": PROPERTY, "what": "table", "subject": "BJ-01", "month": "2026-11"}
WANTED = HOLD | {"found": "10 points above last year", "owner": "audit.kim"}
ONE = f"/investigations/{PROPERTY}/1"


def test_an_investigation_has_an_owner_who_concludes_it(desk: InventoryDesk) -> None:
    """Under the next number; nobody else concludes it, and nothing follows the conclusion but another one."""
    assert 1 == desk.done("/investigations", WANTED, person="audit.lou")["investigation"]
    assert_problem(desk.send("/investigations", WANTED, person="audit.kim"), 409, "investigation 1 of table BJ-01")
    assert "audit.lou" == desk.done(f"{ONE}/assign", {"owner": "audit.lou"}, person="audit.kim")["owner"]
    said = {"conclusion": "one player's luck"}
    assert_problem(desk.send(f"{ONE}/conclude", said, person="audit.kim"), 422, "is audit.lou's to conclude")
    concluded = desk.done(f"{ONE}/conclude", said, person="audit.lou")
    assert "one player's luck" == concluded["conclusion"]
    assert_problem(desk.send(f"{ONE}/assign", {"owner": "audit.kim"}, person="audit.kim"), 409, "is concluded already")
    assert 2 == desk.done("/investigations", WANTED, person="audit.lou")["investigation"]
    desk.done("/investigations", WANTED | {"month": "2026-10"}, person="audit.lou")
    listed = desk.get(f"/investigations?property={PROPERTY}&month=2026-11&limit=1", person="audit.kim").json()
    more = desk.get(
        f"/investigations?property={PROPERTY}&month=2026-11&limit=1&cursor={listed['next']}", person="audit.kim"
    )
    assert [1, 2] == [one["investigation"] for one in (*listed["items"], *more.json()["items"])]


def test_a_mistyped_table_or_game_is_refused(desk: InventoryDesk) -> None:
    """With the ones that there are; a game is investigated like a table."""
    wrong = desk.send("/investigations", WANTED | {"subject": "BJ-99"}, person="audit.lou")
    assert_problem(wrong, 404, "riverbend has no table BJ-99 in 2026-11: BJ-01")
    game = WANTED | {"what": "game", "subject": "blackjack"}
    assert "game" == desk.done("/investigations", game, person="audit.lou")["what"]
    assert_problem(desk.send(f"/investigations/{PROPERTY}/7/assign", {"owner": "x"}, person="audit.lou"), 404, "7")
