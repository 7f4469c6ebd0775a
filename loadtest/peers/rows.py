"""Store row by row through SQLAlchemy, as typical applications do: an entry, then each of its postings."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from sqlalchemy import (
    BigInteger,
    Column,
    Engine,
    ForeignKey,
    Identity,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    func,
    insert,
    select,
)

from loadtest.peers.peer import OnPostgres, SettledRound, compared
from shared.journal.entry import Account

_metadata: Final = MetaData()
_accounts: Final = Table(
    "accounts",
    _metadata,
    Column("account", Integer, Identity(), primary_key=True),
    *(Column(name, Text, nullable=False) for name in Account._fields),
    UniqueConstraint(*Account._fields),
)
_entries: Final = Table(
    "entries",
    _metadata,
    Column("entry", BigInteger, Identity(), primary_key=True),
    Column("stream", Text, nullable=False),
    Column("sequence", BigInteger, nullable=False),
    Column("event", Text, nullable=False),
    Column("data", Text, nullable=False),
    UniqueConstraint("stream", "sequence"),
)
_postings: Final = Table(
    "postings",
    _metadata,
    Column("entry", ForeignKey(_entries.c.entry), primary_key=True),
    Column("line", Integer, primary_key=True),
    Column("account", ForeignKey(_accounts.c.account), nullable=False),
    Column("cents", BigInteger, nullable=False),
)


class Rows(OnPostgres):
    """Stores rounds in tables with primary and foreign keys, without a hash chain and without a check of sums."""

    name = "SQLAlchemy, row at a time"
    keeps = "event, outcome, postings"

    def open(self, url: str, accounts: Sequence[Account]) -> None:
        """Create the tables and the accounts."""
        self._url = url
        self._engine: Engine = create_engine(url)
        with self._engine.begin() as connection:
            _metadata.create_all(connection)
            connection.execute(insert(_accounts), [account._asdict() for account in accounts])
            rows = connection.execute(select(_accounts))
            self._numbers = {Account(*fields): number for number, *fields in rows}

    def write(self, rounds: Sequence[SettledRound]) -> None:
        """Insert the rows of the rounds one by one, and commit."""
        with self._engine.begin() as connection:
            for one in rounds:
                entry = {"stream": one.stream, "sequence": one.sequence}
                entry |= {"event": one.event.decode(), "data": one.data.decode()}
                key = connection.execute(insert(_entries).values(**entry).returning(_entries.c.entry)).scalar_one()
                for line, (account, cents) in enumerate(one.postings):
                    row = {"entry": key, "line": line, "account": self._numbers[account], "cents": cents}
                    connection.execute(insert(_postings).values(**row))

    def wrong(self, rounds: Sequence[SettledRound]) -> str | None:
        """Return a message on wrong entries or account balances, or None."""
        total = func.sum(_postings.c.cents)
        with self._engine.connect() as connection:
            kept = {
                (stream, sequence): (event.encode(), data.encode())
                for _, stream, sequence, event, data in connection.execute(select(_entries))
            }
            rows = connection.execute(select(_postings.c.account, total).group_by(_postings.c.account)).all()
        if kept != {(one.stream, one.sequence): (one.event, one.data) for one in rounds}:
            return f"{len(kept)} entries are not the {len(rounds)} that were written"
        names = {number: account for account, number in self._numbers.items()}
        return compared(Counter({names[number]: int(cents) for number, cents in rows}), rounds)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()
