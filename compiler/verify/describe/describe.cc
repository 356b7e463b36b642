#include "compiler/verify/describe/describe.h"

#include "compiler/verify/describe/expression.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

std::vector<std::string> conditionsOf(const Terms &terms, const Summary &summary) {
  std::vector<std::string> all;
  for (const Condition &condition : summary.paths[0])
    all.push_back((condition.holds ? "" : "not ") +
                  toString(terms.pool(), terms.affine(), condition.node));
  return all;
}

} // namespace

KernelTree describe(Terms &terms, const Signature &signature,
                    const std::vector<Summary> &summaries) {
  const Summary &fullest = *std::ranges::max_element(
      summaries, {}, [](const Summary &summary) { return summary.stores.size(); });
  KernelTree tree;
  tree.where = conditionsOf(terms, fullest);
  tree.cases = summaries.size();
  KnownReductions reductions(terms);
  Shapes shapes(terms, reductions);
  for (std::uint32_t k = 0; k < signature.arguments.size(); ++k) {
    const Argument &array = signature.arguments[k];
    if (!array.isWritten)
      continue;
    OutputTree output;
    output.array = array.name;
    std::optional<std::uint32_t> shape;
    for (const Summary &summary : summaries)
      for (const GlobalStore &store : summary.stores) {
        if (store.argument != k)
          continue;
        const NodeId value = terms.asElement(array.type, store.value);
        if (&summary == &fullest && ++output.elements == 1) {
          output.element = formText(terms.pool(), terms.affine(), store.element);
          writeValue(terms, reductions, value, output);
        }
        const std::uint32_t mine = shapes.of(value);
        output.isAlike &= shape.value_or(mine) == mine;
        shape = mine;
      }
    tree.outputs.push_back(std::move(output));
  }
  return tree;
}

} // namespace ordo::verify
