"""The committed vectors are what the reference implementation says today."""

import unittest

import make_vectors


class VectorsTest(unittest.TestCase):
    def test_committed_files_are_current(self):
        for area in make_vectors.AREAS:
            for name, text in make_vectors.rendered(area).items():
                with self.subTest(name):
                    self.assertEqual((make_vectors.VECTORS / name).read_text(), text)


if __name__ == "__main__":
    unittest.main()
