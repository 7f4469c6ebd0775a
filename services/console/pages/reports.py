"""Pages of reports: the list, each report with the entries behind its cells, and downloads in all formats."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from services.console.choices import choices_of_property
from services.console.columns import CHOSEN, ROWS, Choice, Columns, choose, csv_of
from services.console.console import Asked, Person, console_of, page, rows_max
from services.console.entries import shown_entries, shown_sums
from services.console.gallery import SECTIONS_OF_CHARTS, charts_of_report, hung
from services.console.pages.days import running_day, zone_of
from services.console.services import REPORTING, Refused, path
from services.console.views import asked as asked_for
from services.console.words import say
from shared.contracts.rejection import Reason
from shared.runtime.http.problems import problem_uri


@dataclass(frozen=True, slots=True)
class Asking:
    """The scope of a requested report; the current gaming day by default."""

    property: str
    day: str = ""
    period: str = "day"
    table: str = ""
    game: str = ""
    known_at: str = ""

    async def wanted(self, person: Person) -> dict[str, str]:
        """Return the query parameters for reporting's API."""
        return {
            "property": self.property,
            "gaming_day": self.day or (await running_day(person, self.property))["gaming_day"],
            "period": self.period,
            "table": self.table,
            "game": self.game,
            "known_at": self.known_at,
        }


_NOTHING_RECORDED: Final = problem_uri(Reason.NOTHING_RECORDED)
"""The problem type for a day or period without entries."""

Question = Annotated[Asking, Depends()]


def cut_to_first(shown: Mapping[str, Any], most: int | None) -> None:
    """Truncate each section to `most` rows (None: no limit), to be called after the charts have used all rows."""
    for section in shown["content"]["sections"]:
        rows = section["rows"]
        if most is not None and len(rows) > most:
            section.update(rows=rows[:most], cut_from=len(rows))


_REMEMBERED_SECONDS: Final = 365 * 24 * 3600


def _remember(request: Request, response: Response, report: str, choice: Choice, columns: Columns) -> None:
    """Have the browser keep the choice among a report's columns, if the request chose any."""
    if CHOSEN not in request.query_params:
        return
    same: Any = {"path": "/p/", "httponly": True, "secure": console_of(request).secure, "samesite": "lax"}
    kept = choice.remember(columns)
    response.set_cookie(f"columns.{report}", kept, max_age=_REMEMBERED_SECONDS if kept else 0, **same)


def _csv(shown: Mapping[str, Any], name: str, zone: str | None) -> Response:
    """Return a section of a report, as shown, as a CSV file. Raises: Refused if there is no such section."""
    section = next((one for one in shown["content"]["sections"] if one["name"] == name), None)
    if section is None:
        detail = say("reports.no_section", section=name)
        raise Refused(REPORTING, HTTPStatus.NOT_FOUND, {"title": say("refused.missing"), "detail": detail})
    file = "-".join((shown["report"], name, shown["first_day"])) + ".csv"
    headers = {"content-disposition": f'attachment; filename="{file}"'}
    return Response(csv_of(section, shown["columns"][name], zone), media_type="text/csv", headers=headers)


_MISTAKEN: Final = (HTTPStatus.NOT_FOUND, HTTPStatus.UNPROCESSABLE_ENTITY)
"""The HTTP statuses of a query with an invalid filter, for which the page shows the filters as typed."""


def routes() -> APIRouter:
    """Return the routes of these pages."""
    router = APIRouter(prefix="/p/{property}/reports")

    @router.get("")
    async def reports(request: Request, person: Asked) -> Response:
        definitions = await person.calls.get(REPORTING, "/reports")
        return page(request, "reports.html", person, definitions=definitions)

    @router.get("/{report}")
    async def report(
        request: Request, person: Asked, report: str, asked: Question, form: str = "", section: str = ""
    ) -> Response:
        """Show a report with the chosen columns and rows, or return a file of it, or what is shown of one section."""
        wanted = await asked.wanted(person)
        if form:
            answer = await person.calls.get_bytes(REPORTING, path("reports", report), **wanted, **{"as": form})
            kept = {
                name: answer.headers[name] for name in ("content-type", "content-disposition") if name in answer.headers
            }
            return Response(answer.content, headers=kept)
        found = await person.calls.get(REPORTING, "/reports", name=report)
        choices = await choices_of_property(person, asked.property)
        [definition] = found or [{"name": report, "periods": ["day"]}]
        if wanted["period"] not in definition["periods"]:
            wanted["period"] = definition["periods"][0]
        most = rows_max(request)
        of_all = bool(section or request.query_params.get(ROWS, "").strip())
        cut = {"rows": None if of_all else most, "whole": SECTIONS_OF_CHARTS.get(report)}
        try:
            shown = await person.calls.get(REPORTING, path("reports", report), **wanted, **cut, **{"as": "json"})
        except Refused as refused:
            if refused.status not in _MISTAKEN:
                raise
            status = 200 if refused.problem.get("type") == _NOTHING_RECORDED else refused.status
            said = {"definition": definition, "wanted": wanted, "why": str(refused)}
            return page(request, "report_without_entries.html", person, status=status, choices=choices, **said)
        zone = await zone_of(person, asked.property)
        drawn = charts_of_report(shown, zone)
        remembered = request.cookies.get(f"columns.{report}", "")
        choice = Choice.of(shown["columns"], request.query_params.multi_items(), remembered)
        every = choose(shown, choice, zone)
        if section:
            return _csv(shown, section, zone)
        cut_to_first(shown, most)
        response = page(
            request,
            "report.html",
            person,
            shown=shown,
            definition=definition,
            wanted=wanted,
            zone=zone,
            charts=hung(request, person.session, drawn),
            choices=choices,
            choice=choice,
            every_column=every,
            chosen=choice.query(every) if CHOSEN in request.query_params else asked_for(**{ROWS: choice.find}),
        )
        _remember(request, response, report, choice, every)
        return response

    @router.get("/{report}/entries")
    async def entries(request: Request, person: Asked, report: str, asked: Question, cell: str) -> Response:
        wanted = await asked.wanted(person)
        found = await person.calls.get(REPORTING, path("reports", report, "entries"), **wanted, cell=cell)
        return page(
            request,
            "entries.html",
            person,
            found=found,
            entries=shown_entries(asked.property, found, may_read_rounds=person.may("rounds.read")),
            sums=shown_sums(found),
            cell=cell,
            report=report,
            wanted=wanted,
            zone=await zone_of(person, asked.property),
        )

    return router
