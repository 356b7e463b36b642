// From files to resolved kernels: loading modules, checking operators, instantiating kernels.
#pragma once

#include "dsl/eval/atom/atom.h"
#include "dsl/syntax/ast.h"
#include "dsl/syntax/diagnostic.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ordo::dsl {

/// What a kernel's declaration says beside its contract.
struct KernelInfo {
  std::string name;                // "norm_2048", or of a profile "qwen3_next.v1.o_proj"
  std::string symbol;              // the same with `_` for `.`: Program::kernel
  std::string profile;             // "qwen3_next.v1"; empty outside a profile
  Span span;                       // of the name, as written
  std::vector<std::int64_t> ranks; // over how many it may be cut; empty: it is not cut
  Span ranksSpan;
};

struct ProfileInfo {
  struct Named {
    std::string name;
    Span span;
  };
  struct Target {
    Named target;                     // "cuda.sm_90a"; whether there is one, the compiler knows
    const AtomRule *matrix = nullptr; // `atom mma`, always a modelled one; null: none named
    Span matrixSpan;
  };
  std::string name; // "qwen3_next.v1"
  Span span;
  std::vector<Target> targets;
  std::vector<Named> forbidden;     // as written: "sm_80", "rocm.gfx90a"
  std::vector<std::string> kernels; // their names within the profile, in source order
};

/// A module and everything it uses, parsed, names resolved, generic operators checked.
class Package {
public:
  /// Reads `path`, and each module it uses from `roots` (module a.b.c is ROOT/a/b/c.ordo; the root
  /// implied by the file's own module line is tried first). Errors go to `diagnostics`; nothing is
  /// returned when there are any.
  static std::unique_ptr<Package> load(const std::string &path,
                                       const std::vector<std::string> &roots,
                                       SourceManager &sources, Diagnostics &diagnostics);
  ~Package();

  /// The kernels declared in the file itself, in source order. A profile's are named by a path:
  /// `kernel o_proj` of `profile qwen3_next.v1` is qwen3_next.v1.o_proj.
  std::vector<std::string> kernels() const;
  /// Null for a name that is not among kernels().
  const KernelInfo *kernel(const std::string &name) const;
  /// The profiles declared in the file itself, in source order.
  const std::vector<ProfileInfo> &profiles() const;

  /// Resolves one kernel: dimensions to numbers, types and orders to values, functions inlined,
  /// every `require` over constants settled. A profile's kernel with an `mma` stage needs an atom
  /// for every target of the profile, and operands of the atom's type. Its Program::matrix is that
  /// of `target`; without one, what all targets agree on, or nothing. Reports why not.
  std::optional<Program> instantiate(const std::string &kernel, Diagnostics &diagnostics,
                                     const std::string &target = "") const;

  const Ast &root() const;

  struct ModuleSource {
    std::string module;     // "nn.norm"
    std::uint32_t file = 0; // in the SourceManager
  };
  /// Every module that was read, the file itself first.
  std::vector<ModuleSource> modules() const;

private:
  struct Impl;
  explicit Package(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

} // namespace ordo::dsl
