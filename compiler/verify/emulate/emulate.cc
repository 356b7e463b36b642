#include "compiler/verify/emulate/emulate.h"

#include "compiler/verify/machine/concrete.h"
#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::uint64_t kAlignment = 16; // what the bundle promises for pointers
constexpr std::int64_t kMostBlocks = std::int64_t{1} << 31;

/// "at line 12, `add.rn.f32 …`, thread (3, 0, 0) of block (0, 0, 0): …".
std::string textOf(const Fault &fault, const Kernel &kernel) {
  std::string text;
  if (fault.line < kernel.lines.size() && kernel.lines[fault.line].number != 0) {
    const SourceLine &line = kernel.lines[fault.line];
    std::string code = line.text;
    code.erase(0, code.find_first_not_of(" \t"));
    text = fmt::format("line {} of {}, `{}`", line.number, kernel.target, code);
  }
  if (fault.hasThread)
    text += fmt::format("{}thread ({}, {}, {}) of block {}", text.empty() ? "" : ", ",
                        fault.thread[0], fault.thread[1], fault.thread[2], fault.block);
  return text.empty() ? fault.message : text + ": " + fault.message;
}

class Emulation {
public:
  Emulation(const dsl::Program &program, const Kernel &kernel, Approximation approximations)
      : program_(program), kernel_(kernel), approximations_(approximations) {}

  dsl::EvalResult run(const EmulationLaunch &launch, const dsl::EvalInputs &inputs) {
    dsl::EvalResult result;
    std::map<std::string, std::vector<std::int64_t>> shapes;
    for (const auto &[name, tensor] : inputs.tensors)
      shapes[name] = tensor.shape;
    const auto bound = dsl::bindLaunch(program_, shapes, inputs.dims, &result.error);
    if (!bound || !place(*bound, inputs, result.error) || !arguments(*bound, inputs, result.error))
      return result;
    if (std::ranges::find(launch.grid, 0) == launch.grid.end()) {
      LaunchOf of;
      for (int axis = 0; axis < 3; ++axis) {
        if (launch.grid[axis] < 0 || launch.grid[axis] > kMostBlocks || launch.block[axis] < 1 ||
            launch.block[axis] > 1024) {
          result.error = "the launch is larger than a device takes";
          return result;
        }
        of.grid[axis] = static_cast<std::uint32_t>(launch.grid[axis]);
        of.block.size[axis] = static_cast<std::uint32_t>(launch.block[axis]);
      }
      of.parameters = parameters_;
      of.limits = launch.limits;
      of.order = launch.order;
      if (const auto fault = verify::emulate(kernel_, of, memory_, approximations_)) {
        result.error = textOf(*fault, kernel_);
        return result;
      }
    }
    collect(*bound, result);
    return result;
  }

private:
  bool place(const dsl::Launch &bound, const dsl::EvalInputs &inputs, std::string &error) {
    for (std::size_t k = 0; k < program_.tensors.size(); ++k) {
      const dsl::Tensor &tensor = program_.tensors[k];
      const bool isOutput = tensor.role == dsl::Tensor::Role::Output;
      std::vector<std::byte> bytes;
      if (isOutput) {
        const auto count = dsl::elementCount(bound.shapes[k], dsl::byteSize(tensor.type));
        if (!count || *count > std::int64_t{1} << 32) {
          error = fmt::format("{} is too large to emulate", tensor.name);
          return false;
        }
        bytes.resize(static_cast<std::size_t>(*count * dsl::byteSize(tensor.type)));
      } else {
        bytes = inputs.tensors.at(tensor.name).data;
      }
      addresses_.push_back(memory_.add(tensor.name, std::move(bytes), isOutput, kAlignment));
    }
    return true;
  }

  bool arguments(const dsl::Launch &bound, const dsl::EvalInputs &inputs, std::string &error) {
    std::vector<std::pair<std::uint64_t, unsigned>> values; // and their bytes
    for (const std::uint64_t address : addresses_)
      values.emplace_back(address, 8u);
    for (const std::int64_t size : bound.dims)
      values.emplace_back(static_cast<std::uint64_t>(size), 8u);
    for (const dsl::Scalar &scalar : program_.scalars) {
      const auto it = inputs.scalars.find(scalar.name);
      if (it == inputs.scalars.end()) {
        error = fmt::format("no value for the scalar {}", scalar.name);
        return false;
      }
      values.emplace_back(it->second, static_cast<unsigned>(dsl::byteSize(scalar.type)));
    }
    if (kernel_.parameters.size() != values.size()) {
      error = fmt::format("the code takes {} arguments, and the contract has {}",
                          kernel_.parameters.size(), values.size());
      return false;
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Parameter &p = kernel_.parameters[k];
      if (p.bytes < values[k].second) {
        error = fmt::format("argument {} has {} bytes, and the contract's has {}", k, p.bytes,
                            values[k].second);
        return false;
      }
      parameters_.resize(std::max<std::size_t>(parameters_.size(), p.offset + p.bytes));
      std::memcpy(parameters_.data() + p.offset, &values[k].first, values[k].second);
    }
    return true;
  }

  bool hasWhere(dsl::TensorId output) const {
    return std::ranges::any_of(program_.definitions, [&](const dsl::Definition &d) {
      return d.output == output && d.where != dsl::kNone;
    });
  }

  void collect(const dsl::Launch &bound, dsl::EvalResult &result) {
    for (std::size_t k = 0; k < program_.tensors.size(); ++k) {
      const dsl::Tensor &tensor = program_.tensors[k];
      if (tensor.role != dsl::Tensor::Role::Output)
        continue;
      Region &region = memory_.region(k);
      const auto hole = std::ranges::find(region.writers, 0u);
      if (hole != region.writers.end() && !hasWhere(static_cast<dsl::TensorId>(k))) {
        result.error =
            fmt::format("element {} of {} is never stored",
                        (hole - region.writers.begin()) / dsl::byteSize(tensor.type), tensor.name);
        return;
      }
      dsl::TensorValue value{tensor.type, bound.shapes[k], std::move(region.bytes)};
      dsl::canonicalise(value.type, value.data.data(),
                        value.data.size() / static_cast<std::size_t>(dsl::byteSize(value.type)));
      result.outputs[tensor.name] = std::move(value);
    }
  }

  const dsl::Program &program_;
  const Kernel &kernel_;
  Approximation approximations_;
  Memory memory_;
  std::vector<std::uint64_t> addresses_; // by TensorId
  std::vector<std::byte> parameters_;
};

} // namespace

dsl::EvalResult emulate(const dsl::Program &program, const Kernel &kernel,
                        const EmulationLaunch &launch, const dsl::EvalInputs &inputs,
                        Approximation approximations) {
  return Emulation(program, kernel, approximations).run(launch, inputs);
}

} // namespace ordo::verify
