"""`pitledger spark win`: the win of archived rounds by property, table, game and gaming day."""

from typing import Final

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.output import AsJson
from services.cli.services import SETTLEMENT
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of

_FIGURES: Final = {
    "handle_cents": ("handle",),
    "payout_cents": ("payout", "meter_payout"),
    "vigorish_cents": ("vigorish",),
    "house_in_bank_cents": ("house_in_bank",),
}
"""Figure -> the legs that make it up; see `shared.contracts.wager_totals`."""
_INCOME: Final = ("handle_cents", "vigorish_cents", "house_in_bank_cents")
"""The figures whose legs are credits."""


def _sum(figure: str) -> str:
    """Return the SQL that adds up a figure, in cents, from signed postings."""
    legs = ", ".join(f"'{leg}'" for leg in _FIGURES[figure])
    sign = "-" if figure in _INCOME else ""
    return f"CAST({sign}sum(CASE WHEN a.leg IN ({legs}) THEN l.posted ELSE 0 END) AS BIGINT) AS {figure}"


WIN: Final = f"""
    SELECT property, table_name, game, gaming_day, {", ".join(_FIGURES)},
        {" + ".join(_INCOME)} - payout_cents AS win_cents
    FROM (
        SELECT l.property, a.table_name, l.game, l.gaming_day, {", ".join(map(_sum, _FIGURES))}
        FROM (
            SELECT property, gaming_day, game, account, CAST(sum(posted) AS BIGINT) AS posted
            FROM legs GROUP BY property, gaming_day, game, account) l
        JOIN accounts a ON a.service = '{SETTLEMENT}' AND a.property = l.property AND a.gaming_day = l.gaming_day
            AND a.account = l.account
        GROUP BY l.property, a.table_name, l.game, l.gaming_day) w
    ORDER BY property, table_name, game, gaming_day"""  # noqa: S608 - our own names
"""The statement about `legs` and `accounts`, for every engine."""


def win(
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
    """Add up the win of archived rounds by property, table, game and gaming day.

    From the postings of round settlement, in whole cents: handle, payout with meter awards, vigorish, and what the
    house won in banks of players. Win is before meters. Reversed rounds count as zero on their day. Tables that are
    counted without rounds are not in it. Every file is compared with the SHA-256 in its manifest first.

    Example: pitledger spark win --store /mnt/archive --first 2026-01-01 --last 2026-12-31 --as csv -o win.csv
    Example: pitledger spark win --store /mnt/archive --master spark://head:7077 --conf spark.executor.memory=4g
    """
    reading = reading_of(store, first, last, properties, master, conf, alone)
    from services.cli.spark.archive import reading_engine

    with reading_engine(reading) as (_, engine):
        answer = engine.answer_of_legs(WIN)
    write_answer(answer, "json" if as_json else form, output)
