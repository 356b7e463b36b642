// `argmax` and `top`: which candidates come first.
#include "dsl/eval/lane.h"
#include "dsl/eval/machine.h"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace ordo::dsl::machine {
namespace {

constexpr std::size_t kMostRemembered = std::size_t{1} << 24; // places

/// A number that ascends as the key ranks: smaller comes first. Zeros of both signs are one value,
/// and so are all NaNs.
std::uint64_t rankOf(DType type, const RankKey &key, const std::byte *element) {
  constexpr std::uint64_t kTop = std::uint64_t{1} << 63;
  std::uint64_t bits = loadBits(type, element);
  if (isFloat(type)) {
    bits = castBits(type, DType::F64, bits); // exact
    const auto value = lane::fromBits<double>(bits);
    if (value != value)
      return key.isNanFirst ? 0 : std::numeric_limits<std::uint64_t>::max();
    if (value == 0.0)
      bits = 0;
    bits = (bits & kTop) != 0 ? ~bits : bits | kTop; // 0 and the largest stay for NaN
  } else if (type == DType::Index || type == DType::I32 || type == DType::I64) {
    bits = castBits(type, DType::I64, bits) ^ kTop;
  }
  return key.isDescending ? ~bits : bits;
}

} // namespace

/// Finds the winners under the outer point of the frame's point i.
void Machine::rank(ReductionState &state, const Frame &frame, std::size_t i) {
  const Reduction &r = *state.reduction;
  Ranking &ranking = *state.ranking;
  ranking.winners = {};
  const auto refuse = [&](const std::string &why) {
    const std::string point = pointText(state.outer, frame, i);
    ranking.winners.fault =
        fmt::format("`{}` over {}{}{}", name(r.op), program_.vars[r.vars[0]].name,
                    point.empty() ? "" : " at " + point, why);
  };
  std::vector<std::int64_t> extents;
  const std::int64_t length = takeExtents(state, frame, i, extents);
  if (state.poisoned)
    return refuse(": " + fault());
  if (length > std::numeric_limits<std::int32_t>::max())
    throw EvalError("a ranking of more candidates than an i32 counts");
  std::int64_t wanted = 1;
  if (r.count != kNone) {
    ranking.count.run(*this, state.frame);
    if (ranking.count.isPoisoned(0, 0))
      return refuse(": " + fault());
    wanted = ranking.count.rootIndexAt(0, 0);
  }
  const std::size_t keys = r.keys.size();
  std::vector<std::uint64_t> ranks(static_cast<std::size_t>(length) * keys);
  std::vector<std::int32_t> &places = ranking.winners.places;
  std::vector<std::vector<std::byte>> columns(keys, std::vector<std::byte>(kBatch * 8));
  std::vector<std::byte *> out;
  for (std::vector<std::byte> &column : columns)
    out.push_back(column.data());
  std::vector<std::uint8_t> live(kBatch);
  for (Walk walk(state.frame, r.vars, extents); length > 0 && walk.next();) {
    if (ranking.keys.run(*this, state.frame, out.data(), live.data(), nullptr)) {
      places.clear();
      return refuse(": " + fault());
    }
    for (std::size_t k = 0; k < state.frame.count; ++k) {
      const std::size_t candidate = static_cast<std::size_t>(walk.position()) + k;
      if (live[k] == 0)
        continue;
      places.push_back(static_cast<std::int32_t>(candidate));
      for (std::size_t key = 0; key < keys; ++key) {
        const DType type = program_.expr(r.keys[key].value).type;
        ranks[candidate * keys + key] =
            rankOf(type, r.keys[key], columns[key].data() + k * elementSize(type));
      }
    }
  }
  if (static_cast<std::int64_t>(places.size()) < wanted || wanted < 0) {
    const std::size_t candidates = places.size();
    places.clear();
    return refuse(fmt::format(" has {} {}; {} {} needed", candidates,
                              candidates == 1 ? "candidate" : "candidates", wanted,
                              wanted == 1 ? "is" : "are"));
  }
  const auto before = [&](std::int32_t a, std::int32_t b) {
    const std::uint64_t *x = ranks.data() + static_cast<std::size_t>(a) * keys;
    const std::uint64_t *y = ranks.data() + static_cast<std::size_t>(b) * keys;
    for (std::size_t key = 0; key < keys; ++key)
      if (x[key] != y[key])
        return x[key] < y[key];
    return a < b;
  };
  std::partial_sort(places.begin(), places.begin() + wanted, places.end(), before);
  places.resize(static_cast<std::size_t>(wanted));
}

bool Machine::place(ReductionState &state, bool isSame, const Frame &frame, std::size_t i,
                    std::int64_t slot, std::uint64_t *bits) {
  Ranking &ranking = *state.ranking;
  if (!isSame) {
    state.known = true;
    const auto it = ranking.memo.find(state.point);
    if (it != ranking.memo.end()) {
      ranking.winners = it->second;
    } else {
      rank(state, frame, i);
      if (ranking.remembers) {
        ranking.remembered += ranking.winners.places.size() + 1;
        if (ranking.remembered > kMostRemembered) {
          ranking.memo.clear();
          ranking.remembered = ranking.winners.places.size() + 1;
        }
        ranking.memo[state.point] = ranking.winners;
      }
    }
  }
  *bits = 0;
  const std::vector<std::int32_t> &places = ranking.winners.places;
  if (!ranking.winners.fault.empty()) {
    noteFault(ranking.winners.fault);
    return true;
  }
  if (slot < 0 || slot >= static_cast<std::int64_t>(places.size())) {
    noteFault(fmt::format("index out of range: place {} of a `{}` of {}", slot,
                          name(state.reduction->op), places.size()));
    return true;
  }
  *bits = static_cast<std::uint32_t>(places[static_cast<std::size_t>(slot)]);
  return false;
}

} // namespace ordo::dsl::machine
