"""Blocks, chunks and matrices: what they hold, and what they refuse."""

import unittest
from array import array

from sipc_family import Block, Chunk, Data, Label, Matrix, wire
from sipc_family.block import packed, unpacked
from sipc_family.testing import Function, evaluations, table

try:
    import numpy
except ImportError:
    numpy = None


class Numbers(unittest.TestCase):
    def test_round_trip_keeps_every_bit(self):
        numbers = [0.1, -0.0, 5e-324, float("inf"), 1e308]
        self.assertEqual(packed("d", numbers).tobytes(), unpacked("d", packed("d", numbers)).tobytes())
        self.assertEqual(list(unpacked("i", packed("i", [-1, 2**31 - 1, -(2**31)]))), [-1, 2**31 - 1, -(2**31)])

    def test_what_does_not_fit_is_refused(self):
        with self.assertRaises(OverflowError):
            packed("i", [2**31])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_numpy_arrays_are_taken(self):
        for kind in ("i4", "i8", ">i4", "u1"):
            self.assertEqual(packed("i", numpy.array([1, 2, 3], kind)).tobytes(), array("i", [1, 2, 3]).tobytes(), kind)
        strided = numpy.arange(10.0)[::3]
        self.assertEqual(list(unpacked("d", packed("d", strided))), [0.0, 3.0, 6.0, 9.0])

    @unittest.skipIf(numpy is None, "numpy is not installed")
    def test_a_matrix_is_a_numpy_array(self):
        x = numpy.arange(6.0).reshape(2, 3)
        m = Matrix.of(x.T)
        self.assertEqual((m.rows, m.cols, m.row(1)), (3, 2, [1.0, 4.0]))
        self.assertTrue((m.numpy() == x.T).all())


class Matrices(unittest.TestCase):
    def test_rows_and_columns(self):
        m = Matrix.of([[1, 2, 3], [4, 5, 6]])
        self.assertEqual((len(m), m.cols, m.row(1), m.column(1)), (2, 3, [4.0, 5.0, 6.0], [2.0, 5.0]))

    def test_rows_of_another_length_are_refused(self):
        m = Matrix.of([[1, 2]])
        with self.assertRaisesRegex(ValueError, "3 numbers in a matrix of 2 columns"):
            m.append([1, 2, 3])


class Blocks(unittest.TestCase):
    def test_terms(self):
        b = Block()
        b.end()
        b.term(2.0, b.new_point([1.0]), label=b.new_label(Label([1], [0.5])))
        b.term(1.0, 3, b.new_tangent([7.0]))
        b.end()
        self.assertEqual((len(b), list(b.start), list(b.point), list(b.tangent), list(b.label)), (2, [0, 0, 2], [-1, 3], [-1, 0], [0, -1]))

    def test_values_are_those_of_the_function(self):
        data = table(5, 3, 2)
        f = Function(3, 2)
        values = f.values(evaluations(data), data)
        self.assertEqual(values, [f.at(data.rows.row(i), data.labels[i]) for i in range(5)])
        x, v, h = data.rows.row(0), [0.3, -1.0, 0.2], 1e-6
        step = lambda s: f.at([a + s * b for a, b in zip(x, v)], data.labels[0])
        self.assertAlmostEqual(f.along(x, v, data.labels[0]), (step(h) - step(-h)) / (2 * h), 6)

    def test_chunks_of_rows(self):
        c = Chunk.of_rows([[1, 2], [3, 4]], labels=[[0, 1]])
        self.assertEqual((c.count, [list(b.point) for b in c.points]), (2, [[1, 2], [3, 4]]))
        with self.assertRaisesRegex(ValueError, r"\[1, 2\] elements"):
            Chunk.of_rows([[1, 2], [3]])
        self.assertEqual(Chunk.of_rows([[]]).count, 0)

    def test_large_blocks_go_in_small_parts_and_come_back(self):
        b = Block.of_rows(range(300_000))
        b.points = Matrix.of([[float(i)] * 100 for i in range(4000)])
        b.labels = [Label([0, 2], [1.0, 0.25])] * 70_000
        pieces = wire._Pieces()
        parts = list(wire.block_parts(b, lambda part: part))
        self.assertGreater(len(parts), 8)
        for part in parts:
            self.assertLessEqual(part.ByteSize(), wire.PART_SIZE + 1024)
            pieces.add(part, *wire._FIELDS)
        self.assertEqual([p.last for p in parts], [False] * (len(parts) - 1) + [True])
        head = wire.messages.CallPart().head
        got = wire.map_call(head, [], pieces, 100, None).at
        self.assertEqual((got.start, got.coef, got.point, got.points.data), (b.start, b.coef, b.point, b.points.data))
        self.assertEqual(list(got.labels[-1].value), [1.0, 0.25])


class Preparation(unittest.TestCase):
    def test_raw_and_prepared(self):
        d = Data(Matrix.of([[1.0, 2.0]]), offset=[10.0, 0.0], scale=[2.0, 4.0])
        self.assertEqual((d.raw(0, 1.0), d.prepared(0, 12.0), d.raw(1, 2.0)), (12.0, 1.0, 8.0))
        self.assertEqual(Data(Matrix.of([[1.0]])).raw(0, 3.0), 3.0)


if __name__ == "__main__":
    unittest.main()
