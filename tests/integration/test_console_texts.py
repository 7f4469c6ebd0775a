"""Every page and form of the console: no text on it is for programs."""

from collections import Counter
from collections.abc import Iterator
from html import unescape
from urllib.parse import urlsplit

import pytest

from tests.integration.test_console_pages import BEGIN, LINK, Visitors, pages
from tests.support import Databases
from tests.support.house import AS_MEMBER, House, a_house, what_the_stories_lack
from tests.support.nightly import sampled
from tests.support.raw_texts import raw_texts
from tests.support.told import crews

pytestmark = sampled(1, of="a house and its neighbor")

LOOKED_AT: str = "/stream"
"""What answers for as long as somebody looks."""
OF_A_PAGE_MAX = 4
"""How many addresses of a page are looked at; of forms and reports each is a page of its own."""


@pytest.fixture
def house(databases: Databases, patron_keys: None) -> Iterator[House]:
    """All services after their stories, and what pages show besides."""
    del patron_keys
    with a_house(databases) as found:
        what_the_stories_lack(found)
        yield found


def test_no_page_has_a_text_for_programs(house: House) -> None:
    """No Python value, no instant of ISO 8601, no identifier and no library's message, whoever looks at it."""
    visitors, routes = Visitors(house), pages(house)
    coming, known, seen, raw = list(BEGIN), set(BEGIN), Counter[str](), set[str]()
    while coming:
        address = coming.pop(0)
        place = urlsplit(address).path
        route = next((one for one in routes if one.path_regex.match(place)), None)
        if route is None or place.endswith(LOOKED_AT):
            continue
        is_own = place.startswith("/do/") or "/reports/" in place
        seen[place if is_own else route.path] += 1
        if seen[place if is_own else route.path] > (1 if is_own else OF_A_PAGE_MAX):
            continue
        for crew in crews():
            answer = visitors.get(address, crew + AS_MEMBER)
            leads = [unescape(one).partition("#")[0] for one in LINK.findall(answer.text)]
            leads += [answer.headers["location"]] if answer.is_redirect else []
            coming += [one for one in dict.fromkeys(leads) if one not in known]
            known.update(leads)
            if "html" in answer.headers.get("content-type", ""):
                raw |= {f"{place}: {text}" for text in raw_texts(answer.text)}
    assert "" == "\n".join(sorted(raw))
