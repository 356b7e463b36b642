#include "tests/gpu/check.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>

namespace ordo::gpu {

using runtime::cuda::Buffer;
using runtime::cuda::Code;
using runtime::cuda::DevicePtr;
using runtime::cuda::FunctionAttribute;
using runtime::cuda::FunctionHandle;
using runtime::cuda::LaunchShape;
using runtime::cuda::Module;
using runtime::cuda::Status;

namespace {

constexpr unsigned char kPoison = 0xa5; // a tiny number in every format, which no result repeats
constexpr U64 kGuardBytes = 4096;       // before and behind every output
constexpr std::size_t kMaxTensors = 16;
constexpr std::size_t kMaxMessages = 8;

/// What a trial leaves on the device.
struct Results {
  Mismatch outputs[kMaxTensors];
  U64 guards;              // bytes around outputs that changed
  U64 before[kMaxTensors]; // hashes of the inputs
  U64 after[kMaxTensors];
};

std::span<char> bytesOf(Results &results) {
  return {reinterpret_cast<char *>(&results), sizeof results};
}

std::string hex(U64 bits, U32 bytes) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(2 * bytes),
                static_cast<unsigned long long>(bits));
  return text;
}

/// One case while it runs: its kernel, and memory for its tensors at the largest T.
class Run {
public:
  Run(const Helpers &helpers, const BundleKernel &kernel, const Case &work, CheckReport &report)
      : helpers_(helpers), context_(helpers.context()), kernel_(kernel), case_(work),
        report_(report) {}

  /// `usable` tells whether the kernel can be launched at all.
  Status loadKernel(bool &usable);
  Status allocate(U64 mostRows);
  /// `number`: the trial's among those of a case whose outputs fold all rows.
  Status run(const Trial &trial, U64 number);

private:
  Status generate(const Trial &trial);
  Status poison(const Trial &trial);
  Status hashInputs(const Trial &trial, std::size_t offset);
  Status launch(const Trial &trial);
  Status compare(const Trial &trial, U64 number);
  Status judge(const Trial &trial, U64 number, const Results &results);
  Status describe(const Trial &trial, U64 number, std::size_t index, const Mismatch &mismatch);
  /// Where what is expected of a trial begins, in elements.
  U64 expectedFrom(std::size_t index, U64 number) const {
    const CaseTensor &tensor = case_.tensors[index];
    return tensor.rows ? 0 : number * tensor.columns;
  }
  void fail(const std::string &text);
  void fail(const Trial &trial, const std::string &text);

  Format format(std::size_t index) const { return *formatOf(case_.tensors[index].dtype); }
  U64 elements(std::size_t index, U64 rows) const {
    const CaseTensor &tensor = case_.tensors[index];
    return (tensor.rows ? rows : 1) * tensor.columns;
  }
  U64 bytes(std::size_t index, U64 rows) const {
    return elements(index, rows) * format(index).bytes;
  }
  DevicePtr address(std::size_t index) const {
    return buffers_[index].get() + (case_.tensors[index].input ? 0 : kGuardBytes);
  }
  DevicePtr result(std::size_t offset) const { return results_.get() + offset; }

  const Helpers &helpers_;
  const runtime::cuda::Context &context_;
  const BundleKernel &kernel_;
  const Case &case_;
  CheckReport &report_;
  Module module_;
  FunctionHandle function_ = nullptr;
  std::vector<Buffer> buffers_, expected_; // by tensor
  Buffer results_;
};

void Run::fail(const std::string &text) {
  ++report_.failed;
  if (report_.failures.size() < kMaxMessages)
    report_.failures.push_back(text);
}

void Run::fail(const Trial &trial, const std::string &text) {
  fail("T = " + std::to_string(trial.rows) + ", row t of pattern " +
       std::to_string(trial.arrangement.stride) + " t + " +
       std::to_string(trial.arrangement.offset) + ": " + text);
}

Status Run::loadKernel(bool &usable) {
  usable = false;
  if (const std::string difference = argumentsDiffer(kernel_, case_); !difference.empty()) {
    fail(difference);
    return {};
  }
  Status status = context_.load(kernel_.code, Code::MachineOnly, module_);
  if (status.ok())
    status = context_.function(module_, kernel_.symbol, function_);
  const std::pair<FunctionAttribute, int *> attributes[] = {
      {FunctionAttribute::Registers, &report_.registers},
      {FunctionAttribute::LocalBytes, &report_.localBytes},
      {FunctionAttribute::SharedBytes, &report_.sharedBytes}};
  for (const auto &[attribute, value] : attributes)
    if (status.ok())
      status = context_.attribute(function_, attribute, *value);
  if (!status.ok()) {
    fail(status.message);
    return {};
  }
  usable = true;
  if (report_.localBytes != 0)
    fail("a thread uses " + std::to_string(report_.localBytes) + " bytes of local memory (spills)");
  if (report_.sharedBytes != kernel_.sharedBytes)
    fail("the kernel has " + std::to_string(report_.sharedBytes) +
         " bytes of static shared memory, the manifest says " +
         std::to_string(kernel_.sharedBytes));
  return {};
}

Status Run::allocate(U64 mostRows) {
  Status status = context_.allocate(sizeof(Results), results_);
  for (std::size_t i = 0; i < case_.tensors.size() && status.ok(); ++i) {
    const CaseTensor &tensor = case_.tensors[i];
    buffers_.emplace_back();
    expected_.emplace_back();
    const U64 around = tensor.input ? 16 : 2 * kGuardBytes; // an empty input has an address too
    status = context_.allocate(bytes(i, mostRows) + around, buffers_.back());
    if (tensor.input || !status.ok())
      continue;
    status = context_.allocate(tensor.expected.size(), expected_.back());
    if (status.ok())
      status = context_.toDevice(expected_.back().get(), tensor.expected, helpers_.stream());
  }
  return status;
}

Status Run::generate(const Trial &trial) {
  Status status;
  for (std::size_t i = 0; i < case_.tensors.size() && status.ok(); ++i) {
    const CaseTensor &tensor = case_.tensors[i];
    if (!tensor.input)
      continue;
    const Source source = sourceOf(case_, i);
    status = tensor.rows ? helpers_.generate(address(i), source, trial.rows, trial.arrangement)
                         : helpers_.generateFixed(address(i), source, tensor.pattern);
  }
  return status;
}

Status Run::poison(const Trial &trial) {
  Status status;
  for (std::size_t i = 0; i < case_.tensors.size() && status.ok(); ++i)
    if (!case_.tensors[i].input)
      status = context_.fill(buffers_[i].get(), kPoison, bytes(i, trial.rows) + 2 * kGuardBytes,
                             helpers_.stream());
  return status;
}

Status Run::hashInputs(const Trial &trial, std::size_t offset) {
  Status status;
  for (std::size_t i = 0; i < case_.tensors.size() && status.ok(); ++i)
    if (case_.tensors[i].input)
      status = helpers_.hash(address(i), format(i).bytes, elements(i, trial.rows),
                             result(offset + i * sizeof(U64)));
  return status;
}

Status Run::launch(const Trial &trial) {
  std::vector<U64> values; // every argument takes at most eight bytes, the low ones first
  for (std::size_t i = 0; i < case_.tensors.size(); ++i)
    values.push_back(address(i));
  values.push_back(trial.rows);
  for (const CaseScalar &scalar : case_.scalars)
    values.push_back(scalar.bits);
  std::vector<void *> arguments;
  for (U64 &value : values)
    arguments.push_back(&value);
  LaunchShape shape{{1, 1, 1}, kernel_.block, 0};
  for (int axis = 0; axis < 3; ++axis) {
    const auto extent =
        evaluate(kernel_.grid[axis], {{case_.dim, static_cast<std::int64_t>(trial.rows)}});
    if (!extent) {
      fail(trial, "the manifest's grid cannot be computed");
      return {};
    }
    shape.grid[axis] = *extent;
  }
  ++report_.launches;
  const Status status = context_.launch(function_, shape, arguments, helpers_.stream());
  if (!status.ok())
    fail(trial, status.message);
  return status;
}

Status Run::compare(const Trial &trial, U64 number) {
  Status status;
  for (std::size_t i = 0; i < case_.tensors.size() && status.ok(); ++i) {
    const CaseTensor &tensor = case_.tensors[i];
    if (tensor.input)
      continue;
    const DevicePtr expected = expected_[i].get() + expectedFrom(i, number) * format(i).bytes;
    // One row, of pattern 0, where an output has none of its own.
    status = helpers_.compare(address(i), expected, format(i), tensor.rows ? trial.rows : 1,
                              tensor.columns, tensor.rows ? trial.arrangement : Arrangement{1, 0},
                              result(offsetof(Results, outputs) + i * sizeof(Mismatch)));
    for (const DevicePtr guard : {buffers_[i].get(), address(i) + bytes(i, trial.rows)})
      if (status.ok())
        status =
            helpers_.expectBytes(guard, kGuardBytes, kPoison, result(offsetof(Results, guards)));
    report_.elements += elements(i, trial.rows);
  }
  report_.rows += trial.rows;
  report_.largestRows = std::max(report_.largestRows, trial.rows);
  return status;
}

Status Run::describe(const Trial &trial, U64 number, std::size_t index, const Mismatch &mismatch) {
  const CaseTensor &tensor = case_.tensors[index];
  const U32 size = format(index).bytes;
  const U64 row = mismatch.first / tensor.columns;
  const U64 column = mismatch.first % tensor.columns;
  const U32 pattern = tensor.rows ? patternOf(trial.arrangement, row) : 0;
  U64 got = 0;
  const Status status = context_.toHost({reinterpret_cast<char *>(&got), size},
                                        address(index) + mismatch.first * size, helpers_.stream());
  if (!status.ok())
    return status;
  if (const Status waited = context_.synchronize(helpers_.stream()); !waited.ok())
    return waited;
  const U64 want = loadElement(tensor.expected.data(), size,
                               expectedFrom(index, number) + pattern * tensor.columns + column);
  const std::string place = tensor.rows
                                ? "row " + std::to_string(row) + " (pattern " +
                                      std::to_string(pattern) + ", " + kindName(pattern) + "), "
                                : "";
  fail(trial, tensor.name + " differs in " + std::to_string(mismatch.count) +
                  " elements, first at " + place + "column " + std::to_string(column) + ": got " +
                  hex(got, size) + ", want " + hex(want, size));
  return {};
}

Status Run::judge(const Trial &trial, U64 number, const Results &results) {
  for (std::size_t i = 0; i < case_.tensors.size(); ++i) {
    const CaseTensor &tensor = case_.tensors[i];
    if (!tensor.input) {
      if (results.outputs[i].count == 0)
        continue;
      if (const Status status = describe(trial, number, i, results.outputs[i]); !status.ok())
        return status;
      continue;
    }
    if (results.before[i] != results.after[i])
      fail(trial, "the kernel changed its input " + tensor.name);
    // With these rows the device's input is the one that the evaluator had.
    const bool known = !tensor.rows || (trial.rows == kPatterns && trial.arrangement.stride == 1 &&
                                        trial.arrangement.offset == 0);
    if (known && results.before[i] != tensor.hash)
      fail(trial, "the device generated another input " + tensor.name + " than the host");
  }
  if (results.guards != 0)
    fail(trial, std::to_string(results.guards) + " bytes around the outputs were written");
  return {};
}

Status Run::run(const Trial &trial, U64 number) {
  Results results{};
  for (Mismatch &mismatch : results.outputs)
    mismatch.first = ~U64{0};
  Status status = context_.toDevice(results_.get(), bytesOf(results), helpers_.stream());
  if (status.ok())
    status = poison(trial);
  if (status.ok())
    status = generate(trial);
  if (status.ok())
    status = hashInputs(trial, offsetof(Results, before));
  if (status.ok())
    status = launch(trial);
  if (status.ok())
    status = hashInputs(trial, offsetof(Results, after));
  if (status.ok())
    status = compare(trial, number);
  if (status.ok())
    status = context_.toHost(bytesOf(results), results_.get(), helpers_.stream());
  if (status.ok())
    status = context_.synchronize(helpers_.stream());
  return status.ok() ? judge(trial, number, results) : status;
}

} // namespace

Status checkCase(const Helpers &helpers, const BundleKernel &kernel, const Case &work,
                 const CheckOptions &options, CheckReport &report) {
  report.kernel = kernel.name;
  report.set = work.set;
  Run run(helpers, kernel, work, report);
  if (work.tensors.size() > kMaxTensors) {
    ++report.failed;
    report.failures.push_back("more than " + std::to_string(kMaxTensors) + " tensors");
    return {};
  }
  U64 rowBytes = 0;
  for (const CaseTensor &tensor : work.tensors)
    if (tensor.rows)
      rowBytes = std::max<U64>(rowBytes, tensor.columns * formatOf(tensor.dtype)->bytes);
  const std::vector<Trial> trials =
      work.trials.empty() ? trialsFor(rowBytes, options) : work.trials;
  U64 mostRows = 0;
  for (const Trial &trial : trials)
    mostRows = std::max(mostRows, trial.rows);
  bool usable = false;
  if (const Status status = run.loadKernel(usable); !status.ok() || !usable)
    return status;
  if (const Status status = run.allocate(mostRows); !status.ok())
    return status;
  for (U64 number = 0; number < trials.size(); ++number)
    if (const Status status = run.run(trials[number], number); !status.ok())
      return status;
  return {};
}

} // namespace ordo::gpu
