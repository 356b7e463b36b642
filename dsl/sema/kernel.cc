#include "dsl/sema/kernel.h"

#include <algorithm>

namespace ordo::dsl {
namespace {

class KernelBuilder {
public:
  KernelBuilder(const Module &module, NodeId kernel, const std::string &symbol, Reporter &report)
      : module_(module), ast_(module.ast), n_(module.ast[kernel]), symbol_(symbol),
        report_(report) {}

  std::optional<Program> run() {
    if (!findOperator())
      return std::nullopt;
    binding_.module = &module_;
    bool isFine = bindGenerics();
    isFine = bindScalars() && isFine;
    if (!isFine || !nothingMissing())
      return std::nullopt;
    report_.pushContext({n_.nameSpan, fmt::format("in kernel `{}`", n_.text)});
    auto program = build();
    report_.popContext();
    return program;
  }

private:
  const Node &op() const { return op_.node(); }
  const Node &opNode(NodeId id) const { return op_.module->ast[id]; }

  bool findOperator() {
    const Node &callee = ast_[n_.kids[0]];
    bool ambiguous = false;
    const auto symbol = lookup(module_, callee.text, &ambiguous);
    if (symbol && symbol->node().kind == NodeKind::Op) {
      op_ = *symbol;
      return true;
    }
    if (symbol)
      report_.error("expected-operator", callee.span,
                    fmt::format("expected an operator, found {} `{}`",
                                describe(symbol->node().kind), callee.text),
                    {symbol->node().nameSpan, "declared here"});
    else if (ambiguous)
      report_
          .error("ambiguous-name", callee.span,
                 fmt::format("`{}` is declared by several of the used modules", callee.text))
          .help = "write it with its module's name";
    else
      report_
          .error("unknown-name", callee.span, fmt::format("there is no operator `{}`", callee.text))
          .help = suggestion(callee.text, visibleNames(module_, NodeKind::Op));
    return false;
  }

  // A generic without `name =` is a plain name and stands for `name = name`.
  bool bindGenerics() {
    bool isFine = true;
    for (std::uint32_t i = 1; i <= n_.a; ++i) {
      const Node &arg = ast_[n_.kids[i]];
      const Node &value = ast_[arg.kids[0]];
      const bool isPlainName = value.kind == NodeKind::Name || value.kind == NodeKind::OrderName;
      const std::string name = arg.text.empty() && isPlainName ? value.text : arg.text;
      isFine = bindGeneric(arg, name) && isFine;
    }
    return isFine;
  }

  bool bindGeneric(const Node &arg, const std::string &name) {
    std::vector<std::string> candidates;
    for (std::uint32_t i = 0; i < op().a; ++i)
      candidates.push_back(opNode(op().kids[i]).text);
    if (std::ranges::find(candidates, name) == candidates.end()) {
      Diagnostic &d = report_.error(
          "unknown-argument", arg.nameSpan.end ? arg.nameSpan : arg.span,
          arg.text.empty() ? fmt::format("expected `name = value` for a generic of `{}`", op().text)
                           : fmt::format("operator `{}` has no generic `{}`", op().text, name),
          {op().nameSpan, "declared here"});
      d.help = suggestion(name, candidates);
      if (d.help.empty() && arg.text.empty())
        d.help = "a generic without a name is the name of a generic, as in <row> for <row = row>";
      return false;
    }
    return emplace(binding_.generics, name, arg);
  }

  bool emplace(std::map<std::string, NodeId> &into, const std::string &name, const Node &arg) {
    const auto [given, isNew] = into.emplace(name, arg.kids[0]);
    if (isNew)
      return true;
    report_.error("duplicate-argument", arg.span, fmt::format("`{}` is given twice", name),
                  {ast_[given->second].span, "first given here"});
    return false;
  }

  bool bindScalars() {
    std::vector<std::string> candidates;
    for (std::uint32_t i = op().a; i < op().a + op().b; ++i)
      if (const Node &param = opNode(op().kids[i]); opNode(param.kids[0]).kids.empty())
        candidates.push_back(param.text);
    bool isFine = true;
    for (std::size_t i = n_.a + 1; i < n_.a + 1 + n_.b; ++i) {
      const Node &arg = ast_[n_.kids[i]];
      if (std::ranges::find(candidates, arg.text) != candidates.end()) {
        isFine = emplace(binding_.scalars, arg.text, arg) && isFine;
        continue;
      }
      isFine = false;
      Diagnostic &d =
          report_.error("unknown-argument", arg.nameSpan,
                        fmt::format("operator `{}` has no scalar `{}`", op().text, arg.text),
                        {op().nameSpan, "declared here"});
      d.help =
          isTensor(arg.text) ? "tensors are given at launch" : suggestion(arg.text, candidates);
    }
    return isFine;
  }

  bool isTensor(const std::string &name) const {
    return std::any_of(op().kids.begin() + op().a, op().kids.end() - 1,
                       [&](NodeId id) { return opNode(id).text == name; });
  }

  bool nothingMissing() {
    std::string missing;
    for (std::uint32_t i = 0; i < op().a; ++i)
      if (const Node &generic = opNode(op().kids[i]); !binding_.generics.contains(generic.text))
        missing += fmt::format("{}`{}`", missing.empty() ? "" : ", ", generic.text);
    if (missing.empty())
      return true;
    report_
        .error("missing-argument", ast_[n_.kids[0]].span,
               fmt::format("kernel `{}` gives no {}", n_.text, missing),
               {op().nameSpan, "declared here"})
        .help = "every generic gets a value: <name = value>";
    return false;
  }

  // Definitions that no output needs do not belong to the contract: found by a first run, left out
  // by a second, which can meet no new errors.
  std::optional<Program> build() {
    std::set<std::string> skipped;
    for (;;) {
      Program program;
      program.kernel = symbol_;
      program.kernelSpan = n_.nameSpan;
      OperatorChecker checker(op_, &binding_, skipped, program, report_);
      if (!checker.run())
        return std::nullopt;
      const std::set<std::string> unused = checker.unusedDefinitions();
      if (unused.empty())
        return program;
      skipped.insert(unused.begin(), unused.end());
    }
  }

  const Module &module_;
  const Ast &ast_;
  const Node &n_;
  const std::string &symbol_;
  Reporter &report_;
  Symbol op_;
  Binding binding_;
};

} // namespace

std::optional<Program> buildKernel(const Module &module, NodeId kernel, const std::string &symbol,
                                   Reporter &report) {
  return KernelBuilder(module, kernel, symbol, report).run();
}

} // namespace ordo::dsl
