"""`pitledger spark seats`: the play of each seat of archived rounds by hour, for game protection."""

from typing import Final

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.output import AsJson
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of

_KEY: Final = "property, table_name, game, gaming_day, opened_hour, seat"

SEATS: Final = f"""
    SELECT /*+ BROADCAST(reversed) */ {_KEY}, count(*) AS rounds,
        CAST(sum(CASE WHEN received_cents > wagered_cents THEN 1 ELSE 0 END) AS BIGINT) AS rounds_won,
        CAST(sum(wagered_cents) AS BIGINT) AS wagered_cents, CAST(sum(received_cents) AS BIGINT) AS received_cents,
        min(wagered_cents) AS wagered_least_cents, max(wagered_cents) AS wagered_most_cents
    FROM played ANTI JOIN reversed USING (property, gaming_day, table_name, round_id, revision)
    GROUP BY {_KEY} ORDER BY {_KEY}"""  # noqa: S608 - our own names
"""The statement about `played` and `reversed`, for every engine."""


def seats(
    store: StorePlace = None,
    first: First = None,
    last: Last = None,
    properties: Properties = None,
    master: Master = "local[*]",
    conf: Conf = None,
    alone: Alone = False,
    form: Form = "table",
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Add up the play of each seat of archived rounds by table and hour, for game protection.

    Rounds that stand, those that the seat won, what was wagered against the house and received in whole cents, and the
    least and most that was wagered in a round. Hours are those of the opening, in UTC. Nothing says who sat there.

    Example: pitledger spark seats --store /mnt/archive --first 2026-11-01 --last 2026-11-30 --as csv -o seats.csv
    """
    reading = reading_of(store, first, last, properties, master, conf, alone)
    from services.cli.spark.archive import reading_engine
    from services.cli.spark.rounds import POSTED, REVERSED, PlayBySeat, ReversedRevisions

    with reading_engine(reading) as (_, engine):
        engine.declare("played", PlayBySeat(), POSTED)
        engine.declare("reversed", ReversedRevisions(), REVERSED)
        answer = engine.answer(SEATS)
    write_answer(answer, "json" if as_json else form, output)
