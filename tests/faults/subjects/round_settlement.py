"""Round settlement: rounds of five tables, corrected and voided, late, twice, and refused."""

from tests.faults.subject import Message, Subject
from tests.support.properties import property_event
from tests.support.rounds import BLACKJACK, LOSING, TABLES, completed, corrected, record, submission, voided

_EVENTS: list[Message] = [
    completed(table, number, play=record(LOSING if number % 3 else BLACKJACK, cents=100 * number))
    for number in range(1, 13)
    for table in TABLES[:5]
]
_EVENTS += [
    corrected(TABLES[0], 13, f"{TABLES[0]}-r5", record(BLACKJACK, cents=700)),
    voided(TABLES[1], 13, f"{TABLES[1]}-r6"),
    (b"nobody", b"not an event"),
    completed(TABLES[2], 13, f"{TABLES[2]}-r1"),  # refused: that round is posted
    completed(TABLES[3], 15),  # 13 and 14 come late
    completed(TABLES[3], 14),
    completed(TABLES[4], 12, play=record(BLACKJACK, cents=1200)),  # delivered twice
    completed(TABLES[3], 13),
    corrected(TABLES[0], 14, f"{TABLES[0]}-r5", record(LOSING, cents=700)),
]

SUBJECT = Subject(
    name="round-settlement",
    references={"properties": [property_event()], "submissions": [submission()]},
    records={"table.events": _EVENTS},
    kinds={
        "settlement.posted": 60 + 2 + 3,
        "settlement.reversed": 3,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 2,
    },
    late={"table.events": [0, 1, 5, 6, 21, 22]},
    figures=[
        """SELECT property, table_name, round_id, completed, others, seq IS NOT NULL FROM round_settlement.rounds
           ORDER BY 1, 2, 3"""
    ],
)
