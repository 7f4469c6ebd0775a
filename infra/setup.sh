#!/bin/sh
# Make or mend the virtual environment in .venv, so that every other target can rely on it.
#
# The stamp .venv/setup names what the environment was made from: this directory, the interpreter, and the checksums of
# the two files that decide what is installed. Same stamp and a console script that starts: nothing to do.
set -eu
cd "$(dirname "$0")/.."
venv=.venv
stamp="$venv/setup"

# The interpreter that is named, else the one that was named before, which the environment knows, else the path's.
known="$(sed -n 's/^executable = //p' "$venv/pyvenv.cfg" 2>/dev/null || :)"
[ -x "$known" ] || known=python3
python="${PYTHON:-$known}"

# Settings of the caller's shell that would send the packages elsewhere or lend us someone else's.
unset PYTHONHOME PYTHONPATH PIP_TARGET PIP_PREFIX PIP_USER PIP_CONSTRAINT PIP_REQUIREMENT PIP_REQUIRE_VIRTUALENV
export PIP_DISABLE_PIP_VERSION_CHECK=1

fail() {
    echo "setup: $*" >&2
    exit 1
}

command -v "$python" >/dev/null 2>&1 ||
    fail "no interpreter '$python' found; install Python 3.11 or newer, or name one: make setup PYTHON=/path/to/python3.12"
version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')" || fail "'$python' does not start"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "'$python' is Python $version; Pitledger needs 3.11 or newer. Name a newer one: make setup PYTHON=/path/to/python3.12"

identity="$(pwd) $("$python" -c 'import sys; print(" ".join(sys.version.split()))')"
wanted="$identity
$(cksum pyproject.toml constraints.txt)"

starts() {
    "$venv/bin/python" -I -c 'import importlib.metadata as m; m.version("pitledger")' >/dev/null 2>&1 &&
        [ -x "$venv/bin/pitledger" ] && [ -x "$venv/bin/pytest" ]
}

current() {
    [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && starts
}

current && exit 0

# One setup at a time in a clone: a second `make` waits for the first and then finds its work done.
if command -v flock >/dev/null 2>&1; then
    exec 9<pyproject.toml
    flock 9
    current && exit 0
fi

"$python" -c 'import ensurepip, venv' >/dev/null 2>&1 ||
    fail "'$python' cannot make virtual environments; on Debian and Ubuntu: apt-get install python$version-venv"
[ -w . ] || fail "$(pwd) is not writable for $(id -un); .venv is made here"

# Most modules of the packages are never imported: what is, Python compiles then, and keeps.
install="$venv/bin/python -m pip install --quiet --no-compile --root-user-action=ignore"

# An environment of this directory and this interpreter is brought up to date; any other is deleted and created again.
if [ -f "$stamp" ] && [ "$(head -n 1 "$stamp")" = "$identity" ] && starts; then
    echo "setup: bringing .venv up to date" >&2
else
    echo "setup: making .venv with Python $version and installing; a minute or two" >&2
    rm -rf "$venv" || fail "could not remove the broken $(pwd)/$venv; remove it as the user who made it"
    "$python" -m venv "$venv"
    # Two unpack what is pinned and is not there yet. What that leaves, on another system, what follows finds or names.
    grep -v '^#\|^setuptools=' constraints.txt | xargs -P 2 -n 30 $install --no-deps || :
fi
rm -f "$stamp"
$install -c constraints.txt -e '.[counting,docs,embedded,load,spark,test,tracing]' ||
    fail "the packages could not be installed; see the lines above, then run make again"
printf '%s\n' "$wanted" >"$stamp"
