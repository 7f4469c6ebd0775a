"""Conditional requests and content negotiation: entity tags, 304, Accept (RFC 9110)."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from fastapi import Request, Response
from pydantic import BaseModel

from shared.runtime.http.problems import Responses

JSON: Final = "application/json"

UNCHANGED: Final[Responses] = {304: {"description": "Unchanged: the ETag in `If-None-Match` is current"}}
"""For the `responses` of a route whose documents have an ETag."""


def document_response(request: Request, document: BaseModel, *, version: int | str | None = None) -> Response:
    """Return a document with its ETag, without null members; 304 if the caller already has it.

    The ETag is derived from `version` if given, otherwise from the content.
    """
    body = document.model_dump_json(exclude_none=True)
    return respond(request, body, JSON, entity_tag(body if version is None else str(version)))


def respond(request: Request, body: str | bytes, media_type: str, tag: str) -> Response:
    """Return a body with its ETag `tag`, or 304 if the caller already has it."""
    headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept, Authorization"}
    if is_current(request.headers.get("if-none-match", ""), tag):
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=media_type)


def entity_tag(content: str) -> str:
    """Return the entity tag of a text. It is weak, because the text may leave out volatile members.

    >>> entity_tag("{}")
    'W/"44136fa355b3678a1146ad16f7e8649e"'
    """
    return f'W/"{sha256(content.encode()).hexdigest()[:32]}"'


def is_current(if_none_match: str, tag: str) -> bool:
    """Return whether an If-None-Match header contains an entity tag, by weak comparison.

    >>> is_current('"other", "abc"', 'W/"abc"')
    True
    """
    named = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named


def accepted(header: str, offered: Sequence[str]) -> str | None:
    """Return the offered media type that an Accept header prefers, or None if it accepts none; on a tie the first one.

    >>> accepted("text/html, text/*;q=0.5", ("application/json", "text/csv"))
    'text/csv'
    """
    weights: dict[str, float] = {}
    for part in header.split(",") if header.strip() else ["*/*"]:
        media_type, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = next((piece[2:] for piece in parameters if piece.startswith("q=")), "1")
        weights[media_type] = float(quality) if quality.replace(".", "", 1).isdecimal() else 0.0

    def weight(media_type: str) -> float:
        whole = f"{media_type.partition('/')[0]}/*"
        return next((weights[name] for name in (media_type, whole, "*/*") if name in weights), 0.0)

    best = max(offered, key=weight)
    return best if weight(best) else None
