"""cuda_launch.py against the driver that runs on the host."""

import ctypes
import hashlib
import json
import os
import tempfile
import unittest

from cuda_launch import Driver, evaluate, read_kernels

FAKE = os.path.join(os.environ.get("TEST_SRCDIR", "."), "ordo/tests/gpu/libfake_cuda.so")
COLUMNS = 40


class Tensor:
    """What the launcher needs of torch's: an address."""

    def __init__(self, words):
        self.words = (ctypes.c_uint16 * len(words))(*words)

    def data_ptr(self):
        return ctypes.addressof(self.words)


def bundle(directory, digest=None):
    code = b"\x7fELFright\n"
    with open(os.path.join(directory, "k.cubin"), "wb") as file:
        file.write(code)
    files = {"cubin": {"path": "k.cubin", "bytes": len(code), "sha256": digest or hashlib.sha256(code).hexdigest()}}
    arguments = [
        {"name": "x", "kind": "input", "dtype": "bf16", "shape": ["T", COLUMNS]},
        {"name": "w", "kind": "input", "dtype": "bf16", "shape": [COLUMNS]},
        {"name": "y", "kind": "output", "dtype": "bf16", "shape": ["T", COLUMNS]},
        {"name": "T", "kind": "dimension", "dtype": "i64"},
        {"name": "eps", "kind": "scalar", "dtype": "f32"},
    ]
    target = {"files": files, "launch": {"grid": [{"ceildiv": ["T", 2]}, 1, 1], "block": [64, 1, 1], "shared_bytes": 0}}
    entry = {"name": "k", "symbol": "fake_norm", "operator": "fake", "arguments": arguments,
             "targets": {"cuda.sm_90a": target}}
    with open(os.path.join(directory, "manifest.json"), "w", encoding="utf-8") as file:
        json.dump({"ordo_manifest": 1, "kernels": [entry]}, file)


class CudaLaunch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.driver = Driver(lambda: 0, FAKE)

    def test_formulas(self):
        self.assertEqual(evaluate({"ceildiv": [{"mul": ["T", 3]}, 4]}, {"T": 3}), 3)
        self.assertEqual(evaluate({"ceildiv": ["T", 4]}, {"T": 0}), 0)
        with self.assertRaises(KeyError):
            evaluate("U", {"T": 3})

    def test_launch_passes_every_argument(self):
        bundle(self.folder.name)
        (kernel,) = read_kernels(self.folder.name, "cuda.sm_90a")
        self.assertEqual((kernel.dtype, kernel.columns, kernel.scalars), ("bf16", COLUMNS, ["eps"]))
        x, w = Tensor(range(3 * COLUMNS)), Tensor([h % 3 for h in range(COLUMNS)])
        y = Tensor([7] * (4 * COLUMNS))
        kernel.launch(self.driver, [x, w, y], 3, {"eps": 1e-6})
        want = [i ^ ((i % COLUMNS) % 3 & 1) for i in range(3 * COLUMNS)]
        self.assertEqual(list(y.words), want + [7] * COLUMNS)

    def test_no_rows_launch_nothing(self):
        bundle(self.folder.name)
        (kernel,) = read_kernels(self.folder.name, "cuda.sm_90a")
        y = Tensor([7])
        kernel.launch(self.driver, [Tensor([1]), Tensor([1]), y], 0, {"eps": 1e-6})
        self.assertEqual(list(y.words), [7])

    def test_refuses_other_code_than_the_manifest_names(self):
        bundle(self.folder.name, digest="0" * 64)
        with self.assertRaisesRegex(RuntimeError, "not the code"):
            read_kernels(self.folder.name, "cuda.sm_90a")

    def test_refuses_the_wrong_number_of_tensors(self):
        bundle(self.folder.name)
        (kernel,) = read_kernels(self.folder.name, "cuda.sm_90a")
        tensors = [Tensor([1]) for _ in range(4)]
        with self.assertRaisesRegex(RuntimeError, "takes 3 tensors"):
            kernel.launch(self.driver, tensors, 1, {"eps": 1e-6})

    def test_copy(self):
        source, to = Tensor([1, 2, 3]), Tensor([0, 0, 0])
        self.driver.copy(to, source, 4)
        self.assertEqual(list(to.words), [1, 2, 0])

    def test_names_the_error(self):
        with self.assertRaisesRegex(RuntimeError, "cuMemAlloc_v2: CUDA_ERROR_INVALID_VALUE"):
            self.driver.call("cuMemAlloc_v2", ctypes.byref(ctypes.c_uint64()), ctypes.c_size_t(0))
