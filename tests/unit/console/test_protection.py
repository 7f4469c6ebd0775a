"""Where people are sent, whatever a link says: a path of the console."""

from urllib.parse import unquote, urljoin, urlsplit

from hypothesis import example, given
from hypothesis import strategies as st

from services.console.protection import content_policy, local_path

HOME = "https://console.test"
PIECES = [
    "/",
    "\\",
    "//",
    ":",
    "@",
    ".",
    "..",
    "%2F",
    "%5C",
    "\t",
    "\n",
    "\x00",
    " ",
    "?",
    "#",
    "evil.example",
    "https",
]


def where(wanted: str) -> str:
    """Return the host to which a browser goes: it drops tabs and line ends, and takes \\ for / (WHATWG URL, 4.4)."""
    cleaned = wanted.strip("".join(map(chr, range(33))))
    for dropped in "\t\r\n":
        cleaned = cleaned.replace(dropped, "")
    return urlsplit(urljoin(HOME, cleaned.replace("\\", "/"))).netloc


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=8).map("".join))
@example("//evil.example")
@example("/\\evil.example")
@example("/\t/evil.example")
@example("javascript:alert(1)")
def test_nobody_leaves_the_console(wanted: str) -> None:
    """Whatever is asked for, also once it was decoded on its way: the host stays, and what is kept is as it was."""
    found = local_path(wanted)
    assert found in (wanted, "/")
    assert found.startswith("/")
    assert "console.test" == where(found)
    assert "console.test" == where(local_path(unquote(wanted)))


def test_policy_allows_nothing_written_inline() -> None:
    """Scripts and styles come from the console alone; nobody frames it."""
    policy = dict(part.split(" ", 1) for part in content_policy(forms=["https://id.example"]).split("; "))
    assert ("'none'", "'self'", "'self'") == (policy["default-src"], policy["script-src"], policy["style-src"])
    assert ("'none'", "'none'") == (policy["frame-ancestors"], policy["base-uri"])
    assert "unsafe" not in content_policy()
    assert "'self' https://id.example" == policy["form-action"]
