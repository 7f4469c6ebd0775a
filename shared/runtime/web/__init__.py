"""The HTTP edge: who calls, routes of commands, pages, problem documents."""

from shared.contracts.moments import Day, Moment
from shared.runtime.web.access import Caller, person_with
from shared.runtime.web.app import create_app
from shared.runtime.web.asked import (
    AskedOfDay,
    DayQuery,
    PropertyChoice,
    PropertyPath,
    PropertyQuery,
    TableChoice,
)
from shared.runtime.web.commands import command_route
from shared.runtime.web.documents import UNCHANGED, document_response
from shared.runtime.web.pages import Asked, FromEnd, Listing, Page, TableListing
from shared.runtime.web.problems import PROBLEM, problems
from shared.runtime.web.roles import ROLES, Role, declare_role

__all__ = [
    "PROBLEM",
    "ROLES",
    "UNCHANGED",
    "Asked",
    "AskedOfDay",
    "Caller",
    "Day",
    "DayQuery",
    "FromEnd",
    "Listing",
    "Moment",
    "Page",
    "PropertyChoice",
    "PropertyPath",
    "PropertyQuery",
    "Role",
    "TableChoice",
    "TableListing",
    "command_route",
    "create_app",
    "declare_role",
    "document_response",
    "person_with",
    "problems",
]
