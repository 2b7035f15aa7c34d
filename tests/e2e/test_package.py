"""Tests the package of the .NET client as a user who has nothing else of this repository."""

import base64
import hashlib
import json
import os
import re
import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from harness import ROOT, Deployment

CLIENT = ROOT / "client/sdk"
# With one feed and a separate package folder, neither the network nor earlier restores have an effect.
FEED = """<configuration>
  <packageSources><clear /><add key="folder" value="{feed}" /></packageSources>
  <config><add key="globalPackagesFolder" value="{packages}" /></config>
</configuration>"""
PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
    <Nullable>enable</Nullable>
    <ImplicitUsings>enable</ImplicitUsings>
    <InvariantGlobalization>true</InvariantGlobalization>
  </PropertyGroup>
  <ItemGroup><PackageReference Include="Optiks.Client" Version="{version}" /></ItemGroup>
</Project>"""


def dotnet(*arguments: str | Path, cwd: Path) -> str:
    variables = {"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "MSBUILDDISABLENODEREUSE": "1"}
    done = subprocess.run(["dotnet", *arguments], cwd=cwd, capture_output=True, text=True, check=False, timeout=600,
                          env={**os.environ, **variables}, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise AssertionError(f"dotnet {arguments[0]}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class PackageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The folder is outside the repository, because inside it Directory.Build.props would apply.
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.feed = cls.folder / "feed"
        dotnet("pack", CLIENT / "src", "--configuration", "Release", "--no-build", "--output", cls.feed, "--verbosity", "quiet", cwd=ROOT)
        cls.package, = cls.feed.glob("*.nupkg")

    def test_1_contents(self):
        with zipfile.ZipFile(self.package) as package:
            files = {info.filename: info.file_size for info in package.infolist()}
            manifest = ElementTree.fromstring(package.read("Optiks.Client.nuspec"))
        # The package must have no other libraries. In particular, it must not have the code of servers (common/server).
        libraries = {f"lib/net10.0/Optiks.{name}.dll" for name in ("Client", "Common", "Tlog")}
        self.assertEqual(libraries, {file for file in files if file.endswith(".dll")})
        for file in (*libraries, "lib/net10.0/Optiks.Client.xml", "README.md", "LICENSE", "THIRD-PARTY-NOTICES.txt", "CHANGELOG.md"):
            self.assertGreater(files.get(file, 0), 0, file)
        native = [file for file in files if file.startswith("runtimes/")]
        self.assertEqual(len(native), 1, files)
        self.assertRegex(native[0], r"^runtimes/linux-(x64|arm64)/native/liboptiks\.so$")
        self.assertLess(files[native[0]], 8 << 20)
        said = {element.tag.rpartition("}")[2]: element for element in manifest.iter()}
        self.assertEqual((said["id"].text, said["license"].text, said["readme"].text), ("Optiks.Client", "MIT", "README.md"))
        self.assertIn(f"<VersionPrefix>{said['version'].text}</VersionPrefix>", (ROOT / "Directory.Build.props").read_text())
        self.assertEqual(said["repository"].get("type"), "git")
        self.assertRegex(said["repository"].get("commit"), "^[0-9a-f]{40}$")
        # The package needs no dependencies: its only dependencies would be our own libraries, which it contains.
        self.assertNotIn("dependency", said)

    def test_2_the_readme_s_program_verifies_a_lookup(self):
        """Builds a new project with only the package, and the program from the package's README, and runs it against a log."""
        program = self.folder / "program"
        program.mkdir()
        (program / "nuget.config").write_text(FEED.format(feed=self.feed, packages=self.folder / "packages"))
        version = re.fullmatch(r"Optiks\.Client\.(.+)\.nupkg", self.package.name)[1]
        (program / "Program.csproj").write_text(PROJECT.format(version=version))
        with zipfile.ZipFile(self.package) as package:
            sample = re.search(r"```csharp\n(.*?)```", package.read("README.md").decode(), re.DOTALL)[1]
        (program / "Program.cs").write_text(sample)
        dotnet("build", "--configuration", "Release", "--output", "out", "--verbosity", "quiet", cwd=program)
        with Deployment() as log:
            log.publish(("alice", "a"))
            for key, expected in (("alice", r"^version 1, epoch \d+: a$"), ("bob", r"^proven absent, epoch \d+$")):
                said = dotnet("out/Program.dll", log.data / "trust.json", self.folder / "state", log.query.url, key, cwd=program)
                self.assertRegex(said.strip(), expected)
            # This is the control: a program that trusts another log key refuses the same answer.
            said = dotnet("out/Program.dll", self.other_anchor(log), self.folder / "other", log.query.url, "alice", cwd=program)
            self.assertRegex(said, "^do not believe this answer: Invalid, record_log_id")

    def other_anchor(self, log: Deployment) -> Path:
        anchor = json.loads((log.data / "trust.json").read_text())
        origin, key = anchor["log_key"].partition("+")[0], b"\x01" + bytes(range(32))
        key_id = hashlib.sha256(f"{origin}\n".encode() + key).digest()[:4]
        anchor["log_key"] = f"{origin}+{key_id.hex()}+{base64.b64encode(key).decode()}"
        path = self.folder / "other.json"
        path.write_text(json.dumps(anchor))
        return path


if __name__ == "__main__":
    unittest.main()
