"""An object that has a member twice is refused by whatever reads records; what says each once never is."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.cli.services import load_all
from shared.contracts.envelope import shard_source
from shared.contracts.json_text import MemberTwice, require_members_once
from shared.rules.errors import Refused
from shared.runtime.ingest.handler import Handler
from tests.support.json_text import with_members_twice
from tests.unit.contracts.examples import EXAMPLES

DOCUMENTS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
)
WRITTEN = st.fixed_dictionaries(
    {
        "ensure_ascii": st.booleans(),
        "indent": st.none() | st.integers(0, 2),
        "separators": st.sampled_from([(",", ":"), (", ", ": "), (" , ", " : ")]),
    }
)


def _read() -> Iterator[Any]:
    for manifest in load_all():
        for handler in manifest.readers:
            for kind in sorted(handler.reader.kinds & EXAMPLES.keys()):
                yield pytest.param(handler, kind, id=f"{manifest.name}-{kind}")


@given(DOCUMENTS, WRITTEN)
def test_what_says_each_member_once_is_let_be(document: Any, written: dict[str, Any]) -> None:
    """However it is written: with spaces and escapes, with numbers as long as somebody likes."""
    require_members_once(json.dumps(document, **written).encode(errors="surrogatepass"))


@given(DOCUMENTS)
def test_a_member_that_is_there_twice_is_found(document: Any) -> None:
    """At whatever depth, beside whatever else."""
    for name, text in with_members_twice(document):
        with pytest.raises(MemberTwice) as error:
            require_members_once(text)
        assert repr(name) in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": 1, "\\u0061": 2}',
        b'{"a" :1,"a":2}',
        b'{"x": "\\u003a\\u003a", "a": 1, "a": 2}',
        b'{"a": 1, "a": 2, "n": ' + b"9" * 5_000 + b"}",
        b'{"a": 1, "a": 2, "n": 1e999, "m": NaN}',
        b'{"a": ' + b"[" * 90 + b'{"b": 1, "b": 1}' + b"]" * 90 + b"}",
        '{"\u00e9": 1, "\\u00e9": 1}'.encode(),
    ],
)
def test_no_way_of_writing_hides_it(text: bytes) -> None:
    """Neither escapes, nor spaces, nor what one parser reads and another does not."""
    with pytest.raises(MemberTwice):
        require_members_once(text)


@pytest.mark.parametrize("text", [b"{", b"\xff", b"[" * 100_000, b'{"a": 1} x', b""])
def test_what_cannot_be_looked_at_is_an_error(text: bytes) -> None:
    """What is no JSON, or nested too deeply, is not let be."""
    with pytest.raises(ValueError, match=r"."):
        require_members_once(text)


@pytest.mark.parametrize(("handler", "kind"), list(_read()))
def test_every_reader_refuses_it(handler: type[Handler[Any]], kind: str) -> None:
    """Whichever member of whichever object of an event it is, the envelope's or those of its data."""
    publisher = handler.reader.topic.publisher
    example = EXAMPLES[kind] | ({} if publisher is None else {"source": shard_source(publisher, 1)})
    handler.reader.decode(json.dumps(example).encode())
    for name, text in with_members_twice(example):
        with pytest.raises(Refused, match="is there twice in one object") as error:
            handler.reader.decode(text)
        assert repr(name) in str(error.value)


def test_what_is_passed_over_says_each_member_once_too() -> None:
    """It takes its place in its stream: one that is read otherwise elsewhere would take another."""
    handler = next(one for manifest in load_all() for one in manifest.readers if one.reader.topic.name == "settlements")
    unknown = EXAMPLES["settlement.posted"] | {"type": "settlement.noted", "movesmoney": False, "data": {"note": "x"}}
    handler.reader.decode(json.dumps(unknown).encode())
    for _, text in with_members_twice(unknown):
        with pytest.raises(Refused, match="is there twice"):
            handler.reader.decode(text)
