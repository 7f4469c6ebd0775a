"""The HTTP edge: who calls, routes of commands, pages, reports, problem documents."""

from shared.runtime.web.access import Caller, person_with
from shared.runtime.web.app import create_app
from shared.runtime.web.commands import command_route
from shared.runtime.web.documents import UNCHANGED, document_response
from shared.runtime.web.pages import Asked, Listing, Page, TableListing
from shared.runtime.web.problems import PROBLEM, problems
from shared.runtime.web.reports import (
    REPORT,
    REPORT_OR_CSV,
    AskedOfDay,
    DayQuery,
    Headers,
    PropertyChoice,
    PropertyPath,
    PropertyQuery,
    ReportReader,
    TableChoice,
    report_response,
    snapshot,
)
from shared.runtime.web.roles import ROLES, Role, declare_role

__all__ = [
    "PROBLEM",
    "REPORT",
    "REPORT_OR_CSV",
    "ROLES",
    "UNCHANGED",
    "Asked",
    "AskedOfDay",
    "Caller",
    "DayQuery",
    "Headers",
    "Listing",
    "Page",
    "PropertyChoice",
    "PropertyPath",
    "PropertyQuery",
    "ReportReader",
    "Role",
    "TableChoice",
    "TableListing",
    "command_route",
    "create_app",
    "declare_role",
    "document_response",
    "person_with",
    "problems",
    "report_response",
    "snapshot",
]
