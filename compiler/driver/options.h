// What each command is asked for; filled by the command line's parser in main.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

inline constexpr const char *kVersion = "0.1.0";

/// A contract on disk and where the modules that it uses are searched.
struct SourceOptions {
  std::string file;
  std::string kernel;             // from FILE:KERNEL; empty: none named
  std::vector<std::string> roots; // --root, then ORDO_CONTRACTS
};

struct CheckOptions {
  SourceOptions source;
  bool lock = false; // add the profiles' versions to the lock file
};

struct BuildOptions {
  SourceOptions source;
  std::vector<std::string> targets;
  std::vector<std::string> kernels; // empty: all of the module
  std::string output;               // a folder; with `emit` a file, or empty for standard output
  std::string emit;                 // empty: the whole bundle
  bool isProven = true;             // --no-verify
};

struct VerifyOptions {
  std::string folder;                        // of the bundle
  std::vector<std::string> kernels, targets; // empty: all; of the targets, those of GPUs
  bool json = false;
};

/// NAME=VALUE as given.
struct NamedValue {
  std::string name;
  std::string value;
};

struct EvalOptions {
  SourceOptions source;
  std::vector<NamedValue> inputs, outputs, scalars, dims;
  std::string on = "eval"; // or "cpu", the compiled object; or "emu:TARGET", a GPU's code emulated
  std::string target;      // of the kernel's profile, whose atom `mma` folds by; empty: none named
};

struct AuditOptions {
  SourceOptions source;
  std::string svg;                      // a file; empty: none
  std::string html;                     // the same
  std::optional<SourceOptions> against; // a second kernel, for `html` to show beside the first
  std::string target;                   // as of EvalOptions, of both kernels
  bool json = false;
  std::optional<std::int64_t> length; // of reductions whose extent is free
};

/// `audit --ptx`: a kernel that Ordo did not make.
struct PtxOptions {
  std::string file, signature;
  std::string kernel; // empty: the only one
  bool json = false;
};

struct DiffOptions {
  SourceOptions a, b;  // kernels; with `orders` the files hold spellings of orders
  bool orders = false; // compare two orders instead of two kernels
  bool json = false;
  std::string html;                   // where the page of two kernels goes; empty: none
  std::optional<std::int64_t> length; // compare at it alone; nothing: at every length
  std::vector<std::string> targets;   // as of EvalOptions: none, of both kernels, or of each
};

struct FormatOptions {
  std::vector<std::string> files; // "-": from standard input to standard output
  bool onlyCheck = false;         // change nothing, say what would change
};

/// Each returns an exit code or throws a Failure.
int runCheck(const CheckOptions &options);
int runBuild(const BuildOptions &options);
int runEval(const EvalOptions &options);
int runAudit(const AuditOptions &options);
int runPtxAudit(const PtxOptions &options);
int runFormat(const FormatOptions &options);
int runDiff(const DiffOptions &options);
int runVerify(const VerifyOptions &options);

} // namespace ordo::compiler::driver
