"""Tests what the programs say about themselves (help and versions), and an operator's work on the command line (ports, folders, API
keys)."""

import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import OUT, PROGRAMS, QUERY, ROOT, SERVICES, TASK, UPDATE, Deployment
from ports import free_port
from rest import Client

WAIT_SECONDS = 60
OPTIKS, OPTIKS_DB, OPTIKS_STRESS = OUT / "cli/optiks", OUT / "db/optiks-db", OUT / "stress/optiks-stress"
# The names of environment variables that would make the results of these tests depend on the user's environment.
OURS = re.compile(r"(?i)optiks|aspnetcore_|otel_|xdg_data_home")


def environment(**variables: str) -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not OURS.match(name)} | variables


def run(*command: str | Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, stdin=subprocess.DEVNULL, **options)


def service(name: str) -> Path:
    return OUT / name / PROGRAMS[name]


class SelfDescriptionTest(unittest.TestCase):
    """These tests need no data folder, database or port."""

    def test_versions(self):
        """Checks that every program prints the commit, and the version number that only one file has."""
        number = re.search(r"<VersionPrefix>(.+)</VersionPrefix>", (ROOT / "Directory.Build.props").read_text())[1]
        said = {}
        for program in (OPTIKS, OPTIKS_DB, OPTIKS_STRESS, *map(service, SERVICES)):
            done = run(program, "--version", env=environment(OPTIKS_DATA="/dev/null/none"))
            self.assertEqual((done.returncode, done.stderr), (0, ""), done)
            name, _, version = done.stdout.strip().partition(" ")
            said[name] = version
            self.assertRegex(version, rf"^{re.escape(number)} \(commit [0-9a-f]{{12}}\)$", program)
        self.assertEqual(set(said), {"optiks", "optiks-db", "optiks-stress", *(f"optiks-{name}" for name in SERVICES)})
        self.assertEqual(len(set(said.values())), 1, said)

    def test_no_connection_string_is_quoted(self):
        wrong = {"postgresql": "postgresql://user:s3cret@db/optiks?sslmode=require", "sqlserver": "Server=db;Database=optiks;Pasword=s3cret", "sqlite": "Host=db;Password=s3cret", "s3cret": ""}
        with tempfile.TemporaryDirectory() as folder:
            for provider, connection in wrong.items():
                variables = environment(OPTIKS_DATA=f"{folder}/data", Optiks__Storage__Provider=provider, Optiks__Storage__ConnectionString=connection)
                for command in ([OPTIKS_DB, "status"], *([service(name)] for name in SERVICES)):
                    with self.subTest(provider, command=command[0].name):
                        done = run(*command, env=variables)
                        self.assertEqual(done.returncode, 78, done)
                        self.assertNotIn("s3cret", done.stdout + done.stderr)

    def test_help_of_services(self):
        for name, words in ((QUERY, ("8301", "Optiks:QueryService", "VrfCacheBytes", "Optiks:RateLimits", "Lookups:Burst")),
                            (UPDATE, ("8311", "Optiks:UpdateService", "QueuedCallers", "Optiks:Log", "MaxValueLength", "  3 ")),
                            (TASK, ("8321", "Optiks:UpdateTask", "EpochInterval", "00:00:01", "Optiks:Log", "Origin", "OPTIKS_KEK", "  4 "))):
            with self.subTest(name):
                done = run(service(name), "--help", env=environment(OPTIKS_DATA="/dev/null/none"))
                self.assertEqual((done.returncode, done.stderr), (0, ""), done)
                for word in (*words, "Optiks:Storage", "ConnectionString", "OPTIKS_DATA", "--urls", "/health/ready", "Exit codes", "  78 "):
                    self.assertIn(word, done.stdout)
                # In the help text, the description of each setting is on the line below the setting.
                settings = re.findall(r"^  (\w[\w:, .]*?) {2,}\S.*\n(.*)$", done.stdout.partition("\nEnvironment")[0], re.MULTILINE)
                self.assertGreater(len(settings), 10, done.stdout)
                for setting, description in settings:
                    self.assertGreater(len(description.strip()), 8, f"{name}: {setting} has no description")

    def test_completion(self):
        """Checks that bash completes words as the program suggests."""
        for program, typed, expected in ((OPTIKS, "lo", "lookup"), (OPTIKS_DB, "api-key re", "revoke"), (OPTIKS_STRESS, "prep", "prepare")):
            words = typed.split(" ")
            line = f"{program.name} {typed}"
            done = run("bash", "-c", f"""
                PATH={shlex.quote(str(program.parent))}:$PATH
                eval "$({program.name} completion bash)"
                COMP_WORDS=({program.name} {typed}) COMP_CWORD={len(words)} COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}
                {re.sub('-', '_', '_' + program.name)}_complete && printf '%s\\n' "${{COMPREPLY[@]}}" """)
            self.assertEqual(done.stdout.split(), [expected], done)
            for shell in ("zsh", "fish"):
                self.assertIn(program.name, run(program, "completion", shell).stdout)

    def test_misspelt_commands(self):
        for program, typed, meant in ((OPTIKS, "lookpu", "lookup"), (OPTIKS_DB, "migrat", "migrate"), (OPTIKS_STRESS, "prepar", "prepare")):
            done = run(program, typed)
            self.assertEqual((done.returncode, done.stdout), (2, ""), done)
            self.assertIn(meant, done.stderr.split())


class FolderTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def unusable(self) -> list[Path]:
        """Returns folders that cannot be created or written. For root these must be folders that cannot exist, because root may write into
        all existing folders."""
        (self.folder / "file").touch()
        closed = self.folder / "closed"
        closed.mkdir(mode=0o500)
        return [self.folder / "file/data", *([] if os.geteuid() == 0 else [closed])]

    def test_a_folder_that_cannot_be_written_is_78_with_a_sentence(self):
        for data in self.unusable():
            for command in ((ROOT / "eng/services.py", "up"), (OPTIKS_DB, "migrate"), (OPTIKS_DB, "api-key", "add", "a", "--scope", "lookup"),
                            *((service(name), "--urls", f"http://127.0.0.1:{free_port()}") for name in SERVICES)):
                with self.subTest(data=data.name, command=command[0].name):
                    done = run(*command, env=environment(OPTIKS_DATA=str(data)), cwd=self.folder)
                    self.assertEqual(done.returncode, 78, done)
                    sentence = done.stderr.strip()
                    self.assertEqual(len(sentence.splitlines()), 1, sentence)
                    self.assertNotRegex(sentence, r"Exception|Parameter '|   at ")
                    self.assertIn(str(data), sentence)

    def test_a_relative_folder_is_where_the_command_runs(self):
        for command in ((OPTIKS_DB, "migrate"), (OPTIKS_DB, "api-key", "add", "a", "--scope", "lookup")):
            done = run(*command, env=environment(OPTIKS_DATA="some/data"), cwd=self.folder)
            self.assertEqual(done.returncode, 0, done)
        self.assertEqual({path.name for path in (self.folder / "some/data").iterdir()} & {"optiks.db", "api-keys.json"}, {"optiks.db", "api-keys.json"})
        self.assertEqual((self.folder / "some/data").stat().st_mode & 0o777, 0o700)

    def test_ports_that_are_none(self):
        for variables in ({"OPTIKS_QUERY_PORT": "many"}, {"OPTIKS_QUERY_PORT": "70000"}, {"OPTIKS_QUERY_PORT": "9301", "OPTIKS_TASK_PORT": "9301"}):
            done = run(ROOT / "eng/services.py", "up", env=environment(OPTIKS_DATA=str(self.folder / "data"), **variables))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (78, 1), done)
            self.assertIn("OPTIKS_QUERY_PORT", done.stderr)
            self.assertFalse((self.folder / "data").exists())


def own_ports() -> dict[str, str]:
    """Returns the environment variables that set the port of each service, with free ports."""
    return {name: str(free_port()) for name in ("OPTIKS_QUERY_PORT", "OPTIKS_UPDATE_PORT", "OPTIKS_TASK_PORT")}


class MakeUpTest(unittest.TestCase):
    def test_the_printed_commands_find_what_was_started(self):
        """Runs `make up` with this test's own ports and folder; the folder's path is relative and has a blank. The printed lines run
        unchanged in a shell that knows neither the ports nor the folder."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        ports = own_ports()
        given = environment(OPTIKS_DATA="my data", **ports)
        down = [ROOT / "eng/services.py", "down"]
        self.addCleanup(lambda: run(*down, env=given, cwd=folder))
        # The services inherit standard output and standard error. If these were pipes, the test would wait until the services end.
        with (folder / "out").open("w+") as out:
            done = subprocess.run([ROOT / "eng/services.py", "up"], env=given, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, timeout=300)
        printed = (folder / "out").read_text()
        self.assertEqual(done.returncode, 0, printed)
        self.assertTrue((folder / "my data/optiks.db").exists(), printed)
        lines = [line.strip() for line in printed.partition("another terminal:")[2].splitlines() if line.startswith("  ")]
        self.assertEqual(sum(line.startswith("build/bin/optiks ") for line in lines), 5, printed)
        script = "\n".join(["set -e", *lines])
        tried = run("bash", "-c", script, env=environment(HOME=str(folder)), cwd=ROOT)
        self.assertEqual(tried.returncode, 0, f"{printed}{tried.stdout}{tried.stderr}")
        self.assertIn("alice: present, version 1", tried.stdout)
        self.assertIn("bob: absent", tried.stdout)
        for port in ports.values():
            self.assertIn(f"127.0.0.1:{port}", printed)
        # The printed command for stopping the services works, too.
        stop = re.search(r"'(.*)make down'", printed)[1] + shlex.join(map(str, down))
        stopped = run("bash", "-c", stop, env=environment(HOME=str(folder)))
        self.assertEqual((stopped.returncode, stopped.stdout.count("stopped")), (0, 3), stopped)


class MakeRunTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        ports = own_ports()
        with (self.folder / "out").open("w") as out:
            given = environment(OPTIKS_DATA=str(self.folder / "data"), **ports)
            self.running = subprocess.Popen([ROOT / "eng/services.py", "run"], env=given, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        # The cleanup stops everything that a test leaves running.
        self.addCleanup(run, ROOT / "eng/services.py", "down", env=given)
        self.addCleanup(self.running.kill)
        deadline = time.monotonic() + WAIT_SECONDS
        while "Ctrl-C stops everything." not in self.printed():
            self.assertIsNone(self.running.poll(), self.printed())
            self.assertLess(time.monotonic(), deadline, self.printed())
            time.sleep(0.1)
        self.pids = {path.stem: int(path.read_text().split()[0]) for path in (self.folder / "data/run").iterdir()}
        self.assertEqual(len(self.pids), 3)

    def printed(self) -> str:
        return (self.folder / "out").read_text()

    def end(self, code: int) -> None:
        self.assertEqual(self.running.wait(WAIT_SECONDS), code, self.printed())
        for pid in self.pids.values():
            self.assertFalse(Path(f"/proc/{pid}").exists(), self.printed())
        self.assertEqual(list((self.folder / "data/run").iterdir()), [])

    def test_ctrl_c_stops_everything(self):
        self.running.send_signal(signal.SIGINT)
        self.end(0)
        self.assertEqual(self.printed().count("stopped "), 3, self.printed())

    def test_a_service_that_ends_is_said_and_stops_the_others(self):
        os.kill(self.pids["query-service"], signal.SIGKILL)
        self.end(128 + signal.SIGKILL)
        self.assertIn("query-service stopped with exit code", self.printed())


class EndsTest(unittest.TestCase):
    """Tests problems that a user or operator can fix. A program must report such a problem in one sentence and with an exit code, and must
    never abort."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def ends(self, done: subprocess.CompletedProcess, code: int, *words: str) -> None:
        self.assertEqual(code, done.returncode, done)
        self.assertNotRegex(done.stderr, r"Unhandled|Exception|   at ")
        for word in words:
            self.assertIn(word, done.stderr)

    def full(self, *command: str | Path) -> subprocess.CompletedProcess:
        """Runs a command whose standard output is full and accepts no data."""
        with open("/dev/full", "w") as output:
            return subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, timeout=WAIT_SECONDS, check=False, stdin=subprocess.DEVNULL, env=environment(OPTIKS_DATA=str(self.folder)))

    def test_a_full_standard_output(self):
        self.assertEqual(0, run(OPTIKS_DB, "api-key", "add", "a", "--scope", "lookup", env=environment(OPTIKS_DATA=str(self.folder))).returncode)
        for option in ((), ("--json",)):
            with self.subTest(option):
                self.ends(self.full(OPTIKS_DB, "api-key", "list", *option), 78, "No space left")
                self.ends(self.full(OPTIKS, "key", "generate", "--out", self.folder / f"k{len(option)}", *option), 2, "No space left")
                # Standard output accepts no data, so the program cannot write its failure there as JSON.
                self.ends(self.full(OPTIKS, "inspect", self.folder / "api-keys.json", *option), 2, "This JSON is not an answer")

    def test_files_without_an_end(self):
        for command in (("inspect", "/dev/zero"), ("lookup", "alice", "--trust", "/dev/zero"), ("receipt", "check", "/dev/zero")):
            with self.subTest(command):
                self.ends(run(OPTIKS, *command, env=environment(OPTIKS_DATA=str(self.folder))), 2, "/dev/zero")

    def test_addresses_and_telemetry_that_cannot_be_used(self):
        self.assertEqual(0, run(OPTIKS_DB, "migrate", env=environment(OPTIKS_DATA=str(self.folder))).returncode)
        good = f"http://127.0.0.1:{free_port()}"
        for name in SERVICES:
            for url, variables, word in (("http://203.0.113.9:8301", {}, "203.0.113.9"), ("http://127.0.0.1:80800", {}, "80800"),
                                         (good, {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_HEADERS": "a"}, "eaders"),
                                         (good.replace("http", "https"), {"Kestrel__Certificates__Default__Path": str(self.folder / "missing.pem")}, "missing.pem")):
                with self.subTest(name, word=word):
                    self.ends(run(service(name), "--urls", url, env=environment(OPTIKS_DATA=str(self.folder), **variables)), 78, word)

    def test_output_goes_into_what_is_no_file(self):
        """Checks that output into a link or a device does not replace it. So a key that is revoked through a link is also revoked for
        programs that read the link's target."""
        shared = self.folder / "shared"
        shared.mkdir(mode=0o700)
        (self.folder / "api-keys.json").symlink_to("shared/api-keys.json")
        variables = environment(OPTIKS_DATA=str(self.folder))
        added = run(OPTIKS_DB, "api-key", "add", "a", "--scope", "lookup", "--out", "/dev/stdout", env=variables)
        self.assertEqual(0, added.returncode, added)
        self.assertRegex(added.stdout, r"\A[A-Za-z0-9_-]{20,}\n")
        self.assertTrue(Path("/dev/stdout").is_symlink())
        null = Path("/dev/null").stat()
        self.assertEqual(0, run(OPTIKS_DB, "api-key", "add", "b", "--scope", "lookup", "--out", "/dev/null", env=variables).returncode)
        self.assertEqual((null.st_ino, null.st_mode), (Path("/dev/null").stat().st_ino, Path("/dev/null").stat().st_mode))
        self.assertEqual(["a", "b"], self.names(shared))
        self.assertEqual(0, run(OPTIKS_DB, "api-key", "revoke", "a", env=variables).returncode)
        self.assertTrue((self.folder / "api-keys.json").is_symlink())
        self.assertEqual(["b"], self.names(shared))

    @staticmethod
    def names(folder: Path) -> list[str]:
        return [key["name"] for key in json.loads((folder / "api-keys.json").read_text())["keys"]]


class ApiKeyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.log = cls.enterClassContext(Deployment())

    def api_key(self, *arguments: str) -> str:
        done = run(OPTIKS_DB, "api-key", *arguments, env=self.log.environment)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.strip()

    def statuses(self, key: str) -> tuple[int, int]:
        """Returns the HTTP status of an update with this key, and of a history."""
        with Client(self.log.update.url, key) as update, Client(self.log.query.url, key) as query:
            return (update.post_json("/v1/updates", {"key": "k", "value": "v"}).status, query.post_json("/v1/history", {"key": "k"}).status)

    def wait(self, key: str, expected: tuple[int, int]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        while (found := self.statuses(key)) != expected:
            self.assertLess(time.monotonic(), deadline, f"{found}, not {expected}")
            time.sleep(0.1)

    def test_fsck_without_a_folder_for_its_own_files(self):
        for folder, code in (("/nonexistent", 78), (str(self.log.logs), 0)):
            done = run(OPTIKS_DB, "fsck", "--board", self.log.data / "board", env=self.log.environment | {"TMPDIR": folder})
            self.assertEqual(code, done.returncode, done)
            self.assertEqual("No such file" in done.stderr, code == 78, done)
            self.assertNotIn("Unhandled", done.stderr)

    def test_keys_come_and_go_while_the_services_run(self):
        writer, reader = self.api_key("add", "writer", "--scope", "update"), self.api_key("add", "reader", "--scope", "history")
        self.assertEqual((self.statuses(writer), self.statuses(reader)), ((202, 403), (403, 200)))
        listed = {line.split()[0]: line.split()[1:] for line in self.api_key("list").splitlines()}
        self.assertEqual(listed, {"development": ["update,", "history,", "lookup,", "erase"], "writer": ["update"], "reader": ["history"]})
        self.assertNotIn(writer, (self.log.data / "api-keys.json").read_text())
        self.api_key("revoke", "writer")
        self.wait(writer, (401, 401))
        self.assertEqual(self.statuses(reader), (403, 200))
        # The development key works like other API keys.
        self.assertEqual(self.statuses(self.log.api_key), (202, 200))
        again = self.api_key("add", "writer", "--scope", "update,history", "--json")
        self.assertEqual(self.statuses(json.loads(again)["key"]), (202, 200))
        self.assertEqual(self.statuses(writer), (401, 401))


if __name__ == "__main__":
    unittest.main()
