import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import prose  # noqa: E402


class Sentences(unittest.TestCase):
    """Tests that the sentences of every kind of file are found, and that nothing else is taken for a sentence."""

    def texts(self, path, text):
        return [(sentence.line, sentence.text) for sentence in prose.sentences(path, text)]

    def test_page(self):
        page = "# What is a title\nFirst line\nand its end. Second one.\n\n```\nWhat is code is no prose.\n```\n- An item\n  in two lines.\n\n| head | 7 |\n|---|---|\n| a cell | another |\n"
        self.assertEqual(
            [(2, "First line and its end."), (2, "Second one."), (8, "An item in two lines."), (11, "head"), (13, "a cell"), (13, "another")],
            self.texts("a.md", page))

    def test_c(self):
        source = (
            'var a = "// no comment";\n/// <summary>Reads <see cref="A.B"/> of\n/// <paramref name="c"/>.</summary>\n/// <param name="c">The <c>d</c>.</param>\nint b;  // One.\nint c;  // Two.\n\n'
            '/* Three,\n * and more. */\n')
        self.assertEqual([(2, "Reads `B` of `c`."), (2, "The `d`."), (5, "One."), (6, "Two."), (8, "Three, and more.")], self.texts("a.cs", source))

    def test_others(self):
        self.assertEqual([(1, "A module."), (3, "Says it."), (4, "A reason that is two lines long.")], self.texts("a.py", '"""A module."""\ndef f():\n    """Says it."""\n    # A reason that\n    # is two lines long.\n    return "# x"\n'))
        self.assertEqual([(2, "One table.")], self.texts("a.sql", "SELECT 1;\n-- One\n-- table.\n"))
        self.assertEqual([(2, "A step.")], self.texts("a.sh", "#!/bin/bash\n# A step.\nrun\n"))
        self.assertEqual([(1, "A reason.")], self.texts("a.csproj", "<Project><!-- A reason. --></Project>\n"))

    def test_descriptions_of_an_interface(self):
        document = '{"paths": {"/a": {"get": {"summary": "Says \\"yes\\".", "operationId": "a", "responses": {"200": {"description": "The answer. Or not."}}}}}}'
        self.assertEqual(['Says "yes".', "The answer.", "Or not."], [text for _, text in self.texts("docs/spec/openapi/query-service.json", document)])
        self.assertEqual([], self.texts("package.json", document))

    def test_literals_hide_no_comment(self):
        self.assertEqual([(1, "It is one.")], self.texts("a.cc", "int a = 1'000 * b['x'];  // It is one.\n"))

    def test_unknown_files_have_none(self):
        self.assertEqual([], self.texts("a.json", '"// x"\n'))

    def test_abbreviations_end_no_sentence(self):
        self.assertEqual([(1, "A board, e.g. A folder.")], self.texts("a.md", "A board, e.g. A folder.\n"))


class Forms(unittest.TestCase):
    """Tests that sentences with a refused form are found, and that plain sentences and questions are accepted."""

    def wrong(self, sentence):
        return len(list(prose.breaches("a.md", sentence + "\n")))

    def test_refused(self):
        for sentence in (
                "Who asks too often is told so.", "What was verified is kept.", "Those that wait are refused.", "Of each version a proof is returned.", "Usernames with versions are none.", "It is a file of none.",
                "HTTP/2 is to be had there.", "The service hands it out.", "A moment later it is a moment old.", "That is a good one.", "The note lies beside the file."):
            self.assertEqual(1, self.wrong(sentence), sentence)

    def test_plain(self):
        for sentence in ("Who asks?", "What does a reader need?", "Of course it does.", "None of them is read.", "`what is` none", "The type `Of` is read.", "The answer says what is wrong."):
            self.assertEqual(0, self.wrong(sentence), sentence)


if __name__ == "__main__":
    unittest.main()
