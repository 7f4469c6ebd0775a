"""Point 15: signed rows that follow from no entry: copied, deleted, and put back as they were signed before."""

from collections.abc import Iterator
from typing import Any, Final

import httpx

from services.cli.client import Client
from services.cli.demo.pit import ACCOUNTS, REPORTING
from shared.contracts.topics import TABLE_EVENTS
from tests.attacks.altered import SETTLEMENT
from tests.attacks.floor import PROPERTY, Desks, Floor
from tests.attacks.naming import stopped
from tests.attacks.outcome import NO_READYZ, Attempt
from tests.attacks.pace import A_LOOK_AT_TOPICS, AT_ONCE
from tests.attacks.stack import Attacked
from tests.attacks.watching import Metric, Named, No, watching
from tests.support import eventually

_ACCOUNT: Final = "GA-signed"
_PATRON: Final = "P-signed"
_WALLET: Final = "W-signed"
_CENTS: Final = 1_000
_ANSWERS: Final = "wagering_accounts.idempotency"
_PAID_KEY: Final = "attack.15.paid"
_COPIED_KEY: Final = "attack.15.copied"
_PAID: Final = f"SELECT * FROM {_ANSWERS} WHERE key = '{_PAID_KEY}'"
_COPY: Final = f"""
    INSERT INTO {_ANSWERS}
    SELECT person, '{_COPIED_KEY}', command, content, reason, location, body, answered_at, signature
    FROM {_ANSWERS} WHERE key = '{_PAID_KEY}'"""
_NO_VERIFY: Final = No("no entry is altered: the signature is asked where the row is used")
_OLD_CODE, _NEW_CODE = "4711-kiwi", "0815-lime"


def rows(floor: Floor) -> Iterator[Attempt]:
    """Copy and delete answers, put back an earlier code, an earlier copy of the property, and a mark of the relay."""
    yield from _answers(floor)
    yield _earlier_code(floor)
    yield from _marks(floor)
    yield _earlier_copy(floor)


def _not_as_recorded() -> Named:
    return Named(
        service=ACCOUNTS,
        stated=AT_ONCE,
        metric=Metric("pitledger_commands_refused_total", {"reason": "not-as-recorded"}, by=1),
        readyz=No(NO_READYZ),
        alert="PitledgerCommandNotAsRecorded",
        log="not-as-recorded",
        verify=_NO_VERIFY,
    )


def _cash_out(desk: Client, account: str, key: str, **more: Any) -> httpx.Response:
    body = {"instrument": "cash", "cents": _CENTS} | more
    path = f"/accounts/{PROPERTY}/{account}/cash-outs"
    return desk.post(path, json=body, headers={"idempotency-key": key})


def _answers(floor: Floor) -> Iterator[Attempt]:
    attacked = floor.attacked
    floor.fund(_ACCOUNT, 10 * _CENTS)
    with Desks(attacked) as people:
        desk = people.at(ACCOUNTS, "demo.account_cashier")
        assert _cash_out(desk, _ACCOUNT, _PAID_KEY).is_success
        with attacked.superuser() as connection:
            connection.execute(f"CREATE TABLE public.paid_15 AS {_PAID}".encode())
        for what, change, key in (
            ("an answer copied under the key of another command", _COPY, _COPIED_KEY),
            ("an answer deleted, and its command sent again", f"DELETE FROM {_ANSWERS} WHERE key = '%'", _PAID_KEY),
        ):
            with watching(attacked, _not_as_recorded()) as watch:
                with attacked.superuser() as connection:
                    changed = connection.execute(change.replace("%", key).encode()).rowcount
                watch.require(changed == 1, f"{changed} rows were altered")
                answer = _cash_out(desk, _ACCOUNT, key)
                refused = answer.status_code == 409 and answer.json()["type"].endswith(":not-as-recorded")
                watch.require(refused, f"it was answered {answer.status_code}: {answer.text}")
            yield watch.attempt(15, what, "refused", "409 not-as-recorded")
    with attacked.superuser() as connection:
        connection.execute(f"DELETE FROM {_ANSWERS} WHERE key = '{_COPIED_KEY}'".encode())
        connection.execute(f"INSERT INTO {_ANSWERS} TABLE public.paid_15".encode())
        connection.execute(b"DROP TABLE public.paid_15")


def _earlier_code(floor: Floor) -> Attempt:
    attacked = floor.attacked
    with Desks(attacked) as people:
        desk = people.at(ACCOUNTS, "demo.account_cashier")
        patron = {"property": PROPERTY, "patron": _PATRON, "wallet": _WALLET, "access_code": _OLD_CODE}
        desk.do("/patrons", patron)
        desk.do(f"/accounts/{PROPERTY}/{_WALLET}/buy-ins", {"instrument": "cash", "cents": 10 * _CENTS})
        keep = "SELECT patron, number, salt, hash, signature FROM wagering_accounts.patron_codes WHERE patron = %s"
        with attacked.superuser() as connection:
            [(_, *earlier)] = connection.execute(keep.encode(), [_PATRON]).fetchall()
        new = {"access_code": _NEW_CODE, "reason": "somebody has seen the code"}
        desk.do(f"/patrons/{PROPERTY}/{_PATRON}/access-code", new)
        with watching(attacked, _not_as_recorded()) as watch:
            put = "UPDATE wagering_accounts.patron_codes SET number = %s, salt = %s, hash = %s, signature = %s"
            with attacked.superuser() as connection:
                connection.execute(f"{put} WHERE patron = %s".encode(), [*earlier, _PATRON])
            answer = _cash_out(desk, _WALLET, "attack.15.code", access_code=_OLD_CODE)
            refused = answer.status_code == 409 and answer.json()["type"].endswith(":not-as-recorded")
            watch.require(refused, f"the code of before was answered {answer.status_code}: {answer.text}")
        desk.do(f"/patrons/{PROPERTY}/{_PATRON}/access-code", new)
    what = "the access code that a patron had before, with its signature, and cashed out"
    return watch.attempt(15, what, "refused", "the journal counts the codes: 409")


def _marks(floor: Floor) -> Iterator[Attempt]:
    """Set how far the accounts are published ahead of what is there, and back to where it was signed to be."""
    attacked = floor.attacked
    table = "wagering_accounts.relay"
    of_commands = f"""
        SELECT shard, published_seq, signature FROM {table} JOIN wagering_accounts.shards USING (shard)
        WHERE name LIKE 'commands/%' ORDER BY published_seq DESC LIMIT 1"""
    with attacked.superuser() as connection:
        [earlier] = connection.execute(of_commands.encode()).fetchall()
    floor.fund("GA-marked", _CENTS)
    floor.settled()
    ahead = f"UPDATE {table} SET published_seq = published_seq + 2"
    named = Named(
        service=ACCOUNTS,
        stated=AT_ONCE,
        metric=No("no figure: what is left out goes out again, and readers drop what they have"),
        readyz=No(NO_READYZ),
        alert=No("no alert: nothing is lost"),
        log="stored publish position has no valid signature, republishing entries",
        verify=_NO_VERIFY,
    )
    with watching(attacked, named) as watch, attacked.superuser() as connection:
        connection.execute(ahead.encode())
    floor.fund("GA-marked-too", _CENTS)
    eventually(lambda: _is_whole(attacked), because="all entries of the accounts are reported", seconds=60)
    yield watch.attempt(15, "marks of the relay set ahead of what is there", "survived", "its signature; sent again")
    again = Named(
        service=REPORTING,
        stated=A_LOOK_AT_TOPICS,
        metric=Metric("pitledger_duplicates_dropped_total", {"topic": "accounts"}, by=1),
        readyz=No(NO_READYZ),
        alert=No("no alert: nothing is counted twice"),
        log=No("no log line: the relay sends again, which readers drop"),
        verify=_NO_VERIFY,
    )
    shard, seq, signature = earlier
    with watching(attacked, again) as watch, attacked.superuser() as connection:
        back = f"UPDATE {table} SET published_seq = %s, signature = %s WHERE shard = %s"
        connection.execute(back.encode(), [seq, signature, shard])
    watch.require(_is_whole(attacked), "reporting has not what the accounts have")
    yield watch.attempt(
        15, "a mark of the relay put back as it was signed before", "survived", "sent again, and dropped"
    )


_REPORTED: Final = """
    SELECT (SELECT sum(next_seq - 1) FROM wagering_accounts.shards) <= (
        SELECT coalesce(sum(seq), 0) FROM reporting.positions WHERE service = 'wagering-accounts')"""


def _is_whole(attacked: Attacked) -> bool:
    return attacked.rows(_REPORTED) == [(True,)]


_COPIES: Final = ("properties", "copies")


def _earlier_copy(floor: Floor) -> Attempt:
    """File another version of the property, and put back the copy of round settlement as it was before."""
    attacked = floor.attacked
    _keep(attacked, "earlier_15")
    floor.file_again()
    floor.play(1)
    _keep(attacked, "latest_15")
    named = stopped(SETTLEMENT, TABLE_EVENTS.name, No("no entry is altered: nothing was recorded under it"))
    with watching(attacked, named) as watch:
        _put_back(attacked, "earlier_15")
        before = floor.posted()
        floor.send(*floor.coming(1))
    watch.require(floor.posted() == before, "a round was settled under it")
    _put_back(attacked, "latest_15")
    attacked.kill(SETTLEMENT)
    eventually(floor.all_posted, because="the round is settled under the copy that is right", seconds=60)
    what = "a service's copy of the property put back as it was before the last version"
    return watch.attempt(15, what, "found", "who has read the version that is gone")


def _keep(attacked: Attacked, name: str) -> None:
    with attacked.superuser() as connection:
        for table in _COPIES:
            connection.execute(f"DROP TABLE IF EXISTS public.{name}_{table}".encode())
            connection.execute(f"CREATE TABLE public.{name}_{table} AS TABLE round_settlement.{table}".encode())


def _put_back(attacked: Attacked, name: str) -> None:
    with attacked.superuser() as connection:
        for table in _COPIES:
            connection.execute(f"DELETE FROM round_settlement.{table}".encode())
            connection.execute(f"INSERT INTO round_settlement.{table} TABLE public.{name}_{table}".encode())
