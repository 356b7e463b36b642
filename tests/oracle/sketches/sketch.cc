#include "tests/oracle/sketches/sketch.h"

#include "dsl/sema/package.h"

#include <gtest/gtest.h>

namespace ordo::oracle {

dsl::Program sketch(const std::string &name) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto package = dsl::Package::load("tests/oracle/sketches/small.ordo",
                                          {"tests/sketches", "contracts"}, sources, diagnostics);
  auto program = package ? package->instantiate(name, diagnostics) : std::nullopt;
  if (!program) {
    ADD_FAILURE() << name << "\n" << diagnostics.renderAll();
    return {};
  }
  return std::move(*program);
}

std::map<std::string, dsl::TensorValue> evaluated(const dsl::Program &program,
                                                  const dsl::EvalInputs &inputs) {
  dsl::EvalResult result = dsl::evaluate(program, inputs);
  EXPECT_TRUE(result.ok()) << program.kernel << ": " << result.error;
  return std::move(result.outputs);
}

} // namespace ordo::oracle
