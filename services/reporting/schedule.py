"""Deliver the reports of sealed gaming days, and deliver them again after a restatement."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

import structlog
from sqlalchemy import text

from services.reporting.delivery import DeliveryError, deliver, open_store
from services.reporting.framework.document import Document
from services.reporting.framework.question import ReportQuery
from services.reporting.ingest.progress import all_read_until
from services.reporting.read_model.stages import stage_of
from services.reporting.rendering import FORMATS, FormatName
from services.reporting.report_service import answer
from services.reporting.reports import REPORTS
from services.reporting.tables import deliveries
from shared.contracts.rejection import Rejected
from shared.journal.bulk import insert, replaced
from shared.journal.signed_note import Signer
from shared.journal.signed_rows import signed_rows
from shared.runtime.background.leader import run_on_leader
from shared.runtime.database import seals_of
from shared.runtime.errors import FatalServiceError
from shared.runtime.http.roles import READ_REPORTS
from shared.runtime.service.service_context import ServiceContext
from shared.runtime.settings import Settings
from shared.runtime.snapshot_reader import read_at_once
from shared.runtime.throttle import CpuThrottle
from shared.runtime.typesetting import PagesError

log = structlog.get_logger()

BY: Final = "schedule"
"""The value of `generated_by` in scheduled reports."""

WORK: Final = "reporting.schedule"
"""The name of the job for leader election."""

_ALL: Final = "*"
_SECONDS: Final = 1.0

_SEALED: Final = text("""
    SELECT f.property, f.gaming_day, d.version AS delivered, d.manifest, least(m.last_recorded, :settled) AS as_of
    FROM reporting.facts f
    LEFT JOIN reporting.deliveries d ON d.property = f.property AND d.gaming_day = f.gaming_day
    JOIN reporting.day_moments m ON m.property = f.property AND m.gaming_day = f.gaming_day
    WHERE f.kind = 'day.final' AND f.recorded_at <= :settled
      AND (d.version IS NULL OR m.last_recorded > d.as_of)
    ORDER BY f.gaming_day, f.property""")

_KEEP: Final = insert(deliveries, on_conflict=replaced(deliveries))


def wanted_reports(listed: str) -> Mapping[str, Sequence[FormatName]]:
    """Return the formats by report, parsed from a setting such as `*:csv,master-game:pdf+xlsx`.

    `*` stands for every report with the period `day` that requires only the role for reading reports. Raises:
    FatalServiceError for an unknown report or format; the message lists the known ones.
    """
    found: dict[str, list[FormatName]] = {}
    for part in filter(None, (part.strip() for part in listed.split(","))):
        name, _, forms = part.partition(":")
        if name not in (*REPORTS, _ALL):
            raise FatalServiceError(f"PITLEDGER_REPORTS names {name!r}; there are {', '.join(REPORTS)}")
        for form in forms.split("+"):
            if form not in FORMATS:
                raise FatalServiceError(
                    f"PITLEDGER_REPORTS has {part!r}; give formats among {', '.join(FORMATS)}, as name:pdf+csv"
                )
            for one in _of_a_day() if name == _ALL else (name,):
                found.setdefault(one, []).append(cast("FormatName", form))
    return found


def _of_a_day() -> list[str]:
    return [name for name, report in REPORTS.items() if "day" in report.periods and report.role is READ_REPORTS]


async def watch(context: ServiceContext) -> None:
    """Deliver the reports of sealed days until cancelled, if the settings name a store; runs in one process only."""
    settings = context.settings
    if settings.reports_store is None:
        return
    store, wanted, signer = settings.reports_store, wanted_reports(settings.reports), _signer(settings)

    async def look() -> None:
        try:
            await deliver_sealed(context, store, wanted, signer)
        except (DeliveryError, PagesError) as error:
            log.error("reports not delivered", error=str(error))

    await run_on_leader(context.pools.background, WORK, _SECONDS, look, "delivery of reports")


async def deliver_sealed(
    context: ServiceContext, store: str, wanted: Mapping[str, Sequence[FormatName]], signer: Signer
) -> int:
    """Deliver the reports of sealed and restated days once all journals have been read up to then.

    Return the number of days with a new version. The first day of each property is delivered at once, further days
    after pauses. Days of a property that is not known yet are skipped.
    """
    settled = await all_read_until(context, context.pools.background)
    if settled is None:
        return 0
    async with context.pools.background.connect() as connection:
        days = (await connection.execute(_SEALED, {"settled": settled})).all()
    delivered, begun, pace = 0, set[str](), CpuThrottle(context.settings.background_share)
    for row in days:
        if row.property in begun:
            await pace.rest()
        begun.add(row.property)
        try:
            delivered += await _deliver_day(context, row, store, wanted, signer)
        except Rejected as unknown:
            log.warning(
                "reports not produced, retrying", property=row.property, day=str(row.gaming_day), error=str(unknown)
            )
    return delivered


async def _deliver_day(
    context: ServiceContext, row: Any, store: str, wanted: Mapping[str, Sequence[FormatName]], signer: Signer
) -> bool:
    """Deliver the reports of a gaming day, if not delivered already; return whether there was a new version.

    A change that leads to no new version is recorded as examined, so that it is not examined again.
    """
    question = ReportQuery(
        property=row.property,
        period="day",
        first=row.gaming_day,
        last=row.gaming_day,
        known_at=context.clock(),
        by=BY,
    )
    async with read_at_once(context.pools.background) as read:
        of_ratings = any(REPORTS[name].of_ratings for name in wanted)
        version = (await stage_of(read, question, [row.gaming_day], of_ratings=of_ratings)).version
        is_new = row.delivered is None or version > row.delivered
        named = wanted if is_new else {}
        reports = [(await answer(read, REPORTS[name], question), forms) for name, forms in named.items()]
    manifest = await asyncio.to_thread(_deliver, store, reports, signer) if is_new else row.manifest
    async with context.pools.background.begin() as connection:
        day = {"property": question.property, "gaming_day": question.first, "as_of": row.as_of}
        row = {**day, "version": version, "manifest": manifest}
        await _KEEP.write(connection, signed_rows(seals_of(connection), deliveries, [row]))
    if is_new:
        log.info("reports delivered", property=question.property, day=str(question.first), manifest=manifest)
    return is_new


def _deliver(store: str, reports: Sequence[tuple[Document, Sequence[FormatName]]], signer: Signer) -> str:
    from obstore.exceptions import BaseError

    try:
        return deliver(open_store(store), reports, signer)
    except (BaseError, OSError) as error:  # the store is unreachable or full: delivery is retried
        raise DeliveryError(f"{store}: {error}") from error


def _signer(settings: Settings) -> Signer:
    if settings.checkpoint_key_file is None:
        raise FatalServiceError(
            "PITLEDGER_REPORTS_STORE needs PITLEDGER_CHECKPOINT_KEY_FILE: the key that signs what is delivered"
        )
    return Signer.from_pem(settings.checkpoint_key_file, "pitledger/reporting")
