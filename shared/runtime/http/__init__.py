"""The HTTP layer: authentication, authorization, command routes, pagination, problem documents."""

from shared.contracts.moments import Day, Moment
from shared.runtime.http.access import Caller, require_role
from shared.runtime.http.app import create_app
from shared.runtime.http.command_routes import command_route
from shared.runtime.http.conditional_requests import UNCHANGED, document_response
from shared.runtime.http.pagination import Asked, FromEnd, Listing, Page, TableListing
from shared.runtime.http.problems import PROBLEM, problems
from shared.runtime.http.query_params import (
    AskedOfDay,
    DayChoice,
    DayQuery,
    PropertyChoice,
    PropertyPath,
    PropertyQuery,
    TableChoice,
    TypedReference,
)
from shared.runtime.http.roles import ROLES, Role, declare_role

__all__ = [
    "PROBLEM",
    "ROLES",
    "UNCHANGED",
    "Asked",
    "AskedOfDay",
    "Caller",
    "Day",
    "DayChoice",
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
    "TypedReference",
    "command_route",
    "create_app",
    "declare_role",
    "document_response",
    "problems",
    "require_role",
]
