import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "eng"))
import make_facts  # noqa: E402

HEADER = "ozks/verify/include/optiks/ozks/verify/facts.h"


class MakeFacts(unittest.TestCase):
    """Tests make_facts.py on a copy of facts.toml and of all files that are generated from it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for path in (make_facts.SOURCE, *make_facts.MADE):
            os.makedirs(os.path.join(self.root, os.path.dirname(path)), exist_ok=True)
            shutil.copy(os.path.join(ROOT, path), os.path.join(self.root, path))

    def stale(self):
        return [path for path, _ in make_facts.stale(self.root)]

    def change(self, path, old, new):
        with open(os.path.join(self.root, path), encoding="utf-8") as file:
            text = file.read()
        self.assertIn(old, text)
        with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
            file.write(text.replace(old, new, 1))

    def test_nothing_is_stale(self):
        self.assertEqual([], self.stale())

    def test_a_fact_that_changed_is_found_wherever_it_is_stated(self):
        self.change(make_facts.SOURCE, "record = [386,", "record = [387,")
        self.assertEqual({HEADER, "ozks/include/optiks/types.h", "common/src/Protocol/Lengths.cs", "tests/reference/facts.py"}, set(self.stale()))

    def test_what_was_changed_by_hand_is_found_and_made_again(self):
        for path, old, new in ((HEADER, "386", "387"), ("docs/spec/reasons.md", "| 31 | `member_root`", "| 32 | `member_root`"),
                               ("ozks/include/optiks/types.h", "OPTIKS_RECORD_LEN = 386", "OPTIKS_RECORD_LEN = 387")):
            self.change(path, old, new)
            (found, wanted), = make_facts.stale(self.root)
            self.assertEqual(path, found)
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), wanted)
            self.change(path, new, old)

    def test_a_file_that_is_missing_is_stale(self):
        os.remove(os.path.join(self.root, HEADER))
        self.assertEqual([HEADER], self.stale())

    def test_what_people_write_around_a_part_stays(self):
        self.change("docs/spec/reasons.md", "# Verdicts and reasons", "# Other words")
        self.assertEqual([], self.stale())

    def test_a_part_that_is_not_there_is_an_error(self):
        self.change("docs/spec/tree.md", "facts: structures,", "structures,")
        with self.assertRaisesRegex(ValueError, "tree.md"):
            self.stale()

    def test_contradictions_are_errors(self):
        for old, new in (("member_root = [31,", "member_root = [30,"), ("leaf = [0x01,", "leaf = [0x02,"), ("id = 2", "id = 3"), ("e_buffer = [-2,", "e_buffer = [-3,")):
            self.change(make_facts.SOURCE, old, new)
            with self.assertRaisesRegex(ValueError, "facts.toml"):
                self.stale()
            self.change(make_facts.SOURCE, new, old)

    def test_check_fails_on_a_stale_file(self):
        shutil.copytree(os.path.join(ROOT, "eng"), os.path.join(self.root, "eng"), ignore=shutil.ignore_patterns("__pycache__"))
        program = os.path.join(self.root, "eng/make_facts.py")

        def run(*arguments):
            return subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=False)

        self.assertEqual((0, ""), (run("--check").returncode, run("--check").stdout))
        self.change(HEADER, "386", "387")
        done = run("--check")
        self.assertEqual(1, done.returncode)
        self.assertIn(HEADER, done.stdout)
        self.assertEqual(0, run().returncode)
        self.assertEqual(0, run("--check").returncode)


INTEGER = re.compile(r"uint(\d+)\s+\w+")
OPAQUE = re.compile(r"opaque\s+\w+\[(\d+)\]")
OTHER = re.compile(r"(\w+)\s+\w+(?:\[(\d+)\])?")


def pages():
    folder = os.path.join(ROOT, "docs/spec")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".md"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                yield file.read()


class Pages(unittest.TestCase):
    """Tests that the parts of the specification that people write agree with the facts."""

    @classmethod
    def setUpClass(cls):
        cls.facts = make_facts.load(ROOT)
        cls.text = "\n".join(pages())
        cls.structs = dict(reversed(found) for found in re.findall(r"^struct \{\n(.*?)^\} (\w+);", cls.text, re.M | re.S))

    def octets(self, struct):
        """Returns the length of a structure that has a fixed length, computed from its definition in the specification."""
        length = 0
        for field in re.sub(r"//.*", "", self.structs[struct]).split(";"):
            if found := INTEGER.search(field):
                length += int(found[1]) // 8
            elif found := OPAQUE.search(field):
                length += int(found[1])
            elif found := OTHER.search(field):
                length += self.octets(found[1]) * int(found[2] or 1)
        return length

    def test_lengths_are_those_of_the_structures(self):
        for name, struct in (("record", "EpochRecord"), ("structure_state", "StructureState"), ("added_leaf", "AddedLeaf")):
            self.assertEqual(self.octets(struct), self.facts["lengths"][name][0], struct)
        self.assertEqual({str(self.facts["vrf_lengths"]["proof"][0])}, set(re.findall(r"opaque vrf_proof\[(\d+)\]", self.text)))
        self.assertEqual({str(self.facts["lengths"]["record"][0])}, set(re.findall(r"opaque record\[(\d+)\]", self.text)))

    def test_bounds_are_those_of_the_vectors(self):
        limits = self.facts["limits"] | self.facts["vector_limits"]
        records = self.facts["lengths"]["record"][0]
        for vector, low, high in (("siblings", 0, limits["max_siblings_len"][0]), ("inclusion", 0, limits["max_log_proof_len"][0]),
                                  ("consistency", 0, limits["max_log_proof_len"][0]), ("key", 1, limits["max_key_len"][0]),
                                  ("records", 2 * records, (limits["max_range_epochs"][0] + 1) * records)):
            self.assertEqual({(str(low), str(high))}, set(re.findall(rf"\b{vector}<(\d+)\.\.(\d+)>", self.text)), vector)

    def test_hash_tags_are_those_in_use(self):
        used = {int(tag, 16) for tag in re.findall(r"\bH\((0x\d\d)", self.text)}
        self.assertEqual({tag for tag, _, _ in self.facts["hash_tags"].values()}, used)

    def test_media_types_are_those_of_the_pages(self):
        with open(os.path.join(ROOT, "docs/operations/snapshots.md"), encoding="utf-8") as file:
            named = set(re.findall(r"application/vnd\.optiks\.([a-z-]+)", self.text + file.read()))
        self.assertEqual(set(self.facts["media_types"]), named)


if __name__ == "__main__":
    unittest.main()
