// Every kernel of the repository's contracts, inputs that try its corners, and the comparison of
// bits: for the tests that hold a target to the evaluator.
#pragma once

#include "dsl/eval/evaluator.h"
#include "dsl/sema/package.h"
#include "dsl/term/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ordo::oracle {

struct KernelCase {
  std::string file, kernel; // no kernel: the file does not load, which is a failure of its own
};
void PrintTo(const KernelCase &c, std::ostream *out);

std::vector<KernelCase> everyKernel();
/// For gtest's names.
std::string caseName(const KernelCase &c, std::size_t index);

std::unique_ptr<dsl::Package> loadPackage(const std::string &file, dsl::SourceManager &sources,
                                          dsl::Diagnostics &diagnostics);

/// No reduction and no tensor of two axes: what a kernel does to an element does not depend on
/// others.
bool isElementwise(const dsl::Program &program);

/// Where a reduction runs over a free dimension: rows enough for several runs of its order, fewer
/// where they are wide.
std::optional<std::int64_t> foldedRows(const dsl::Program &program);

/// Rows of patterns in turn (columns, where rows are folded): plain values, any bits, signed zeros,
/// subnormals, all -inf, one huge value. Every free dimension has `rows`, every scalar the bits 1.
dsl::EvalInputs inputsOf(const dsl::Program &program, std::int64_t rows);

/// An array of an output's shape, its bytes 0xee.
dsl::TensorValue emptyArray(const dsl::Program &program, const dsl::Tensor &tensor,
                            std::int64_t rows);

/// Fails the running test at the first element that differs; a NaN is one value.
void expectSameBits(const std::string &name, const dsl::TensorValue &want,
                    const dsl::TensorValue &got);

} // namespace ordo::oracle
