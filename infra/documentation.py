"""MkDocs hooks of the documentation site: expand folders in the navigation, turn links that leave docs/ into text."""

import re
from pathlib import Path
from typing import Any, Final

_LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def on_config(config: Any) -> Any:
    """Replace each `folder/*` in the navigation by the folder's pages, in the order of their names."""
    config.nav = [_expanded(entry, Path(config.docs_dir)) for entry in config.nav]
    return config


def _expanded(entry: Any, docs: Path) -> Any:
    if isinstance(entry, dict):
        return {title: _expanded(below, docs) for title, below in entry.items()}
    if isinstance(entry, list):
        return [_expanded(each, docs) for each in entry]
    if not entry.endswith("*"):
        return entry
    pages = sorted(path.relative_to(docs).as_posix() for path in docs.glob(f"{entry}.md"))
    assert pages, f"{entry} of mkdocs.yml has no page"
    return pages


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Replace links to folders and to files outside docs/, which are not on the site, by their text and path."""
    docs = Path(config.docs_dir)
    folder = (docs / page.file.src_uri).parent

    def linked(found: re.Match[str]) -> str:
        text, target = found[1], (folder / found[2]).resolve()
        if not target.exists() or (target.is_file() and target.is_relative_to(docs)):
            return found[0]  # the strict build reports a link to a missing file
        path = target.relative_to(docs.parent).as_posix()
        return text if path in text else f"{text} (`{path}`)"

    return _LINK.sub(linked, markdown)
