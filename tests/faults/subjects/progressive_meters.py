"""Progressive meters: two pools filed, approved and changed, fed by rounds of two shards; late, twice, and refused."""

from tests.faults.subject import Ask, Message, Subject
from tests.support.properties import property_event
from tests.unit.progressive_meters.office import PEOPLE, feed, terms
from tests.unit.progressive_meters.settlements import DAY, PROPERTY, Shard, rules

_RULES = rules()
_SHARD, _OTHER = Shard(_RULES), Shard(_RULES, number=2)
_ROUNDS = [
    _SHARD.posted(n, before=500000, table=f"BJ-0{1 + n % 3}", stakes=(100 + n,), award=0 if n % 11 else 700)
    for n in range(1, 41)
]
_SETTLEMENTS: list[Message] = [
    *_ROUNDS,
    *(_OTHER.posted(n, before=200000, table="BJ-04", stakes=(200, 400)) for n in range(1, 21)),
    _SHARD.reversed(41, _ROUNDS[10]),
    _SHARD.posted(42, before=500000, round_id="r-1-11", revision=2, table=_ROUNDS[10]["data"]["table"]),
    (_SHARD.source.encode(), b"not a settlement"),
    _ROUNDS[3],  # delivered twice
    _SHARD.posted(45, before=500000),  # 43 and 44 come late
    _SHARD.posted(44, before=500000, meter="bad_beat_progressive", table="BJ-08"),  # refused: feeds no pool
    _SHARD.posted(43, before=500000),
]
_MAJOR = terms("major", *(feed(f"BJ-0{n}") for n in (1, 2, 3)), limit_cents=500500)
_MINOR = terms("minor", feed("BJ-04"))
_ADJUSTMENT = Ask(
    person="carl",
    path=f"/pools/{PROPERTY}/minor/changes",
    body={"kind": "adjustment", "cents": 1, "gaming_day": DAY, "reason": "as counted"},
    status=201,
)

SUBJECT = Subject(
    name="progressive-meters",
    references={"properties": [property_event()], "submissions": [_RULES]},
    records={"settlements": _SETTLEMENTS},
    kinds={
        "meter.counted": 63,
        "meter.taken_back": 1,
        "record.quarantined": 2,
        "gap.opened": 1,
        "gap.filled": 1,
    },
    late={
        "settlements": [40, 41, 45, 46]
    },  # of rounds that contribute whole cents: the share of a cent goes on in order
    figures=[
        """SELECT property, pool, number, reserve, display, overflow, in_count, in_cents, hits, wins_cents
           FROM progressive_meters.pools ORDER BY 1, 2""",
        """SELECT property, "table", round_id, meter, revision, standing, in_cents, award_cents
           FROM progressive_meters.readings ORDER BY 1, 2, 3, 4""",
    ],
    people=PEOPLE,
    commands=[
        Ask(person="carl", path="/pools", body=_MAJOR, status=201),
        Ask(person="bob", path=f"/pools/{PROPERTY}/major/versions/1/approve"),
        Ask(person="ann", path="/pools", body=_MINOR, status=201),
        Ask(person="ann", path=f"/pools/{PROPERTY}/minor/versions/1/approve", status=403),
        Ask(person="bob", path=f"/pools/{PROPERTY}/minor/versions/1/approve"),
        _ADJUSTMENT,
        Ask(person="bob", path=f"/changes/{PROPERTY}/1/approve"),
        _ADJUSTMENT,
        Ask(person="bob", path=f"/changes/{PROPERTY}/2/reject", body={"reason": "entered twice"}),
    ],
    repeated=_ADJUSTMENT,
)
