#include "tests/gpu/case_file.h"

#include "tests/gpu/files.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace ordo::gpu {

namespace {

using Json = nlohmann::ordered_json;

Json headerOf(const Case &work) {
  Json tensors = Json::array();
  for (const CaseTensor &tensor : work.tensors)
    tensors.push_back({{"name", tensor.name},
                       {"dtype", tensor.dtype},
                       {"input", tensor.input},
                       {"rows", tensor.rows},
                       {"columns", tensor.columns},
                       {"pattern", tensor.pattern},
                       {"hash", tensor.hash}});
  Json scalars = Json::array();
  for (const CaseScalar &scalar : work.scalars)
    scalars.push_back({{"name", scalar.name}, {"dtype", scalar.dtype}, {"bits", scalar.bits}});
  Json trials = Json::array();
  for (const Trial &trial : work.trials)
    trials.push_back({trial.rows, trial.arrangement.stride, trial.arrangement.offset});
  return {{"ordo_gpu_case", 2}, {"kernel", work.kernel}, {"set", work.set},    {"dim", work.dim},
          {"seed", work.seed},  {"tensors", tensors},    {"scalars", scalars}, {"trials", trials}};
}

Case caseOf(const Json &header) {
  if (header.at("ordo_gpu_case") != 2)
    throw std::runtime_error("a case of another version");
  Case work{header.at("kernel"), header.at("set"), header.at("dim"), header.at("seed"), {}, {}, {}};
  for (const Json &json : header.at("tensors"))
    work.tensors.push_back({json.at("name"),
                            json.at("dtype"),
                            json.at("input"),
                            json.at("rows"),
                            json.at("columns"),
                            json.at("pattern"),
                            json.at("hash"),
                            {}});
  for (const Json &json : header.at("scalars"))
    work.scalars.push_back({json.at("name"), json.at("dtype"), json.at("bits")});
  for (const Json &json : header.at("trials"))
    work.trials.push_back({json.at(0), {json.at(1), json.at(2)}});
  return work;
}

} // namespace

std::optional<Format> formatOf(const std::string &dtype) {
  if (dtype == "bf16")
    return Format{2, 8, 7};
  if (dtype == "f16")
    return Format{2, 5, 10};
  if (dtype == "f32")
    return Format{4, 8, 23};
  if (dtype == "f64")
    return Format{8, 11, 52};
  if (dtype == "i32" || dtype == "u32")
    return Format{4, 0, 0};
  if (dtype == "i64" || dtype == "u64")
    return Format{8, 0, 0};
  return std::nullopt;
}

Source sourceOf(const Case &work, std::size_t index) {
  const CaseTensor &tensor = work.tensors[index];
  return {work.seed, tensor.columns, formatOf(tensor.dtype).value(), static_cast<U32>(index)};
}

std::vector<char> generateRows(const Case &work, std::size_t index, U64 first, U64 count,
                               Arrangement arrangement) {
  const Source source = sourceOf(work, index);
  const CaseTensor &tensor = work.tensors[index];
  const U64 rows = tensor.rows ? count : 1;
  std::vector<char> bytes(rows * source.columns * source.format.bytes);
  for (U64 row = 0; row < rows; ++row) {
    const U32 pattern = tensor.rows ? patternOf(arrangement, first + row) : tensor.pattern;
    for (U64 column = 0; column < source.columns; ++column)
      storeElement(bytes.data(), source.format.bytes, row * source.columns + column,
                   elementBits(source, pattern, column));
  }
  return bytes;
}

U64 hashOf(const void *data, U32 bytes, U64 count) {
  U64 sum = 0;
  for (U64 i = 0; i < count; ++i)
    sum += hashShare(i, loadElement(data, bytes, i));
  return sum;
}

bool writeCase(const std::string &path, const Case &work) {
  std::string bytes = headerOf(work).dump() + "\n";
  for (const CaseTensor &tensor : work.tensors)
    bytes.append(tensor.expected.begin(), tensor.expected.end());
  return writeFile(path, bytes);
}

std::optional<Case> readCase(const std::string &path, std::string &error) {
  const std::optional<std::vector<char>> bytes = readFile(path, error);
  if (!bytes)
    return std::nullopt;
  try {
    auto at = std::find(bytes->begin(), bytes->end(), '\n');
    Case work = caseOf(Json::parse(bytes->begin(), at));
    if (at != bytes->end())
      ++at;
    for (CaseTensor &tensor : work.tensors) {
      const std::optional<Format> format = formatOf(tensor.dtype);
      if (!format)
        throw std::runtime_error("no inputs are made for type " + tensor.dtype);
      if (tensor.input)
        continue;
      const U64 rows = work.trials.empty() ? U64{kPatterns} : work.trials.size();
      const U64 length = rows * tensor.columns * format->bytes;
      if (static_cast<U64>(bytes->end() - at) < length)
        throw std::runtime_error("it is truncated");
      tensor.expected.assign(at, at + static_cast<std::ptrdiff_t>(length));
      at += static_cast<std::ptrdiff_t>(length);
    }
    if (at != bytes->end())
      throw std::runtime_error("it is longer than its header says");
    return work;
  } catch (const std::exception &problem) {
    error = path + ": " + problem.what();
    return std::nullopt;
  }
}

std::string kindName(U32 pattern) {
  static const char *const kNames[] = {
      "ordinary",  "wide",         "moderate",       "one binade",     "logits",
      "one NaN",   "many NaNs",    "one inf",        "one -inf",       "both infs",
      "subnormal", "signed zeros", "positive zeros", "negative zeros", "all -inf",
      "all inf",   "all NaN",      "huge",           "tiny",           "constant",
      "one alone", "masked",       "mixed",          "weights",        "special weights"};
  return kNames[static_cast<U32>(kindOf(pattern))];
}

} // namespace ordo::gpu
