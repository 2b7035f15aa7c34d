"""Tests the container images, without a registry. The tests check the images' contents, run the services as deploy/kubernetes runs them,
and run each command of docs/operations/containers.md with podman-compose."""

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import podman
from container import CACHE, MIRROR
from harness import ROOT, clean_environment
from pages import commands_of
from ports import free_port
from postgres import PostgreSql

PAGE = ROOT / "docs/operations/containers.md"
BUILT = ROOT / "build/images"
SERVER, CLI = "localhost/optiks-server:latest", "localhost/optiks-cli:latest"
POSTGRESQL = "localhost/optiks-test-postgresql:latest"
PROJECT = "optiks-e2e-compose"
USER = 10001
PATIENCE = 90
# These options are the same as those of the pods in deploy/kubernetes, which the tests in deploy/tests check. Kubernetes mounts nothing on
# its own, while podman would make /run, /tmp and /var/tmp writable.
CLOSED = ("--user", f"{USER}:{USER}", "--read-only", "--read-only-tmpfs=false", "--cap-drop", "all", "--security-opt", "no-new-privileges", "--tmpfs", "/tmp:size=64m,mode=1777", "--network", "host")


def postgresql_root() -> Path:
    """Returns a Debian root file system with PostgreSQL, which is made once per machine."""
    hook = 'rm -rf "$1/var/lib/postgresql/15"; install -d "$1/run/postgresql" "$1/var/lib/postgresql/data" "$1/docker-entrypoint-initdb.d"'
    archive = CACHE / f"postgresql15-{hashlib.sha256(hook.encode()).hexdigest()[:8]}.tar"
    if not archive.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = archive.with_suffix(f".{os.getpid()}.tar")
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--include=postgresql-15", f"--customize-hook={hook}", "bookworm", str(unfinished), MIRROR], check=True, stdout=subprocess.DEVNULL, timeout=900)
        unfinished.rename(archive)
    return archive


class ImagesTest(unittest.TestCase):
    """Tests the contents of the images."""

    @classmethod
    def setUpClass(cls):
        cls.podman = cls.enterClassContext(podman.Podman())

    def files(self, image: str) -> dict[str, str]:
        """Returns the mode and owner of each file in the image, by the file's path."""
        container = self.podman.output("create", image)
        try:
            with subprocess.Popen(["podman", "export", container], env=self.podman.environment, stdout=subprocess.PIPE) as export:
                listed = subprocess.run(["tar", "--list", "--verbose", "--numeric-owner"], stdin=export.stdout, capture_output=True, text=True, check=True).stdout
        finally:
            self.podman.run("rm", container)
        rows = [line.split(None, 5) for line in listed.splitlines()]
        return {row[5].split(" -> ")[0].removesuffix("/"): f"{row[0]} {row[1]}" for row in rows}

    def test_what_is_in_them(self):
        for image, commands_ in ((SERVER, ("optiks-update-task", "optiks-update-service", "optiks-query-service", "optiks-db")), (CLI, ("optiks",))):
            with self.subTest(image):
                files = self.files(image)
                self.assertEqual([path for path, mode in files.items() if mode[0] == "-" and "s" in mode[:10].lower()], [])
                names = {Path(path).name for path in files if "bin" in Path(path).parts[:-1]}
                self.assertFalse(names & {"apt", "apt-get", "gcc", "cc", "curl", "wget", "dotnet", "createdump", "ssh", "python3", "systemctl"})
                for command in commands_:
                    self.assertIn(f"usr/bin/{command}", files)
                self.assertTrue(files["var/lib/optiks"].startswith(f"drwx------ {USER}/{USER}"))
                self.assertEqual({row.rsplit("/", 1)[-1] for path, row in files.items() if path.startswith("usr/lib/optiks/")}, {"0"})

    def test_they_say_what_they_are(self):
        for image in (SERVER, CLI):
            told = json.loads(self.podman.output("image", "inspect", image))[0]
            self.assertEqual((told["Config"]["User"], told["Config"]["StopSignal"]), (f"{USER}:{USER}", "SIGTERM"))
            labels = told["Config"]["Labels"]
            self.assertEqual(labels["org.opencontainers.image.revision"], subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip())
            for name in ("title", "version", "licenses"):
                self.assertTrue(labels[f"org.opencontainers.image.{name}"])
            command = "optiks-db" if image == SERVER else "optiks"
            self.assertIn("0.1.0", self.podman.output("run", "--rm", *CLOSED, image, command, "--version"))

    def layers(self) -> list[str]:
        return [self.podman.output("image", "inspect", "--format", "{{.RootFS.Layers}}", image) for image in (SERVER, CLI)]

    def test_the_same_is_built_again(self):
        # The test compares only the layers of files of both builds. An image's id also depends on which layers existed before the build.
        before = self.layers()
        subprocess.run([ROOT / "deploy/container/images.py", "--keep-published", "--no-archive"], env=self.podman.environment, check=True, stdout=subprocess.DEVNULL, timeout=300)
        self.assertEqual(self.layers(), before)


class PodsTest(unittest.TestCase):
    """Runs the services with the user, mounts and modes of deploy/kubernetes."""

    def setUp(self):
        self.podman = self.enterContext(podman.Podman())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="optiks-e2e-pods-")))
        self.database = self.enterContext(PostgreSql())
        self.ports = {name: free_port() for name in ("update-task", "update-service", "query-service")}
        self.credentials = self.folder / "credentials"
        self.credentials.mkdir()
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-noenc", "-days", "2", "-subj", "/CN=log.example.org", "-addext", "subjectAltName=IP:127.0.0.1",
             "-keyout", self.credentials / "tls.key", "-out", self.credentials / "tls.crt"], check=True, capture_output=True)
        (self.credentials / "optiks.kek").write_text("A" * 43)
        # The kubelet provides projected secrets in this way: as links to files of root that the pod's group may read.
        data = self.credentials / "..data"
        data.mkdir()
        for file in ("tls.key", "tls.crt", "optiks.kek"):
            (self.credentials / file).rename(data / file)
            (data / file).chmod(0o440)
            os.chown(data / file, 0, USER)
            (self.credentials / file).symlink_to(f"..data/{file}")
        for name in ("log", "update-service", "query-service"):
            (self.folder / name).mkdir()
            # With fsGroup, Kubernetes gives a new volume this owner and mode.
            os.chown(self.folder / name, 0, USER)
            (self.folder / name).chmod(0o2770)

    def start(self, role: str, *mounts: str) -> str:
        name = f"optiks-e2e-{os.getpid()}-{role}"
        variables = {
            "CREDENTIALS_DIRECTORY": "/run/credentials/optiks", "ASPNETCORE_URLS": f"https://127.0.0.1:{self.ports[role]}", "Optiks__Storage__Provider": "postgresql", "Optiks__Storage__ConnectionString": self.database.connection_string("optiks"),
            "Optiks__Tls__CertificateFile": "/run/credentials/optiks/tls.crt", "Optiks__Tls__KeyFile": "/run/credentials/optiks/tls.key", "Optiks__Log__Heartbeat": "00:00:02",
        }
        if role == "query-service":
            # The replica is in stored mode, so that it needs the library that only this mode loads. Linked mode is in the test of compose files.
            variables |= {"Optiks__QueryService__Replica": "pod", "Optiks__QueryService__DrainTime": "00:00:02", "Optiks__QueryService__NodeCacheBytes": str(1 << 20)}
        told = [part for item in variables.items() for part in ("--env", "=".join(item))]
        return self.podman.start(name, *CLOSED, *told, "--volume", f"{self.credentials}:/run/credentials/optiks:ro", *[part for mount in mounts for part in ("--volume", mount)], SERVER, f"optiks-{role}")

    def health(self, name: str, role: str) -> subprocess.CompletedProcess:
        return self.podman.run("exec", name, "optiks-db", "health", f"https://127.0.0.1:{self.ports[role]}", check=False)

    def wait(self, name: str, role: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while (done := self.health(name, role)).returncode != 0:
            self.assertLess(time.monotonic(), deadline, f"{done.stdout}{done.stderr}{self.podman.logs(name)[-3000:]}")
            time.sleep(0.3)

    def test_they_run_and_end_in_order(self):
        self.database.create_database("optiks")
        self.podman.run("run", "--rm", *CLOSED, SERVER, "optiks-db", "migrate", "--provider", "postgresql", "--connection", self.database.connection_string("optiks"))
        readers = {role: f"{self.folder / role}:/var/lib/optiks" for role in ("update-service", "query-service")}
        for mount in readers.values():
            # This is the init container of readers. Its links have no targets until the task has created the log.
            self.podman.run("run", "--rm", *CLOSED, "--volume", mount, SERVER, "ln", "-sfn", "/srv/optiks/board", "/srv/optiks/trust.json", "/srv/optiks/api-keys.json", "/var/lib/optiks/")
        log = f"{self.folder / 'log'}:/srv/optiks:ro"
        query = self.start("query-service", readers["query-service"], log)
        deadline = time.monotonic() + PATIENCE
        # The query-service is alive while it waits for the log.
        while self.podman.run("exec", query, "optiks-db", "health", f"https://127.0.0.1:{self.ports['query-service']}", "--live", check=False).returncode != 0:
            self.assertLess(time.monotonic(), deadline, self.podman.logs(query))
            time.sleep(0.3)
        self.assertEqual(self.health(query, "query-service").returncode, 1)
        task = self.start("update-task", f"{self.folder / 'log'}:/var/lib/optiks")
        self.wait(task, "update-task")
        update = self.start("update-service", readers["update-service"], log)
        self.wait(update, "update-service")
        self.wait(query, "query-service")
        self.assertIn("data.mdb", self.podman.output("exec", query, "ls", "/var/lib/optiks/replicas/pod/nodes").split())
        # The key was passed in, so the task created no key. Only the task may read the files that it wrote.
        self.assertFalse((self.folder / "log/kek").exists())
        self.assertEqual(((self.folder / "log/log.key").stat().st_mode & 0o777, (self.folder / "log/log.key").stat().st_uid), (0o600, USER))
        api_key = self.podman.output("exec", task, "cat", "/var/lib/optiks/api-key")
        addresses = ["--env", f"OPTIKS_QUERY_URL=https://127.0.0.1:{self.ports['query-service']}", "--env", f"OPTIKS_UPDATE_URL=https://127.0.0.1:{self.ports['update-service']}", "--env", "SSL_CERT_FILE=/srv/optiks/cert.pem"]
        client = self.folder / "client"
        client.mkdir()
        shutil.copy(self.credentials / "..data/tls.crt", client / "cert.pem")
        shutil.copy(self.folder / "log/trust.json", client)
        for file in client.iterdir():
            file.chmod(0o644)
        cli = ["run", "--rm", *CLOSED, *addresses, "--env", "OPTIKS_TRUST=/srv/optiks/trust.json", "--env", "OPTIKS_DATA=/tmp", "--volume", f"{client}:/srv/optiks:ro", CLI, "optiks"]
        client.chmod(0o755)
        self.podman.run(*cli, "update", "alice", "a key", "--api-key", api_key, "--wait")
        self.assertEqual(json.loads(self.podman.output(*cli, "lookup", "alice", "--json"))["value"], "a key")
        # fsck builds the trees again in the data folder, at their full size, and removes them at its end.
        files = set(self.podman.output("exec", task, "ls", "-A", "/var/lib/optiks").split())
        self.assertIn("TMPDIR=/var/lib/optiks", self.podman.output("exec", task, "env").splitlines())
        self.podman.run("exec", task, "optiks-db", "fsck", "--board", "/var/lib/optiks/board")
        self.assertEqual(set(self.podman.output("exec", task, "ls", "-A", "/var/lib/optiks").split()), files)
        # The services refuse a revoked key within seconds, because readers follow the link to the task's file.
        self.podman.run("exec", task, "optiks-db", "api-key", "revoke", "development")
        time.sleep(1.5)
        self.assertNotEqual(self.podman.run(*cli, "update", "bob", "a key", "--api-key", api_key, check=False).returncode, 0)
        for name in (query, update, task):
            self.podman.run("stop", "--time", "60", name)
            # The exit code 0 means that the service stopped regularly.
            self.assertEqual(self.podman.output("inspect", "--format", "{{.State.ExitCode}}", name), "0", self.podman.logs(name)[-2000:])


class ComposeFilesTest(unittest.TestCase):
    """Tests that docker-compose, which checks files by their schema, accepts all compose files."""

    def config(self, folder: Path, engine: str) -> subprocess.CompletedProcess:
        environment = clean_environment() | {"OPTIKS_ORIGIN": "log.example.org/optiks", "OPTIKS_ACCEPT_MSSQL_EULA": "Y"}
        return subprocess.run(
            ["docker-compose", "--file", "compose.yaml", "--file", f"compose.{engine}.yaml", "config", "--quiet"], cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)

    def test_both_engines(self):
        for engine in ("postgresql", "sqlserver"):
            done = self.config(ROOT / "deploy/compose", engine)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_misspelt_key_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "deploy/compose", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("secrets"))
            file = Path(folder) / "compose.yaml"
            file.write_text(file.read_text().replace("read_only:", "readonly:"))
            self.assertNotEqual(self.config(Path(folder), "postgresql").returncode, 0)


class ComposeTest(unittest.TestCase):
    """Runs docs/operations/containers.md, with PostgreSQL, from a copy of deploy/compose."""

    def setUp(self):
        self.podman = self.enterContext(podman.Podman())
        self.build_postgresql()
        self.home = Path(self.enterContext(tempfile.TemporaryDirectory(prefix="optiks-e2e-compose-")))
        # podman-compose names a project after its folder, so this folder's name must differ from the name that an operator uses.
        shutil.copytree(ROOT / "deploy/compose", self.home / PROJECT, ignore=shutil.ignore_patterns("secrets"))
        self.environment = clean_environment() | {
            name: value for name, value in self.podman.environment.items() if name in ("CONTAINERS_CONF", "DISABLE_HC_SYSTEMD")
        } | {"OPTIKS_POSTGRESQL_IMAGE": POSTGRESQL, "OPTIKS_DATA": str(self.home / "client"), "PATH": f"{BUILT / 'optiks-cli/usr/bin'}:{os.environ['PATH']}"}
        self.script = ""
        self.addCleanup(self.remove)

    def build_postgresql(self) -> None:
        with tempfile.TemporaryDirectory(dir="/var/tmp") as context:
            shutil.copytree(ROOT / "tests/e2e/postgresql_image", context, dirs_exist_ok=True)
            shutil.copy(postgresql_root(), f"{context}/root.tar")
            self.podman.run("build", "--quiet", "--pull=never", "--tag", POSTGRESQL, context, seconds=300)

    def remove(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.sh("podman-compose down --volumes", check=False)
        self.podman.run("network", "rm", "--force", *[f"{PROJECT}_{name}" for name in ("database", "clients", "default")], check=False)

    def sh(self, script: str, check: bool = True) -> str:
        """Runs a script after the earlier scripts, with the folder and the variables that they set."""
        setting = "\n".join(line for line in self.script.splitlines() if line.startswith(("cd ", "export ")))
        done = subprocess.run(["bash", "-eu", "-c", f"{setting}\n{script}"], cwd=self.home, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=300, check=False)
        if check:
            self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout[-3000:]}{done.stderr[-6000:]}\n{self.everything_said()}")
        return done.stdout

    def everything_said(self) -> str:
        names = self.podman.output("ps", "--all", "--format", "{{.Names}}", "--filter", f"name={PROJECT}").split()
        return "\n".join(f"== {name}\n{self.podman.logs(name)[-1500:]}" for name in names)

    def follow(self, script: str) -> str:
        said = self.sh(script)
        self.script += script
        return said

    def look_up(self, key: str) -> dict:
        deadline = time.monotonic() + PATIENCE
        while True:
            said = self.sh(f"optiks lookup {key} --json 2> /dev/null", check=False)
            if said and (answer := json.loads(said))["verdict"] in ("present", "absent"):
                return answer
            self.assertLess(time.monotonic(), deadline, f"{said}\n{self.everything_said()}")
            time.sleep(0.5)

    def container(self, service: str) -> str:
        return self.podman.output("ps", "--all", "--format", "{{.Names}}", "--filter", f"name={PROJECT}.{service}")

    def test_the_page_from_the_first_secret_to_an_upgrade(self):
        secrets, up, keys, lookup, again = (script.replace("cd deploy/compose\n", f"cd {PROJECT}\n") for blocks in commands_of(PAGE).values() for _, script in blocks)
        self.follow(secrets)
        kek = self.home / PROJECT / "secrets/optiks.kek"
        self.assertEqual((kek.stat().st_mode & 0o777, kek.stat().st_uid, kek.parent.stat().st_mode & 0o777), (0o400, USER, 0o700))
        # A second run of the commands creates nothing.
        before = kek.read_text()
        self.sh("./secrets.sh postgresql")
        self.assertEqual(kek.read_text(), before)
        self.follow(up)
        self.follow(keys)
        self.assertIn("alice: present, version 1", self.follow(lookup))
        self.assertEqual((self.look_up("bob")["verdict"], self.look_up("alice")["value"]), ("absent", "alice's public key"))
        for service in ("update-task", "update-service", "query-service"):
            with self.subTest(service):
                told = json.loads(self.podman.output("inspect", self.container(service)))[0]
                self.assertEqual((told["HostConfig"]["ReadonlyRootfs"], told["Config"]["User"], told["EffectiveCaps"] or []), (True, f"{USER}:{USER}", []))
                self.assertGreater(told["HostConfig"]["Memory"], 0)
                # podman-compose 1.0.3 lets podman make /var/tmp writable, which docker would not do. So the test checks that programs use a
                # volume instead.
                folders = [value.removeprefix("TMPDIR=") for value in told["Config"]["Env"] if value.startswith("TMPDIR=")]
                self.assertEqual(folders, [mount["Destination"] for mount in told["Mounts"] if mount["Type"] == "volume" and mount["RW"]])
                # No environment variable of a container has a secret.
                self.assertNotIn("Aa1-", json.dumps(told["Config"]["Env"]))
                self.assertEqual(self.podman.run("healthcheck", "run", self.container(service)).returncode, 0)
        # The database's network has no connection to the outside, and the task is in no other network.
        self.assertEqual(list(json.loads(self.podman.output("inspect", self.container("update-task")))[0]["NetworkSettings"]["Networks"]), [f"{PROJECT}_database"])
        self.comes_back()
        self.follow(again)
        self.assertEqual(self.look_up("alice")["value"], "alice's public key")
        self.sh('optiks update carol value --api-key @secrets/delivery-service.key --wait')
        self.assertEqual(self.look_up("carol")["verdict"], "present")

    def comes_back(self) -> None:
        """Kills each service, and checks that it comes back on its own."""
        for service in ("update-task", "update-service", "query-service"):
            name = self.container(service)
            process = int(self.podman.output("inspect", "--format", "{{.State.Pid}}", name))
            os.kill(process, 9)
            deadline = time.monotonic() + PATIENCE
            while int(self.podman.output("inspect", "--format", "{{.State.Pid}}", name)) in (0, process):
                self.assertLess(time.monotonic(), deadline, self.podman.logs(name)[-2000:])
                time.sleep(0.2)
        self.sh('optiks update dave value --api-key @secrets/delivery-service.key --wait')
        self.assertEqual(self.look_up("dave")["verdict"], "present")


if __name__ == "__main__":
    unittest.main()
