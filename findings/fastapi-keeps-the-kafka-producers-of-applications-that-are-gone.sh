#!/bin/sh
# What is left of a service that ends inside a process and is made anew, as one is after an outage of its database: are
# its Kafka producers gone, with their threads, once its application is?
#
# Guess, written down first: the routes of an application are reached through it alone. When nothing holds the
# application, the garbage collector takes it, the functions of its routes and the producer that they close over, and
# librdkafka's threads end.
#
# Versions: fastapi 0.163.2, confluent-kafka 2.16.1, Python 3.11.
#
# Behavior: the application is taken, the functions of its routes are not. What kind of function each is (a coroutine, a
# generator) is kept in caches of the module `fastapi.dependencies.models`, by the function: for the life of the process,
# until so many others have come that it is pushed out. Each application that was made and dropped leaves the threads and
# sockets of its producer. With the caches cleared, all of them are gone.
#
#   applications made and dropped       0    5    after the caches are cleared
#   threads of the process above it     0   15    0
#
# What follows: a process that makes applications again and again closes what their routes hold by name, or clears these
# caches and collects.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'fastapi==0.163.2' 'confluent-kafka==2.16.1'
cat >"$folder/tried.py" <<'PYTHON'
import gc
import os
import sys
import time
import weakref

from confluent_kafka import Producer
from fastapi import FastAPI
from fastapi.dependencies import models

TIMES = 5


def made() -> weakref.ref:
    """Make an application whose route sends with a producer of its own, and drop both."""
    producer = Producer({"bootstrap.servers": "127.0.0.1:9", "log_level": 0})
    app = FastAPI()

    @app.get("/waiting")
    async def waiting() -> int:
        return len(producer)

    return weakref.ref(app)


def threads() -> int:
    for _ in range(3):
        gc.collect()
    time.sleep(2)  # librdkafka ends its threads by and by
    return len(os.listdir("/proc/self/task"))


before = threads()
apps = [made() for _ in range(TIMES)]
kept = threads() - before
gone = all(app() is None for app in apps)
for one in vars(models).values():
    if hasattr(one, "cache_clear"):
        one.cache_clear()
left = threads() - before
print(f"applications gone: {gone}; threads of {TIMES} that were dropped: {kept}; after the caches are cleared: {left}")
sys.exit(0 if gone and kept >= TIMES and left == 0 else 1)
PYTHON
"$folder/venv/bin/python" "$folder/tried.py" && echo "as stated"
