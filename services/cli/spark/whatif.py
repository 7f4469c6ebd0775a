"""`pitledger spark whatif`: settle archived rounds of all properties again under another rules submission."""

from typing import Annotated, Final

import typer

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.books.whatif import read_submission
from services.cli.exits import InputRefused
from services.cli.output import AsJson
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of

_AMOUNTS: Final = (
    "handle_cents",
    "payout_cents",
    "win_cents",
    "other_handle_cents",
    "other_payout_cents",
    "other_win_cents",
)
_KEY: Final = "property, table_name, wager, refused"

WHATIF: Final = f"""
    SELECT /*+ BROADCAST(reversed) */ {_KEY}, count(*) AS rounds,
        {", ".join(f"CAST(sum({name}) AS BIGINT) AS {name}" for name in _AMOUNTS)}
    FROM settled ANTI JOIN reversed USING (property, gaming_day, table_name, round_id, revision)
    GROUP BY {_KEY} ORDER BY {_KEY}"""  # noqa: S608 - our own names
"""The statement about `settled` and `reversed`, for every engine. Few rounds are reversed, so each worker gets all."""


def whatif(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="File of the rules submission to settle under, YAML or JSON; - for stdin."),
    ],
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
    """Settle archived rounds of all properties again under another rules submission.

    Every round of the submission's game that stands, at any table and property; the submission's own property, tables
    and beginning are ignored. A row for each property, table and wager: rounds, then handle, payout and win before
    meters, as recorded and under the submission, in whole cents. Rounds that the submission does not allow are in rows
    with the reason under `refused`, and in no amount.

    Example: pitledger spark whatif submission.json --store /mnt/archive --first 2024-01-01 --last 2026-12-31
    """
    reading = reading_of(store, first, last, properties, master, conf, alone)
    from services.cli.spark.archive import reading_engine
    from services.cli.spark.rounds import POSTED, REVERSED, ReversedRevisions, SettleAgain
    from shared.rules import Refused

    try:
        work = SettleAgain(read_submission(file))
    except Refused as error:
        raise InputRefused(f"{file}: {error}") from error
    with reading_engine(reading) as (_, engine):
        engine.declare("settled", work, POSTED)
        engine.declare("reversed", ReversedRevisions(), REVERSED)
        answer = engine.answer(WHATIF)
    write_answer(answer, "json" if as_json else form, output)
