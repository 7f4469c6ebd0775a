"""`pitledger version` and the option `--version`; compare the installation with its release."""

import platform
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from services.cli.exits import CheckFailed, ExitCode, UsageWrong
from services.cli.output import AsJson, message, print_json, print_line

if TYPE_CHECKING:
    from shared.runtime.release_attestation import AttestationResult, Release


def version(
    attest: Annotated[
        bool, typer.Option("--attest", help="Compare every installed file and package version with the signed release.")
    ] = False,
    key: Annotated[
        list[str] | None,
        typer.Option(
            "--key",
            metavar="KEY|FILE",
            help="With --attest: verifier key of the release, or a file with one per line; may be repeated.",
        ),
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(help="With --attest: release manifest, beside its sbom.json (default: the installed one)."),
    ] = None,
    site: Annotated[
        Path | None, typer.Option(help="With --attest: site-packages directory to check (default: this process's).")
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print the version; with --attest, compare the installation with the signed release.

    Obtain the key over a channel that nobody can tamper with. An altered installation can report a false result: check
    it from another, trusted installation with --site. Exit code 1 if anything differs.

    Example: pitledger version --json
    Example: pitledger version --attest --key release.pub
    Example: pitledger version --attest --key release.pub --manifest dist/release.manifest --site /opt/app/site-packages
    """
    if attest:
        return _attest(key or [], manifest, site, as_json=as_json)
    if key or manifest or site:
        raise UsageWrong("--key, --manifest and --site are of --attest: give it, too")
    found = metadata.version("pitledger")
    if as_json:
        print_json({"version": found, "python": platform.python_version()})
    else:
        print_line(f"pitledger {found} (Python {platform.python_version()})")
    return ExitCode.FINE


def _attest(keys: list[str], manifest: Path | None, site: Path | None, *, as_json: bool) -> int:
    # Imported only here, because printing the version needs neither keys nor signature verification.
    from services.cli.operations.keys import read_verifiers
    from shared.journal.signed_note import CheckpointError
    from shared.runtime.release_attestation import (
        HOME,
        MANIFEST,
        SBOM,
        Release,
        compare,
        digest,
        find_distribution,
        is_checkout,
    )

    if not keys:
        raise UsageWrong("--attest: signed by whom? give the verifier key of the release with --key")
    verifiers = read_verifiers(keys)
    found = find_distribution(site)
    if found is None:
        raise UsageWrong(f"--site {site}: pitledger is not installed there")
    if is_checkout(found):
        raise CheckFailed("this is a source tree that is run in place, no release; install the wheel of one")
    path = manifest or HOME / MANIFEST
    try:
        note = path.read_bytes()
        sbom = (path.parent / SBOM).read_bytes()
        release = Release.opened(note.decode(), verifiers)
    except OSError as error:
        raise CheckFailed(f"{error.filename}: {error.strerror}; --manifest says where it is") from error
    except (CheckpointError, UnicodeDecodeError) as error:
        raise CheckFailed(f"{path}: {error}") from error
    compared = compare(release, sbom, found, site)
    _print(release, digest(note), compared, as_json=as_json)
    if compared.differences:
        count = len(compared.differences)
        message(f"pitledger: {count} difference{'s' if count > 1 else ''}: this is not what was released")
        return ExitCode.NOT_AS_IT_SHOULD_BE
    return ExitCode.FINE


def _print(release: "Release", hashed: str, compared: "AttestationResult", *, as_json: bool) -> None:
    if as_json:
        said = {"version": release.version, "commit": release.commit, "manifest": hashed}
        counted = {"files": compared.files, "dependencies": compared.dependencies}
        print_json(said | counted | {"differences": compared.differences})
        return
    print_line(f"release {release.version}, commit {release.commit}, manifest {hashed}")
    print_line(f"{compared.files:,} of {len(release.files):,} files as released")
    print_line(f"{compared.dependencies:,} dependencies of the released version")
    for line in compared.differences:
        print_line(line)
