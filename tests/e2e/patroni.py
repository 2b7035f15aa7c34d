"""PostgreSQL as in deploy/patroni, for a single test: three nodes under Patroni, etcd, and HAProxy in front of them. All programs are from
Debian's packages, and run in one folder on free ports."""

import getpass
import json
import os
import pwd
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

from pages import commands_of
from ports import free_port
from postgres import account, children_of, kill_all, programs
from storage import DATABASE

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy/patroni"
PAGE = ROOT / "docs/operations/recovery.md"
PASSWORD = "secret"
# The time limit in seconds for copying a server, and for a failover on a busy machine.
WHOLE_SECONDS = 120
USERS = {"update-task": "optiks_update_task", "update-service": "optiks_update_service", "query-service": "optiks_query_service", None: "optiks_owner"}


class ClusterFailed(Exception):
    """A program of the cluster failed; the exception's text has the program's output."""


class Node:
    """One host of the cluster, with its PostgreSQL and the Patroni that manages it."""

    def __init__(self, name: str, folder: Path):
        self.name = name
        self.folder = folder
        self.port, self.rest_port = free_port(), free_port()
        self.process: subprocess.Popen | None = None

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def postmaster(self) -> int | None:
        """The process id of the host's postmaster; None if the postmaster does not run."""
        with suppress(OSError, IndexError, ValueError):
            pid = int((self.data / "postmaster.pid").read_text().splitlines()[0])
            if "postgres" in Path(f"/proc/{pid}/cmdline").read_text():
                return pid
        return None

    def kill(self) -> None:
        """Kills everything on the host with kill -9. Patroni is first, because it would start PostgreSQL again."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None
        if (postmaster := self.postmaster) is not None:
            kill_all([postmaster, *children_of(postmaster)])


class Patroni:
    """A cluster. Use as a context manager: entering creates the cluster and returns when it is complete; leaving ends and removes it."""

    def __init__(self):
        for program in ("patroni", "etcd", "haproxy"):
            if shutil.which(program, path=f"{os.environ['PATH']}:/usr/sbin") is None:
                raise ClusterFailed(f"there is no {program}: run eng/install.sh deep")
        self._user = account()
        self._folder = Path(tempfile.mkdtemp(prefix="optiks-ha-"))
        self.port = free_port()
        """The port of HAProxy, which leads to the primary, whichever node that is."""
        self.nodes = [Node(f"db{number}", self._folder / f"db{number}") for number in (1, 2, 3)]
        self._etcd_port = free_port()
        self._processes: list[subprocess.Popen] = []
        self._owner = pwd.getpwuid(self._user["user"]).pw_name if self._user else getpass.getuser()

    @property
    def authority(self) -> Path:
        """Returns the certificate of the authority that signed the servers' certificates."""
        return self._folder / "authority.pem"

    def __enter__(self) -> "Patroni":
        try:
            self._prepare()
            self._spawn("etcd", "etcd", "--data-dir", self._folder / "etcd", *self._etcd_addresses())
            for node in self.nodes:
                self.start(node)
            self._start_haproxy()
            self.wait_whole()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for node in self.nodes:
            node.kill()
        while self._processes:
            process = self._processes.pop()
            process.kill()
            process.wait()
        if self._folder.exists():
            shutil.rmtree(self._folder)

    def start(self, node: Node) -> None:
        """Starts a node's programs, as the operating system does when the host starts."""
        node.process = self._popen(node.name, "patroni", node.folder / "config.yml", variables=self._environment(node), **self._user)

    def members(self) -> list[dict]:
        """Returns the cluster's members as the first node that answers lists them, or an empty list if no node answers."""
        for node in self.nodes:
            with suppress(OSError, ValueError), urllib.request.urlopen(f"http://127.0.0.1:{node.rest_port}/cluster", timeout=5) as answer:
                return json.load(answer)["members"]
        return []

    def leader(self) -> Node | None:
        """Returns the primary, if there is one."""
        names = [member["name"] for member in self.members() if member["role"] == "leader" and member["state"] == "running"]
        return next((node for node in self.nodes if node.name in names), None)

    def wait_leader(self, other_than: Node) -> Node:
        """Waits until another node is the primary."""
        deadline = time.monotonic() + WHOLE_SECONDS
        while (leader := self.leader()) is None or leader is other_than:
            if time.monotonic() >= deadline:
                raise ClusterFailed(f"no other primary: {self.members()}\n{self.log_end()}")
            time.sleep(0.2)
        return leader

    def wait_whole(self) -> None:
        """Waits until all nodes run on the same timeline, and a standby has everything that is committed."""
        deadline = time.monotonic() + WHOLE_SECONDS
        while not self._is_whole():
            if time.monotonic() >= deadline:
                raise ClusterFailed(f"the cluster is not whole: {self.members()}\n{self.log_end()}")
            time.sleep(0.2)

    def sql(self, text: str, database: str = "postgres") -> list[str]:
        """Runs SQL as the primary's administrator, through its socket, and returns rows as psql prints them."""
        leader = self.leader()
        if leader is None:
            raise ClusterFailed(f"there is no primary: {self.log_end()}")
        command = [programs() / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", self._folder, "-p", str(leader.port), "-U", self._owner, "-d", database]
        return self._run(command, text).splitlines()

    def connection_string(self, user: str) -> str:
        """Returns a connection string in Npgsql's form, to the primary through HAProxy."""
        timeout = 60 if user == USERS[None] else 5
        return (f"Host=127.0.0.1;Port={self.port};Database={DATABASE};Username={user};Password={PASSWORD};SSL Mode=VerifyFull;Root Certificate={self.authority};"
                f"Timeout={timeout}")

    def log(self, node: Node) -> str:
        """Returns Patroni's log."""
        return (self._folder / f"{node.name}.log").read_text(errors="replace")

    def log_end(self) -> str:
        return "\n".join(f"== {path.stem}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-12:]) for path in sorted(self._folder.glob("*.log")))

    def _is_whole(self) -> bool:
        members = self.members()
        roles = sorted(member["role"] for member in members)
        return (roles == ["leader", "replica", "sync_standby"] and all(member["state"] in ("running", "streaming") for member in members)
                and len({member.get("timeline") for member in members}) == 1)

    def _prepare(self) -> None:
        # Puts the files in place that the page tells operators to install on each host.
        _, make_authority, make_certificate = (text for _, text in commands_of(PAGE)["PostgreSQL under Patroni"])
        self._run(["sh", "-eu"], make_authority, as_user=False)
        for node in self.nodes:
            node.folder.mkdir()
            self._run(["sh", "-eu"], f"HOST={node.name}.example.org\n{make_certificate}", as_user=False)
            for file in (certificate := node.folder / "server.crt", key := node.folder / "server.key"):
                (self._folder / file.name).rename(file)
            key.chmod(0o600)
            (node.folder / "config.yml").write_text(_replaced(DEPLOY / "config.yml", {
                "0.0.0.0:8008": f"127.0.0.1:{node.rest_port}", "0.0.0.0:5432": f"127.0.0.1:{node.port}", "/var/lib/postgresql/15/optiks": node.data,
                "/usr/lib/postgresql/15/bin": programs(), "/var/lib/postgresql/patroni.pgpass": node.folder / "pgpass", "/var/run/postgresql": self._folder,
                "/etc/postgresql/server.crt": certificate, "/etc/postgresql/server.key": key, "username: postgres": f"username: {self._owner}"}))
        if self._user:
            for path in (self._folder, *self._folder.rglob("*")):
                os.chown(path, self._user["user"], self._user["group"])
        self._folder.chmod(0o755)

    def _environment(self, node: Node) -> dict[str, str]:
        values = {
            "PATRONI_NAME": node.name, "PATRONI_POSTGRESQL_CONNECT_ADDRESS": f"127.0.0.1:{node.port}", "PATRONI_RESTAPI_CONNECT_ADDRESS": f"127.0.0.1:{node.rest_port}",
            "PATRONI_ETCD3_HOSTS": f"127.0.0.1:{self._etcd_port}", "PATRONI_REPLICATION_PASSWORD": PASSWORD, "PATRONI_REWIND_PASSWORD": PASSWORD,
            "PATRONI_RESTAPI_USERNAME": "patroni", "PATRONI_RESTAPI_PASSWORD": PASSWORD}
        names = re.findall(r"^(\w+)=", (DEPLOY / "node.env").read_text(), re.MULTILINE)
        if sorted(names) != sorted(values):
            raise ClusterFailed(f"deploy/patroni/node.env names {names}, and is tried with {list(values)}")
        return values

    def _etcd_addresses(self) -> list[str]:
        client, peer = f"http://127.0.0.1:{self._etcd_port}", f"http://127.0.0.1:{free_port()}"
        return ["--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"]

    def _start_haproxy(self) -> None:
        addresses = {f"{node.name}.example.org:5432 check port 8008": f"127.0.0.1:{node.port} check port {node.rest_port}" for node in self.nodes}
        text = _replaced(DEPLOY / "haproxy.cfg", addresses | {"bind 127.0.0.1:5000": f"bind 127.0.0.1:{self.port}"})
        if os.geteuid() != 0:
            # Without root, HAProxy cannot change to another user, so these lines are removed.
            text = re.sub(r"^    (user|group) haproxy\n", "", text, flags=re.MULTILINE)
        file = self._folder / "haproxy.cfg"
        file.write_text(text)
        self._spawn("haproxy", "haproxy", "-db", "-f", file, as_user=False)

    def _spawn(self, name: str, *command, as_user: bool = True) -> None:
        self._processes.append(self._popen(name, *command, **(self._user if as_user else {})))

    @property
    def _base(self) -> dict[str, str]:
        """The environment variables of every program. HOME is replaced, because another user's home may have certificates that PostgreSQL
        would use but may not read."""
        return os.environ | {"HOME": str(self._folder)}

    def _popen(self, name: str, *command, variables: dict[str, str] | None = None, **options) -> subprocess.Popen:
        with (self._folder / f"{name}.log").open("ab") as log:
            path = shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin")
            # The program runs in a separate session, so that Ctrl-C reaches only the tests.
            return subprocess.Popen([path, *map(str, command[1:])], cwd=self._folder, env=self._base | (variables or {}), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True, **options)

    def _run(self, command: list, text: str = "", as_user: bool = True) -> str:
        done = subprocess.run([str(part) for part in command], cwd=self._folder, env=self._base, input=text, capture_output=True, text=True, check=False, **(self._user if as_user else {}))
        if done.returncode != 0:
            raise ClusterFailed(f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout


class OnPatroni:
    """The engine that runs the database of a Deployment on a Patroni cluster. The database is prepared as docs/operations/postgresql.md
    says."""

    name = "patroni"
    # The lease has the services' default length, so that the times measured here are the times that operators will see.
    lease_seconds = 10
    port = None

    def __init__(self, data: Path, copies: Path):
        self.cluster = Patroni()

    def settings(self, service: str | None, port: int | None = None) -> dict[str, str]:
        return {"Optiks__Storage__Provider": "postgresql", "Optiks__Storage__ConnectionString": self.cluster.connection_string(USERS[service])}

    def prepare(self) -> None:
        self.cluster.__enter__()
        page = (ROOT / "docs/operations/postgresql.md").read_text()
        self.cluster.sql(re.search(r"```sql\n(CREATE ROLE.*?)```", page, re.DOTALL)[1].replace("'...'", f"'{PASSWORD}'"))

    def migrated(self) -> None:
        """Does nothing, because the roles of docs/operations/postgresql.md exist before the first migration."""

    def close(self) -> None:
        self.cluster.__exit__()


def _replaced(file: Path, replacements: dict[str, object]) -> str:
    """Returns a file of deploy/patroni with the replacements for one host; every replaced text must occur."""
    text = file.read_text()
    for old, new in replacements.items():
        if old not in text:
            raise ClusterFailed(f"{file} does not have {old}")
        text = text.replace(old, str(new))
    return text
