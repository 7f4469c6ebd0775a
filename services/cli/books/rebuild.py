"""`pitledger rebuild`: rebuild a service's projections, and compare them with the previous tables."""

from dataclasses import asdict
from typing import Annotated

import typer
from confluent_kafka import KafkaException
from sqlalchemy.ext.asyncio import AsyncEngine

from services.cli.database import with_engine
from services.cli.environment import settings
from services.cli.exits import ExitCode, NotFound
from services.cli.output import AsJson, message, names, numbers, print_json, print_line, show, table
from services.cli.services import load, service_argument
from shared.runtime.differences import RowDifference, TableComparison
from shared.runtime.errors import FatalServiceError
from shared.runtime.projections.rebuild import rebuild as rebuild_read_model


def rebuild(
    service: Annotated[str, service_argument("Service whose read model is rebuilt.")],
    check: Annotated[
        bool, typer.Option("--check", help="Compare the tables with the journal; change nothing.")
    ] = False,
    as_json: AsJson = False,
) -> int:
    """Rebuild the database tables derived from a service's journal, and report rows that differed.

    Stop the service first, because the command blocks it. Needs the login of the database's owner in DATABASE_URL, and
    the broker if a table is derived from a topic. With --check, nothing is changed or locked, and tables that cannot be
    compared are also reported; the exit code is 1 unless everything was compared and matches.

    Example: pitledger rebuild vigorish --check
    Example: pitledger rebuild wagering-accounts
    """
    manifest, found = load(service), settings()

    async def work(engine: AsyncEngine) -> TableComparison:
        return await rebuild_read_model(engine, manifest, found, check=check)

    try:
        compared = with_engine(service, work)
    except (FatalServiceError, KafkaException) as error:
        raise NotFound(f"{service} stays as it is: {error}") from error
    _print(service, compared, as_json=as_json)
    different = sum(one.different for one in compared.tables)
    if not compared.different and not compared.uncompared:
        return ExitCode.FINE
    left = f", and {len(compared.uncompared)} steps of the comparison failed" if compared.uncompared else ""
    rows = f"{different} row{'' if different == 1 else 's'} of {service}"
    if check:
        message(f"pitledger: {rows} not as the journal says{left}; keep the database as it is, and find out why")
        return ExitCode.NOT_AS_IT_SHOULD_BE
    message(f"{rows} corrected")
    return ExitCode.FINE


def _print(service: str, compared: TableComparison, *, as_json: bool) -> None:
    if as_json:
        documents = [*map(asdict, compared.tables), *map(asdict, compared.unfit), *map(asdict, compared.uncompared)]
        for document in documents:
            print_json({"service": service, **document})
        return
    rows = [[one.table, f"{one.rows:,}", f"{one.different:,}"] for one in compared.tables]
    sums = [sum(one.rows for one in compared.tables), sum(one.different for one in compared.tables)]
    rows.append(["all", *(f"{each:,}" for each in sums)])
    show(table(names("Table") + numbers("Rows", "Different"), rows, footer=True))
    for unfit in compared.unfit:
        print_line(
            f"entry {unfit.shard}/{unfit.seq} ({unfit.kind}) does not follow from the entries before: {unfit.what}"
        )
    for step in compared.uncompared:
        print_line(f"{step.what} is not compared: {step.why}")
    for one in compared.tables:
        for difference in one.first:
            print_line(f"{one.table} {_words(difference)}")


def _words(difference: RowDifference) -> str:
    key = ", ".join(f"{name} {value}" for name, value in difference.key.items())
    if difference.was is None:
        return f"{key}: was missing"
    if difference.should_be is None:
        return f"{key}: was there, and nothing recorded leads to it"
    parts = (f"{name} was {difference.was[name]}, not {difference.should_be[name]}" for name in difference.columns)
    return f"{key}: {'; '.join(parts)}"
