"""One word, one thing: public classes of the shared packages, and names that no module has."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[3]
BY_GAME = {"cards", "counting", "jurisdictions", "rules"}
"""Each game, and each law, has a package that names its parts as the others do."""
BANNED = {"again", "alone", "apart", "asked", "known", "mark", "pace", "patience", "plausible", "stopped", "taken"}
"""Names of modules that say how something came about, not what it is."""


def test_a_public_class_of_shared_is_defined_once() -> None:
    """Whoever searches for a name finds one thing."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.glob("shared/**/*.py")):
        if path.relative_to(ROOT).parts[1] not in BY_GAME:
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    assert len(found) > 500
    assert {} == {name: paths for name, paths in found.items() if len(paths) > 1}


def test_modules_of_the_runtime_have_names_of_their_own() -> None:
    """In all rooms together."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.glob("shared/runtime/**/*.py")):
        if path.name != "__init__.py":
            found[path.stem].append(str(path.relative_to(ROOT)))
    assert {} == {name: paths for name, paths in found.items() if len(paths) > 1}


def test_no_module_has_a_banned_name() -> None:
    """Of shared and services."""
    modules = {*ROOT.glob("shared/**/*.py"), *ROOT.glob("services/**/*.py")}
    assert [] == sorted(str(path.relative_to(ROOT)) for path in modules if path.stem in BANNED)
