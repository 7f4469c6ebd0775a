"""Certificates for servers and clients of tests, of an authority of the test's own."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from shared.local.ports import LOOPBACK


class Authority:
    """A certificate authority that keeps what it issues in a directory, as PEM."""

    def __init__(self, directory: Path, name: str = "authority") -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name(name)
        certificate = _unsigned(self._name, self._name, self._key.public_key()).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        self.file = directory / f"{name}.pem"
        """The authority's own certificate."""
        self.file.write_bytes(certificate.sign(self._key, hashes.SHA256()).public_bytes(_PEM))

    def issue(self, name: str) -> tuple[Path, Path]:
        """Return the certificate and the private key of somebody, who as a server is at the loopback address."""
        key = ec.generate_private_key(ec.SECP256R1())
        certificate = _unsigned(_name(name), self._name, key.public_key()).add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address(LOOPBACK))]), critical=False
        )
        files = self._directory / f"{name}.crt", self._directory / f"{name}.key"
        files[0].write_bytes(certificate.sign(self._key, hashes.SHA256()).public_bytes(_PEM))
        files[1].write_bytes(key.private_bytes(_PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        files[1].chmod(0o600)
        return files


_PEM = serialization.Encoding.PEM


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _unsigned(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=1))
        .not_valid_after(now + timedelta(days=1))
    )
