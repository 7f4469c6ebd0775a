"""Vigorish: assessed by the rounds of two tables; collected, waived and returned at one; late, twice, and refused."""

from tests.faults.subject import Message, Subject
from tests.support.properties import property_event
from tests.unit.vigorish.rounds import (
    bank_line,
    collected,
    line,
    opened,
    posted,
    returned,
    reversed_round,
    rules,
    waived,
)

_RULES = rules()
_ROUNDS = [posted(n, _RULES, [line(1, 400 + n, 25), bank_line(4, 1000 + 10 * n, 75)]) for n in range(1, 31)]
_SETTLEMENTS: list[Message] = [
    *_ROUNDS,
    *(posted(n, _RULES, [line(2, 800, 50)], table="PG-02", number=2) for n in range(1, 31)),
    reversed_round(31, _ROUNDS[10]),
    posted(32, _RULES, [line(2, 500, 25)], round_id="r-11", revision=2),
    (b"/round-settlement/shards/1", b"not a settlement"),
    _ROUNDS[3],  # delivered twice
    posted(35, _RULES, [line(1, 500, 25)]),  # 33 and 34 come late
    reversed_round(34, posted(99, _RULES, [line(1, 500, 25)])),  # refused: never recorded
    posted(33, _RULES, [line(1, 500, 25)]),
]
_PIT: list[Message] = [
    opened(1, -60),
    *(collected(n + 1, n, 1, 25) for n in range(1, 31)),
    *(waived(n + 31, n, 4, 75, bank=True) for n in range(1, 11)),
    *(returned(n + 41, n, 1, 25) for n in (1, 2)),
]

SUBJECT = Subject(
    name="vigorish",
    references={"properties": [property_event()], "submissions": [_RULES]},
    records={"settlements": _SETTLEMENTS, "pit.events": _PIT},
    kinds={
        "vigorish.assessed": 63,
        "vigorish.taken_back": 1,
        "vigorish.collection": 30,
        "vigorish.waiver": 10,
        "vigorish.return": 2,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 1,
    },
    late={"settlements": [0, 1, 7, 40], "pit.events": [0, 4, 5, 33]},
    figures=[
        "SELECT * FROM vigorish.owed t ORDER BY t::text",
        "SELECT * FROM vigorish.lines t ORDER BY t::text",
    ],
)
