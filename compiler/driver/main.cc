// The command line: parses, runs one command, prints how it ended.

#include "compiler/driver/failure.h"
#include "compiler/driver/help.h"
#include "compiler/driver/options.h"
#include "compiler/driver/text.h"
#include "dsl/syntax/diagnostic.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fmt/core.h>
#include <functional>
#include <new>
#include <stdexcept>
#include <unistd.h>

namespace ordo::compiler::driver {

namespace {

// `demo` and `test` belong to the entry script, which never passes them on; they are known here so
// that a misspelling of them is understood.
const std::vector<std::string> kCommands = {"check", "audit",  "eval", "build", "diff",
                                            "fmt",   "verify", "demo", "test"};

/// FILE or FILE:KERNEL. A path with a colon in it still names a file that exists.
void splitSource(SourceOptions &source) {
  const std::size_t colon = source.file.rfind(':');
  if (colon == std::string::npos || source.file.find('/', colon) != std::string::npos ||
      ::access(source.file.c_str(), F_OK) == 0)
    return;
  source.kernel = source.file.substr(colon + 1);
  source.file.resize(colon);
  if (source.kernel.empty())
    throw misuse(fmt::format("no kernel is named after '{}:'", source.file),
                 "write FILE:KERNEL, or FILE alone");
}

/// Adds the folders of ORDO_CONTRACTS, which the entry script sets to the project's contracts.
void addRoots(SourceOptions &source) {
  const char *variable = std::getenv("ORDO_CONTRACTS");
  std::string rest = variable != nullptr ? variable : "";
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (const std::string root = rest.substr(0, colon); !root.empty())
      source.roots.push_back(root);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
}

NamedValue namedValue(const std::string &option, const std::string &text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw misuse(fmt::format("{} '{}' is not of the form NAME=VALUE", option, text),
                 fmt::format("for example {} x={}", option,
                             option == "--in" || option == "--out" ? "x.npy" : "1"));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<NamedValue> namedValues(const std::string &option,
                                    const std::vector<std::string> &texts) {
  std::vector<NamedValue> values;
  for (const std::string &text : texts) {
    values.push_back(namedValue(option, text));
    for (std::size_t i = 0; i + 1 < values.size(); ++i)
      if (values[i].name == values.back().name)
        throw misuse(fmt::format("{} {} is given twice", option, values.back().name));
  }
  return values;
}

/// One subcommand with what all of them share.
CLI::App *addCommand(CLI::App &app, const std::string &name, SourceOptions &source) {
  CLI::App *command = app.add_subcommand(name);
  command->formatter_fn(
      [name](const CLI::App *, std::string, CLI::AppFormatMode) { return commandHelp(name); });
  command->add_option("FILE", source.file)->required();
  command->add_option("--root", source.roots)->type_size(1)->allow_extra_args(false);
  return command;
}

/// An option that takes one value and may be repeated.
void addRepeated(CLI::App *command, const std::string &name, std::vector<std::string> &values) {
  command->add_option(name, values)->type_size(1)->allow_extra_args(false);
}

class CommandLine {
public:
  CommandLine() {
    app_.formatter_fn([](const CLI::App *, std::string, CLI::AppFormatMode) { return mainHelp(); });
    app_.require_subcommand(0, 1);
    app_.set_version_flag("--version", fmt::format("ordo {}", kVersion));
    check_ = addCommand(app_, "check", source_);
    check_->add_flag("--lock", lock_);
    addBuild();
    addEval();
    addAudit();
    addDiff();
    addFormat();
    addVerify();
  }

  int run(int argc, char **argv) {
    if (argc >= 2)
      requireKnownCommand(argv[1]);
    try {
      app_.parse(argc, argv);
    } catch (const CLI::Success &success) { // --help and --version
      return app_.exit(success);
    } catch (const CLI::ParseError &error) {
      throw misuse(lowered(error.what()), hint());
    }
    return runParsed();
  }

private:
  void addBuild() {
    build_ = addCommand(app_, "build", source_);
    build_->add_option("--target", buildOptions_.targets)->delimiter(',')->allow_extra_args(false);
    build_->add_option("-o,--output", buildOptions_.output);
    addRepeated(build_, "--kernel", buildOptions_.kernels);
    build_->add_option("--emit", buildOptions_.emit);
    build_->add_flag("--verify,!--no-verify", buildOptions_.isProven);
  }

  void addEval() {
    eval_ = addCommand(app_, "eval", source_);
    addRepeated(eval_, "--in", inputs_);
    addRepeated(eval_, "--out", outputs_);
    addRepeated(eval_, "--scalar", scalars_);
    addRepeated(eval_, "--dim", dims_);
    eval_->add_option("--on", on_);
    eval_->add_option("--target", target_);
  }

  void addAudit() {
    audit_ = addCommand(app_, "audit", source_);
    audit_->add_option("--svg", auditOptions_.svg);
    audit_->add_option("--html", auditOptions_.html);
    audit_->add_option("--against", against_.file);
    audit_->add_flag("--json", auditOptions_.json);
    audit_->add_option("--length", auditOptions_.length);
    audit_->add_option("--target", auditOptions_.target);
    audit_->get_option("FILE")->required(false); // or --ptx
    audit_->add_option("--ptx", ptxOptions_.file);
    audit_->add_option("--signature", ptxOptions_.signature);
    audit_->add_option("--kernel", ptxOptions_.kernel);
  }

  void addDiff() {
    diff_ = addCommand(app_, "diff", diffOptions_.a);
    diff_->add_option("FILE2", diffOptions_.b.file)->required();
    diff_->add_flag("--order", diffOptions_.orders);
    diff_->add_option("--length", diffOptions_.length);
    diff_->add_flag("--json", diffOptions_.json);
    diff_->add_option("--html", diffOptions_.html);
    diff_->add_option("--target", diffOptions_.targets)->delimiter(',')->allow_extra_args(false);
  }

  void addFormat() {
    format_ = app_.add_subcommand("fmt");
    format_->formatter_fn(
        [](const CLI::App *, std::string, CLI::AppFormatMode) { return commandHelp("fmt"); });
    format_->add_option("FILE", formatOptions_.files)->required();
    format_->add_flag("--check", formatOptions_.onlyCheck);
  }

  void addVerify() {
    verify_ = app_.add_subcommand("verify");
    verify_->formatter_fn(
        [](const CLI::App *, std::string, CLI::AppFormatMode) { return commandHelp("verify"); });
    verify_->add_option("DIR", verifyOptions_.folder)->required();
    addRepeated(verify_, "--kernel", verifyOptions_.kernels);
    verify_->add_option("--target", verifyOptions_.targets)
        ->delimiter(',')
        ->allow_extra_args(false);
    verify_->add_flag("--json", verifyOptions_.json);
  }

  static void requireKnownCommand(const std::string &word) {
    if (word.starts_with("-") ||
        std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end())
      return;
    const std::string near = dsl::didYouMean(word, kCommands);
    throw misuse(fmt::format("there is no command '{}'", word),
                 (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
                     fmt::format("the commands: {}", joined(kCommands)));
  }

  int runParsed() {
    if (app_.get_subcommands().empty()) {
      fmt::print("{}", mainHelp());
      return kMisuse;
    }
    if (diff_->parsed())
      return runParsedDiff();
    if (format_->parsed())
      return runFormat(formatOptions_);
    if (verify_->parsed())
      return runVerify(verifyOptions_);
    if (audit_->parsed() && isPtxAudit())
      return runPtxAudit(ptxOptions_);
    splitSource(source_);
    addRoots(source_);
    if (check_->parsed())
      return runCheck({source_, lock_});
    if (build_->parsed()) {
      buildOptions_.source = source_;
      return runBuild(buildOptions_);
    }
    if (audit_->parsed()) {
      auditOptions_.source = source_;
      if (!against_.file.empty()) {
        splitSource(against_);
        against_.roots = source_.roots;
        auditOptions_.against = against_;
      }
      if (auditOptions_.length && *auditOptions_.length < 1)
        throw misuse("--length must be at least 1");
      return runAudit(auditOptions_);
    }
    return runEval(evalOptions());
  }

  /// Whether audit is asked for a kernel in PTX, with all that this needs and nothing else.
  bool isPtxAudit() {
    const auto isGiven = [&](const char *option) { return audit_->count(option) > 0; };
    if (!isGiven("--ptx")) {
      for (const char *option : {"--signature", "--kernel"})
        if (isGiven(option))
          throw misuse(fmt::format("{} goes with --ptx FILE", option));
      if (source_.file.empty())
        throw misuse("FILE is required", hint());
      return false;
    }
    for (const char *option : {"FILE", "--svg", "--html", "--against", "--length", "--target"})
      if (isGiven(option))
        throw misuse(fmt::format("{} and --ptx do not go together", option));
    if (!isGiven("--signature"))
      throw misuse(
          "--ptx needs --signature TEXT",
          "for example --signature 'x: f32[T, 1024] in, y: f32[T] out; grid T; block 256'");
    ptxOptions_.json = auditOptions_.json;
    return true;
  }

  int runParsedDiff() {
    if (diffOptions_.length && *diffOptions_.length < 1)
      throw misuse("--length must be at least 1");
    if (diffOptions_.targets.size() > 2 || (diffOptions_.orders && !diffOptions_.targets.empty()))
      throw misuse("--target names one target for both kernels, or one for each",
                   "for example --target cuda.sm_90a,rocm.gfx942");
    diffOptions_.b.roots = diffOptions_.a.roots;
    for (SourceOptions *source : {&diffOptions_.a, &diffOptions_.b}) {
      if (diffOptions_.orders)
        continue;
      splitSource(*source);
      addRoots(*source);
    }
    return runDiff(diffOptions_);
  }

  EvalOptions evalOptions() const {
    if (on_ != "eval" && !target_.empty())
      throw misuse(fmt::format("--target and --on {} do not go together", on_),
                   "--target names whose matrix unit the evaluator follows");
    if (on_ != "eval" && on_ != "cpu" && !on_.starts_with("emu:"))
      throw misuse(
          fmt::format("--on {} is neither eval, cpu nor emu:TARGET", on_),
          "eval is the contract's evaluator, cpu the kernel compiled for this CPU, "
          "emu:cuda.sm_90a or emu:rocm.gfx942 that target's code run by the verifier's machine");
    return {source_,
            namedValues("--in", inputs_),
            namedValues("--out", outputs_),
            namedValues("--scalar", scalars_),
            namedValues("--dim", dims_),
            on_,
            target_};
  }

  std::string hint() const {
    for (const CLI::App *command : {check_, build_, eval_, audit_, diff_, format_, verify_})
      if (command->parsed())
        return fmt::format("ordo {} --help shows what there is", command->get_name());
    return "ordo --help shows what there is";
  }

  /// CLI11 writes "FILE is required" and "The following argument was not expected: -x".
  static std::string lowered(std::string text) {
    if (text.starts_with("The "))
      text[0] = 't';
    while (!text.empty() && (text.back() == '.' || text.back() == '\n'))
      text.pop_back();
    return text;
  }

  CLI::App app_;
  CLI::App *check_ = nullptr;
  CLI::App *build_ = nullptr;
  CLI::App *eval_ = nullptr;
  CLI::App *audit_ = nullptr;
  CLI::App *format_ = nullptr;
  CLI::App *diff_ = nullptr;
  CLI::App *verify_ = nullptr;
  SourceOptions source_;
  SourceOptions against_; // audit's second kernel
  bool lock_ = false;
  BuildOptions buildOptions_;
  AuditOptions auditOptions_;
  FormatOptions formatOptions_;
  PtxOptions ptxOptions_;
  DiffOptions diffOptions_;
  VerifyOptions verifyOptions_;
  std::vector<std::string> inputs_, outputs_, scalars_, dims_;
  std::string on_ = "eval";
  std::string target_;
};

int runMain(int argc, char **argv) {
  try {
    return CommandLine().run(argc, argv);
  } catch (const Failure &failure) {
    if (!failure.message.empty())
      fmt::print(stderr, "ordo: error: {}\n", failure.message);
    if (!failure.hint.empty())
      fmt::print(stderr, "  hint: {}\n", failure.hint);
    return failure.exitCode;
  } catch (const std::bad_alloc &) {
    fmt::print(stderr, "ordo: error: out of memory\n");
  } catch (const std::length_error &) { // a container of more bytes than can be addressed
    fmt::print(stderr, "ordo: error: out of memory\n");
  }
  return kRefused;
}

} // namespace

} // namespace ordo::compiler::driver

int main(int argc, char **argv) {
  const int code = ordo::compiler::driver::runMain(argc, argv);
  // A full disk or a closed pipe must not look like success.
  if (std::fflush(stdout) != 0 && code == 0) {
    fmt::print(stderr, "ordo: error: cannot write to standard output\n");
    return ordo::compiler::driver::kMisuse;
  }
  return code;
}
