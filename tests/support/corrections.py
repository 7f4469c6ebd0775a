"""Corrections of rounds at the desk of round settlement: who proposes and decides them, and how they take effect."""

from typing import Any

from services.round_settlement.desk import corrections_sender
from shared.runtime.commands.record_replay import Replay
from tests.support.desk import Desk
from tests.support.outbox import Outbox
from tests.support.rounds import BLACKJACK, TABLES, record

ROUND = f"/rounds/riverside/{TABLES[0]}/a"
"""A round at the first table."""

PEOPLE = {
    "lee": ["rounds.correct", "rounds.read"],
    "kim": ["rounds.correct.approve"],
    "both": ["rounds.correct", "rounds.correct.approve"],
    "ann": ["rounds.read"],
}


def propose(desk: Desk, *, person: str = "lee", replaces: int = 1, play: Any = None, path: str = ROUND) -> Any:
    """Propose that the player had a blackjack."""
    body = {"replaces": replaces, "round": play or record(BLACKJACK), "reason": "the ace was misread"}
    return desk.post(f"{path}/corrections", body, person=person)


def decide(desk: Desk, what: str, number: int = 1, *, person: str = "kim", **body: Any) -> Any:
    """Approve or reject a correction."""
    return desk.post(f"/corrections/riverside/{number}/{what}", body or None, person=person)


def take_effect(desk: Desk, outbox: Outbox) -> list[Replay]:
    """Send what is approved as a process that has just begun does, and read it as the broker would give it back."""
    before = len(outbox.sent)
    desk.client.run(corrections_sender(desk.context).send())
    for one in outbox.sent[before:]:
        desk.deliver(one)
    return outbox.sent[before:]
