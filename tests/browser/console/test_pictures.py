"""The pictures of the documentation, as the console shows the demo: `make pictures` takes them again.

Those of the design page are also compared with it, for they show nothing of the demo.
"""

import os
from base64 import b64encode
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPage
from tests.browser.console.conftest import Visit
from tests.support.demo import PROPERTY, RunningDemo
from tests.support.nightly import AT_NIGHT

SHOWN: Final = Path(__file__).parents[3] / "docs" / "console"
SIZE: Final = {"width": 1280, "height": 760}

DESIGN: Final = "/design"
DIFFERENT_MAX: Final = 0.01
"""The share of pixels that may differ from the picture: another version of the browser draws letters otherwise."""
DIFFERENCE: Final = """async (pictures) => {
  const [one, other] = await Promise.all(pictures.map(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  }));
  if (one.width !== other.width || one.height !== other.height) return 1;
  let different = 0;
  for (let at = 0; at < one.data.length; at += 4) {
    different += [0, 1, 2].some((part) => Math.abs(one.data[at + part] - other.data[at + part]) > 32);
  }
  return different / (one.width * one.height);
}"""
"""Returns the share of pixels in which two PNG pictures differ; 1 if they are not of one size."""


class Picture(NamedTuple):
    """What a picture shows: a page of the property, from its top or from a heading, light or dark."""

    page: str
    begins: str = "h1"
    scheme: str = "light"


PICTURES: Final = {
    "floor": Picture("floor?day={day}"),
    "floor-dark": Picture("floor?day={day}", scheme="dark"),
    "round": Picture("rounds/{table}/{round}"),
    "day": Picture("days/{day}"),
    "design": Picture(DESIGN),
    "design-dark": Picture(DESIGN, scheme="dark"),
    "report": Picture("reports/statistics?day={day}", begins="details:has(figure.chart)"),
}


@AT_NIGHT
def test_the_pictures_of_the_documentation_can_be_taken_again(demo: RunningDemo, visit: Visit, tmp_path: Path) -> None:
    """One of each page that the documentation shows; charts are drawn, and no page is refused."""
    assert {f"{name}.png" for name in PICTURES} == {one.name for one in SHOWN.iterdir()}
    folder = Path(os.environ.get("PICTURES", tmp_path))
    table, _, _ = demo.round_id.partition("-")
    for name, picture in PICTURES.items():
        where = picture.page.format(day=demo.gaming_day, table=table, round=demo.round_id)
        path = where if where.startswith("/") else f"/p/{PROPERTY}/{where}"
        page = visit("demo.auditor", path, viewport=SIZE, color_scheme=picture.scheme)
        expect(page.locator(picture.begins).first).to_be_visible()
        for chart in page.locator("figure.chart img").all():
            chart.scroll_into_view_if_needed()
            expect(chart).to_have_js_property("complete", value=True)
        if picture.begins != "h1":
            page.locator(picture.begins).first.evaluate("one => one.scrollIntoView()")
        else:
            page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=folder / f"{name}.png", full_page=path == DESIGN)


@AT_NIGHT
@pytest.mark.parametrize("name", [name for name, one in PICTURES.items() if one.page == DESIGN])
def test_components_look_as_documented(visit: Visit, open_page: OpenPage, name: str) -> None:
    """In both themes; a change that is meant takes the pictures again."""
    page = visit("demo.auditor", DESIGN, viewport=SIZE, color_scheme=PICTURES[name].scheme)
    expect(page.locator("h1")).to_be_visible()
    pictures = [(SHOWN / f"{name}.png").read_bytes(), page.screenshot(full_page=True)]
    encoded = [b64encode(one).decode() for one in pictures]
    assert DIFFERENT_MAX >= open_page("about:blank").evaluate(DIFFERENCE, encoded)
