"""Roles of the registry."""

from typing import Final

from shared.runtime.http import declare_role, require_role
from shared.runtime.http.roles import READ_REPORTS

FILE_SUBMISSIONS: Final = declare_role("submissions.file", "Draft, file and withdraw versions of rules submissions.")
APPROVE_SUBMISSIONS: Final = declare_role(
    "submissions.file.approve",
    "Approve or return versions of rules submissions that somebody else filed, and withdrawals of approved ones.",
)
READ_SUBMISSIONS: Final = declare_role("submissions.read", "Read rules submissions and what regulations allow.")
FILE_PROPERTIES: Final = declare_role("properties.file", "File versions of properties.")
APPROVE_PROPERTIES: Final = declare_role(
    "properties.file.approve", "Approve or return versions of properties that somebody else filed."
)
READ_PROPERTIES: Final = declare_role("properties.read", "Read properties: their tables, devices, people, law.")
FILE_LEDGER_MAPPINGS: Final = declare_role("ledger.file", "File versions of general-ledger mappings.")
APPROVE_LEDGER_MAPPINGS: Final = declare_role(
    "ledger.file.approve", "Approve or return versions of general-ledger mappings that somebody else filed."
)
ROLES: Final = (
    APPROVE_LEDGER_MAPPINGS,
    APPROVE_PROPERTIES,
    APPROVE_SUBMISSIONS,
    FILE_LEDGER_MAPPINGS,
    FILE_PROPERTIES,
    FILE_SUBMISSIONS,
    READ_PROPERTIES,
    READ_SUBMISSIONS,
)

RULES_READER: Final = require_role(READ_SUBMISSIONS, FILE_SUBMISSIONS, APPROVE_SUBMISSIONS, READ_REPORTS, whose="none")
SUBMISSIONS_READER: Final = require_role(READ_SUBMISSIONS, FILE_SUBMISSIONS, APPROVE_SUBMISSIONS, READ_REPORTS)
PROPERTIES_READER: Final = require_role(READ_PROPERTIES, FILE_PROPERTIES, APPROVE_PROPERTIES, READ_REPORTS)
LEDGER_MAPPINGS_READER: Final = require_role(
    READ_PROPERTIES, FILE_LEDGER_MAPPINGS, APPROVE_LEDGER_MAPPINGS, READ_REPORTS
)
