"""Launches kernels of a bundle through libcuda, in whatever stream the caller names: torch's, while it captures."""

import ctypes
import hashlib
import json
import os

POINTER, WORD = ctypes.c_void_p, ctypes.c_uint64
SCALARS = {"f32": ctypes.c_float, "f64": ctypes.c_double, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
           "u32": ctypes.c_uint32, "u64": ctypes.c_uint64}


class Driver:
    """The calls that a launch takes. `stream` gives the current stream's handle as a number."""

    def __init__(self, stream, library="libcuda.so.1"):
        self.library, self.stream, self.modules = ctypes.CDLL(library), stream, {}

    def call(self, name, *arguments):
        code = getattr(self.library, name)(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(ctypes.c_int(code), ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown').decode()} ({code})")

    def load(self, path, symbol):
        """The function `symbol` of the cubin at `path`."""
        if path not in self.modules:
            with open(path, "rb") as file:
                code = file.read()
            if not code.startswith(b"\x7fELF"):
                raise RuntimeError(f"{path} is no cubin")
            module = POINTER()
            self.call("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(code), ctypes.c_uint(0), POINTER(), POINTER())
            self.modules[path] = module
        function = POINTER()
        self.call("cuModuleGetFunction", ctypes.byref(function), self.modules[path], symbol.encode())
        return function

    @staticmethod
    def pointer(tensor):
        return POINTER(tensor.data_ptr())

    @staticmethod
    def word(value):
        return WORD(value)

    def launch(self, function, grid, block, values):
        """`values` are ctypes values of exactly the parameters' types. An empty grid launches nothing."""
        if 0 in grid:
            return
        addresses = (POINTER * len(values))(*[ctypes.addressof(value) for value in values])
        sizes = [ctypes.c_uint(n) for n in (*grid, *block, 0)]
        self.call("cuLaunchKernel", function, *sizes, POINTER(self.stream()), addresses, POINTER())

    def copy(self, to, source, nbytes):
        self.call("cuMemcpyDtoDAsync_v2", WORD(to.data_ptr()), WORD(source.data_ptr()), ctypes.c_size_t(nbytes),
                  POINTER(self.stream()))


def evaluate(formula, dims):
    """A formula of the manifest: a number, a name, or an operation on two formulas."""
    if isinstance(formula, int):
        return formula
    if isinstance(formula, str):
        return dims[formula]
    ((word, operands),) = formula.items()
    a, b = (evaluate(operand, dims) for operand in operands)
    return {"add": lambda: a + b, "sub": lambda: a - b, "mul": lambda: a * b, "div": lambda: a // b,
            "ceildiv": lambda: -(-a // b), "min": lambda: min(a, b), "max": lambda: max(a, b)}[word]()


class Kernel:
    """One kernel of a bundle for one target."""

    def __init__(self, directory, entry, target):
        built = entry["targets"][target]
        self.name, self.operator, self.symbol = entry["name"], entry["operator"], entry["symbol"]
        self.arguments, self.recipe = entry["arguments"], built["launch"]
        self.path = os.path.join(directory, built["files"]["cubin"]["path"])
        with open(self.path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        if digest != built["files"]["cubin"]["sha256"]:
            raise RuntimeError(f"{self.path} is not the code that the manifest names")
        first = self.arguments[0]
        self.dtype, self.columns = first["dtype"], first["shape"][-1]
        self.scalars = [a["name"] for a in self.arguments if a["kind"] == "scalar"]
        self.function = None

    def launch(self, driver, tensors, rows, scalars):
        """`tensors` in the manifest's order. Every dimension is `rows`: these kernels have one."""
        if self.function is None:
            self.function = driver.load(self.path, self.symbol)
        dims = {a["name"]: rows for a in self.arguments if a["kind"] == "dimension"}
        waiting = list(tensors)
        values = []
        for argument in self.arguments:
            if argument["kind"] in ("input", "output"):
                values.append(driver.pointer(waiting.pop(0)))
            elif argument["kind"] == "dimension":
                values.append(ctypes.c_int64(rows))
            else:
                values.append(SCALARS[argument["dtype"]](scalars[argument["name"]]))
        if waiting:
            raise RuntimeError(f"{self.name} takes {len(tensors) - len(waiting)} tensors, not {len(tensors)}")
        grid = [evaluate(formula, dims) for formula in self.recipe["grid"]]
        driver.launch(self.function, grid, self.recipe["block"], values)


def read_kernels(directory, target):
    """The kernels of DIRECTORY/manifest.json that have a cubin for `target`."""
    with open(os.path.join(directory, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    if manifest.get("ordo_manifest") != 1:
        raise RuntimeError(f"{directory}: a manifest of another schema")
    return [Kernel(directory, entry, target) for entry in manifest["kernels"]
            if "cubin" in entry["targets"].get(target, {}).get("files", {})]
