#include "tests/gpu/check.h"

#include <algorithm>

namespace ordo::gpu {

std::vector<Trial> trialsFor(U64 rowBytes, const CheckOptions &options) {
  std::vector<Trial> trials = {{0, {1, 0}}};
  const U64 fits = std::min<U64>(65536, options.tensorLimit / std::max<U64>(rowBytes, 1));
  if (options.quick) {
    for (const U64 rows : {U64{1}, U64{3}, U64{33}})
      if (rows <= fits)
        trials.push_back({rows, {37, 4}});
    return trials;
  }
  for (const U64 rows : {U64{1}, U64{7}})
    for (U32 offset = 0; offset < kPatterns && rows <= fits; ++offset)
      trials.push_back({rows, {37, offset}});
  std::vector<U64> counts = {2, 3, 255, 256, 257, 1000, 4096, 16384, 65536, fits};
  std::ranges::sort(counts);
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  for (const U64 rows : counts)
    for (const Arrangement arrangement : {Arrangement{1, 0}, {1, 77}, {5, 130}})
      if (rows > 0 && rows <= fits)
        trials.push_back({rows, arrangement});
  return trials;
}

std::string argumentsDiffer(const BundleKernel &kernel, const Case &work) {
  using Kind = BundleArgument::Kind;
  std::vector<BundleArgument> wanted;
  for (const CaseTensor &tensor : work.tensors)
    wanted.push_back({tensor.name, tensor.input ? Kind::Input : Kind::Output, tensor.dtype, {}});
  wanted.push_back({work.dim, Kind::Dimension, "i64", {}});
  for (const CaseScalar &scalar : work.scalars)
    wanted.push_back({scalar.name, Kind::Scalar, scalar.dtype, {}});
  if (kernel.arguments.size() != wanted.size())
    return "the manifest lists " + std::to_string(kernel.arguments.size()) + " arguments, not " +
           std::to_string(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const BundleArgument &given = kernel.arguments[i];
    if (given.name != wanted[i].name || given.dtype != wanted[i].dtype ||
        given.kind != wanted[i].kind)
      return "argument " + std::to_string(i) + " of the manifest is " + given.dtype + " " +
             given.name + ", not " + wanted[i].dtype + " " + wanted[i].name;
    if (i >= work.tensors.size())
      continue;
    constexpr std::int64_t kRows = 3;
    U64 elements = 1;
    for (const Formula &extent : given.shape)
      elements *= static_cast<U64>(evaluate(extent, {{work.dim, kRows}}).value_or(0));
    if (elements != (work.tensors[i].rows ? kRows : 1) * work.tensors[i].columns)
      return "the manifest gives " + given.name + " another shape";
  }
  return "";
}

} // namespace ordo::gpu
