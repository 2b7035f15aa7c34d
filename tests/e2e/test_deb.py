"""Tests the Debian packages on a booted minimal Debian 12: each command of docs/operations/install.md, the restrictions of the units, an
alert, a restored backup, an upgrade and a purge."""

import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from container import Container, Network
from harness import ROOT
from packages import newest
from pages import commands_of

PAGE = ROOT / "docs/operations/install.md"
OLDER = "0.0.9"
SERVICES = ("optiks-update-task", "optiks-update-service@8311", "optiks-query-service@8301")
UNITS = (*SERVICES, "optiks-auditor", "optiks-witness")
# The maximum exposure of a unit, times ten, as systemd-analyze expects it.
MOST_EXPOSED = 20


def older(package: Path, folder: Path) -> None:
    """Makes the same package with a lower version and other settings files. In an upgrade from it, dpkg would ask which files to keep if
    the operator changed them."""
    tree = folder / "tree"
    subprocess.run(["dpkg-deb", "--raw-extract", package, tree], check=True)
    control, settings = tree / "DEBIAN/control", tree / "DEBIAN/conffiles"
    for name in settings.read_text().split() if settings.exists() else ():
        with (tree / name.lstrip("/")).open("a") as file:
            file.write("// Of a release of before.\n" if name.endswith(".json") else "# Of a release of before.\n")
    version = re.search(r"^Version: (.*)$", control.read_text(), re.MULTILINE)[1]
    control.write_text(control.read_text().replace(version, OLDER))
    name = package.name.replace(version, OLDER)
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", tree, folder / name], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)


class Packages(unittest.TestCase):
    """The tests must run in this order, because later tests rely on earlier ones."""

    @classmethod
    def setUpClass(cls):
        # On the page, blocks of `sh` are for the log's host, and blocks of `bash` are for another host.
        cls.page = commands_of(PAGE)
        cls.other = Path(tempfile.mkdtemp(prefix="optiks-e2e-other-"))
        cls.addClassCleanup(shutil.rmtree, cls.other)
        cls.network = cls.enterClassContext(Network())
        cls.log = cls.enterClassContext(Container(cls.network))
        cls.home = cls.log.root / "root"

    def put(self, is_older: bool) -> None:
        """Puts the packages into the folder where the commands of docs/operations/install.md look for them."""
        for package in self.home.glob("*.deb"):
            package.unlink()
        for name in ("optiks-server", "optiks-cli", "optiks-auditor"):
            if is_older:
                older(newest(name), self.home)
            else:
                shutil.copy(newest(name), self.home)

    def follow(self, section: str) -> None:
        for shell, script in self.page.pop(section):
            self.assertEqual(shell, "sh")
            self.log.run(script)

    def elsewhere(self, script: str, check: bool = True) -> subprocess.CompletedProcess:
        """Runs a script on the other host, which uses this machine's network, but has its own host names and the package's command line."""
        (self.other / "hosts").write_text(f"127.0.0.1 localhost\n{self.log.address} log.example.org\n")
        environment = {"PATH": f"{self.other / 'usr/bin'}:/usr/bin:/bin", "HOME": str(self.other / "home")}
        done = subprocess.run(
            ["unshare", "--mount", "bash", "-eu", "-c", f"mount --bind hosts /etc/hosts\n{script}"], cwd=self.other, env=environment, capture_output=True, text=True, timeout=120, check=False)
        if check:
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done

    def look_up(self, key: str) -> dict:
        setting = self.page_of_other.split("optiks update")[0]
        return json.loads(self.elsewhere(f"{setting}optiks lookup {key} --json").stdout)

    def update(self, key: str, value: str) -> None:
        setting = self.page_of_other.split("optiks update")[0]
        self.elsewhere(f"{setting}optiks update {key} '{value}' --api-key @delivery-service.key --wait")

    def steps(self, section: str) -> list[str]:
        """Returns the single commands of a section, so that a test can act between them."""
        blocks = self.page.pop(section)
        self.assertEqual({shell for shell, _ in blocks}, {"sh"})
        return [script for _, script in blocks]

    def state(self, unit: str) -> str:
        return self.log.run(f"systemctl is-active {unit}", check=False).stdout.strip()

    def journal(self, unit: str) -> str:
        return self.log.output(f"journalctl --no-pager --output cat --unit {unit}")

    def wait(self, what: str, seconds: float = 30) -> None:
        """Repeats a script until it succeeds."""
        deadline = time.monotonic() + seconds
        while self.log.run(what, check=False).returncode != 0:
            self.assertLess(time.monotonic(), deadline, what)
            time.sleep(0.2)

    def test_1_a_new_operator_follows_the_page(self):
        self.put(is_older=True)
        for section in ("Install", "Database", "Secrets", "TLS", "Start"):
            self.follow(section)
        for unit in SERVICES:
            self.assertEqual(self.state(unit), "active", self.journal(unit))
        data = self.log.root / "var/lib/optiks"
        # systemd passed the key in, so the task created no key.
        self.assertFalse((data / "kek").exists())
        self.assertEqual((data.stat().st_mode & 0o777, (data / "log.key").exists()), (0o700, True))
        for file in (data / "trust.json", data / "delivery-service.key", self.home / "cert.pem"):
            shutil.copy(file, self.other)
        (self.other / "delivery-service.key").chmod(0o600)
        subprocess.run(["dpkg-deb", "--extract", newest("optiks-cli"), self.other], check=True)
        ((shell, script),) = self.page.pop("From another host")
        self.assertEqual(shell, "bash")
        type(self).page_of_other = script
        self.assertIn("alice: present, version 1", self.elsewhere(script).stdout)
        self.assertEqual((self.look_up("bob")["verdict"], self.look_up("alice")["value"]), ("absent", "alice's public key"))

    def test_2_a_units_are_closed(self):
        self.log.run("apt-get install -y --no-install-recommends ./optiks-auditor_*.deb")
        for unit in UNITS:
            with self.subTest(unit):
                self.log.run(f"systemd-analyze security --no-pager --threshold={MOST_EXPOSED} {unit}.service")
        self.assertNotEqual(self.log.run(f"systemd-analyze security --no-pager --threshold={MOST_EXPOSED} console-getty.service", check=False).returncode, 0)
        self.assertEqual(self.log.output("stat -c '%U %a' /etc/optiks/update-task.env /etc/credstore/optiks.kek"), "root 600\nroot 600")

        # optiks-db accepts a key that systemd passed in.
        key = "/run/credentials/optiks-update-task.service/optiks.kek"
        self.assertNotEqual(self.log.output(f"stat -c %a {key}"), "600")
        self.log.run(f"runuser -u optiks -- env Optiks__Storage__Provider=sqlite Optiks__Kek__File={key} optiks-db config check --program update-task --file /etc/optiks/optiks.json")

    def test_2_b_witness_and_auditor_run(self):
        self.log.run(
            "runuser -u optiks-witness -- optiks witness init witness.example.org/w1 --folder /var/lib/optiks-witness;"
            "runuser -u optiks-auditor -- optiks auditor init --name auditor.example.org/a --key-file /var/lib/optiks-auditor/auditor.key;"
            "cp /var/lib/optiks/trust.json cert.pem /etc/optiks-auditor; chmod a+r /etc/optiks-auditor/*; echo 127.0.0.1 log.example.org >> /etc/hosts;"
            "sed 's|https://log.example.org|https://log.example.org:8301|' /usr/share/doc/optiks-auditor/examples/auditor.json > /etc/optiks-auditor/auditor.json;"
            "echo SSL_CERT_FILE=/etc/optiks-auditor/cert.pem > /etc/optiks-auditor/auditor.env")
        # The auditor is ready once it has signed a checkpoint that covers all published epochs.
        self.log.run("systemctl start optiks-witness optiks-auditor", seconds=60)
        self.assertEqual(self.log.output("stat -c %U /var/lib/optiks-auditor/mark/* | sort -u"), "optiks-auditor")
        self.assertIn("Ready. Cosigning 0 logs.", self.log.output("systemctl show --property StatusText optiks-witness"))

    def test_2_c_an_alert_fires_when_the_task_is_stopped(self):
        install, ask = self.steps("Watch")
        self.log.run(install)
        self.wait("""promtool query instant http://127.0.0.1:9090 'count(up{job=~"optiks-.*"} == 1)' | grep -q '=> 3'""", 60)

        def firing() -> set[str]:
            # The alert about the disk is left out, because it depends on the machine that runs the test.
            return set(re.findall(r'alertname="(\w+)"', self.log.output(ask))) - {"OptiksDiskFilling"}

        def wait(fires: bool, seconds: float) -> None:
            deadline = time.monotonic() + seconds
            while ("OptiksNoLeader" in firing()) != fires:
                self.assertLess(time.monotonic(), deadline, firing())
                time.sleep(1)

        self.assertEqual(firing(), set())
        # Prometheus' data is not public: a caller needs a key to read metrics, and Prometheus listens only on local addresses.
        self.assertIn(self.log.output("""ss -Htln 'sport = 9090' | awk '{print $4}'"""), ("127.0.0.1:9090",))
        self.log.run("systemctl stop optiks-update-task")
        wait(fires=True, seconds=150)
        self.log.run("systemctl start optiks-update-task")
        wait(fires=False, seconds=60)

    def test_2_d_a_lost_database_and_lost_keys_are_restored(self):
        self.update("dave", "before the backup")
        pgbackrest, database, keys, paper = self.steps("Back up")
        self.log.run(pgbackrest)
        self.log.run(database)
        self.assertIn("it opens the secrets of", self.log.output(keys))
        code, passphrase = self.log.output(paper).splitlines()
        type(self).printed = code, passphrase
        self.assertEqual(self.log.output("grep -rlF -e '%s' -e '%s' /srv/backup || true" % (code, passphrase.split("=")[1])), "")
        self.log.run(f"systemd-analyze security --no-pager --threshold={MOST_EXPOSED} pgbackrest-optiks.service")
        self.assertEqual((self.state("pgbackrest-optiks.timer"), self.state("postgresql@15-main")), ("active", "active"))
        # The backup includes these updates. When the database is lost, later updates exist only on the board.
        self.update("dave", "after the backup")
        self.log.run("runuser -u postgres -- pgbackrest --stanza=optiks check")
        self.update("dave", "not archived")
        self.update("erin", "not archived")
        before = self.look_up("erin")["epoch"]
        # systemd reports an error if processes end while it kills them.
        self.log.run(
            "mv /var/lib/postgresql/15/main lost; systemctl kill --signal KILL postgresql@15-main || true; rm -r lost;"
            "find /var/lib/optiks -mindepth 1 -maxdepth 1 ! -name board -exec rm -r {} +; rm /etc/credstore/optiks.kek")
        stop, restore_keys, restore, forward, start = self.steps("Restore")
        self.log.run(stop)
        (self.home / "recovery-code").write_text(f"{code}\n")
        self.log.run(restore_keys)
        self.assertEqual(self.log.output("ls /var/lib/optiks/kek /var/lib/optiks/recovery-code 2>/dev/null || true"), "")
        self.log.run(restore)
        # The restored database is older than the board's mark, so the task must not sign any epoch that continues from this database. The
        # backup also has the previous lease, so the task first waits on standby until this lease ends.
        self.log.run("systemctl start optiks-update-task", check=False)
        self.wait("[ $(systemctl show --property ExecMainStatus --value optiks-update-task) = 4 ]")
        self.assertEqual(self.log.output("systemctl show --property NRestarts --value optiks-update-task"), "0")
        self.assertRegex(self.log.output(forward), "(?m)^clean: ")
        self.log.run(start)
        # The client on the other host remembers the epochs that it saw before the restore.
        self.assertGreaterEqual(self.look_up("erin")["epoch"], before)
        self.assertEqual([(self.look_up(key)["value"], self.look_up(key)["version"]) for key in ("dave", "erin", "alice")],
                         [("not archived", 3), ("not archived", 1), ("alice's public key", 1)])
        self.update("erin", "after the restore")
        self.assertEqual((self.look_up("erin")["value"], self.look_up("erin")["version"]), ("after the restore", 2))
        self.assertEqual(self.log.output("runuser -u postgres -- pgbackrest --stanza=optiks info").count("full backup:"), 2)

    def test_3_ready_is_what_health_says(self):
        # A second replica, which is in stored mode, starts while the database does not answer. It is alive, and its start continues.
        self.log.run("printf '%s\\n' ASPNETCORE_URLS=http://127.0.0.1:8302 Optiks__QueryService__NodeCacheBytes=1048576 > /etc/optiks/query-service-8302.env")
        self.log.run("systemctl stop postgresql; systemctl start --no-block optiks-query-service@8302")
        self.wait("systemctl show --property StatusText optiks-query-service@8302 | grep -q 'Not ready.'")
        self.assertEqual(self.state("optiks-query-service@8302"), "activating")
        self.log.run("systemctl start postgresql")
        self.wait("systemctl is-active optiks-query-service@8302")
        self.wait("systemctl show --property StatusText optiks-query-service@8302 | grep -q 'Ready. Serving epoch'")
        self.log.run("test -f /var/lib/optiks/replicas/8302/nodes/data.mdb")
        self.log.run("systemctl stop optiks-query-service@8302; rm /etc/optiks/query-service-8302.env")

    def test_4_reload(self):
        process = self.log.output("systemctl show --property MainPID --value optiks-query-service@8301")
        serial = "openssl s_client -connect 127.0.0.1:8301 < /dev/null 2>/dev/null | openssl x509 -noout -serial"
        before = self.log.output(serial)
        self.log.run(
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc -days 90 -subj /CN=log.example.org -addext subjectAltName=DNS:log.example.org -keyout key.pem -out cert.pem 2>/dev/null;"
            "install -o optiks -g optiks -m 0600 cert.pem key.pem /etc/optiks/tls/; sed -i 's|// \"RateLimits\"|\"RateLimits\"|; s|\"PerSecond\": 50, \"Burst\": 500|\"PerSecond\": 0.01, \"Burst\": 2|' /etc/optiks/optiks.json")
        self.follow("Change settings")
        self.wait(f"[ \"$({serial})\" != '{before}' ]")
        shutil.copy(self.home / "cert.pem", self.other)
        setting = self.page_of_other.split("optiks update")[0]
        self.assertEqual([self.elsewhere(f"{setting}timeout 5 optiks lookup alice", check=False).returncode == 0 for _ in range(3)], [True, True, False])
        # The service refuses invalid settings at a reload, and keeps running with the old settings.
        self.log.run("sed -i 's|\"Burst\": 2|\"Burst\": -2|' /etc/optiks/optiks.json; systemctl reload optiks-query-service@8301")
        self.wait("journalctl --unit optiks-query-service@8301 | grep -q 9042")
        self.log.run("sed -i 's|\"Burst\": -2|\"Burst\": 500|; s|\"PerSecond\": 0.01|\"PerSecond\": 50|' /etc/optiks/optiks.json; systemctl reload optiks-query-service@8301")
        self.wait("journalctl --unit optiks-query-service@8301 --lines 3 | grep -q 9040")
        self.assertEqual(self.look_up("alice")["verdict"], "present")
        self.assertEqual(self.log.output("systemctl show --property MainPID --value optiks-query-service@8301"), process)

    def test_5_what_ends_is_started_again_or_left(self):
        self.log.run("systemctl kill --signal KILL optiks-update-service@8311")
        self.wait("systemctl is-active optiks-update-service@8311 && [ $(systemctl show --property NRestarts --value optiks-update-service@8311) = 1 ]")
        self.log.run("echo Optiks__Storage__Provider=none > /etc/optiks/update-service-8312.env; systemctl start optiks-update-service@8312 || true")
        self.assertEqual(self.log.output("systemctl show --property ActiveState,ExecMainStatus,NRestarts optiks-update-service@8312"), "NRestarts=0\nExecMainStatus=78\nActiveState=failed")
        self.log.run("rm /etc/optiks/update-service-8312.env; systemctl reset-failed")

    def test_6_upgrade(self):
        self.assertEqual(self.log.output("dpkg-query -W -f '${Version}' optiks-server"), OLDER)
        processes = self.log.output("systemctl show --property MainPID --value optiks-update-task")
        self.put(is_older=False)
        # The upgrade keeps the operator's changes without asking.
        settings = self.log.output("cat /etc/optiks/optiks.json /etc/optiks/*.env")
        # These are the page's steps for a host that also has the auditor: test_2_d stopped the auditor together with the other services,
        # and test_4 made another certificate.
        self.log.run("install -m 0644 cert.pem /etc/optiks-auditor/; systemctl start optiks-witness optiks-auditor", seconds=60)
        ((shell, script),) = self.page["Upgrade"]
        self.page["Upgrade"] = [(shell, script.replace("./optiks-cli_*.deb", "./optiks-cli_*.deb ./optiks-auditor_*.deb"))]
        self.follow("Upgrade")
        self.assertNotEqual(self.log.output("dpkg-query -W -f '${Version}' optiks-server"), OLDER)
        self.assertEqual(self.log.output("cat /etc/optiks/optiks.json /etc/optiks/*.env"), settings)
        self.assertEqual(self.log.output("cd /etc/optiks; ls *.dpkg-*").split(), [f"{name}.dpkg-dist" for name in ("optiks.json", "query-service.env", "update-service.env", "update-task.env")])
        self.assertNotEqual(self.log.output("systemctl show --property MainPID --value optiks-update-task"), processes)
        for unit in SERVICES:
            self.wait(f"systemctl is-active {unit}")
        self.assertEqual((self.look_up("alice")["value"], self.look_up("alice")["version"]), ("alice's public key", 1))
        self.wait("systemctl is-active optiks-auditor && systemctl is-active optiks-witness")
        self.assertEqual(self.log.output("dpkg-query -W -f '${Version}' optiks-auditor"), self.log.output("dpkg-query -W -f '${Version}' optiks-cli"))
        marks = "sha256sum /var/lib/optiks-auditor/mark/*.mark"
        signed = self.log.output(marks)
        self.update("carol", "value")
        self.assertEqual(self.look_up("carol")["verdict"], "present")
        # The auditor continues to sign. The notes that it signed stay when the package is purged.
        self.wait(f"[ \"$({marks})\" != '{signed}' ]")
        self.log.run("apt-get purge -y optiks-auditor")
        self.assertNotEqual(self.log.output(marks), signed)

    def test_7_purge_keeps_the_log(self):
        self.follow("Remove")
        self.assertEqual([blocks for blocks in self.page.values() if blocks], [])
        self.assertEqual(self.log.output("ls -d /usr/lib/optiks /etc/optiks/*.json /etc/systemd/system/multi-user.target.wants/optiks* 2>/dev/null || true"), "")
        self.assertEqual(self.log.output("find /proc -maxdepth 1 -user optiks"), "")
        self.assertEqual(self.log.output("stat -c %U /var/lib/optiks/log.key"), "optiks")
        # After the server is installed again, it continues with the same log.
        self.log.run("apt-get install -y --no-install-recommends ./optiks-server_*.deb")
        self.log.run(
            "sed -i 's|\"Provider\": \"sqlite\"|\"Provider\": \"postgresql\"|; s|// \"Tls\"|\"Tls\"|' /etc/optiks/optiks.json; for service in update-task update-service query-service; do echo \"Optiks__Storage__ConnectionString='Host=/var/run/postgresql;Database=optiks;"
            "Username=optiks_$(echo $service | tr - _)'\" >> /etc/optiks/$service.env; done; echo ASPNETCORE_URLS=https://0.0.0.0:8301 >> /etc/optiks/query-service.env;"
            "echo ASPNETCORE_URLS=https://0.0.0.0:8311 >> /etc/optiks/update-service.env;"
            "install -d -o optiks /etc/optiks/tls; install -o optiks -m 0600 cert.pem key.pem /etc/optiks/tls/; systemctl start optiks-update-task optiks-update-service@8311 optiks-query-service@8301")
        self.assertEqual(self.look_up("carol")["verdict"], "present")

    def test_8_the_log_goes_on_on_a_new_machine(self):
        self.update("dave", "of the old machine")
        before = self.look_up("dave")["epoch"]
        # Only the backup and the board's disk are copied from the old machine. PostgreSQL is not stopped first, because it is lost with the
        # machine.
        self.log.run("systemctl stop optiks-update-task")
        for folder in ("srv/backup", "var/lib/optiks/board"):
            subprocess.run(["cp", "-a", self.log.root / folder, self.other], check=True)
        self.log.__exit__()
        type(self).log = new = self.enterClassContext(Container(self.network, "new"))
        type(self).home = new.root / "root"
        self.put(is_older=False)
        page = commands_of(PAGE)
        for section in ("Install", "Database", "TLS"):
            for _, script in page[section]:
                new.run(script)
        shutil.copy(self.home / "cert.pem", self.other)
        shutil.copytree(self.other / "backup", new.root / "srv/backup", symlinks=True)
        shutil.copytree(self.other / "board", new.root / "var/lib/optiks/board")
        code, passphrase = self.printed
        new.run(page["Back up"][0][1])
        new.run(f"echo '{passphrase}' >> /etc/pgbackrest.conf; chown -R postgres:postgres /srv/backup/database; chown -R optiks:optiks /var/lib/optiks/board")
        (self.home / "recovery-code").write_text(f"{code}\n")
        for _, script in page["Restore"]:
            new.run(script)
        after = self.look_up("dave")
        self.assertEqual(after["value"], "of the old machine")
        self.assertGreaterEqual(after["epoch"], before)
        self.update("dave", "of the new machine")
        self.assertEqual(self.look_up("dave")["value"], "of the new machine")


class Archives(unittest.TestCase):
    """Tests of the package files themselves."""

    def test_lintian_is_content(self):
        packages = [newest(name) for name in ("optiks-server", "optiks-cli", "optiks-auditor")]
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning", *packages], capture_output=True, text=True, timeout=300, check=False, env=os.environ | {"LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_nothing_of_the_build_is_in_them(self):
        listed = subprocess.run(["dpkg-deb", "--contents", newest("optiks-server")], capture_output=True, text=True, check=True).stdout
        self.assertIn("usr/share/man/man8/optiks-query-service.8.gz", listed)
        self.assertNotRegex(listed, r"crossgen|\.Tests|createdump")

    def test_the_edges_and_the_clusters_files_are_in_them(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "--extract", newest("optiks-server"), folder], check=True)
            for name in ("nginx", "patroni"):
                mine, theirs = ({file.relative_to(top): file.read_bytes() for file in top.rglob("*") if file.is_file()} for top in (ROOT / "deploy" / name, Path(folder, "usr/share/optiks-server", name)))
                self.assertIn(Path("optiks.conf" if name == "nginx" else "config.yml"), theirs)
                self.assertEqual(mine, theirs)


if __name__ == "__main__":
    unittest.main()
