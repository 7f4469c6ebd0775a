#!/bin/sh
# What a general-ledger export meets: one posting that is written with fewer decimals lets beancount accept a
# transaction that is cents off, though every other posting has all of its cents.
#
# Guess, written down first: amounts of cents are balanced to half a cent, because the finest amount of a transaction
# says how exact it is; a posting of "100.5" among postings like "40.54" changes nothing, and one of "0.0" even less.
#
# Version: beancount 3.2.3 (PyPI), Python 3.11.
#
# Behavior: the tolerance of a transaction is half of the last digit of its COARSEST amount with decimals. So
#   100.50 / -100.54          does not balance (4 cents)
#   100.5  / -100.54          balances, though 4 cents are missing; 5 cents, too; 6 do not
#   1000.5 / -1000.00 / -0.54 balances
#   100.50 / -100.54 / 0.0    balances: a posting of nothing, written with one decimal, hides the 4 cents
# An amount without decimals has no say: 100 / -100.04 does not balance.
#
# What follows for whoever exports a ledger of cents: write every amount with two decimals, zero as 0.00, or set
# `inferred_tolerance_default` off by naming the tolerance; and do not take a silent `bean-check` for a proof that the
# day is balanced to the cent.
set -eu
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check 'beancount==3.2.3'
cat >"$folder/tried.py" <<'PYTHON'
from beancount import loader

OPENED = "".join(f"2026-01-01 open Assets:{name} USD\n" for name in "ABC")
SEEN = {
    ("100.50", "-100.54"): "off by -0.04",
    ("100.5", "-100.54"): "accepted",
    ("100.5", "-100.55"): "accepted",
    ("100.5", "-100.56"): "off by -0.06",
    ("1000.5", "-1000.00", "-0.54"): "accepted",
    ("100.50", "-100.54", "0.0"): "accepted",
    ("100.50", "-100.54", "0.00"): "off by -0.04",
    ("100", "-100.04"): "off by -0.04",
}


def balanced(amounts):
    postings = "".join(f"  Assets:{name}  {amount} USD\n" for name, amount in zip("ABC", amounts))
    _, errors, _ = loader.load_string(f'{OPENED}2026-11-20 * "day"\n{postings}')
    if not errors:
        return "accepted"
    [error] = errors
    return "off by " + error.message.partition("(")[2].partition(" ")[0]


found = {amounts: balanced(amounts) for amounts in SEEN}
for amounts, result in found.items():
    print(f"{' / '.join(amounts):32}{result}")
assert found == SEEN, "beancount behaves otherwise than it did"
PYTHON
"$folder/venv/bin/python" "$folder/tried.py"
