"""Draw random docstrings, log events and page texts, to be read by someone who has not seen the code.

`python -m infra.prose_sample --seed 1 --number 100` prints 100 texts of each kind, each under its `file:line`. The same
seed draws the same texts from the same sources. Mark the texts that need a second reading, and keep the count.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
PACKAGES = ("shared", "services", "infra", "loadtest")
_LEVELS = frozenset({"debug", "info", "warning", "error", "exception", "critical"})
_METRICS = frozenset({"Counter", "Gauge", "Histogram"})


@dataclass(frozen=True, slots=True)
class Text:
    """A text of one kind ("docstring", "log event" or "page text"), with its file in the repository and its line."""

    kind: str
    path: str
    line: int
    text: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}\n    " + "\n    ".join(self.text.splitlines())


def texts_of(root: Path = ROOT) -> list[Text]:
    """Return every docstring, log event and page text of the packages under `root`, in the order of their files.

    Page texts are the console's words, the help texts of the command line, and the help texts of Prometheus metrics.
    """
    found = []
    for package in PACKAGES:
        for path in sorted((root / package).rglob("*.py")):
            name = str(path.relative_to(root))
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                found += [Text(kind, name, line, text) for kind, line, text in _texts_of_node(node)]
    words = root / "services" / "console" / "words.yaml"
    name = str(words.relative_to(root))
    found += [Text("page text", name, line, text) for line, text in _scalars(yaml.compose(words.read_text("utf-8")))]
    return found


def draw(texts: list[Text], kind: str, number: int, seed: int) -> list[Text]:
    """Return up to `number` texts of `kind`, drawn without replacement with `seed`, sorted by file and line."""
    choices = [text for text in texts if text.kind == kind]
    drawn = random.Random(seed).sample(choices, min(number, len(choices)))  # noqa: S311 (a sample for readers)
    return sorted(drawn, key=lambda text: (text.path, text.line))


def main(arguments: list[str] | None = None) -> None:
    """Print the sample requested by the arguments."""
    parser = argparse.ArgumentParser(description="Draw docstrings, log events and page texts at random.")
    parser.add_argument("--seed", type=int, required=True, help="Seed of the random draw.")
    parser.add_argument("--number", type=int, default=100, help="Number of texts of each kind to draw.")
    options = parser.parse_args(arguments)
    texts = texts_of()
    for kind in ("docstring", "log event", "page text"):
        print(f"== {kind} ==")  # noqa: T201
        for text in draw(texts, kind, options.number, options.seed):
            print(text)  # noqa: T201


def _scalars(node: yaml.Node | None) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of every scalar value of a YAML document, without the keys of mappings."""
    match node:
        case yaml.MappingNode():
            for _, value in node.value:
                yield from _scalars(value)
        case yaml.SequenceNode():
            for value in node.value:
                yield from _scalars(value)
        case yaml.ScalarNode():
            yield node.start_mark.line + 1, node.value


def _texts_of_node(node: ast.AST) -> Iterator[tuple[str, int, str]]:
    match node:
        case ast.Module() | ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            if docstring := ast.get_docstring(node):
                yield "docstring", node.body[0].lineno, docstring
        case ast.Call(func=ast.Attribute(value=ast.Name(id="log"), attr=level), args=[ast.Constant(str(text)), *_]):
            if level in _LEVELS:
                yield "log event", node.lineno, text
        case ast.Call(func=ast.Name(id=metric), args=[_, ast.Constant(str(text)), *_]) if metric in _METRICS:
            yield "page text", node.lineno, text
        case ast.keyword(arg="help", value=ast.Constant(str(text))):
            yield "page text", node.value.lineno, text


if __name__ == "__main__":
    main()
