"""What an answer of the wrong type is called, and what can be iterated over."""

import unittest

from sipc_family import Block, Chunk, Session, server
from sipc_family.faults import WrongAnswer, described, expect


class WrongAnswers(unittest.TestCase):
    def test_names_what_came(self):
        for value, name in ((None, "None"), (7, "an int"), (Block(), "a Block"), (Session, "the class Session itself")):
            self.assertEqual(described(value), name)
        with self.assertRaisesRegex(WrongAnswer, "map must return a Block, not a str"):
            expect("block", Block, "map must return a Block")

    def test_chunks_come_from_anything_that_iterates(self):
        chunk = Chunk.of_rows([[0]])
        for answer in [chunk], (chunk,), iter([chunk]), (c for c in [chunk]):
            self.assertEqual(list(server._chunks(answer)), [chunk])
        with self.assertRaisesRegex(WrongAnswer, "but it returned a Chunk: write `yield` before each"):
            server._chunks(chunk)


if __name__ == "__main__":
    unittest.main()
