#include "compiler/driver/help.h"

#include "compiler/target/target.h"

namespace ordo::compiler::driver {

namespace {

constexpr const char *kMain =
    R"(Ordo compiles numerical contracts: operators in which every rounding, every cast and the shape of
every sum is written down. Two kernels with the same contract digest give the same bits.

Usage: ordo COMMAND FILE ...

  check   find the errors of a contract
  fmt     bring contracts into the canonical layout
  audit   show what a kernel computes: its sums as trees, its casts, its constants
  eval    compute a kernel's bits on the CPU, from .npy files to .npy files
  diff    find where two kernels or two orders part
  build   compile kernels to objects for CPUs, NVIDIA and AMD GPUs
  verify  prove again that the code of a bundle computes its contract
  demo    all of these on one contract, narrated
  test    run the project's own tests

A newcomer's first four commands:
  ordo check contracts/nn/norm.ordo
  ordo audit contracts/nn/norm.ordo:rms_norm_bf16_2048
  ordo eval  contracts/nn/norm.ordo:rms_norm_bf16_2048 --in x=x.npy --in w=w.npy --out y=y.npy
  ordo build contracts/nn/norm.ordo --target cpu,cuda.sm_90a,rocm.gfx942 -o out

FILE is a module that ends in .ordo; FILE:KERNEL names one kernel in it.
`ordo COMMAND --help` explains a command, `ordo --version` tells the version.
Exit codes: 0 fine, 1 refused (the contract, an array or a target says no) or different, 2 misuse,
3 unknown.
)";

constexpr const char *kRoots =
    R"(  --root FOLDER           search modules that are used here too (repeatable); ORDO_CONTRACTS
                          holds more folders, separated by colons
)";

constexpr const char *kCheck =
    R"(Finds the errors of a module, of what it uses, and of every kernel that it declares. A file with
profiles is compared with the lock beside it (norm.lock for norm.ordo), where there is one: a
contract that changed under an unchanged version is refused; so does `ordo build`.

Usage: ordo check FILE[:KERNEL] [--lock] [--root FOLDER]

  --lock                  add the profiles that the lock does not hold yet
)";

constexpr const char *kFormat =
    R"(Brings contracts into the canonical layout, in place. Comments stay, and what the file means stays:
every kernel keeps its digest. A file that does not read is left alone. `-` reads standard input and
writes standard output.

Usage: ordo fmt FILE... [--check]

  --check                 change nothing; name the files that would change, and exit with 1
)";

constexpr const char *kBuild =
    R"(Compiles the kernels of a module. For every kernel and target the folder gets KERNEL.TARGET.o and
.s (CPU), .ptx and .cubin (CUDA; the cubin needs ptxas) or .hsaco and .s (ROCm), the contract's
modules, and one manifest.json that says how to call and launch each. A run that fails writes nothing.

Usage: ordo build FILE[:KERNEL] --target TARGET,... -o FOLDER [options]
       ordo build FILE[:KERNEL] --target TARGET --emit=STAGE [-o FILE]

  --target TARGET,...     what to compile for (see below)
  -o, --output PATH       the folder; with --emit a file instead of standard output
  --kernel KERNEL         only this kernel (repeatable)
  --emit=STAGE            stop and print: ordo, bound, gpu, llvm, or the assembly of the target:
                          ptx, amdgcn, asm
  --no-verify             write no certificates. Without it the code for GPUs is proven to compute the
                          contract, and a kernel that cannot be proven fails the build
)";

constexpr const char *kVerify =
    R"(Proves that the code of a bundle computes its contract: every element of every output is stored once,
with the bits that the contract says, for all inputs, all sizes of the free dimensions and all blocks
of the launch. The code is read from the bundle, the contract too; its digest must be the manifest's.
A refusal shows the element and both trees down to where they part, or the threads that race, or an
element that is never stored. A certificate in the bundle must be the one that the proof gives.

Usage: ordo verify FOLDER [options]

  --kernel KERNEL         only this kernel (repeatable)
  --target TARGET,...     only these targets; without it, those of GPUs
  --json                  print the same as JSON

CUDA: PTX is proven, and what ptxas makes of it is trusted (level ptx). ROCm: the machine code is proven
(level gcn); division and square root rest on axioms, which the certificate lists. CPU: refused.
Exit codes: 0 all proven, 1 something is refused, 2 misuse.
)";

constexpr const char *kEval =
    R"(Computes a kernel's bits on the CPU. Arrays are .npy files, row-major; bf16 is read from and
written as its bits in '<u2', f8 in '|u1'. Sizes of free dimensions follow from the arrays.

Usage: ordo eval FILE:KERNEL --in NAME=FILE ... --out NAME=FILE ... [options]

  --in NAME=FILE          an input array (repeatable)
  --out NAME=FILE         where an output goes (repeatable)
  --scalar NAME=VALUE     a scalar that the kernel leaves to the launch (repeatable)
  --dim NAME=SIZE         a free dimension that no input array shows (repeatable)
  --on WHERE              eval: the contract's evaluator (the default); cpu: the kernel compiled for this
                          CPU; emu:TARGET: a GPU's code, emulated: emu:cuda.sm_90a,
                          emu:rocm.gfx942
  --target TARGET         a target of the kernel's profile: its atom is what `mma` computes; needed
                          where the targets name different ones
)";

constexpr const char *kAudit =
    R"(Shows what a kernel computes: its arguments, each reduction's tree, every cast and every constant,
and the whole program with functions inlined. Without :KERNEL it lists the kernels.

Usage: ordo audit FILE[:KERNEL] [options]
       ordo audit --ptx FILE --signature TEXT [--kernel NAME] [--json]

  --svg FILE              draw the trees
  --html FILE             write one page to read, print and file; it needs no network
  --against FILE:KERNEL   with --html: show that kernel beside this one and mark the first
                          difference; exits with 1 when the contracts differ
  --json                  print the same as JSON
  --length N              draw reductions over a free dimension for N elements
  --target TARGET         a target of the kernel's profile, whose atom `mma` folds by

  --ptx FILE              a kernel that Ordo did not make, such as nvcc's or Triton's: shows what it
                          stores, or why that is refused
  --signature TEXT        its arguments in their order, its sizes and its launch, for example
                          'x: f32[T, 1024] in, y: f32[T] out, eps: f32; grid T; block 256'
  --kernel NAME           the kernel, where the file has several
)";

constexpr const char *kDiff =
    R"(Compares two kernels, or two orders. Orders that are written differently may be one tree: equal is
proven. Different shows the first length at which the trees differ, and the node where they part.

Usage: ordo diff FILE:KERNEL FILE:KERNEL [options]
       ordo diff --order ORDER ORDER [options]

  --order                 compare orders of a sum, such as 'seq(8) | seq' and 'seq'
  --length N              at this length alone; without it, at the length of each reduction, and at
                          every length where that is free
  --target TARGET[,...]   a target of the kernels' profile, whose atom `mma` folds by, or one for
                          each kernel
  --html FILE             also write a page with both kernels side by side, the first difference marked
  --json                  print the same as JSON

Exit codes: 0 equal, 1 different, 2 misuse, 3 unknown.

)";

} // namespace

std::string mainHelp() { return kMain; }

std::string commandHelp(const std::string &command) {
  if (command == "check")
    return std::string(kCheck) + kRoots;
  if (command == "fmt")
    return kFormat;
  if (command == "eval")
    return std::string(kEval) + kRoots;
  if (command == "audit")
    return std::string(kAudit) + kRoots;
  if (command == "diff")
    return std::string(kDiff) + kRoots;
  if (command == "verify")
    return kVerify;
  std::string text = std::string(kBuild) + kRoots + "\nTargets:";
  for (const Target &target : targets())
    text += " " + std::string(target.name);
  return text + "\n";
}

} // namespace ordo::compiler::driver
