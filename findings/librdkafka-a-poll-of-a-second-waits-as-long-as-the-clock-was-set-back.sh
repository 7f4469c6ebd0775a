#!/bin/sh
# What a consumer on librdkafka meets when the clock of its machine is set right: a poll of a second that had begun
# before lasts as much longer as the clock was set back.
#
# Guess, written down first: `Consumer.poll(1.0)` returns after a second, whatever the clock says meanwhile. A timeout is
# a length of time and is measured on the monotonic clock, as librdkafka measures everything else that it times.
#
# Version: confluent-kafka 2.16.1 (librdkafka 2.16.1, PyPI), Python 3.11, glibc 2.36, against librdkafka's own mock
# cluster. It takes a C compiler.
#
# Behavior: the remaining time is computed on the monotonic clock, but each wait for it ends at a moment of the wall
# clock. On an idle topic, with a second as timeout:
#   the clock is left alone                     1 s
#   the clock is set back by 4 s after a while  5 s
#   the clock is set ahead by 4 s after a while 1 s: what ends too early is waited for again
# The script moves no clock of the machine: the process is shown one that is 4 s ahead (or behind) when the wait begins,
# which is to the kernel what setting it back (or ahead) during the wait is. A record that comes ends the wait at once.
#
# What follows for whoever runs consumers: lag does not show it, as records end the wait. But the thread that polls does
# not return as long, and a shutdown that waits for it does not end. Give a shutdown its own limit, on the monotonic
# clock, after which the process ends itself; slew clocks, never step them back.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'confluent-kafka==2.16.1'
cat >"$folder/clock.c" <<'C'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile long ahead;
void set_ahead(long seconds) { ahead = seconds; }
int clock_gettime(clockid_t clock, struct timespec *now) {
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME) now->tv_sec += ahead;
    return failed;
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}
C
cc -shared -fPIC -O1 -o "$folder/clock.so" "$folder/clock.c"
cat >"$folder/tried.py" <<'PYTHON'
import ctypes
import sys
import threading
import time

from confluent_kafka import Consumer, TopicPartition

clock = ctypes.CDLL(sys.argv[1])
consumer = Consumer(
    {"test.mock.num.brokers": 1, "bootstrap.servers": "mock", "group.id": "g", "allow.auto.create.topics": True, "log_level": 0}
)
consumer.assign([TopicPartition("rounds", 0, 0)])
for _ in range(20):  # until the topic is there and the consumer waits for records
    consumer.poll(0.2)


def polled(ahead):
    """Return how many seconds a poll of a second takes whose wait begins with the clock so many seconds ahead."""
    clock.set_ahead(ahead)
    threading.Timer(0.3, clock.set_ahead, [0]).start()
    began = time.monotonic()
    assert consumer.poll(1.0) is None
    return round(time.monotonic() - began)


SEEN = {"left alone": 1, "set back by 4 s": 5, "set ahead by 4 s": 1}
found = {"left alone": polled(0), "set back by 4 s": polled(4), "set ahead by 4 s": polled(-4)}
for name, seconds in found.items():
    print(f"the clock is {name}: a poll of 1 s took {seconds} s")
assert found == SEEN, f"librdkafka behaves otherwise than it did: {found}"
PYTHON
HOME="$folder" LD_PRELOAD="$folder/clock.so" "$folder/venv/bin/python" "$folder/tried.py" "$folder/clock.so"
