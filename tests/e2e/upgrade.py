"""Installs a log from packages on three hosts, each a minimal Debian 12, with nginx in front of them, and upgrades it as
docs/operations/upgrade.md describes."""

import re
import secrets
import shutil
import ssl
import subprocess
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from container import Container, Network
from edge import UNLIMITED, Edge, openssl
from harness import ROOT, clean_environment
from packages import newest
from pages import commands_of
from rest import Client
from storage import SERVER_SETTINGS

PAGE = ROOT / "docs/operations/upgrade.md"
BUILDS = ROOT / "build/upgrade"
PACKAGES = ("optiks-server", "optiks-cli")
TASK, UPDATE, QUERY = "optiks-update-task", "optiks-update-service@8311", "optiks-query-service@8301"
HEALTH = {TASK: "http://127.0.0.1:8321", UPDATE: "https://127.0.0.1:8311", QUERY: "https://127.0.0.1:8301"}
NAME = "services.example.org"
"""What certificates of all hosts have beside their own names."""
UPDATES_TOO = ("# include snippets/optiks-updates.conf;", "include snippets/optiks-updates.conf;")
"""Of the edge: updates come to the first port, as optiks-stress has no certificate."""
# The settings are those of docs/operations/postgresql.md, "The server", with less memory, because everything else in this test shares the
# machine's memory.
UPGRADE_SERVER_SETTINGS = SERVER_SETTINGS | {"listen_addresses": "*", "ssl": "on", "shared_buffers": "1GB"}


@dataclass(frozen=True)
class Role:
    """A host's name, and the systemd units of the services that it runs."""

    name: str
    units: tuple[str, ...]


DATABASE = Role("log1", (TASK, UPDATE, QUERY))
"""With PostgreSQL."""
BOTH, READER = Role("log2", (UPDATE, QUERY)), Role("log3", (QUERY,))
ROLES = (DATABASE, BOTH, READER)
ORDER = (READER, BOTH, DATABASE)
"""Of docs/operations/upgrade.md."""


def clone_of(commit: str) -> Path:
    """Returns the folder of a clone of an older commit, with the commit's packages. The clone and the packages are made once."""
    name = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "--verify", f"{commit}^{{commit}}"], capture_output=True, text=True, check=True).stdout.strip()
    clone = BUILDS / name
    if not clone.exists():
        subprocess.run(["git", "-C", ROOT, "worktree", "add", "--quiet", "--force", "--detach", clone, name], check=True)
    # `make deb` makes this package last, so if it exists, all packages do.
    if not list((clone / "build/deb").glob("optiks-auditor_*.deb")):
        subprocess.run(["make", "--directory", clone, "deb"], check=True)
    return clone


def put(host: Container, source: Path) -> None:
    """Puts the packages of a clone into the folder where the commands of pages look for packages."""
    home = host.root / "root"
    for package in home.glob("*.deb"):
        package.unlink()
    for name in PACKAGES:
        shutil.copy(newest(name, source), home)


def version(host: Container) -> str:
    return host.output("dpkg-query -W -f '${Version}' optiks-server")


class Hosts:
    """The hosts of a log that is installed from an older clone's packages, and nginx in front of them. Use as a context manager."""

    def __init__(self, older: Path):
        self._older = older
        self._stack = ExitStack()
        self._folder = Path(tempfile.mkdtemp(prefix="optiks-e2e-upgrade-"))
        self.data = self._folder / "data"
        """With trust.json and an API key."""
        self._install_page = commands_of(older / "docs/operations/install.md")
        self._passwords = {role: secrets.token_hex(16) for role in ("optiks_owner", "optiks_update_service", "optiks_query_service")}
        self._hosts: dict[Role, Container] = {}
        self._network: Network
        self.edge: Edge

    def __enter__(self) -> "Hosts":
        try:
            self._stack.callback(shutil.rmtree, self._folder)
            self._network = self._stack.enter_context(Network())
            for role in ROLES:
                self._hosts[role] = self._stack.enter_context(Container(self._network, role.name))
            self._make_certificates()
            self._make_log()
            for role in (BOTH, READER):
                self._join(role)
            self.edge = self._edge()
            self._stack.enter_context(self.edge)
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    @property
    def environment(self) -> dict[str, str]:
        return clean_environment()

    @property
    def update(self) -> Edge:
        """Returns the target to which the load sends updates."""
        return self.edge

    def query_client(self) -> Client:
        return Client(self.edge.url, tls=ssl.create_default_context(cafile=self.edge.certificates.authority))

    def host(self, role: Role) -> Container:
        return self._hosts[role]

    def journal(self, role: Role) -> str:
        """Returns the last log lines of the services of a host."""
        return self._hosts[role].run("journalctl --no-pager --output cat --lines 60 --unit 'optiks-*'", check=False).stdout

    def settle(self) -> None:
        """Completes the work that the database deferred while rows were loaded, so that this work does not disturb a measurement."""
        self._hosts[DATABASE].run(
            "runuser -u optiks -- psql --quiet --username optiks_owner optiks -c 'VACUUM ANALYZE'\nrunuser -u postgres -- psql --quiet -c CHECKPOINT", seconds=600)

    def renew(self, role: Role, source: Path, migrates: bool = False, going_back: bool = False) -> float:
        """Installs other packages on one host with the commands of docs/operations/upgrade.md. Returns the number of seconds that this
        took."""
        begun = time.monotonic()
        host, page = self._hosts[role], commands_of(PAGE)
        put(host, source)
        install, start = (script for _, script in page["One host"])
        if going_back:
            changes = [script for _, script in page["Going back"]]
        else:
            changes = [install, *(script for _, script in page["Another schema"] if migrates), start]
        for script in changes:
            host.run(f"{self._names(role)}\n{script}")
        return time.monotonic() - begun

    def _names(self, role: Role) -> str:
        """Returns shell lines that set the variables that a reader of the page must set."""
        owner = self._connection("optiks_owner")
        return f"UNITS='{' '.join(role.units)}' HEALTH='{' '.join(HEALTH[unit] for unit in role.units)}' OWNER='{owner}'"

    def _make_certificates(self) -> None:
        """Makes a certificate authority, and one certificate for all hosts, as an operator would."""
        names = ",".join(f"DNS:{name}" for name in (NAME, *(f"{role.name}.example.org" for role in ROLES)))
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc")
        openssl(self._folder, "req", "-x509", *key, "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem")
        openssl(self._folder, "req", *key, "-subj", f"/CN={NAME}", "-keyout", "key.pem", "-out", "hosts.csr")
        (self._folder / "hosts.ext").write_text(f"subjectAltName={names}\nextendedKeyUsage=serverAuth")
        openssl(self._folder, "x509", "-req", "-days", "2", "-in", "hosts.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "hosts.ext", "-out", "cert.pem")
        for host in self._hosts.values():
            for file in ("cert.pem", "key.pem", "ca.pem"):
                shutil.copy(self._folder / file, host.root / "root")
            (host.root / "etc/hosts").write_text("127.0.0.1 localhost\n" + "".join(f"{self._hosts[role].address} {role.name}.example.org\n" for role in ROLES))

    def _make_log(self) -> None:
        """Installs the log on the first host, by the page that came with the packages. Then prepares the files that other hosts need."""
        host = self._hosts[DATABASE]
        put(host, self._older)
        self._follow(host, "Install", "Database", "Secrets", "TLS")
        self._open_database(host)
        self._trust_edge(host)
        self._follow(host, "Start")
        self.data.mkdir()
        for file, name in (("trust.json", "trust.json"), ("delivery-service.key", "api-key")):
            shutil.copy(host.root / "var/lib/optiks" / file, self.data / name)
        (self.data / "api-key").chmod(0o600)

    def _join(self, role: Role) -> None:
        """Adds a host that has no database and shares no folder, as docs/operations/postgresql.md and docs/operations/boards.md
        describe."""
        host, first = self._hosts[role], self._hosts[DATABASE]
        put(host, self._older)
        self._follow(host, "Install", "TLS")
        shutil.copy(first.root / "etc/optiks/optiks.json", host.root / "etc/optiks/optiks.json")
        (host.root / "etc/credstore").mkdir(mode=0o700, exist_ok=True)
        shutil.copy(first.root / "etc/credstore/optiks.kek", host.root / "etc/credstore/optiks.kek")
        for file in ("trust.json", "api-keys.json"):
            shutil.copy(first.root / "var/lib/optiks" / file, host.root / "root")
        host.run("install -o optiks -g optiks -m 0600 trust.json api-keys.json /var/lib/optiks/\ninstall -m 0644 ca.pem /etc/optiks/ca.pem")
        for service in ("update-service", "query-service"):
            self._set(host, service, {
                "Optiks__Storage__ConnectionString": f"'{self._connection(f'optiks_{service}'.replace('-', '_'))}'",
                "Optiks__Board__Url": f"https://{DATABASE.name}.example.org:8301/log/", "SSL_CERT_FILE": "/etc/optiks/ca.pem"})
        self._trust_edge(host)
        host.run(f"systemctl enable --now {' '.join(role.units)}")

    def _follow(self, host: Container, *sections: str) -> None:
        for section in sections:
            for _, script in self._install_page[section]:
                # This leaves out the command that makes a certificate, because the authority has already made the host's certificate, as
                # the page allows.
                host.run(re.sub(r"^openssl req (.*\\\n)*.*\n", "", script, flags=re.MULTILINE))

    def _open_database(self, host: Container) -> None:
        """Opens the database to the other hosts, over TLS and with passwords."""
        passwords = "".join(f"ALTER ROLE {role} PASSWORD '{password}';\n" for role, password in self._passwords.items())
        settings = "".join(f"ALTER SYSTEM SET {name} = '{value}';\n" for name, value in UPGRADE_SERVER_SETTINGS.items())
        host.run(
            "install -o postgres -m 0600 key.pem /var/lib/postgresql/15/main/server.key\ninstall -o postgres -m 0644 cert.pem /var/lib/postgresql/15/main/server.crt\n"
            "install -m 0644 ca.pem /etc/optiks/ca.pem\n"
            f"runuser -u postgres -- psql --quiet --set ON_ERROR_STOP=1 <<'SQL'\n{passwords}{settings}"
            "ALTER SYSTEM SET ssl_cert_file = 'server.crt';\nALTER SYSTEM SET ssl_key_file = 'server.key';\nSQL\n"
            f"echo 'hostssl optiks {','.join(self._passwords)} {self._network.network} scram-sha-256' >> /etc/postgresql/15/main/pg_hba.conf\n"
            "systemctl restart postgresql")

    def _connection(self, role: str) -> str:
        return f"Host={DATABASE.name}.example.org;Database=optiks;Username={role};Password={self._passwords[role]};SSL Mode=VerifyFull;Root Certificate=/etc/optiks/ca.pem"

    def _trust_edge(self, host: Container) -> None:
        for service in ("update-service", "query-service"):
            self._set(host, service, {"Optiks__RateLimits__Proxies__0": f"{self._network.here}/32"})

    @staticmethod
    def _set(host: Container, service: str, variables: dict[str, str]) -> None:
        with (host.root / f"etc/optiks/{service}.env").open("a") as file:
            file.writelines(f"{name}={value}\n" for name, value in variables.items())

    def _edge(self) -> Edge:
        queries = {port: f"{self._hosts[role].address}:8301" for port, role in zip((8301, 8302, 8303), ROLES, strict=True)}
        updates = {port: f"{self._hosts[role].address}:8311" for port, role in zip((8311, 8312), (DATABASE, BOTH), strict=True)}
        edge = Edge(queries | updates, UPDATES_TOO, *UNLIMITED)
        edge.reach_by_tls(self._folder / "ca.pem", NAME)
        return edge
