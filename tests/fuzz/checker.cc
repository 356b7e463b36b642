// The checker on any modules: a package or errors, and of every kernel a sound program or errors.
#include "dsl/sema/digest.h"
#include "dsl/sema/print.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/modules.h"

namespace ordo::fuzz {

using namespace ordo::dsl;

namespace {

/// Children before parents, every reference to something that exists.
void requireSound(const Program &program) {
  for (ExprId id = 0; id < program.exprCount(); ++id) {
    const Expr &expr = program.expr(id);
    for (const ExprId arg : program.args(id))
      require(arg < id, "expression {} needs {}", id, arg);
    switch (expr.op) {
    case Op::Var:
      require(expr.payload < program.vars.size(), "variable {}", expr.payload);
      break;
    case Op::Size:
      require(expr.payload < program.dims.size(), "dimension {}", expr.payload);
      break;
    case Op::Scalar:
      require(expr.payload < program.scalars.size(), "scalar {}", expr.payload);
      break;
    case Op::Load:
      require(expr.payload < program.tensors.size(), "tensor {}", expr.payload);
      require(expr.argCount == program.tensors[expr.payload].shape.size(), "{} indices into {}",
              expr.argCount, program.tensors[expr.payload].name);
      break;
    case Op::Use:
      require(expr.payload < program.definitions.size(), "definition {}", expr.payload);
      require(expr.argCount == program.definitions[expr.payload].vars.size(), "{} indices into {}",
              expr.argCount, program.definitions[expr.payload].name);
      break;
    case Op::Reduce:
      require(expr.payload < program.reductions.size(), "reduction {}", expr.payload);
      break;
    default:
      break;
    }
  }
  for (const Var &var : program.vars)
    require(var.extent < program.exprCount(), "variable {} has no extent", var.name);
  for (const Reduction &reduction : program.reductions) {
    require(reduction.body < program.exprCount(), "a reduction of nothing");
    require(reduction.order.empty() || !malformed(reduction.order), "a malformed order: {}",
            toString(reduction.order));
  }
  for (const Definition &definition : program.definitions)
    require(definition.value < program.exprCount(), "{} has no value", definition.name);
}

} // namespace

void runChecker(std::string_view input) {
  Modules modules;
  const Contract contract(modules.write(input));
  const std::string report = contract.report();
  require(report.find('\0') == std::string::npos && isUtf8(report), "unreadable diagnostics");
  for (const Program &program : contract.programs()) {
    requireSound(program);
    require(!printProgram(program).empty(), "a program without text");
    const ContractParts parts = partsOf(program);
    require(parts.definitions.size() == program.definitions.size(), "parts are missing");
    require(parts.orders.size() == reductionsInOrder(program).size(), "orders are missing");
    require(digest(program).size() == 64, "a digest of another length");
  }
}

} // namespace ordo::fuzz
