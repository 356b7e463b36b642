# Read by lit, which provides `config`. See lit.bzl for what a case may use.
import os

import lit.formats

root = os.environ["ORDO_LIT_ROOT"]
scratch = os.environ["TEST_TMPDIR"]

config.name = "ordo"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ordo", ".test", ".ptx", ".s"]
# Files that cases read, not cases.
config.excludes = ["Inputs"]
config.test_source_root = os.path.join(root, "tests", "lit")
config.test_exec_root = scratch

# %ordo must not match within %ordo_opt.
for tool in os.environ["ORDO_LIT_TOOLS"].split():
    name = os.path.basename(tool).replace("-", "_")
    config.substitutions.append((rf"%{name}\b", os.path.join(root, tool)))
config.substitutions.append((r"%root\b", root))

llvm = os.path.join(os.path.dirname(root), "llvm", "bin")
config.environment["PATH"] = os.pathsep.join([llvm, "/usr/local/bin", "/usr/bin", "/bin"])
# A failure's message must not depend on who runs it.
config.environment["LC_ALL"] = "C.UTF-8"
