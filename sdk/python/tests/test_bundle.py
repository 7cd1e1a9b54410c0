"""A program is the same bytes whenever it is made, and appears whole or not at all."""

import filecmp
import os
import subprocess
import sys
import tempfile
import unittest

from sipc_family.bundle import bundle, main

FAMILY = """
import helper
from sipc_family import Family, Schema, serve
class Empty(Family):
    def describe(self):
        return Schema(helper.NAME, "1.0.0")
serve(Empty())
"""


class Bundles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.source = self.write("empty.py", FAMILY)
        self.helper = self.write("helper.py", 'NAME = "empty"\n')

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def test_the_same_files_give_the_same_bytes(self):
        out = [os.path.join(self.folder, name) for name in ("a", "b")]
        bundle(self.source, out[0], [self.helper])
        os.utime(self.source, (0, 0))
        bundle(self.source, out[1], [self.helper])
        self.assertTrue(filecmp.cmp(*out, shallow=False))

    def test_the_program_says_what_it_is(self):
        out = os.path.join(self.folder, "program")
        main(["bundle", self.source, self.helper, "-o", out, "--python", sys.executable])
        done = subprocess.run([out], capture_output=True, text=True, cwd="/", env={}, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn('use empty from "', done.stderr)

    def test_what_is_missing_is_named(self):
        with self.assertRaises(SystemExit) as e:
            main(["bundle", "/nowhere/empty.py", "-o", os.path.join(self.folder, "program")])
        self.assertIn("/nowhere/empty.py", str(e.exception))
        self.assertNotIn("program", os.listdir(self.folder))


if __name__ == "__main__":
    unittest.main()
