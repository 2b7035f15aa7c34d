import os
import re
import subprocess
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


class Version(unittest.TestCase):
    """Tests that the version number is only in Directory.Build.props, that CMake reads it from there, and that the changelog describes the
    release with this number."""

    def setUp(self):
        self.number, = re.findall(r"<VersionPrefix>(\d+\.\d+\.\d+)</VersionPrefix>", read("Directory.Build.props"))

    def test_the_changelog_begins_with_it(self):
        released = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$", read("CHANGELOG.md"), re.MULTILINE)
        self.assertEqual(released[0], ("Unreleased", ""))
        self.assertEqual(released[1][0], self.number)
        self.assertTrue(all(day for _, day in released[1:]), released)

    def test_cmake_takes_it_from_there(self):
        lists = read("CMakeLists.txt")
        head = lists[:lists.index("set_property(")].replace("LANGUAGES C CXX", "LANGUAGES NONE")
        with tempfile.TemporaryDirectory() as folder:
            for path, text in (("Directory.Build.props", "<VersionPrefix>7.8.9</VersionPrefix>\n"),
                               ("CMakeLists.txt", head + 'message(STATUS "version ${PROJECT_VERSION}")\n')):
                with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run(["cmake", "-S", folder, "-B", os.path.join(folder, "build")], capture_output=True, text=True, check=True)
        self.assertIn("version 7.8.9", done.stdout)


if __name__ == "__main__":
    unittest.main()
