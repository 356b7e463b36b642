#include "dsl/eval/atom/chains.h"
#include "dsl/eval/atom/tile.h"
#include "dsl/eval/numeric.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace ordo::dsl {
namespace {

using namespace atom;

constexpr std::int64_t kRowBlock = 64;
constexpr std::int64_t kDepthBlock =
    1024; // of operands taken apart at a time; sixteen of b: 128 KiB

struct Problem {
  const AtomRule &rule;
  std::int64_t rows, columns, depth;
  AtomOperands a, b;
  void *c;

  Row aRow(std::int64_t r) const { return row(a, r); }
  Row bRow(std::int64_t r) const { return row(b, r); }
  Row row(const AtomOperands &o, std::int64_t r) const {
    return {o.data, r * o.rowStride, o.kStride, byteSize(rule.operand)};
  }
  int cBytes() const { return byteSize(rule.accumulator); }
  std::uint64_t loadC(std::int64_t r, std::int64_t j) const {
    return loadElement(c, r * columns + j, cBytes());
  }
  void storeC(std::int64_t r, std::int64_t j, std::uint64_t bits) const {
    std::memcpy(static_cast<std::byte *>(c) + (r * columns + j) * cBytes(), &bits,
                static_cast<std::size_t>(cBytes()));
  }
  void chainOne(std::int64_t r, std::int64_t j) const {
    storeC(r, j, runChain(rule, aRow(r), bRow(j), depth, loadC(r, j)));
  }
};

/// What a row's operands allow: only finite ones go by vectors, and under CDNA3's rule only those
/// whose products cannot reach 2^128.
struct Extent {
  bool finite = true;
  int exponent = kZeroExponent; // the largest
};

Extent extentOf(const OperandFormat &format, const Row &row, std::int64_t depth) {
  Extent e;
  for (std::int64_t k = 0; k < depth; ++k) {
    const Decoded v = decode(format, static_cast<std::uint32_t>(row[k]));
    e.finite &= v.kind == Kind::Finite;
    e.exponent = std::max(e.exponent, v.exponent);
  }
  return e;
}

bool byVectors(const AtomRule &rule, const Extent &a, const Extent &b) {
  const bool overflows =
      rule.arithmetic == AtomArithmetic::TwoStageSum && a.exponent + b.exponent + 1 >= 128;
  return a.finite && b.finite && !overflows;
}

/// One block of rows times one tile of columns.
class Block {
public:
  explicit Block(const Problem &p)
      : p_(p), format_(p.rule), aSignificand_(kDepthBlock), aExponent_(kDepthBlock),
        bSignificand_(kDepthBlock * kLanes), bExponent_(kDepthBlock * kLanes), acc_(kRowBlock) {}

  void run(std::int64_t firstRow, std::int64_t firstColumn) {
    rows_ = std::min(kRowBlock, p_.rows - firstRow);
    columns_ = static_cast<int>(std::min<std::int64_t>(kLanes, p_.columns - firstColumn));
    for (std::int64_t r = 0; r < rows_; ++r)
      for (int j = 0; j < kLanes; ++j)
        acc_[r].load(p_.rule, j, j < columns_ ? loadC(firstRow + r, firstColumn + j) : 0);
    for (std::int64_t k = 0; k < p_.depth; k += kDepthBlock) {
      const std::int64_t count = std::min(kDepthBlock, p_.depth - k);
      const std::int64_t steps = (count + p_.rule.products - 1) / p_.rule.products;
      takeApartB(firstColumn, k, count, steps * p_.rule.products);
      for (std::int64_t r = 0; r < rows_; ++r) {
        takeApartA(firstRow + r, k, count, steps * p_.rule.products);
        runTile(p_.rule,
                {aSignificand_.data(), aExponent_.data(), bSignificand_.data(), bExponent_.data(),
                 steps},
                acc_[r]);
      }
    }
    finish(firstRow, firstColumn);
  }

private:
  std::uint32_t loadC(std::int64_t r, std::int64_t j) const {
    return static_cast<std::uint32_t>(p_.loadC(r, j));
  }

  // Operands that are not finite get some value: whoever meets them is redone one by one.
  void takeApartA(std::int64_t r, std::int64_t first, std::int64_t count, std::int64_t padded) {
    const Row row = p_.aRow(r);
    const int shift = preShift(p_.rule);
    for (std::int64_t k = 0; k < padded; ++k) {
      const auto bits = k < count ? static_cast<std::uint32_t>(row[first + k]) : 0;
      const Decoded v = decode(format_, bits);
      aSignificand_[k] = v.significand << shift;
      aExponent_[k] = v.exponent;
    }
  }
  void takeApartB(std::int64_t column, std::int64_t first, std::int64_t count,
                  std::int64_t padded) {
    for (int j = 0; j < kLanes; ++j) {
      const Row row = p_.bRow(column + std::min(j, columns_ - 1));
      for (std::int64_t k = 0; k < padded; ++k) {
        const auto bits = k < count ? static_cast<std::uint32_t>(row[first + k]) : 0;
        const Decoded v = decode(format_, bits);
        bSignificand_[k * kLanes + j] = v.significand;
        bExponent_[k * kLanes + j] = v.exponent;
      }
    }
  }

  void finish(std::int64_t firstRow, std::int64_t firstColumn) {
    Extent b[kLanes];
    for (int j = 0; j < columns_; ++j)
      b[j] = extentOf(format_, p_.bRow(firstColumn + j), p_.depth);
    for (std::int64_t r = 0; r < rows_; ++r) {
      const Extent a = extentOf(format_, p_.aRow(firstRow + r), p_.depth);
      for (int j = 0; j < columns_; ++j) {
        if (byVectors(p_.rule, a, b[j]))
          p_.storeC(firstRow + r, firstColumn + j, acc_[r].store(p_.rule, j));
        else
          p_.chainOne(firstRow + r, firstColumn + j);
      }
    }
  }

  const Problem &p_;
  const OperandFormat format_;
  std::vector<std::int32_t> aSignificand_, aExponent_, bSignificand_, bExponent_;
  std::vector<TileAccumulators> acc_;
  std::int64_t rows_ = 0;
  int columns_ = 0;
};

/// Blocks in turn, each by the next free thread; blocks share no output.
void work(const Problem &p, std::atomic<std::int64_t> &next) {
  const FloatEnvironment environment;
  const std::int64_t tiles = (p.columns + kLanes - 1) / kLanes;
  const std::int64_t blocks = tiles * ((p.rows + kRowBlock - 1) / kRowBlock);
  const bool tiled = hasTile(p.rule);
  std::optional<Block> block;
  if (tiled)
    block.emplace(p);
  for (std::int64_t i = next++; i < blocks; i = next++) {
    const std::int64_t firstRow = i / tiles * kRowBlock, firstColumn = i % tiles * kLanes;
    if (tiled) {
      block->run(firstRow, firstColumn);
      continue;
    }
    for (std::int64_t r = firstRow; r < std::min(firstRow + kRowBlock, p.rows); ++r)
      for (std::int64_t j = firstColumn; j < std::min(firstColumn + kLanes, p.columns); ++j)
        p.chainOne(r, j);
  }
}

/// The first accumulator from which the rule is not modelled decides for all.
bool canRun(const Problem &p, std::string *reason) {
  const char *why = unmodelled(p.rule, p.depth, 0);
  if (p.rule.startsFromZero)
    for (std::int64_t i = 0; !why && i < p.rows * p.columns; ++i)
      why = unmodelled(p.rule, p.depth, loadElement(p.c, i, p.cBytes()));
  if (why && reason)
    *reason = fmt::format("the arithmetic of {} is unmodelled: {}", p.rule.name, why);
  return why == nullptr;
}

} // namespace

bool matmul(const AtomRule &rule, std::int64_t rows, std::int64_t columns, std::int64_t depth,
            const AtomOperands &a, const AtomOperands &b, void *c, int threads,
            std::string *reason) {
  if (rows < 0 || columns < 0 || depth < 0) {
    if (reason)
      *reason =
          fmt::format("a product of {} x {} x {} has a negative extent", rows, columns, depth);
    return false;
  }
  const Problem problem{rule, rows, columns, depth, a, b, c};
  if (!canRun(problem, reason))
    return false;
  if (rows == 0 || columns == 0 || depth == 0)
    return true;
  const auto available = std::max(1u, std::thread::hardware_concurrency());
  const auto wanted = threads > 0 ? static_cast<unsigned>(threads) : available;
  std::atomic<std::int64_t> next{0};
  std::vector<std::jthread> helpers;
  for (unsigned i = 1; i < wanted; ++i)
    helpers.emplace_back([&] { work(problem, next); });
  work(problem, next);
  return true; // the helpers' destructors join
}

} // namespace ordo::dsl
