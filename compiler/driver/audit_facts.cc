#include "compiler/driver/audit_facts.h"

#include "compiler/driver/profiles.h"
#include "compiler/driver/text.h"
#include "compiler/driver/values.h"
#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "dsl/sema/digest.h"

#include <algorithm>
#include <bit>
#include <fmt/core.h>
#include <tuple>

namespace ordo::compiler::driver {

namespace {

using dsl::DType;
using dsl::ExprId;
using dsl::Op;

constexpr std::size_t kSourceWidth = 60;

/// One line of at most kSourceWidth code points, blanks squeezed.
std::string shortened(std::string_view text) {
  std::string line;
  std::size_t width = 0;
  for (const char c : text) {
    const bool isBlank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (isBlank && (line.empty() || line.back() == ' '))
      continue;
    const bool isStart = (c & 0xc0) != 0x80;
    if (isStart && width == kSourceWidth)
      return line + "…";
    width += isStart ? 1 : 0;
    line += isBlank ? ' ' : c;
  }
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

Place placeOf(const Contract &contract, dsl::Span span) {
  const std::string at = contract.place(span);
  return {at, at.empty() ? "" : shortened(contract.sources().text(span)), span};
}

/// The casts and constants that are reached and are no index arithmetic, as a reader meets them.
std::vector<ExprId> inSourceOrder(const dsl::Program &program) {
  const std::vector<bool> marks = reachedExprs(program);
  std::vector<ExprId> ids;
  for (ExprId id = 0; id < program.exprCount(); ++id) {
    const dsl::Expr &expr = program.expr(id);
    if (marks[id] && expr.type != DType::Index && (expr.op == Op::Cast || expr.op == Op::Const))
      ids.push_back(id);
  }
  std::sort(ids.begin(), ids.end(), [&](ExprId a, ExprId b) {
    const dsl::Span x = program.span(a);
    const dsl::Span y = program.span(b);
    return std::tie(x.file, x.begin, a) < std::tie(y.file, y.begin, b);
  });
  return ids;
}

bool holdsEveryFloat(DType from, DType to) {
  const dsl::FloatFormat a = dsl::floatFormat(from);
  const dsl::FloatFormat b = dsl::floatFormat(to);
  return from == to || (b.mantissaBits >= a.mantissaBits && b.exponentBits > a.exponentBits) ||
         (b.mantissaBits > a.mantissaBits && b.exponentBits == a.exponentBits && b.bias <= a.bias &&
          b.hasInfinity >= a.hasInfinity);
}

std::string roundingText(DType from, DType to, dsl::Rounding rounding) {
  const bool isFromFloat = dsl::isFloat(from);
  if (rounding == dsl::Rounding::Tf32)
    return "to tf32, to nearest even";
  if (isFromFloat && dsl::isFloat(to) && holdsEveryFloat(from, to))
    return "exact";
  if (!isFromFloat && !dsl::isFloat(to))
    return from == DType::Bool || dsl::bitWidth(to) > dsl::bitWidth(from) ? "exact" : "wraps";
  if (!isFromFloat && dsl::bitWidth(from) <= 32 && to == DType::F64)
    return "exact";
  switch (rounding) {
  case dsl::Rounding::NearestEven:
    return "to nearest even";
  case dsl::Rounding::TowardZero:
    return "toward zero";
  case dsl::Rounding::Saturate:
    return "to nearest even, saturating";
  case dsl::Rounding::Tf32: // above
    break;
  }
  return "";
}

/// Every float is a double.
std::optional<double> numberOf(const dsl::Expr &expr) {
  if (!dsl::isFloat(expr.type))
    return std::nullopt;
  return std::bit_cast<double>(dsl::castBits(expr.type, DType::F64, expr.payload));
}

std::string overText(const dsl::Program &program, const dsl::Reduction &reduction) {
  std::vector<std::string> binders;
  for (const dsl::VarId var : reduction.vars)
    binders.push_back(fmt::format("{} in {}", program.vars[var].name,
                                  dsl::indexText(program, program.vars[var].extent)));
  return joined(binders);
}

std::optional<std::int64_t> lengthOf(const dsl::Program &program, const dsl::Reduction &reduction) {
  std::int64_t length = 1;
  for (const dsl::VarId var : reduction.vars) {
    const auto extent = program.constantIndex(program.vars[var].extent);
    if (!extent || __builtin_mul_overflow(length, *extent, &length))
      return std::nullopt;
  }
  return length;
}

ReductionFact reductionFact(const Contract &contract, const dsl::Program &program,
                            const dsl::Reduction &reduction) {
  ReductionFact fact;
  fact.operation = dsl::name(reduction.op);
  fact.over = overText(program, reduction);
  fact.type = dsl::name(program.expr(reduction.body).type);
  fact.order = reduction.order.empty() ? nullptr : &reduction.order;
  fact.length = lengthOf(program, reduction);
  fact.isMasked = reduction.where != dsl::kNone;
  fact.place = placeOf(contract, reduction.span);
  return fact;
}

void addResolutions(const Contract &contract, const dsl::Program &program, AuditFacts &facts) {
  if (!isOpen(program))
    facts.digest = dsl::digest(program);
  if (!dsl::needsAtom(program))
    return;
  if (program.matrix)
    facts.atom = &atomOf(*program.matrix);
  for (const std::string &name : contract.kernels())
    if (const dsl::KernelInfo &kernel = contract.kernel(name); kernel.symbol == program.kernel)
      if (const dsl::ProfileInfo *profile = profileOf(contract, kernel))
        for (const dsl::ProfileInfo::Target &each : profile->targets)
          facts.resolutions.push_back(
              {each.target.name, each.matrix, dsl::digest(program, *each.matrix)});
}

} // namespace

// Children have smaller ids than parents, so one falling pass suffices.
std::vector<bool> reachedExprs(const dsl::Program &program) {
  std::vector<bool> marks(program.exprCount(), false);
  const auto mark = [&](ExprId id) {
    if (id != dsl::kNone)
      marks[id] = true;
  };
  for (const dsl::Definition &definition : program.definitions) {
    mark(definition.value);
    mark(definition.where);
  }
  for (const dsl::Reduction &reduction : program.reductions) {
    mark(reduction.body);
    mark(reduction.where);
  }
  for (ExprId id = static_cast<ExprId>(program.exprCount()); id-- > 0;)
    if (marks[id])
      for (const ExprId arg : program.args(id))
        marks[arg] = true;
  return marks;
}

std::string digestText(const AuditFacts &facts) {
  if (!facts.digest.empty())
    return facts.digest;
  return facts.resolutions.empty() ? "open: no profile says by which atom `mma` folds"
                                   : "open: one for each atom by which `mma` folds";
}

std::string atomText(const dsl::AtomRule &atom) {
  return fmt::format("{} version {}, {}", atom.name, atom.version, dsl::name(atom.provenance));
}

AuditFacts auditFacts(const Contract &contract, const dsl::Program &program) {
  AuditFacts facts;
  addResolutions(contract, program, facts);
  for (const dsl::Reduction &reduction : program.reductions)
    facts.reductions.push_back(reductionFact(contract, program, reduction));
  for (const ExprId id : inSourceOrder(program)) {
    const dsl::Expr &expr = program.expr(id);
    if (expr.op == Op::Cast) {
      const DType from = program.expr(program.args(id)[0]).type;
      facts.casts.push_back(
          {std::string(dsl::name(from)), std::string(dsl::name(expr.type)),
           roundingText(from, expr.type, static_cast<dsl::Rounding>(expr.payload)),
           placeOf(contract, program.span(id))});
    }
    if (expr.op == Op::Const)
      facts.constants.push_back(
          {std::string(dsl::name(expr.type)), valueText(expr.type, expr.payload),
           bitsText(expr.type, expr.payload), numberOf(expr), placeOf(contract, program.span(id))});
  }
  return facts;
}

std::int64_t drawnLength(const ReductionFact &reduction, std::optional<std::int64_t> asked) {
  return reduction.length ? *reduction.length : asked.value_or(kFreeLength);
}

std::string treeOperation(const ReductionFact &reduction) {
  return reduction.operation == "sum" || reduction.operation == "dot" ? "+" : reduction.operation;
}

std::string tensorText(const dsl::Program &program, const dsl::Tensor &tensor) {
  std::vector<std::string> axes;
  for (const ExprId extent : tensor.shape)
    axes.push_back(dsl::indexText(program, extent));
  return axes.empty() ? std::string(dsl::name(tensor.type))
                      : fmt::format("{}[{}]", dsl::name(tensor.type), joined(axes));
}

} // namespace ordo::compiler::driver
