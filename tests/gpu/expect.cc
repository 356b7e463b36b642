// expect: what the evaluator says of each kernel's 256 row patterns, as case files for gpu_check.
// Of a kernel whose outputs fold all rows: what it says after certain launches.
//
//   expect --list FILE.ordo [--root DIR]
//   expect FILE.ordo KERNEL --out DIR [--root DIR]
//
// Exit code 0, 1 (the contract or the evaluator refused) or 2 (misuse).
#include "dsl/eval/evaluator.h"
#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "dsl/sema/package.h"
#include "tests/gpu/case_file.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>
#include <stdexcept>

namespace ordo::gpu {

namespace {

constexpr U64 kSeed = 0x0bde2;
constexpr U64 kChunkElements = U64{1}
                               << 20; // of the widest tensor: what the evaluator works on at a time

struct Options {
  bool list = false;
  std::string file, kernel, out;
  std::vector<std::string> roots;
};

std::optional<Options> parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--list")
      options.list = true;
    else if (word == "--root" && i + 1 < argc)
      options.roots.emplace_back(argv[++i]);
    else if (word == "--out" && i + 1 < argc)
      options.out = argv[++i];
    else if (word.starts_with("-"))
      return std::nullopt;
    else if (options.file.empty())
      options.file = word;
    else if (options.kernel.empty())
      options.kernel = word;
    else
      return std::nullopt;
  }
  const bool whole =
      options.list ? options.kernel.empty() : !options.kernel.empty() && !options.out.empty();
  return whole && !options.file.empty() ? std::optional(options) : std::nullopt;
}

/// The shape of a tensor when the free dimension is `rows`.
std::vector<std::int64_t> shapeOf(const dsl::Program &program, const dsl::Tensor &tensor,
                                  std::int64_t rows) {
  std::vector<std::int64_t> shape;
  for (const dsl::ExprId extent : tensor.shape) {
    const auto bits = dsl::evaluateUniform(program, extent, std::span(&rows, 1));
    if (!bits)
      throw std::runtime_error("the shape of " + tensor.name + " is not one of sizes alone");
    shape.push_back(static_cast<std::int64_t>(*bits));
  }
  return shape;
}

CaseTensor tensorOf(const dsl::Program &program, const dsl::Tensor &tensor, U32 weights) {
  CaseTensor result;
  result.name = tensor.name;
  result.dtype = dsl::name(tensor.type);
  result.input = tensor.role == dsl::Tensor::Role::Input;
  result.pattern = weights;
  if (!formatOf(result.dtype))
    throw std::runtime_error("no inputs are made for type " + result.dtype);
  const auto some = shapeOf(program, tensor, 3);
  const auto more = shapeOf(program, tensor, 5);
  result.rows = some != more;
  const bool leading = result.rows && some[0] == 3 && more[0] == 5 &&
                       std::equal(some.begin() + 1, some.end(), more.begin() + 1, more.end());
  if (result.rows && !leading)
    throw std::runtime_error(tensor.name + " is no tensor of rows: " + program.dims[0].name +
                             " must be its first axis and no other");
  result.columns = 1;
  for (std::size_t axis = result.rows ? 1 : 0; axis < some.size(); ++axis)
    result.columns *= static_cast<U64>(some[axis]);
  return result;
}

U64 scalarBits(dsl::DType type) {
  if (dsl::isFloat(type))
    return dsl::castBits(dsl::DType::F64, type, std::bit_cast<U64>(1e-6));
  return 1;
}

/// Rows of one kind, for a NaN in one row hides all others, and once all patterns: none, few,
/// around the length of a chunk, many.
std::vector<Trial> foldedTrials() {
  std::vector<Trial> trials = {{0, {1, 0}}, {kPatterns, {1, 0}}};
  for (U32 kind = 0; kind < 32; ++kind)
    for (const U64 rows : {1, 2, 7, 63, 64, 65})
      trials.push_back({rows, {32, kind}});
  for (const U32 kind : {0, 1, 2, 3, 31})
    for (const U64 rows : {255, 1000})
      trials.push_back({rows, {32, kind}});
  return trials;
}

Case caseOf(const dsl::Program &program, const std::string &set) {
  if (program.dims.size() != 1)
    throw std::runtime_error("it has " + std::to_string(program.dims.size()) +
                             " free dimensions; the check knows one");
  Case work{program.kernel, set, program.dims[0].name, kSeed, {}, {}, {}};
  const U32 weights = set == "special" ? kSpecialWeights : kPlainWeights;
  for (const dsl::Tensor &tensor : program.tensors)
    work.tensors.push_back(tensorOf(program, tensor, weights));
  for (const dsl::Scalar &scalar : program.scalars)
    work.scalars.push_back(
        {scalar.name, std::string(dsl::name(scalar.type)), scalarBits(scalar.type)});
  const auto folds = [](const CaseTensor &tensor) { return !tensor.input && !tensor.rows; };
  const auto hasRows = [](const CaseTensor &tensor) { return !tensor.input && tensor.rows; };
  if (std::ranges::any_of(work.tensors, folds)) {
    if (std::ranges::any_of(work.tensors, hasRows))
      throw std::runtime_error("some of its outputs have rows and some have none");
    work.trials = foldedTrials();
  }
  return work;
}

dsl::TensorValue valueOf(const dsl::Program &program, const dsl::Tensor &tensor, U64 rows,
                         const std::vector<char> &bytes) {
  dsl::TensorValue value{tensor.type, shapeOf(program, tensor, rows), {}};
  value.data.resize(bytes.size());
  std::memcpy(value.data.data(), bytes.data(), bytes.size());
  return value;
}

/// Evaluates rows `first` to `first + count` and appends them to what is expected.
void evaluateRows(const dsl::Program &program, Case &work, U64 first, U64 count,
                  Arrangement arrangement = {1, 0}) {
  dsl::EvalInputs inputs;
  for (const CaseScalar &scalar : work.scalars)
    inputs.scalars[scalar.name] = scalar.bits;
  for (std::size_t i = 0; i < work.tensors.size(); ++i)
    if (work.tensors[i].input)
      inputs.tensors[work.tensors[i].name] = valueOf(
          program, program.tensors[i], count, generateRows(work, i, first, count, arrangement));
  const dsl::EvalResult result = dsl::evaluate(program, inputs);
  if (!result.ok())
    throw std::runtime_error(result.error);
  for (CaseTensor &tensor : work.tensors)
    if (!tensor.input) {
      const std::vector<std::byte> &data = result.outputs.at(tensor.name).data;
      const auto *bytes = reinterpret_cast<const char *>(data.data());
      tensor.expected.insert(tensor.expected.end(), bytes, bytes + data.size());
    }
}

void fill(const dsl::Program &program, Case &work) {
  U64 widest = 1;
  for (std::size_t i = 0; i < work.tensors.size(); ++i) {
    CaseTensor &tensor = work.tensors[i];
    const U32 size = formatOf(tensor.dtype)->bytes;
    widest = std::max(widest, tensor.columns);
    if (tensor.input)
      tensor.hash = hashOf(generateRows(work, i, 0, kPatterns).data(), size,
                           (tensor.rows ? kPatterns : 1) * tensor.columns);
  }
  for (const Trial &trial : work.trials)
    evaluateRows(program, work, 0, trial.rows, trial.arrangement);
  if (!work.trials.empty())
    return;
  const U32 chunk = static_cast<U32>(std::clamp<U64>(kChunkElements / widest, 1, kPatterns));
  for (U32 first = 0; first < kPatterns; first += chunk)
    evaluateRows(program, work, first, std::min(chunk, kPatterns - first));
}

int run(const Options &options) {
  dsl::SourceManager sources;
  dsl::Diagnostics diagnostics(sources);
  const auto package = dsl::Package::load(options.file, options.roots, sources, diagnostics);
  if (package && options.list) {
    for (const std::string &kernel : package->kernels())
      std::printf("%s\n", kernel.c_str());
    return 0;
  }
  const auto program = package ? package->instantiate(options.kernel, diagnostics) : std::nullopt;
  if (!program) {
    std::fputs(diagnostics.renderAll().c_str(), stderr);
    return 1;
  }
  const bool weights = std::ranges::any_of(program->tensors, [&](const dsl::Tensor &tensor) {
    const CaseTensor shape = tensorOf(*program, tensor, 0);
    return shape.input && !shape.rows;
  });
  for (const char *set : {"plain", "special"}) {
    if (set == std::string("special") && !weights)
      continue;
    Case work = caseOf(*program, set);
    fill(*program, work);
    const std::string path = options.out + "/" + work.kernel + "." + set + ".case";
    if (!writeCase(path, work))
      throw std::runtime_error("cannot write " + path);
  }
  return 0;
}

} // namespace

} // namespace ordo::gpu

int main(int argc, char **argv) {
  const auto options = ordo::gpu::parse(argc, argv);
  if (!options) {
    std::fputs("usage: expect --list FILE.ordo | expect FILE.ordo KERNEL --out DIR; [--root DIR]\n",
               stderr);
    return 2;
  }
  try {
    return ordo::gpu::run(*options);
  } catch (const std::exception &problem) {
    std::fprintf(stderr, "expect: %s: %s\n", options->kernel.c_str(), problem.what());
    return 1;
  }
}
