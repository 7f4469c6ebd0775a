"""Roles of the wagering accounts."""

from typing import Final

from shared.runtime.http.roles import declare_role

MANAGE: Final = declare_role(
    "accounts.manage",
    "Register patrons with their tax residence, open accounts, take and pay money, set limits as patrons wish.",
)
WAGER: Final = declare_role("accounts.wager", "Authorize, capture and release wagers: the electronic table.")
EXCLUDE: Final = declare_role("accounts.exclude", "Exclude patrons and admit them again.")
PROMOTE: Final = declare_role("accounts.promote", "Grant promotional money to accounts, and write it off.")
ADJUST: Final = declare_role("accounts.adjust", "Enter adjustments of accounts.")
APPROVE: Final = declare_role(
    "accounts.adjust.approve",
    "Approve or reject adjustments of accounts, and large grants of promotional money, that somebody else entered.",
)
ERASE: Final = declare_role("accounts.erase", "Enter that the personal data of a patron is to be erased.")
APPROVE_ERASURE: Final = declare_role(
    "accounts.erase.approve", "Approve or reject that the personal data of a patron is erased."
)
PREPARE_FILINGS: Final = declare_role(
    "filings.prepare",
    "Prepare what is filed with FinCEN or the IRS, withdraw it, and record that it was sent and what came back.",
)
RELEASE_FILINGS: Final = declare_role(
    "filings.prepare.approve", "Release what somebody else prepared to be filed with FinCEN or the IRS."
)
