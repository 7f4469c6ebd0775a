#!/bin/sh
# What compiled rules meet when a message is written from their classes and read into them again: mypyc keeps a dataclass
# a dataclass, pydantic takes it for the type of a field, writes it, and cannot read it.
#
# Guess, written down first: a compiled dataclass is read as the plain one is; if it could not be, pydantic would say so
# when the model with it is made.
#
# Version: mypy 2.4.1 (mypyc), pydantic 2.14.3, Python 3.11; it needs a C compiler and Python's headers.
#
# Behavior: the model is made without a word, and its JSON is that of the plain class, byte for byte. But
#   - of each annotation mypyc keeps the class that it compiles to: `int | None` and `Literal[...]` become `type`,
#     `tuple[int, ...]` becomes `tuple`. A valid message is refused: "Input should be a type";
#   - without such fields it ends in an AttributeError, which is no ValidationError: the class has no `__dict__`, and
#     `slots=True` of the source leaves no `__slots__` from which pydantic would see that.
# A service that only publishes passes its tests; the one that reads its journal again, after a restart say, does not.
#
# What follows: keep plain Python whatever pydantic reads, and test reading with the compiled build, not writing alone.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'mypy[mypyc]==2.4.1' 'pydantic==2.14.3' setuptools
cd "$folder"
cat >plain.py <<'PYTHON'
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Line:
    wager: str
    cents: int
    outcome: Literal["win", "lose"]
    hand: int | None
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stake:
    wager: str
    cents: int
PYTHON
cp plain.py compiled.py
cat >setup.py <<'PYTHON'
from mypyc.build import mypycify
from setuptools import setup

setup(name="compiled", ext_modules=mypycify(["compiled.py"]))
PYTHON
"$folder/venv/bin/python" setup.py -q build_ext --inplace >build.log 2>&1 || { cat build.log; exit 1; }
cat >tried.py <<'PYTHON'
import compiled
import plain
from pydantic import TypeAdapter, ValidationError

assert compiled.__file__.endswith(".so")
LINE = b'{"wager":"ante","cents":500,"outcome":"win","hand":2,"parts":[1,2]}'
STAKE = b'{"wager":"ante","cents":500}'


def read(kind, raw):
    try:
        return repr(TypeAdapter(kind).validate_json(raw))
    except ValidationError as error:
        return sorted((one["loc"][0], one["msg"]) for one in error.errors())
    except AttributeError as error:
        return f"AttributeError: {error}"


kept = {name: kind.__name__ for name, kind in compiled.Line.__annotations__.items()}
print("annotations that are left:", kept)
for module in (plain, compiled):
    print(f"{module.__name__:9} Line written ", TypeAdapter(module.Line).dump_json(module.Line("ante", 500, "win", 2, (1, 2))))
    print(f"{module.__name__:9} Line read    ", read(module.Line, LINE))
    print(f"{module.__name__:9} Stake read   ", read(module.Stake, STAKE))

assert kept == dict(wager="str", cents="int", outcome="type", hand="type", parts="tuple")
for module in (plain, compiled):
    assert LINE == TypeAdapter(module.Line).dump_json(module.Line("ante", 500, "win", 2, (1, 2)))
    assert STAKE == TypeAdapter(module.Stake).dump_json(module.Stake("ante", 500))
assert read(plain.Stake, STAKE) == "Stake(wager='ante', cents=500)"
assert read(plain.Line, LINE) == "Line(wager='ante', cents=500, outcome='win', hand=2, parts=(1, 2))"
assert read(compiled.Line, LINE) == [("hand", "Input should be a type"), ("outcome", "Input should be a type")]
assert read(compiled.Stake, STAKE) == "AttributeError: 'Stake' object has no attribute '__dict__'"
PYTHON
"$folder/venv/bin/python" tried.py
