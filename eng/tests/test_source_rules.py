import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import source_rules  # noqa: E402


class SourceRules(unittest.TestCase):
    """Tests each rule with a file that follows the rule and with a file that breaks it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def breaches(self, rule, files):
        for path, text in files.items():
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
        return len(list(rule(list(files))))

    def test_markers(self):
        self.assertEqual(0, self.breaches(source_rules.no_markers, {"a.cc": "// TODOS and methods\n", "Makefile": "all:\n"}))
        self.assertEqual(2, self.breaches(source_rules.no_markers, {"a.cc": "// TO" + "DO: x\n", "Makefile": "# FIX" + "ME\n"}))

    def test_text(self):
        self.assertEqual(0, self.breaches(source_rules.clean_text, {"a.cc": "int a;\n", "empty.py": ""}))
        for bad in ("int a;", "int a; \n", "int a;\r\n"):
            self.assertGreater(self.breaches(source_rules.clean_text, {"a.cc": bad}), 0, repr(bad))

    def test_links(self):
        files = {"docs/a.md": "[b](b.md#part) [c](../c/d.txt) [folder](../c) [web](https://x.org/y) `[code](nowhere.md)`\n", "docs/b.md": "", "c/d.txt": ""}
        self.assertEqual(0, self.breaches(source_rules.links_resolve, files))
        self.assertEqual(2, self.breaches(source_rules.links_resolve, files | {"docs/b.md": "[gone](c/d.txt)\n\n[too](../docs/x.md)\n"}))

    def test_citations(self):
        files = {"docs/a.md": "", "c/README.md": "", "c/a.cc": '// docs/a.md section 2, and README.md.\nopen("gone.md");\n', "b.py": "# <name>.md\n"}
        self.assertEqual(0, self.breaches(source_rules.citations_resolve, files))
        self.assertEqual(3, self.breaches(source_rules.citations_resolve, files | {"c/a.cc": "int a;  // a.md section 2\n/* docs/b.md\n * ../docs/c.md */\n"}))

    def test_vectors(self):
        files = {
            "docs/spec/page.md": "[rows](../../tests/vectors/area/rows.json)\n",
            "tests/vectors/README.md": "`rows.json`: `key`, `reason`\n",
            "tests/vectors/area/rows.json": '{"vectors": [{"key": 1, "reason": "valid"}]}',
            "tests/vectors/tlog/others.json": "{}",
        }
        self.assertEqual(0, self.breaches(source_rules.vectors_are_described, files))
        for path, text in (
                ("docs/spec/page.md", "rows.json\n"),
                ("tests/vectors/README.md", "`key`, `reason`\n"),
                ("tests/vectors/README.md", "`rows.json`: `key`\n"),
                ("tests/vectors/area/rows.json", '[{"key": 1, "reason": "valid", "more": 2}]')):
            self.assertEqual(1, self.breaches(source_rules.vectors_are_described, files | {path: text}), text)

    def test_english(self):
        self.assertEqual(0, self.breaches(source_rules.plain_english, {"a.md": "The client asks.\n", "a.cs": 'var a = "is none";\n', "CONTRIBUTING.md": "Who asks is told.\n"}))
        self.assertEqual(2, self.breaches(source_rules.plain_english, {"a.md": "Who asks is told.\n", "a.cs": "// It is none.\n"}))

    def test_includes(self):
        good = {
            "ozks/src/trie.cc": '#include "optiks/vrf/ecvrf.h"\n#include "trie.h"\n#include <vector>\n',
            "vrf/include/optiks/vrf/ecvrf.h": '#include "optiks/base/bytes.h"\n',
        }
        self.assertEqual(0, self.breaches(source_rules.cpp_includes, good))
        for path, line in (
                ("base/src/a.cc", "optiks/vrf/ecvrf.h"),
                ("vrf/src/a.cc", "optiks/ozks/trie.h"),
                ("ozks/src/a.cc", "../../vrf/src/fp.h"),
                ("ozks/src/a.cc", "vrf/src/fp.h"),
                ("vrf/include/optiks/vrf/a.h", "fp.h")):
            self.assertEqual(1, self.breaches(source_rules.cpp_includes, {path: f'#include "{line}"\n'}), line)

    def test_ozks_folders(self):
        good = {
            "ozks/include/optiks/optiks.h": '#include "optiks/types.h"\n#include "optiks/verdicts.h"\n',
            "ozks/verify/src/a.cc": '#include "optiks/ozks/verify/a.h"\n#include "optiks/vrf/ecvrf.h"\n#include "b.h"\n',
            "ozks/leaves/a.cc": '#include "leaves/a.h"\n#include "util/a.h"\n#include "optiks/ozks/verify/a.h"\n#include "optiks/types.h"\n',
            "ozks/directory/a.cc": '#include "stored/a.h"\n#include "linked/a.h"\n',
            "ozks/capi/a.cc": '#include "snapshot/a.h"\n#include "optiks/optiks.h"\n',
            "ozks/tests/a_test.cc": '#include "optiks/optiks.h"\n',
            "ozks/verify/tests/a_test.cc": '#include "directory/a.h"\n',
            "client/core/src/a.cc": '#include "optiks/ozks/verify/a.h"\n#include "names/username.h"\n',
        }
        self.assertEqual(0, self.breaches(source_rules.ozks_folders, good))
        for path, line in (
                ("ozks/verify/src/a.cc", "optiks/types.h"),
                ("ozks/verify/include/optiks/ozks/verify/a.h", "leaves/a.h"),
                ("ozks/verify/src/a.cc", "util/parallel.h"),
                ("ozks/util/a.h", "optiks/ozks/verify/a.h"),
                ("ozks/leaves/a.h", "trie/tree.h"),
                ("ozks/trie/a.cc", "linked/key_table.h"),
                ("ozks/linked/a.cc", "stored/page.h"),
                ("ozks/stored/a.h", "linked/key_table.h"),
                ("ozks/stored/a.h", "directory/directory.h"),
                ("ozks/directory/a.cc", "optiks/optiks.h"),
                ("ozks/pahd/a.cc", "snapshot/save.h"),
                ("ozks/snapshot/a.cc", "capi/capi_guard.h"),
                ("ozks/include/optiks/types.h", "optiks/optiks.h"),
                ("client/core/src/a.cc", "directory/directory.h"),
                ("vrf/src/a.cc", "optiks/ozks/verify/a.h"),
                ("ozks/directory/a.cc", "optiks/verdicts.h"),
                ("ozks/leaves/a.cc", "elsewhere/a.h"),
                ("vrf/src/a.cc", "optiks/types.h")):
            self.assertEqual(1, self.breaches(source_rules.ozks_folders, {path: f'#include "{line}"\n'}), f"{path}: {line}")
        self.assertEqual(1, self.breaches(source_rules.ozks_folders, {"ozks/elsewhere/a.cc": ""}))

    def test_coroutines(self):
        good = (
            "Task<int> f(Op& op, int a, std::vector<int> b) {\n  Task<int> t = g(op);\n  const int x = co_await t;\n  total_ =\n      co_await t;\n"
            "  // co_await g(op);\n  const auto no = [&](int y) { return y; };\n  co_return co_await t;\n}\n"
            "class P {\n  Task<int> get_return_object() { return Task<int>(this); }\n  Task(const Task&) = delete;\n};\n"
            "Task<int> start(const Options& options) { return f(options.op, 1, {}); }\n")
        self.assertEqual(0, self.breaches(source_rules.coroutines, {"client/core/src/a.cc": good, "vrf/src/a.cc": "co_await f();\n"}))
        for bad in (
                "x = co_await g(op);",
                "co_await t;",
                "if (co_await t) {",
                "x = 1 + co_await t;",
                "x += co_await t;",
                "x == co_await t;",
                "x = co_await t + 1;",
                "x = co_await t.u;",
                "f(co_await t);",
                "co_yield t;",
                "auto f = [&](int a) -> Task<int> { co_return a; };",
                "auto f = [] { if (a) { co_return 1; } };",
                "  Task<int> f(int a) { co_return a; }",
                "Task<int> C::f(int a) { co_return a; }",
                "Task<int> f(const std::string& a) { co_return 1; }",
                "Task<int> f(Op& op, std::string&& a) { co_return 1; }",
                "Task<std::vector<int>> f(Op& op,\n    const Question& a) { co_return 1; }"):
            self.assertEqual(1, self.breaches(source_rules.coroutines, {"client/core/src/a.cc": bad + "\n"}), bad)

    def test_project_references(self):
        def project(*references):
            return "<Project><ItemGroup>" + "".join(
                f'<ProjectReference Include="{r}" />' for r in references) + "</ItemGroup></Project>\n"

        files = {
            "common/src/C.csproj": project(),
            "sql/src/S.csproj": project("../../common/src/C.csproj"),
            "client/sdk/K.csproj": project("..\\..\\common\\src\\C.csproj"),
            "client/sdk/tests/K.Tests.csproj": project("../../../sql/src/S.csproj"),
        }
        self.assertEqual(0, self.breaches(source_rules.project_references, files))
        files["client/cli/L.csproj"] = project("../../sql/src/S.csproj")
        self.assertEqual(1, self.breaches(source_rules.project_references, files))
        files["client/web/W.csproj"] = project("../cli/L.csproj")
        self.assertEqual(2, self.breaches(source_rules.project_references, files), "through another project")

    def test_drivers_are_apart(self):
        files = {
            "sql/storage/src/S.csproj": "<Project />\n",
            "sql/sqlite/src/migrations/0001_create_tables.sql": "",
            "sql/postgresql/src/migrations/0001_create_tables.sql": "",
            "sql/sqlite/src/L.csproj": '<Project><ItemGroup><ProjectReference Include="../../storage/src/S.csproj" /></ItemGroup></Project>\n',
        }
        self.assertEqual(0, self.breaches(source_rules.project_references, files))
        files["sql/postgresql/src/P.csproj"] = '<Project><ItemGroup><ProjectReference Include="../../sqlite/src/L.csproj" /></ItemGroup></Project>\n'
        self.assertEqual(1, self.breaches(source_rules.project_references, files))
        files["sql/storage/src/S.csproj"] = '<Project><ItemGroup><ProjectReference Include="../../postgresql/src/P.csproj" /></ItemGroup></Project>\n'
        self.assertGreater(self.breaches(source_rules.project_references, files), 1)

    def test_secret_marks(self):
        mark = "  OPTIKS_SECRET(key, 32);\n"
        self.assertEqual(0, self.breaches(source_rules.secret_marks, {"vrf/src/secret_key.cc": mark, "vrf/tests/vrf_ct_test.cc": mark, "ozks/linked/a.cc": "// OPTIKS_SECRETS\n"}))
        self.assertEqual(2, self.breaches(source_rules.secret_marks, {"ozks/linked/a.cc": mark, "vrf/src/point.h": "OPTIKS_DECLASSIFY(p, 1);\n"}))

    def test_short_lines(self):
        name = "x" * 130
        good = {"a.cs": f"int {name};\nvar a = \"{name} {name}\";\n", "b.cs": f"// Generated by a script.\nint {name}, {name};\n", "c.h": f"int {name}, {name};\n"}
        self.assertEqual(0, self.breaches(source_rules.short_lines, good))
        self.assertEqual(3, self.breaches(source_rules.short_lines, good | {"a.cs": f"int {name}, y, {name};\n// {name} {name}\nvar a = F(\"x\", {name});\n"}))

    def test_short_files(self):
        good = {"a.cc": "x\n" * 500, "b.py": "", "tables.cc": "// Generated by make_tables.py.\n" + "1,\n" * 900, "a.md": "x\n" * 900, "a.json": "1\n" * 900}
        self.assertEqual(0, self.breaches(source_rules.short_files, good))
        self.assertEqual(2, self.breaches(source_rules.short_files, good | {"a.cc": "x\n" * 501, "b.py": "x\n" * 500 + "x"}))
        # A program that writes or reads generated files does not count as generated itself.
        self.assertEqual(1, self.breaches(source_rules.short_files, good | {"a.cc": "// Compares generated clients.\n" + "x\n" * 500}))

    def test_short_types(self):
        part = "namespace N;\n\npublic sealed partial class A\n"
        good = {"p/src/P.csproj": "<Project />\n", "p/tests/T.csproj": "<Project />\n", "p/src/A.cs": part + "//\n" * 297, "p/src/x/A.B.cs": part + "//\n" * 197,
                # Types of the same name in another project or namespace are other types; a part may have several types.
                "p/tests/A.cs": part + "//\n" * 100, "p/src/y/A.cs": part.replace("N", "M") + "//\n" * 100,
                "p/src/A.Generated.cs": "// Generated by make.py.\n" + part + "//\n" * 900,
                "p/src/OptiksClient.cs": "public partial class OptiksClient\n" + "//\n" * 400, "p/src/OptiksClient.X.cs": "public partial class OptiksClient\n" + "//\n" * 400}
        self.assertEqual(0, self.breaches(source_rules.short_types, good))
        self.assertEqual(1, self.breaches(source_rules.short_types, good | {"p/src/A.cs": part + "//\n" * 298}))
        for kind in ("readonly ref partial struct S", "partial record S", "internal partial record struct S", "static unsafe partial class S", "partial interface S"):
            files = {"p/src/P.csproj": "<Project />\n", "p/src/S.cs": f"{kind}\n" + "//\n" * 300, "p/src/S.X.cs": f"{kind}\n" + "//\n" * 300}
            self.assertEqual(1, self.breaches(source_rules.short_types, files))

    def test_solution(self):
        files = {"Optiks.slnx": '<Solution><Project Path="a/A.csproj" /></Solution>\n', "a/A.csproj": "<Project />\n"}
        self.assertEqual(0, self.breaches(source_rules.solution_lists_all, files))
        files["b/B.csproj"] = "<Project />\n"
        self.assertEqual(1, self.breaches(source_rules.solution_lists_all, files))
        del files["b/B.csproj"], files["a/A.csproj"]
        self.assertEqual(1, self.breaches(source_rules.solution_lists_all, files))


if __name__ == "__main__":
    unittest.main()
