"""Runs an independent S3 server for a single test: Ceph's gateway with the monitor and the store that it needs. The programs are from
Debian's packages, and all data is in one folder in memory."""

import datetime
import hashlib
import hmac
import http.client
import json
import shutil
import subprocess
import tempfile
import time
import uuid
from pathlib import Path

from ports import free_port

NAME = "board"
REGION = "us-east-1"
START_SECONDS = 120
ACCESS, SECRET = "test", "test"
# The size in octets of the file, in memory, that holds the store. Besides objects, it must hold Ceph's own tables, whose space Ceph never
# releases.
STORE_OCTETS = 256 << 20


class ServerFailed(Exception):
    """A program of Ceph failed; the exception's text has the program's output."""


class Ceph:
    """The server. Use as a context manager. It has a bucket into which only the owner of the access key may write, and which anyone may
    read."""

    def __init__(self):
        monitor = shutil.which("ceph-mon")
        if monitor is None:
            raise ServerFailed("there is no ceph-mon: run eng/install.sh deep")
        self._libraries = Path(monitor).resolve().parents[1] / "lib"
        self._folder = Path(tempfile.mkdtemp(prefix="optiks-ceph-"))
        self._processes: list[subprocess.Popen] = []
        self.port = free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.url = f"{self.endpoint}/{NAME}"
        self.settings = {
            "Optiks__Bucket__Name": NAME, "Optiks__Bucket__ServiceUrl": self.endpoint, "Optiks__Bucket__PathStyle": "true", "Optiks__Bucket__RetryAfter": "00:00:00.200",
            "AWS_ACCESS_KEY_ID": ACCESS, "AWS_SECRET_ACCESS_KEY": SECRET}

    def __enter__(self) -> "Ceph":
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()
        shutil.rmtree(self._folder)

    def signal(self, number: int) -> None:
        """Sends a signal to the gateway."""
        self._processes[-1].send_signal(number)

    def request(self, method: str, key: str = "", body: bytes = b"", query: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        """Sends a request with a signature (AWS Signature Version 4), as any S3 client does."""
        now = datetime.datetime.now(datetime.UTC).strftime("%Y%m%dT%H%M%SZ")
        digest = hashlib.sha256(body).hexdigest()
        signed = {"host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": digest, "x-amz-date": now, **{name.replace("_", "-").lower(): value for name, value in headers.items()}}
        path, names = f"/{NAME}/{key}" if key else f"/{NAME}", ";".join(sorted(signed))
        canonical = "\n".join([method, path, query, *(f"{name}:{signed[name]}" for name in sorted(signed)), "", names, digest])
        scope = f"{now[:8]}/{REGION}/s3/aws4_request"
        secret = f"AWS4{SECRET}".encode()
        for part in scope.split("/"):
            secret = hmac.digest(secret, part.encode(), "sha256")
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        signature = hmac.digest(secret, text.encode(), "sha256").hex()
        signed["authorization"] = f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope}, SignedHeaders={names}, Signature={signature}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, f"{path}?{query}" if query else path, body, signed)
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def _start(self) -> None:
        cluster, store, address = str(uuid.uuid4()), str(uuid.uuid4()), f"v2:127.0.0.1:{free_port()}"
        for name in ("monitor", "store"):
            (self._folder / name).mkdir()
        self._configure(cluster, address)
        keyring, monmap = self._folder / "keyring", self._folder / "monmap"
        for entity, *grants in (("mon.", "mon", "allow *"), ("client.admin", "mon", "allow *", "osd", "allow *"), ("osd.0", "mon", "allow profile osd", "osd", "allow *")):
            create = [] if keyring.exists() else ["--create-keyring"]
            capabilities = [part for kind, what in zip(grants[::2], grants[1::2], strict=True) for part in ("--cap", kind, what)]
            self._run("ceph-authtool", keyring, *create, "--gen-key", "-n", entity, *capabilities)
        self._run("monmaptool", "--create", "--fsid", cluster, "--addv", "a", f"[{address}]", monmap)
        self._run("ceph-mon", *self._as("a"), "--mkfs", "--monmap", monmap, "--keyring", keyring)
        self._spawn("ceph-mon", *self._as("a"), "-f")
        self._run_until("ceph", *self._configuration, "osd", "new", store)
        self._run("ceph-osd", *self._as("0"), "--mkfs", "--osd-uuid", store)
        self._spawn("ceph-osd", *self._as("0"), "-f")
        self._run("radosgw-admin", *self._configuration, "user", "create", "--uid=u", "--display-name=u", f"--access-key={ACCESS}", f"--secret-key={SECRET}")
        self._spawn("radosgw", *self._configuration, "-n", "client.admin", "-f", "--rgw-frontends", f"beast endpoint=127.0.0.1:{self.port}")
        self._make_bucket()

    @property
    def _configuration(self) -> list[str]:
        return ["-c", str(self._folder / "ceph.conf")]

    def _as(self, name: str) -> list[str]:
        return [*self._configuration, "-i", name]

    def _configure(self, cluster: str, address: str) -> None:
        folders = {"erasure code dir": "*/ceph/erasure-code", "osd class dir": "*/rados-classes", "plugin dir": "*/ceph"}
        settings = {
            "fsid": cluster, "mon host": f"[{address}]", "run dir": self._folder, "admin socket": f"{self._folder}/$name.asok", "log file": f"{self._folder}/$name.log", "pid file": "",
            "keyring": self._folder / "keyring", "mon data": self._folder / "monitor", "osd data": self._folder / "store", "osd objectstore": "memstore", "memstore device bytes": STORE_OCTETS,
            "osd pool default size": 1, "osd pool default min size": 1, "osd pool default pg num": 1, "osd crush chooseleaf type": 0, "mon max pg per osd": 1000, "ms bind ipv6": "false",
            **{name: next(self._libraries.glob(pattern)) for name, pattern in folders.items()}}
        (self._folder / "ceph.conf").write_text("[global]\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))

    def _make_bucket(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                status = self.request("PUT")[0]
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise ServerFailed(f"the gateway does not answer:\n{self._log()}") from None
                time.sleep(0.1)
        allowed = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": "*", "Action": ["s3:GetObject"], "Resource": [f"arn:aws:s3:::{NAME}/*"]}]}
        if status != 200 or self.request("PUT", body=json.dumps(allowed).encode(), query="policy=")[0] not in (200, 204):
            raise ServerFailed(f"the bucket cannot be made:\n{self._log()}")

    def _log(self) -> str:
        return "".join(path.read_text(errors="replace")[-2000:] for path in self._folder.glob("*.log"))

    def _run(self, *command: object, seconds: float = START_SECONDS) -> None:
        try:
            done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            raise ServerFailed(f"{command[0]} does not end:\n{self._log()}") from None
        if done.returncode != 0:
            raise ServerFailed(f"{command[0]}: {done.stdout}{done.stderr}")

    def _run_until(self, *command: object) -> None:
        """Repeats a command until it succeeds, because the monitor may not answer while it starts."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._run(*command, seconds=10)
            except ServerFailed:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    def _spawn(self, *command: str) -> None:
        self._processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
