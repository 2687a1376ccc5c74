"""guarded.py: daemons with keys and certificates, and their tokens; for access and identity."""
import asyncio
import base64
import datetime
import http.client
import ipaddress
import json
import os
import re
import ssl
import subprocess
import sys
import tempfile
import time

from daemon import (
    PATIENCE, PATIENT, PREFIX, PROGRAM, Client, Daemon, generate_protos, until, websockets)

try:
    import jwt
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519
except ImportError as missing:
    print(f"skipped: {missing} (packages python3-jwt, python3-cryptography)")
    sys.exit(77)

GENERATED = tempfile.TemporaryDirectory()
generate_protos(GENERATED.name)
from cairn.v1 import wire_pb2

CAIRN = os.environ.get("CAIRN", os.path.join(os.getcwd(), "cairn"))
FOLDER = tempfile.TemporaryDirectory()
SCENE = os.path.join(FOLDER.name, "block.yaml")
# With so few ticks a second a world keeps its rate on a busy machine.  Otherwise it would refuse
# new members.
with open(SCENE, "w") as file:
    file.write("""
name: block
world: {tickRate: 10}
bodies:
  - {name: floor, type: STATIC, position: {y: -0.5}, shapes: [{box: {size: {x: 9, y: 1, z: 1}}}]}
  - {name: block, mass: 2, position: {y: 0.5}, shapes: [{box: {size: {x: 1, y: 1, z: 1}}}]}
""")


def equal(found, expected, what=""):
    assert found == expected, f"{what}: {found!r} is not {expected!r}"


def path_of(name):
    return os.path.join(FOLDER.name, name)


def write(name, text, mode=0o600):
    path = path_of(name)
    with open(path, "wb" if isinstance(text, bytes) else "w") as file:
        file.write(text)
    os.chmod(path, mode)
    return path


def call(program, *words, data=None):
    return subprocess.run([*PREFIX, program, *words], input=data, capture_output=True, text=True,
                          timeout=PATIENCE)


# ---- keys and tokens, by cairn and by Python ----

def cairn_key(name):
    path = path_of(name)
    if not os.path.exists(path):
        equal(call(CAIRN, "key", path).returncode, 0)
    return path


def cairn_token(key, role, *words):
    made = call(CAIRN, "token", "--key", key, "--role", role, "--for", "ann", *words)
    equal(made.returncode, 0, made.stderr)
    return made.stdout.strip()


def python_key(path):
    """The same key, for PyJWT."""
    with open(path) as file:
        seed = json.load(file)["d"]
    return ed25519.Ed25519PrivateKey.from_private_bytes(base64.urlsafe_b64decode(seed + "="))


def python_token(path, headers=None, **claims):
    now = int(time.time())
    standard = dict(sub="bob", world="*", role="operator", exp=now + 600, jti="python-1")
    return jwt.encode({**standard, **claims}, python_key(path), algorithm="EdDSA",
                      headers=headers)


# ---- certificates ----

def certificate(name, begins_days=-1, ends_days=90, key=None):
    """A certificate of localhost and its key; their two paths."""
    key = key or ec.generate_private_key(ec.SECP256R1())
    called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.datetime.utcnow()
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    made = (x509.CertificateBuilder().subject_name(called).issuer_name(called)
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + datetime.timedelta(days=begins_days))
            .not_valid_after(now + datetime.timedelta(days=ends_days))
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(key, hashes.SHA256()))
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                            serialization.NoEncryption())
    return (write(name + ".crt", made.public_bytes(serialization.Encoding.PEM)),
            write(name + ".key", pem))


def trust(path):
    context = ssl.create_default_context(cafile=path)
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


# ---- the daemon ----

def start(*words):
    """A daemon that refuses to start, as an ended process."""
    with tempfile.TemporaryDirectory() as data:
        return call(PROGRAM, "--data", data, "--scene", SCENE, *words)


class Guarded(Daemon):
    """A daemon with options; with TLS when `tls` is the pair of a certificate's files."""

    def __init__(self, *arguments, tls=None):
        self.tls = tls
        files = ["--tls-cert", tls[0], "--tls-key", tls[1]] if tls else []
        super().__init__(*arguments, *files, scene=SCENE)

    def _find_port(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"listening at https?://127\.0\.0\.1:(\d+)/", self.log_text())
            if found:
                return int(found.group(1))
            time.sleep(0.02)
        raise AssertionError("cairnd does not listen:\n" + self.log_text())

    def ask(self, method, path, token=None, port=None, content_type="application/json",
            body="{}", **headers):
        """Status, headers and body of an answer."""
        if self.tls and port is None:
            connection = http.client.HTTPSConnection(
                "127.0.0.1", self.port, timeout=PATIENCE, context=trust(self.tls[0]))
        else:
            connection = http.client.HTTPConnection(
                "127.0.0.1", port or self.port, timeout=PATIENCE)
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if method in ("GET", "HEAD"):
            body = None
        else:
            headers["Content-Type"] = content_type
        connection.request(method, path, body=body, headers=headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, answer.headers, text

    def wait_for(self, text, count=1):
        until(f"{text!r} is in the log", lambda: self.log_text().count(text) >= count)


async def connect(daemon, **options):
    client = Client(daemon, "ann")
    scheme = "wss" if daemon.tls else "ws"
    if daemon.tls:
        options["ssl"] = trust(daemon.tls[0])
        options["ssl"].set_alpn_protocols(["http/1.1"])
    client.socket = await websockets.connect(
        f"{scheme}://127.0.0.1:{daemon.port}/v1/ws", subprotocols=["cairn.v1"],
        **{**PATIENT, **options})
    return client


async def greet(daemon, token="", role=0):
    client = await connect(daemon)
    await client.send(hello=wire_pb2.Hello(version=1, name="ann", token=token, role=role))
    return client


async def member(daemon, token="", role=0):
    client = await greet(daemon, token, role)
    client.welcome = await client.receive("welcome")
    await client.join("block")
    return client


async def refusal(client):
    """The code of the Rejected that comes before close 1008."""
    code = (await client.receive("rejected")).error.code
    equal(await client.closed(), 1008)
    return code
