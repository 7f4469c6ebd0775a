"""JSON texts in which an object has a member twice."""

import json
from collections.abc import Iterator
from typing import Any


def with_members_twice(document: Any) -> Iterator[tuple[str, bytes]]:
    """Yield a document once for each member of each of its objects: the member's name, and the text with it twice.

    It says the same both times: nothing but the repetition is wrong.
    """
    for name, text in _twice(document):
        yield name, text.encode()


def _twice(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case dict():
            texts = {json.dumps(name): json.dumps(one) for name, one in value.items()}
            for name, one in value.items():
                yield name, _object([(json.dumps(name), json.dumps(one)), *texts.items()])
                for twice, text in _twice(one):
                    yield twice, _object((texts | {json.dumps(name): text}).items())
        case list():
            for number, one in enumerate(value):
                for twice, text in _twice(one):
                    texts_of = [json.dumps(other) for other in value]
                    yield twice, f"[{','.join([*texts_of[:number], text, *texts_of[number + 1 :]])}]"


def _object(members: Any) -> str:
    return "{" + ",".join(f"{name}:{text}" for name, text in members) + "}"
