"""Tests of the scripts in `skills/`. Run: python3 -m unittest discover tests/skills"""

import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SKILLS = Path(__file__).resolve().parents[2] / "skills"
PROFILE = SKILLS / "data/explore-tables/scripts/profile_table.py"
ONLY_NEW = SKILLS / "automation/scheduled-reports/scripts/only_new.py"


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def run_script(self, script, *arguments):
        command = [sys.executable, str(script), *map(str, arguments)]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, encoding="utf-8", timeout=120)


class ProfileTable(InFolder):
    def profile(self, content, *options, name="data.csv", status=0):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return self.profile_file(name, *options, status=status)

    def profile_file(self, name, *options, status=0):
        done = self.run_script(PROFILE, name, "--json", *options)
        self.assertEqual(done.returncode, status, done.stderr)
        return json.loads(done.stdout)

    def only_table(self, *arguments, **named):
        (table,) = self.profile(*arguments, **named)["tables"]
        return table

    def test_a_german_export_keeps_its_notation(self):
        table = self.only_table("\ufeffName;Preis;PLZ\r\nTee;1.234,50;01067\r\n\"a; b\";2,5;80331\r\n")
        self.assertEqual([column["name"] for column in table["columns"]], ["Name", "Preis", "PLZ"])
        self.assertEqual((table["encoding"], table["delimiter"], table["rows"]), ("utf-8-sig", ";", 2))
        self.assertEqual(table["columns"][1]["number"]["max"], 1234.5)
        self.assertEqual(table["columns"][2]["kinds"], {"padded": 1, "integer": 1})

    def test_rows_of_another_length_are_named_with_their_line(self):
        report = self.profile("a,b,c\n1,2,3\n4,5\n6,7,8,9\n\n10,11,12\n", status=1)
        expected = ["rows of 2 cells instead of 3 (line 3)", "rows of 4 cells instead of 3 (line 4)", "empty lines (line 5)"]
        self.assertEqual(report["problems"], expected)
        self.assertEqual((report["tables"][0]["rows"], report["tables"][0]["columns"][2]["empty"]), (4, 1))

    def test_quotes_and_line_breaks_in_cells_are_read(self):
        table = self.only_table('id,text\n1,"He said ""hi"", twice"\n2,"two\nlines"\n3,5" pipe\n')
        self.assertEqual(table["rows"], 3)
        self.assertEqual(table["rows_with_line_breaks"], {"rows": 1, "most_lines": 2, "at_line": 3})

    def test_a_quote_that_is_never_closed_is_a_problem(self):
        rest = "".join(f"{number},x\n" for number in range(3, 200))
        at_end = self.profile('id,text\n1,ok\n2,"open\n' + rest, status=1)
        self.assertIn("never closed: the rest of the file, to line 200", at_end["problems"][0])
        within = self.profile('id,text\n1,ok\n2,"open\n' + rest + '200,"x"\n201,z\n', status=1)
        self.assertIn("a row of 199 lines", within["problems"][0])

    def test_files_without_rows_are_a_problem(self):
        for content in ["", "\ufeff", "\n\n"]:
            self.assertIn("the file has no rows", self.profile(content, status=1)["problems"])

    def test_a_title_above_the_table_is_skipped(self):
        report = self.profile("Report 2024\n\nid,name\n1,a\n2,b\n3,c\n4,d\n5,e\n", status=1)
        self.assertEqual((report["tables"][0]["header_line"], report["tables"][0]["rows"]), (3, 5))

    def test_text_with_commas_is_one_column(self):
        table = self.only_table("comment\nHello, you\nWell, this, is\nfine\n")
        self.assertEqual((table["delimiter"], len(table["columns"]), table["rows"]), ("none found", 1, 3))

    def test_encodings_are_recognised(self):
        self.assertEqual(self.only_table("name\nMünchen\n".encode("cp1252"))["encoding"], "cp1252")
        self.assertEqual(self.only_table("a\tb\n1\tü\n".encode("utf-16"))["columns"][1]["kinds"], {"text": 1})
        late = b"name,x\n" + b"abc,1\n" * 200_000 + b"M\xfcn,2\n"
        self.assertIn("bytes that are not utf-8", self.profile(late, status=1)["problems"][0])

    def test_estimates_and_counts_of_many_values_are_close(self):
        table = self.only_table("id,group\n" + "".join(f"{n},g{n % 7}\n" for n in range(50_000)))
        unique, group = table["columns"]
        self.assertFalse(unique["distinct_is_exact"])
        self.assertAlmostEqual(unique["distinct"], 50_000, delta=5_000)
        self.assertEqual((group["distinct"], group["distinct_is_exact"], group["frequent"][0]), (7, True, ["g0", 7143]))

    def test_json_in_its_forms_is_read(self):
        rows = [{"a": n, "b": {"c": 1.5}, **({"late": True} if n > 5 else {})} for n in range(10)]
        table = self.only_table(json.dumps(rows), name="a.json")
        self.assertEqual([(c["name"], c["empty"]) for c in table["columns"]], [("a", 0), ("b.c", 0), ("late", 6)])
        members = self.profile('{"version": 3, "rows": [{"a": 1}, {"a": 2}]}', name="b.json")["tables"]
        self.assertEqual([table["rows"] for table in members], [2, 1])
        lines = self.profile('{"a":1}\n{bad\n{"a":2}\n', name="c.jsonl", status=1)
        self.assertEqual((lines["tables"][0]["rows"], lines["problems"][0][-8:]), (2, "(line 2)"))

    def test_damaged_json_keeps_the_rows_before_the_damage(self):
        report = self.profile('[{"a":1},{"a":2},{"a":', name="a.json", status=1)
        self.assertEqual(report["tables"][0]["rows"], 2)
        self.assertIn("damaged JSON", report["problems"][0])
        self.assertIn("damaged JSON", self.profile("[" * 200_000, name="b.json", status=1)["problems"][0])

    def test_numbers_are_not_cut_where_a_part_of_the_file_ends(self):
        table = self.only_table("[" + ",".join(["12.5"] * 200_000) + "]", name="a.json")
        self.assertEqual((table["rows"], table["columns"][0]["distinct"]), (200_000, 1))

    def test_sqlite_is_read_and_not_changed(self):
        database = sqlite3.connect(self.folder / "a.db")
        database.execute('CREATE TABLE "we""ird" (id INTEGER PRIMARY KEY, "a b" TEXT, data BLOB)')
        database.executemany('INSERT INTO "we""ird" VALUES (?, ?, ?)', [(1, "x", b"1"), (2, None, b"2")])
        database.commit()
        database.close()
        before = (self.folder / "a.db").read_bytes()
        (table,) = self.profile_file("a.db")["tables"]
        self.assertEqual([column["empty"] for column in table["columns"]], [0, 1, 0])
        self.assertEqual((self.folder / "a.db").read_bytes(), before)

    def test_compressed_files_are_read(self):
        self.assertEqual(self.only_table(gzip.compress(b"a,b\n1,2\n"), name="a.csv.gz")["rows"], 1)

    def test_what_cannot_be_read_has_a_reason(self):
        long_line = b"a,b\n" + b"x" * (17 * 1024 * 1024)
        for content, reason in [(b"PK\x03\x04", "ZIP"), (bytes(range(256)) * 9, "binary"), (long_line, "line 2 is longer")]:
            (self.folder / "a").write_bytes(content)
            done = self.run_script(PROFILE, "a")
            self.assertEqual((done.returncode, reason in done.stderr), (2, True), done.stderr)
        self.assertEqual(self.run_script(PROFILE, "missing").returncode, 2)


class OnlyNew(InFolder):
    def compare(self, lines, *options, status=0):
        (self.folder / "new.txt").write_text(lines, encoding="utf-8")
        done = self.run_script(ONLY_NEW, "--state", "list.json", *options, "new.txt")
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.splitlines()

    def test_only_changes_are_printed(self):
        self.assertEqual(self.compare("a\nb\n"), [])
        self.assertEqual(self.compare("b\r\n\na\n"), [])
        self.assertEqual(self.compare("a\nc\n"), ["new: c", "gone: b"])
        self.assertEqual(self.compare("a\nc\n"), [])
        last = self.run_script(ONLY_NEW, "--state", "list.json", "--last").stdout
        self.assertTrue(last.endswith("\nnew: c\ngone: b\n"), last)

    def test_a_key_makes_one_change_of_two(self):
        self.compare("a 1 at 10:00\nb 2\n", "--key", r"^(\S+)", "--ignore", r" at [\d:]+")
        changed = self.compare("a 1 at 11:00\nb 3\n", "--key", r"^(\S+)", "--ignore", r" at [\d:]+")
        self.assertEqual(changed, ["changed: b 2 -> b 3"])

    def test_an_empty_list_is_a_failure_that_changes_nothing(self):
        self.compare("a\n")
        self.compare("\n", status=3)
        self.assertEqual(self.compare("a\n"), [])
        self.assertEqual(self.compare("", "--allow-empty"), ["gone: a"])

    def test_alarms_are_reported_at_once(self):
        self.assertEqual(self.compare("full\n", "--report-first"), ["new: full"])
        self.assertEqual(self.compare("other\n", "--no-gone"), ["new: other"])

    def test_many_changes_are_counted(self):
        self.compare("a\n")
        self.assertEqual(self.compare("".join(f"{n:03}\n" for n in range(200)), "--max", "2"), ["new: 000", "new: 001", "and 199 more changes"])

    def test_a_damaged_state_is_kept(self):
        (self.folder / "list.json").write_text("{}")
        self.compare("a\n", status=2)
        self.assertEqual((self.folder / "list.json").read_text(), "{}")
        self.assertEqual(sorted(os.listdir(self.folder)), ["list.json", "new.txt"])


if __name__ == "__main__":
    unittest.main()
