"""Open the meter pools and game accounts that the rounds of a corpus need."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import httpx
import msgspec

from loadtest.floor.links import pool_terms
from loadtest.traffic.corpus import Record, Site
from loadtest.traffic.registry import post

_METERS: Final = "progressive-meters"
_ACCOUNTS: Final = "wagering-accounts"
_SECONDS: Final = 10.0
_CENTS: Final = 10**9
"""The buy-in of each account, more than all wagers of a corpus."""


class _Part(msgspec.Struct):
    account: str


class _Round(msgspec.Struct):
    property: str
    table: str
    account_funded: list[_Part] = []


class _Event(msgspec.Struct):
    data: _Round


def open_all(
    services: Mapping[str, str], tokens: Mapping[str, str], sites: Iterable[Site], records: Iterable[Record]
) -> None:
    """Open the pools and accounts that the rounds need, in the services that are running. Raises: RegistryRefused."""
    if _METERS in services:
        with _client(services[_METERS]) as meters:
            for site in sites:
                _open_pools(meters, tokens, site)
    if _ACCOUNTS in services:
        with _client(services[_ACCOUNTS]) as accounts:
            for property_name, table, account in sorted(accounts_in(records)):
                _open_account(accounts, tokens, property_name, table, account)


def accounts_in(records: Iterable[Record]) -> set[tuple[str, str, str]]:
    """Return the accounts that fund wagers of these rounds: (property, table, account)."""
    decode = msgspec.json.Decoder(_Event).decode
    rounds = (decode(record.value).data for record in records)
    return {(one.property, one.table, part.account) for one in rounds for part in one.account_funded}


def _open_pools(meters: httpx.Client, tokens: Mapping[str, str], site: Site) -> None:
    name, day = site.document.property, site.gaming_day
    for terms in pool_terms(name, site.plans, day):
        pool = terms["pool"]
        filed = post(meters, "/pools", tokens["demo.meter_clerk"], f"pool:{name}:{pool}", terms)
        path = f"/pools/{name}/{pool}/versions/{filed['version']}/approve"
        approval = {"subject_sha256": filed["sha256"]}
        post(meters, path, tokens["demo.meter_manager"], f"approve:{name}:{pool}", approval)


def _open_account(
    accounts: httpx.Client, tokens: Mapping[str, str], property_name: str, table: str, account: str
) -> None:
    cashier = tokens["demo.account_cashier"]
    opened = {"property": property_name, "account": account, "table": table}
    post(accounts, "/accounts", cashier, f"open:{property_name}:{account}", opened)
    money: dict[str, Any] = {"instrument": "cash", "cents": _CENTS}
    post(accounts, f"/accounts/{property_name}/{account}/buy-ins", cashier, f"in:{property_name}:{account}", money)


def _client(url: str) -> httpx.Client:
    return httpx.Client(base_url=url, timeout=_SECONDS, trust_env=False)
