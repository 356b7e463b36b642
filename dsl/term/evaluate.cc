// Bits and text of terms.
#include "dsl/eval/launch.h"
#include "dsl/eval/numeric.h"
#include "dsl/term/term.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::dsl {
namespace {

/// Runs over the pool once, children first, over the terms that the roots need.
class TermEvaluator {
public:
  TermEvaluator(const TermPool &pool, const TermInputs &inputs) : pool_(pool), inputs_(inputs) {}

  std::optional<std::vector<std::uint64_t>> run(std::span<const TermId> roots, std::string *error) {
    mark(roots);
    for (TermId id = 0; id < needed_.size(); ++id)
      if (needed_[id] && !compute(id)) {
        *error = fault_;
        return std::nullopt;
      }
    std::vector<std::uint64_t> bits;
    for (const TermId root : roots) {
      if (poison_[root]) {
        *error = "index out of range: " + fault_;
        return std::nullopt;
      }
      bits.push_back(canonical(pool_.term(root).type, values_[root]));
    }
    return bits;
  }

private:
  void mark(std::span<const TermId> roots) {
    const TermId end = roots.empty() ? 0 : *std::ranges::max_element(roots) + 1;
    needed_.assign(end, false);
    poison_.assign(end, false);
    values_.resize(end);
    for (const TermId root : roots)
      needed_[root] = true;
    for (TermId id = end; id-- > 0;)
      if (needed_[id])
        for (const TermId arg : pool_.args(id))
          needed_[arg] = true;
  }

  bool compute(TermId id) {
    const Term &t = pool_.term(id);
    const std::span<const TermId> args = pool_.args(id);
    switch (t.op) {
    case Op::Const:
      values_[id] = t.payload;
      return true;
    case Op::Scalar:
      if (t.payload >= inputs_.scalars.size())
        return fail("a scalar is missing");
      values_[id] = inputs_.scalars[t.payload];
      return true;
    case Op::Load:
      return load(id);
    default:
      break;
    }
    std::uint64_t bits[3] = {};
    for (std::size_t i = 0; i < args.size() && i < 3; ++i) {
      bits[i] = values_[args[i]];
      poison_[id] = poison_[id] || poison_[args[i]];
    }
    if (t.op == Op::Select) // what is not chosen does not matter
      poison_[id] = poison_[args[0]] || poison_[args[bits[0] != 0 ? 1 : 2]];
    const auto rounding = t.op == Op::Cast ? static_cast<Rounding>(t.payload) : Rounding{};
    const DType argType = args.empty() ? t.type : pool_.term(args.back()).type;
    const auto value = evaluate(t.op, t.type, argType, {bits, args.size()}, rounding);
    if (!value)
      return fail(fmt::format("`{}` has no meaning in {}", name(t.op), name(t.type)));
    values_[id] = *value;
    return true;
  }

  bool load(TermId id) {
    const Term &t = pool_.term(id);
    const std::span<const TermId> args = pool_.args(id);
    const TensorValue *tensor =
        t.payload < inputs_.tensors.size() ? inputs_.tensors[t.payload] : nullptr;
    if (!tensor || tensor->type != t.type || tensor->shape.size() != args.size())
      return fail("a term loads from a tensor that is missing or of another type or rank");
    std::int64_t offset = 0;
    std::vector<std::int64_t> at;
    for (std::size_t axis = 0; axis < args.size(); ++axis) {
      at.push_back(static_cast<std::int64_t>(values_[args[axis]]));
      const bool inside = at.back() >= 0 && at.back() < tensor->shape[axis];
      poison_[id] = poison_[id] || poison_[args[axis]] || !inside;
      if (!poison_[id])
        offset = offset * tensor->shape[axis] + at.back();
    }
    values_[id] = 0;
    if (poison_[id]) {
      fault_ = fmt::format("a load at {} of {}", shapeText(at), shapeText(tensor->shape));
      return true;
    }
    const std::size_t size = elementSize(t.type);
    values_[id] = loadBits(t.type, tensor->data.data() + static_cast<std::size_t>(offset) * size);
    return true;
  }

  bool fail(std::string why) {
    fault_ = std::move(why);
    return false;
  }

  const TermPool &pool_;
  const TermInputs &inputs_;
  std::vector<bool> needed_, poison_;
  std::vector<std::uint64_t> values_;
  std::string fault_;
};

} // namespace

std::optional<std::vector<std::uint64_t>> evaluateTerms(const TermPool &pool,
                                                        std::span<const TermId> roots,
                                                        const TermInputs &inputs,
                                                        std::string *error) {
  const FloatEnvironment environment;
  return TermEvaluator(pool, inputs).run(roots, error);
}

} // namespace ordo::dsl
