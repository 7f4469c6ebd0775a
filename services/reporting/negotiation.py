"""What a caller's headers ask for: which representation, and whether it is there already (RFC 9110). Pure."""

from collections.abc import Sequence


def accepted(header: str, offered: Sequence[str]) -> str | None:
    """Of the media types offered, the one that an Accept header prefers; the first where it does not care.

    None where it allows none of them.

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


def is_current(if_none_match: str, tag: str) -> bool:
    """Whether an If-None-Match header names an entity tag; tags compare weakly there.

    >>> is_current('"other", "abc"', 'W/"abc"')
    True
    """
    named = [one.strip().removeprefix("W/") for one in if_none_match.split(",")]
    return "*" in named or tag.removeprefix("W/") in named
