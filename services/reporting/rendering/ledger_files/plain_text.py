"""Journals as text for hledger and beancount, followed by an assertion of each account's balance. Pure.

An auditor can load the file into one of these programs as a second ledger, independent of this system. The program adds
up the journals itself, and rejects the file if the balance of an account differs from the posted balance.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Final

from services.reporting.domain.ledger_journals import JournalLine
from services.reporting.rendering.ledger_files.ledger_file import LedgerFile, amount, memo
from shared.contracts.general_ledger import LedgerAccount
from shared.contracts.legs import AccountKind
from shared.contracts.rejection import Reason, Rejected

_ROOTS: Final[Mapping[AccountKind, str]] = {
    "asset": "Assets",
    "liability": "Liabilities",
    "equity": "Equity",
    "revenue": "Income",
    "expense": "Expenses",
    "clearing": "Equity:Clearing",
    "memorandum": "Equity:Memorandum",
}
"""The parent account for each kind of account, below one of the five account types that both programs have."""

_HLEDGER_TYPES: Final[Mapping[AccountKind, str]] = {
    "asset": "A",
    "liability": "L",
    "equity": "E",
    "revenue": "R",
    "expense": "X",
    "clearing": "E",
    "memorandum": "E",
}


def account_name(account: LedgerAccount) -> str:
    """Return the name of an account, the same for hledger and beancount.

    >>> account_name(LedgerAccount(account="1120", title="Table inventories", kind="asset"))
    'Assets:1120'
    """
    return f"{_ROOTS[account.kind]}:{account.account}"


def as_beancount(file: LedgerFile) -> str:
    """Return journals as transactions of beancount; departments and cost centers are metadata of their lines."""
    text = [f'option "title" {_quoted(file.title)}', f'option "operating_currency" "{file.currency}"', ""]
    if not file.journals:
        return "\n".join(text)
    first, accounts = min(journal.gaming_day for journal in file.journals), _declared(file)
    for account in accounts.values():
        text += [f"{first} open {account_name(account)} {file.currency}", f"  title: {_quoted(account.title)}"]
    for journal in file.journals:
        text += ["", f'{journal.gaming_day} * "{journal.number}" {_quoted(memo(file, journal))}']
        text.append(f'  known_at: "{journal.known_at.isoformat()}"')
        for line in journal.lines:
            name = account_name(accounts[line.destination.account])
            text.append(f"  {name}  {amount(line.cents.value)} {file.currency}")
            for segment in ("department", "cost_center"):
                if value := getattr(line.destination, segment):
                    text.append(f'    {segment}: "{value}"')
    after = file.last + timedelta(days=1)  # beancount asserts a balance at the beginning of its day
    text.append("")
    sums = _sums(file, accounts)
    text += [f"{after} balance {name}  {amount(cents)} {file.currency}" for name, cents in sums.items()]
    return "\n".join((*text, ""))


def as_hledger(file: LedgerFile) -> str:
    """Return journals as transactions of hledger; departments and cost centers are tags of their lines."""
    text, accounts = [f"; {file.title}", f"commodity 1000.00 {file.currency}", ""], _declared(file)
    for account in accounts.values():
        text.append(
            f"account {account_name(account)}  ; type: {_HLEDGER_TYPES[account.kind]}, {_comment(account.title)}"
        )
    for journal in file.journals:
        known = journal.known_at.isoformat()
        text += ["", f"{journal.gaming_day} * ({journal.number}) {_comment(memo(file, journal))}  ; known-at: {known}"]
        for line in journal.lines:
            name = account_name(accounts[line.destination.account])
            tags = ", ".join(f"{tag}: {value}" for tag, value in _tags(line).items())
            text.append(f"    {name}  {amount(line.cents.value)} {file.currency}" + (f"  ; {tags}" if tags else ""))
    if sums := _sums(file, accounts):
        text += ["", f"{file.last} * balances of the services"]
        for name, cents in sums.items():
            text.append(f"    {name}  0.00 {file.currency} = {amount(cents)} {file.currency}")
    return "\n".join((*text, ""))


def _declared(file: LedgerFile) -> dict[str, LedgerAccount]:
    """Return the accounts of all lines, by number. Raises: Rejected if a title or kind differs between days."""
    found: dict[str, LedgerAccount] = {}
    changed: dict[str, str] = {}
    for journal in file.journals:
        for line in journal.lines:
            account = file.account(journal, line)
            before = found.setdefault(account.account, account)
            if account != before:
                was, now = (f"{one.title!r} ({one.kind})" for one in (before, account))
                said = f"account {account.account} is {was} before gaming day {journal.gaming_day} and {now} on it"
                changed.setdefault(account.account, said)
    if changed:
        once = "the format declares an account once in a file: ask for periods without such a change, or for each day"
        raise Rejected(Reason.TOO_EARLY, "\n".join((*changed.values(), once)))
    return dict(sorted(found.items()))


def _sums(file: LedgerFile, accounts: Mapping[str, LedgerAccount]) -> dict[str, int]:
    """Return each account's balance over all departments and cost centers, in cents, keyed by account name."""
    found = {account_name(account): 0 for account in accounts.values()}
    for line in file.balances:
        found[account_name(accounts[line.destination.account])] += line.cents.value
    return found


def _tags(line: JournalLine) -> dict[str, str]:
    given = {"department": line.destination.department, "cost-center": line.destination.cost_center}
    return {tag: value for tag, value in given.items() if value}


def _quoted(text: str) -> str:
    """Return a text as a quoted string of beancount."""
    return '"{}"'.format(text.replace("\\", "\\\\").replace('"', '\\"'))


def _comment(text: str) -> str:
    """Return a text without the characters that begin a comment or separate tags in hledger."""
    return text.replace(";", ",").replace("|", "/").replace(":", " -").replace(",", " ")
