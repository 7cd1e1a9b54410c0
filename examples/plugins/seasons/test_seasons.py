"""Tests of the family seasons: python3 -m unittest, with sipc_family on the path."""

import unittest

from seasons import Seasons
from sipc_family import DomainCall, UserError, Value
from sipc_family.testing import Function, table


def call(period=24.0, ahead=2):
    return DomainCall("seasons", [
        Value("column", "column", index=1), Value("period", "number", number=period), Value("ahead", "count", number=ahead),
    ])


class Points(unittest.TestCase):
    def expanded(self, data, **how):
        chunks = list(Seasons().open(data).expand(call(**how)))
        self.assertEqual(len(chunks), 1)
        return chunks[0]

    def test_f_is_that_of_the_moved_rows(self):
        for labels in (0, 3):
            data = table(7, 3, labels)
            data.offset, data.scale = [0.0, 100.0, 0.0], [1.0, 8.0, 1.0]
            f = Function(3, labels)
            chunk = self.expanded(data)
            now, later = (f.values(block, data) for block in chunk.points)
            self.assertEqual(chunk.count, 14)
            for k in range(2):
                for row in range(7):
                    for values, periods in ((now, k), (later, k + 1)):
                        x = data.rows.row(row)
                        x[1] = data.prepared(1, data.raw(1, x[1]) + 24.0 * periods)
                        want = f.at(x, data.labels[row] if labels else None)
                        self.assertAlmostEqual(values[7 * k + row], want, 12)

    def test_what_comes_back_breaks_nothing(self):
        data = table(5, 2)
        chunk = self.expanded(data, period=3.0)
        for now, later in zip(chunk.points[0].point, chunk.points[1].points.column(1)):
            self.assertAlmostEqual(later - (data.rows.row(now)[1] if now >= 0 else chunk.points[0].points.row(-1 - now)[1]), 3.0)

    def test_many_elements_come_in_chunks(self):
        chunks = list(Seasons().open(table(3000, 2)).expand(call(ahead=3)))
        self.assertEqual([c.count for c in chunks], [4096, 4096, 808])

    def test_too_many_are_refused(self):
        with self.assertRaisesRegex(UserError, "give a smaller ahead"):
            list(Seasons().open(table(3000, 2)).expand(call(ahead=100000)))

    def test_no_rows_make_no_chunk(self):
        self.assertEqual(list(Seasons().open(table(0, 2)).expand(call())), [])


if __name__ == "__main__":
    unittest.main()
