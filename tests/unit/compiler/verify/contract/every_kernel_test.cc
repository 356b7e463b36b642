// Every kernel of the contracts, at symbolic indices and sizes: the terms' bits at concrete ones
// are the evaluator's.
#include "compiler/verify/contract/contract_terms.h"
#include "dsl/eval/evaluator.h"
#include "dsl/eval/numeric.h"
#include "tests/oracle/every_kernel.h"
#include "tests/unit/compiler/verify/term/evaluate_node.h"

#include <gtest/gtest.h>
#include <random>

namespace ordo::verify {
namespace {

constexpr Wide kLargestSize = (Wide{1} << 31) - 1;

class ContractOfKernel : public ::testing::TestWithParam<oracle::KernelCase> {
protected:
  void SetUp() override {
    ASSERT_FALSE(GetParam().kernel.empty()) << GetParam().file << " does not load";
    const auto package = oracle::loadPackage(GetParam().file, sources_, diagnostics_);
    ASSERT_TRUE(package) << diagnostics_.renderAll();
    program_ = package->instantiate(GetParam().kernel, diagnostics_);
    ASSERT_TRUE(program_) << diagnostics_.renderAll();
    for (const dsl::Tensor &tensor : program_->tensors)
      terms_.pool().tensors.push_back(tensor.name);
    std::vector<AffineId> dims;
    for (const dsl::Dim &dim : program_->dims)
      dims.push_back(sizeOf(dim.name, {Wide{0}, kLargestSize}));
    std::vector<Term> scalars;
    for (const dsl::Scalar &scalar : program_->scalars) {
      const auto width = static_cast<unsigned>(dsl::bitWidth(scalar.type));
      scalars.push_back(terms_.symbol(scalar.name, width, {Wide{0}, (Wide{1} << width) - 1}));
    }
    contract_.emplace(*program_, terms_, dims, scalars);
  }

  AffineId sizeOf(const std::string &name, Interval interval) {
    return terms_.exact(terms_.symbol(name, 32, interval), 32);
  }

  /// One symbol for each index of the output, within the shape.
  std::vector<AffineId> indicesOf(dsl::TensorId output) {
    std::vector<AffineId> index;
    for (const AffineId extent : contract_->shape(output)) {
      const auto size = terms_.affine().constantOf(extent);
      index.push_back(sizeOf("index", {Wide{0}, (size ? Wide{*size} : kLargestSize) - 1}));
      // index < extent
      terms_.facts().assume(terms_.affine().plus(terms_.affine().sub(extent, index.back()), -1));
    }
    return index;
  }

  /// Values of the symbols, those of the element's index among them, and the inputs.
  NodeInputs inputsAt(const dsl::EvalInputs &in, std::int64_t rows,
                      const std::vector<AffineId> &index, std::int64_t element,
                      const std::vector<std::int64_t> &shape) {
    NodeInputs inputs;
    inputs.symbols.resize(terms_.pool().symbols.size());
    for (std::size_t dim = 0; dim < program_->dims.size(); ++dim)
      inputs.symbols[dim] = static_cast<std::uint64_t>(rows);
    for (std::size_t k = 0; k < program_->scalars.size(); ++k)
      inputs.symbols[program_->dims.size() + k] = in.scalars.at(program_->scalars[k].name);
    for (std::size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
      for (const auto &[atom, factor] : terms_.affine().form(index[axis]).terms)
        inputs.symbols[terms_.pool().node(atom).payload] =
            static_cast<std::uint64_t>(element % shape[axis]);
    inputs.element = [&](std::uint32_t tensor, Wide number) -> std::optional<std::uint64_t> {
      const dsl::TensorValue &value = in.tensors.at(program_->tensors[tensor].name);
      const auto size = static_cast<std::size_t>(dsl::byteSize(value.type));
      if (number < 0 || number >= static_cast<Wide>(value.data.size() / size))
        return std::nullopt;
      return dsl::loadBits(value.type, value.data.data() + static_cast<std::size_t>(number) * size);
    };
    return inputs;
  }

  void expectElement(const ContractTerms::Element &element, const NodeInputs &inputs,
                     std::uint64_t want) {
    NodeEvaluator evaluator(terms_.pool(), terms_.affine(), inputs);
    if (element.where && element.where->isNode()) {
      const auto isWritten = evaluator.bits(element.where->node());
      ASSERT_TRUE(isWritten) << evaluator.fault();
      if (*isWritten == 0)
        return;
    }
    const auto got = evaluator.bits(element.value);
    ASSERT_TRUE(got) << evaluator.fault();
    ASSERT_EQ(*got, want) << toString(terms_.pool(), terms_.affine(), element.value);
  }

  bool isHuge() const {
    return GetParam().kernel.ends_with("_152064") || GetParam().kernel.ends_with("_151936");
  }

  /// Sampled elements of every output: all of one symbolic element, and of single columns.
  void compare(std::int64_t rows) {
    const dsl::EvalInputs in = oracle::inputsOf(*program_, rows);
    const dsl::EvalResult want = dsl::evaluate(*program_, in);
    ASSERT_TRUE(want.ok()) << want.error;
    std::mt19937_64 random(static_cast<std::uint64_t>(rows));
    for (dsl::TensorId output = 0; output < program_->tensors.size(); ++output) {
      const dsl::Tensor &tensor = program_->tensors[output];
      if (tensor.role == dsl::Tensor::Role::Input)
        continue;
      SCOPED_TRACE(tensor.name);
      const dsl::TensorValue &value = want.outputs.at(tensor.name);
      const auto size = static_cast<std::size_t>(dsl::byteSize(value.type));
      const auto count = static_cast<std::int64_t>(value.data.size() / size);
      const auto at = [&](std::int64_t element) {
        return dsl::loadBits(value.type,
                             value.data.data() + static_cast<std::size_t>(element) * size);
      };
      const std::vector<AffineId> index = indicesOf(output);
      std::vector<AffineId> inColumn = index;
      const auto symbolic = contract_->element(output, index);
      const int samples = isHuge() ? 1 : terms_.pool().size() > 20'000 ? 3 : 12;
      for (int k = 0; k < samples && count > 0; ++k) {
        const auto element =
            static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
        SCOPED_TRACE(element);
        const NodeInputs inputs = inputsAt(in, rows, index, element, value.shape);
        expectElement(symbolic, inputs, at(element));
        if (value.shape.size() < 2)
          continue;
        inColumn.back() = terms_.affine().constant(element % value.shape.back());
        expectElement(contract_->element(output, inColumn), inputs, at(element));
      }
    }
  }

  dsl::SourceManager sources_;
  dsl::Diagnostics diagnostics_{sources_};
  std::optional<dsl::Program> program_;
  Terms terms_;
  std::optional<ContractTerms> contract_;
};

TEST_P(ContractOfKernel, HasTheEvaluatorsBits) {
  if (oracle::foldedRows(*program_))
    for (const std::int64_t rows : {0, 1, 64, 150}) // of the chunks some whole, some not
      compare(rows);
  else
    compare(oracle::isElementwise(*program_) ? 300 : isHuge() ? 2 : 7);
}

/// Of the largest rows, which take long and differ from the others in length alone, two.
std::vector<oracle::KernelCase> kernels() {
  std::vector<oracle::KernelCase> all = oracle::everyKernel();
  std::erase_if(all, [](const oracle::KernelCase &c) {
    const bool isHuge = c.kernel.ends_with("_152064") || c.kernel.ends_with("_151936");
    return isHuge && c.kernel != "softmax_bf16_152064" &&
           c.kernel != "selected_log_prob_bf16_151936";
  });
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, ContractOfKernel, ::testing::ValuesIn(kernels()),
                         [](const auto &info) { return oracle::caseName(info.param, info.index); });

} // namespace
} // namespace ordo::verify
