"""A corpus: written once, replayed byte for byte, whole or not at all."""

import gzip
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from loadtest.traffic.corpus import Head, Record, corpus, played, read
from shared.contracts.tables import READER, RoundCompleted

HEAD = Head(rounds=60, tables=12)


def test_a_corpus_is_written_once_and_replayed_byte_for_byte(tmp_path: Path) -> None:
    """What is read back is what was played; asked for again, the file is read and not written."""
    first = corpus(HEAD, tmp_path)
    [path] = tmp_path.iterdir()
    written = path.stat().st_mtime_ns
    assert list(played(HEAD)) == first == corpus(HEAD, tmp_path)
    assert written == path.stat().st_mtime_ns
    assert path.stat().st_size < sum(len(record.value) for record in first) / 2


def test_each_record_is_a_round_in_its_place(tmp_path: Path) -> None:
    """The streams are dense from 1, in the order of time, and each value is an event of its stream."""
    places: Counter[str] = Counter()
    moments = []
    for key, sequence, value in corpus(HEAD, tmp_path):
        places[key] += 1
        event = READER.decode(value)
        assert isinstance(event, RoundCompleted)
        assert (key, places[key]) == (event.source, sequence)
        moments.append(event.time)
    assert sorted(moments) == moments
    assert 60 == places.total()
    assert 12 == len(places)


def test_a_hot_table_plays_its_share() -> None:
    """Half of all rounds are those of the first table."""
    rounds = Counter(record.key for record in played(replace(HEAD, hot_share=0.5)))
    assert 30 == rounds["/properties/loadtest-1/tables/BJ01"]
    assert 60 == rounds.total()


def test_several_properties_share_the_rounds() -> None:
    """Each has tables of its own, under the same names."""
    rounds = Counter(record.key.split("/")[2] for record in played(replace(HEAD, properties=3)))
    assert {"loadtest-1": 20, "loadtest-2": 20, "loadtest-3": 20} == rounds


def test_a_file_that_was_cut_off_is_not_read_as_a_corpus(tmp_path: Path) -> None:
    """It has fewer rounds than its head says."""
    corpus(HEAD, tmp_path)
    [path] = tmp_path.iterdir()
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    path.write_bytes(gzip.compress(b"".join(lines[:-1])))
    with pytest.raises(ValueError, match="59 of 60 rounds: delete it"):
        list(read(path))


def test_another_head_is_another_file(tmp_path: Path) -> None:
    """Whatever a corpus is made from is in its name."""
    heads = [HEAD, replace(HEAD, seed=2), replace(HEAD, hot_share=0.1), replace(HEAD, gaming_day="2026-05-10")]
    assert 4 == len({head.file_in(tmp_path) for head in heads})
    assert isinstance(next(played(HEAD)), Record)
