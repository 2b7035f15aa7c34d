"""Runs Debian's nginx with the configuration of deploy/nginx, in its own folder and on its own ports, in front of a test's services."""

import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from harness import Deployment, Process
from ports import free_port

ROOT = Path(__file__).resolve().parents[2]
CONFIGURATION = ROOT / "deploy/nginx"
DEBIANS = Path("/etc/nginx/nginx.conf")
NGINX = "/usr/sbin/nginx"
NAME = "localhost"
START_SECONDS = 10
PROXY_SETTING = {"Optiks__RateLimits__Proxies__0": "127.0.0.1/32"}
"""A setting of the services, by which they take callers' addresses from nginx."""
UNLIMITED = (("rate=100r/s", "rate=100000r/s"), ("burst=500", "burst=100000"), ("optiks_connections 100;", "optiks_connections 10000;"))
"""Replacements of the limits, for tests whose requests all come from one address."""


def openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, capture_output=True, timeout=60, check=True)


class Certificates:
    """Makes two authorities, one with a certificate for the server and one with a certificate for a client. It also makes a client's
    certificate from a third authority, which nobody trusts."""

    KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc")

    def __init__(self, folder: Path):
        self._folder = folder
        folder.mkdir()
        self._make("server", f"/CN={NAME}", f"subjectAltName=DNS:{NAME}\nextendedKeyUsage=serverAuth")
        self._make("client", "/CN=account-system", "extendedKeyUsage=clientAuth")
        self._make("stranger", "/CN=account-system", "extendedKeyUsage=clientAuth")
        self.authority = folder / "server-ca.pem"

    def files(self, name: str) -> tuple[Path, Path]:
        """Returns the files of the certificate with this name and of its key."""
        return self._folder / f"{name}.pem", self._folder / f"{name}.key"

    def authority_of(self, name: str) -> Path:
        return self._folder / f"{name}-ca.pem"

    def context(self, client: str | None = None, version: ssl.TLSVersion | None = None) -> ssl.SSLContext:
        """Returns the TLS context of a client that knows the server's authority. If `version` is given, the client speaks only that version
        of TLS."""
        context = ssl.create_default_context(cafile=self.authority)
        if client is not None:
            context.load_cert_chain(*self.files(client))
        if version is not None:
            context.minimum_version = context.maximum_version = version
        return context

    def _make(self, name: str, subject: str, extensions: str) -> None:
        openssl(self._folder, "req", "-x509", *self.KEY, "-days", "2", "-subj", f"/CN={name} authority", "-keyout", f"{name}-ca.key", "-out", f"{name}-ca.pem")
        openssl(self._folder, "req", *self.KEY, "-subj", subject, "-keyout", f"{name}.key", "-out", f"{name}.csr")
        (self._folder / f"{name}.ext").write_text(extensions)
        openssl(self._folder, "x509", "-req", "-days", "2", "-in", f"{name}.csr", "-CA", f"{name}-ca.pem", "-CAkey", f"{name}-ca.key", "-CAcreateserial", "-extfile", f"{name}.ext", "-out", f"{name}.pem")


class Edge:
    """A running nginx. Its configuration is that of deploy/nginx: tests replace only ports, folders, and the texts that
    docs/operations/edge.md tells operators to replace. Use as a context manager."""

    def __init__(self, log: Deployment | Mapping[int, str], *replaced: tuple[str, str], more: str = ""):
        """`log` is a deployment, or the addresses of services by their ports in optiks-upstreams.conf. `replaced` has further pairs of
        texts to replace in optiks.conf. `more` has additional directives."""
        self.folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-edge-"))
        # nginx's workers run as another user, who must be able to read the folder.
        self.folder.chmod(0o755)
        self.port, self.updates_port = free_port(), free_port()
        self.url, self.updates_url = f"https://{NAME}:{self.port}", f"https://{NAME}:{self.updates_port}"
        self.certificates = Certificates(self.folder / "certificates")
        self.etc, self.logs = self.folder / "etc", self.folder / "logs"
        self.logs.mkdir()
        self._process: subprocess.Popen | None = None
        self._install(addresses_of(log) if isinstance(log, Deployment) else log, replaced, more)

    def __enter__(self) -> "Edge":
        self._process = subprocess.Popen([*self._command(), "-g", "daemon off;"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
        self._wait_listening()
        return self

    def __exit__(self, *_) -> None:
        self._process.terminate()
        self._process.wait()
        shutil.rmtree(self.folder)

    @property
    def environment(self) -> dict[str, str]:
        """Returns an environment in which programs trust nginx's certificate."""
        return {"SSL_CERT_FILE": str(self.certificates.authority)}

    def reload(self) -> None:
        """Reloads nginx like `nginx -s reload`. Returns once the worker processes that ran before the reload accept no more connections."""
        before = self._workers()
        self._process.send_signal(signal.SIGHUP)
        deadline = time.monotonic() + START_SECONDS
        while self._workers() & before or not self._workers():
            if time.monotonic() >= deadline:
                raise AssertionError(f"nginx does not reload:\n{self.errors()}")
            time.sleep(0.02)

    def reach_by_tls(self, authority: Path, name: str) -> None:
        """Makes nginx connect by TLS to services on other hosts, as docs/operations/edge.md describes it. These services have certificates
        from `authority` for `name`. Call it before nginx starts."""
        shutil.copy(authority, self.etc / "optiks/services.pem")
        for snippet in ("query", "queries", "updates"):
            file = self.etc / f"snippets/optiks-{snippet}.conf"
            file.write_text(substitute(file.read_text(), ("proxy_pass http://", "proxy_pass https://")))
        with (self.etc / "snippets/optiks-proxy.conf").open("a") as proxy:
            proxy.write(f"proxy_ssl_verify on;\nproxy_ssl_trusted_certificate optiks/services.pem;\nproxy_ssl_name {name};\nproxy_ssl_server_name on;\nproxy_ssl_protocols TLSv1.3;\n")

    def set_down(self, process: Process, is_down: bool) -> None:
        """Takes a service out of nginx's configuration, or puts it back, with the commands of docs/operations/edge.md."""
        file = self.etc / "snippets/optiks-upstreams.conf"
        before = file.read_text()
        subprocess.run(["sed", "-i", f"/127.0.0.1:{process.port} /s/;/ down;/" if is_down else f"/127.0.0.1:{process.port} /s/ down;/;/", file], check=True)
        if file.read_text() == before:
            raise AssertionError(f"port {process.port} is not in {file}")
        self.reload()

    def requests(self, path: str | None = None) -> list[dict]:
        """Returns the entries of nginx's access log: all entries, or only those of one path."""
        # nginx writes its access log with a delay. When this signal tells nginx to reopen its files, it writes everything.
        self._process.send_signal(signal.SIGUSR1)
        time.sleep(0.2)
        lines = [json.loads(line) for line in (self.logs / "optiks.log").read_text().splitlines()]
        return [line for line in lines if path is None or line["path"] == path]

    def errors(self) -> str:
        return (self.logs / "error.log").read_text()

    def _command(self) -> list[str]:
        return [NGINX, "-p", str(self.folder), "-c", str(self.etc / "nginx.conf"), "-e", str(self.logs / "error.log")]

    def _install(self, services: Mapping[int, str], replaced: tuple[tuple[str, str], ...], more: str) -> None:
        shutil.copytree(CONFIGURATION / "snippets", self.etc / "snippets")
        (self.etc / "conf.d").mkdir()
        (self.etc / "optiks").mkdir()
        certificate, key = self.certificates.files("server")
        for source, name in ((certificate, "certificate.pem"), (key, "key.pem"), (self.certificates.authority_of("client"), "clients.pem")):
            shutil.copy(source, self.etc / "optiks" / name)
        # This is Debian's main configuration file, changed for another folder and without Debian's modules.
        main = substitute(DEBIANS.read_text(), ("/etc/nginx/conf.d", f"{self.etc}/conf.d"), ("/etc/nginx/sites-enabled", f"{self.etc}/none"), ("/etc/nginx/modules-enabled", f"{self.etc}/none"),
                          ("/run/nginx.pid", f"{self.folder}/pid"), ("/var/log/nginx", str(self.logs)), ("worker_processes auto;", "worker_processes auto;\nworker_rlimit_nofile 65536;"), ("worker_connections 768;", "worker_connections 16384;"))
        (self.etc / "nginx.conf").write_text(main if os.geteuid() == 0 else main.replace("user www-data;", ""))
        # IPv6 listeners are left out, because some test machines lack IPv6.
        site = re.sub(r"^ *listen \[::\].*\n", "", (CONFIGURATION / "optiks.conf").read_text(), flags=re.MULTILINE)
        site = substitute(site, ("listen 443 ", f"listen {self.port} "), ("listen 8443 ", f"listen {self.updates_port} "), ("kt.example.org", NAME), ("/var/cache/optiks-nginx", f"{self.folder}/cache"), *replaced)
        temporary = "".join(f"{kind}_temp_path {self.folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        (self.etc / "conf.d/optiks.conf").write_text(f"{temporary}{more}\n{site}")
        server = self.etc / "snippets/optiks-server.conf"
        server.write_text(substitute(server.read_text(), ("/var/log/nginx", str(self.logs))))
        upstreams = self.etc / "snippets/optiks-upstreams.conf"
        upstreams.write_text(substitute(upstreams.read_text(), *((f"127.0.0.1:{port} ", f"{address} ") for port, address in services.items())))

    def _wait_listening(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while not self._workers():
            if self._process.poll() is not None or time.monotonic() >= deadline:
                raise AssertionError(f"nginx does not start:\n{self.errors()}")
            time.sleep(0.02)

    def _workers(self) -> set[int]:
        """Returns nginx's worker processes that accept connections. Workers that only finish existing connections show this in their
        process names."""
        workers = set()
        for child in Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split():
            try:
                if Path(f"/proc/{child}/cmdline").read_bytes().startswith(b"nginx: worker process\0"):
                    workers.add(int(child))
            except OSError:
                continue
        return workers


def addresses_of(log: Deployment) -> dict[int, str]:
    """Returns the address of each service of a deployment, by the port that the service has in optiks-upstreams.conf."""
    services = {8301: log.queries[0], 8302: log.queries[1], 8303: log.queries[2], 8311: log.update, 8312: log.other_update}
    return {port: f"127.0.0.1:{process.port}" for port, process in services.items()}


def substitute(text: str, *replaced: tuple[str, str]) -> str:
    """Replaces the first text of every pair by the second text. The first text must occur."""
    for old, new in replaced:
        if old not in text:
            raise AssertionError(f"{old!r} is not in the configuration")
        text = text.replace(old, new)
    return text
