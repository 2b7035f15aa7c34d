import os
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sqlclient.sh")

# Error messages of a restore, as .NET 10 prints them.
UNKNOWN = "/p.csproj : error NU1101: Unable to find package X. No packages exist with this id in source(s): feed"
NO_VERSION = "/p.csproj : error NU1102: Unable to find package X with version (>= 4.2.0)"
DOWNGRADE = "/p.csproj : error NU1605: Warning As Error: Detected package downgrade: X from 7.7.3 to 7.7.2."
RETRIEVE = "/p.csproj : error NU1301: Failed to retrieve information about 'X' from remote source 'http://feed/x/index.json'."
DOWNLOAD = "/NuGet.targets(198,5): error : Failed to download package 'X.1.2.3' from 'http://feed/x.1.2.3.nupkg'. [/p.csproj]"
LISTS = "/NuGet.targets(198,5): error : The feed 'feed [http://feed/v3/index.json]' lists package 'X.1.2.3' but multiple attempts to download the nupkg have failed. [/p.csproj]"
INDEX = "/p.csproj : error NU1301: Unable to load the service index for source http://feed/v3/index.json."
NO_NAME = "/p.csproj : error NU1301:   Name or service not known (feed:80)"


def status(code, reason, prefix="/p.csproj : error NU1301:"):
    return f"{prefix}   Response status code does not indicate success: {code} ({reason})."


class SqlClient(unittest.TestCase):
    """Tests which version eng/sqlclient.sh chooses after each possible result of restoring the supported version."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.mkdir(os.path.join(self.folder, "eng"))
        shutil.copy(PROGRAM, os.path.join(self.folder, "eng"))
        self.props = os.path.join(self.folder, "build", "sqlclient.props")

    def choose(self, code, *lines):
        """Runs the script. Returns its exit code, the chosen version or None, and the text on standard error."""
        bin_folder = os.path.join(self.folder, "bin")
        os.makedirs(bin_folder, exist_ok=True)
        dotnet = os.path.join(bin_folder, "dotnet")
        with open(dotnet, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\ncat <<'TEXT'\n" + "".join(f"{line}\n" for line in lines) + f"TEXT\nexit {code}\n")
        os.chmod(dotnet, 0o755)
        done = subprocess.run(
            [os.path.join(self.folder, "eng", "sqlclient.sh")], env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False)
        version = None
        if os.path.exists(self.props):
            with open(self.props, encoding="utf-8") as file:
                version = file.read().partition("<SqlClientVersion>")[2].partition("<")[0]
        return done.returncode, version, done.stderr

    def test_a_feed_that_serves_it(self):
        self.assertEqual((0, "6.1.8", ""), self.choose(0))

    def test_a_feed_that_says_no(self):
        for lines in [(UNKNOWN,), (NO_VERSION, UNKNOWN), (DOWNGRADE,), (RETRIEVE, status(403, "Forbidden")), (DOWNLOAD, status(404, "Not Found", "/NuGet.targets(198,5): error :"), LISTS)]:
            with self.subTest(lines=lines):
                self.assertEqual((0, "2.1.4", ""), self.choose(1, *lines))
                os.remove(self.props)

    def test_a_feed_that_does_not_answer_chooses_nothing(self):
        for lines in [(INDEX, NO_NAME), (INDEX, status(403, "Forbidden")), (INDEX, status(503, "Service Unavailable")), (RETRIEVE, status(500, "Internal Server Error")),
                      (RETRIEVE, NO_NAME), (RETRIEVE, status(429, "Too Many Requests")), (UNKNOWN, INDEX, NO_NAME), (UNKNOWN, RETRIEVE, status(401, "Unauthorized")),
                      (DOWNLOAD, status(500, "Internal Server Error", "/NuGet.targets(198,5): error :"), LISTS), ("error : No space left on device",), ()]:
            with self.subTest(lines=lines):
                code, version, said = self.choose(1, *lines)
                self.assertEqual((1, None), (code, version))
                self.assertIn("Nothing was chosen", said)
                for line in lines:
                    self.assertIn(line, said)

    def test_a_choice_stands(self):
        self.assertEqual((0, "6.1.8", ""), self.choose(0))
        self.assertEqual((0, "6.1.8", ""), self.choose(1, UNKNOWN))
        self.assertEqual((0, "6.1.8", ""), self.choose(1, INDEX, NO_NAME))


if __name__ == "__main__":
    unittest.main()
