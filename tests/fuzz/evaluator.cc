// Tiny kernels of any modules are run: bits or a message, and the bits are those of the terms.
#include "dsl/eval/evaluator.h"

#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "dsl/term/term.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/modules.h"

#include <map>
#include <random>
#include <set>

namespace ordo::fuzz {

using namespace ordo::dsl;

namespace {

constexpr std::int64_t kLongestExtent = 64;
constexpr std::int64_t kMostElements = 1 << 14; // of a tensor
constexpr double kMostWork = 1 << 22;           // expressions evaluated
constexpr std::int64_t kTermsOfOutput = 6;      // elements whose terms are compared

/// How much a program costs where every extent is known; many, where it is not.
class Work {
public:
  Work(const Program &program, std::span<const std::int64_t> dims)
      : program_(program), dims_(dims) {}

  double total() {
    double sum = 0;
    for (const Definition &definition : program_.definitions)
      sum += points(definition.vars) * (of(definition.value) + of(definition.where));
    return sum;
  }

private:
  double points(const std::vector<VarId> &vars) {
    double product = 1;
    for (const VarId var : vars) {
      const auto extent = evaluateUniform(program_, program_.vars[var].extent, dims_);
      if (!extent || static_cast<std::int64_t>(*extent) > kLongestExtent)
        return 1e30;
      product *= std::max<double>(1, static_cast<double>(static_cast<std::int64_t>(*extent)));
    }
    return product;
  }

  double of(ExprId root) {
    if (root == kNone)
      return 0;
    double sum = 0;
    std::set<ExprId> seen = {root};
    std::vector<ExprId> todo = {root};
    while (!todo.empty()) {
      const ExprId id = todo.back();
      todo.pop_back();
      sum += 1;
      if (program_.expr(id).op == Op::Reduce)
        sum += ofReduction(static_cast<ReductionId>(program_.expr(id).payload));
      for (const ExprId arg : program_.args(id))
        if (seen.insert(arg).second)
          todo.push_back(arg);
    }
    return sum;
  }

  double ofReduction(ReductionId id) {
    if (const auto it = reductions_.find(id); it != reductions_.end())
      return it->second;
    const Reduction &reduction = program_.reductions[id];
    return reductions_[id] = points(reduction.vars) * (of(reduction.body) + of(reduction.where));
  }

  const Program &program_;
  std::span<const std::int64_t> dims_;
  std::map<ReductionId, double> reductions_;
};

class Filler {
public:
  explicit Filler(std::string_view input) : random_(std::hash<std::string_view>{}(input)) {}

  std::int64_t size() { return static_cast<std::int64_t>(random_() % 5); }

  /// Small numbers, mostly: indices want to be in range, and sums finite. Then anything.
  std::uint64_t bits(DType type) {
    const std::uint64_t any = random_();
    if (type == DType::Bool)
      return any & 1;
    const std::uint64_t mask = bitWidth(type) == 64 ? ~0ull : (1ull << bitWidth(type)) - 1;
    if (random_() % 4 == 0)
      return any & mask;
    return castBits(DType::I64, type, any % 4) & mask;
  }

  TensorValue tensor(DType type, const std::vector<std::int64_t> &shape, std::int64_t count) {
    TensorValue value{type, shape, {}};
    const std::size_t width = static_cast<std::size_t>(byteSize(type));
    value.data.resize(static_cast<std::size_t>(count) * width);
    for (std::int64_t i = 0; i < count; ++i)
      storeBits(type, value.data.data() + static_cast<std::size_t>(i) * width, bits(type));
    return value;
  }

private:
  std::mt19937_64 random_;
};

/// Inputs for the sizes, or nothing where one is too large for here.
std::optional<EvalInputs> inputsFor(const Program &program, const std::vector<std::int64_t> &dims,
                                    Filler &filler) {
  EvalInputs inputs;
  for (DimId dim = 0; dim < program.dims.size(); ++dim)
    inputs.dims[program.dims[dim].name] = dims[dim];
  for (const Scalar &scalar : program.scalars)
    inputs.scalars[scalar.name] = filler.bits(scalar.type);
  for (const Tensor &tensor : program.tensors) {
    std::vector<std::int64_t> shape;
    for (const ExprId extent : tensor.shape)
      shape.push_back(static_cast<std::int64_t>(
          evaluateUniform(program, extent, dims).value_or(std::uint64_t{1} << 62)));
    const auto count = elementCount(shape, byteSize(tensor.type));
    if (!count || *count > kMostElements)
      return std::nullopt;
    if (tensor.role == Tensor::Role::Input)
      inputs.tensors[tensor.name] = filler.tensor(tensor.type, shape, *count);
  }
  return inputs;
}

std::vector<std::int64_t> indexOf(std::int64_t flat, const std::vector<std::int64_t> &shape) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0; flat /= shape[axis])
    index[axis] = flat % shape[axis];
  return index;
}

/// Elements of every output by their terms, which share no loop with the evaluator.
void compareWithTerms(const Program &program, const std::vector<std::int64_t> &dims,
                      const EvalInputs &inputs, const EvalResult &result) {
  TermInputs leaves;
  for (const Tensor &tensor : program.tensors)
    leaves.tensors.push_back(tensor.role == Tensor::Role::Input ? &inputs.tensors.at(tensor.name)
                                                                : nullptr);
  for (const Scalar &scalar : program.scalars)
    leaves.scalars.push_back(inputs.scalars.at(scalar.name));
  for (TensorId t = 0; t < program.tensors.size(); ++t) {
    if (program.tensors[t].role != Tensor::Role::Output)
      continue;
    const TensorValue &output = result.outputs.at(program.tensors[t].name);
    const std::size_t width = static_cast<std::size_t>(byteSize(output.type));
    const auto count = static_cast<std::int64_t>(output.data.size() / width);
    for (std::int64_t k = 0; k < std::min(count, kTermsOfOutput); ++k) {
      const std::int64_t flat =
          count <= kTermsOfOutput ? k : k * (count - 1) / (kTermsOfOutput - 1);
      TermPool pool;
      std::string error;
      const auto root = expand(program, t, indexOf(flat, output.shape), dims, pool, &error);
      require(root.has_value() || !error.empty(), "no term, and nothing says why");
      if (!root)
        continue; // not written, or an order that terms do not express
      const TermId roots[] = {*root};
      const auto bits = evaluateTerms(pool, roots, leaves, &error);
      require(bits.has_value(), "{}[{}] has bits, and its term none: {}", program.tensors[t].name,
              flat, error);
      const std::uint64_t wanted =
          loadBits(output.type, output.data.data() + static_cast<std::size_t>(flat) * width);
      require(bits->front() == wanted, "{}[{}] is {:#x}, and its term {:#x}: {}",
              program.tensors[t].name, flat, wanted, bits->front(), toString(pool, *root, program));
    }
  }
}

void runOne(const Program &program, Filler &filler) {
  std::vector<std::int64_t> dims;
  for (std::size_t dim = 0; dim < program.dims.size(); ++dim)
    dims.push_back(filler.size());
  const auto inputs = inputsFor(program, dims, filler);
  if (!inputs || Work(program, dims).total() > kMostWork)
    return;
  const EvalResult result = evaluate(program, *inputs);
  if (!result.ok())
    return;
  const EvalResult again = evaluate(program, *inputs);
  for (const auto &[name, value] : result.outputs)
    require(again.outputs.at(name).data == value.data, "{} is not the same twice", name);
  compareWithTerms(program, dims, *inputs, result);
}

} // namespace

void runEvaluator(std::string_view input) {
  Modules modules;
  const Contract contract(modules.write(input));
  Filler filler(input);
  for (const Program &program : contract.programs())
    runOne(program, filler);
}

} // namespace ordo::fuzz
