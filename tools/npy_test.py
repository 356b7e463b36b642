import os
import tempfile
import unittest

import npy


class NpyTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "a.npy")

    def test_round_trip(self):
        for dtype in ("f64", "f32", "f16", "i32"):
            npy.write(self.path, dtype, (2, 3), [1, -2, 3, 0, 5, -6])
            self.assertEqual(npy.read(self.path), ((2, 3), [1, -2, 3, 0, 5, -6]))

    def test_layout_is_numpys(self):
        npy.write(self.path, "f32", (3,), [1.0, 2.0, 3.0])
        with open(self.path, "rb") as file:
            data = file.read()
        self.assertEqual(data[:8], b"\x93NUMPY\x01\x00")
        self.assertEqual((len(data) - 12) % 64, 0)
        self.assertEqual(data[-13:-12], b"\n")
        self.assertIn(b"'shape': (3, )", data)

    def test_bf16_rounds_to_nearest_even(self):
        self.assertEqual(npy.bf16_bits(1.0), 0x3F80)
        self.assertEqual(npy.bf16_bits(1 + 2**-8), 0x3F80)  # half way, down to even
        self.assertEqual(npy.bf16_bits(1 + 3 * 2**-8), 0x3F82)  # half way, up to even
        self.assertEqual(npy.bf16_bits(1 + 2**-8 + 2**-20), 0x3F81)
        self.assertEqual(npy.bf16_bits(-0.0), 0x8000)
        self.assertEqual(npy.bf16_value(0x3F81), 1 + 2**-7)

    def test_another_format_is_refused(self):
        with open(self.path, "wb") as file:
            file.write(b"not an array")
        with self.assertRaisesRegex(ValueError, "is not a .npy file"):
            npy.read(self.path)


if __name__ == "__main__":
    unittest.main()
