#include "compiler/verify/signature/build.h"

#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr Wide kHighestAddress = Wide{1} << 62;
constexpr std::array<const char *, 3> kAxes = {"x", "y", "z"};
constexpr std::array<Wide, 3> kMostBlocks = {0x7fffffff, 65535, 65535};

unsigned bytesOf(const LaunchArgument &argument) {
  return argument.shape ? 8u : static_cast<unsigned>(dsl::byteSize(argument.type));
}

class Builder {
public:
  Builder(const LaunchSignature &launch, const Kernel &kernel, Terms &terms)
      : launch_(launch), kernel_(kernel), terms_(terms) {}

  Signature run() {
    signature_.alignment = launch_.alignment;
    signature_.block = {launch_.block, launch_.sharedBytes};
    sizes();
    for (std::size_t k = 0; k < launch_.arguments.size(); ++k)
      argument(launch_.arguments[k], kernel_.parameters[k].bytes * 8);
    for (std::size_t axis = 0; axis < 3; ++axis)
      blocks(axis);
    for (const Product &p : products_)
      for (const Term &block : signature_.blockIndex)
        bound(p, block);
    return std::move(signature_);
  }

private:
  AffinePool &affine() { return terms_.affine(); }

  /// An argument's size has the argument's width.
  void sizes() {
    for (const auto &[name, range] : launch_.sizes) {
      unsigned width = 64;
      for (std::size_t k = 0; k < launch_.arguments.size(); ++k)
        if (launch_.arguments[k].name == name)
          width = kernel_.parameters[k].bytes * 8;
      sizes_[name] = {terms_.symbol(name, width, {Wide{range.low}, Wide{range.high}}), width};
    }
  }

  /// The sum, before the division.
  AffineId dividend(const Extent &extent) {
    AffineId form = affine().constant(extent.constant);
    for (const auto &[name, factor] : extent.factors)
      form = affine().combine(form, 1, affine().atom(sizes_[name].first.node()), factor);
    return form;
  }

  Term value(const Extent &extent, unsigned width) {
    const Term sum = terms_.integer(dividend(extent), width);
    return terms_.floorDivide(sum, static_cast<std::uint64_t>(extent.divisor), width);
  }

  void argument(const LaunchArgument &from, unsigned width) {
    Argument a;
    a.name = from.name;
    a.type = from.type;
    if (from.shape) {
      a.isRead = !from.isWritten;
      a.isWritten = from.isWritten;
      a.tensor = static_cast<std::uint32_t>(terms_.pool().tensors.size());
      terms_.pool().tensors.push_back(a.name);
      a.value = terms_.symbol("&" + a.name, 64, {Wide{0}, kHighestAddress});
      shape(a, *from.shape);
    } else if (const auto it = sizes_.find(a.name); it != sizes_.end()) {
      a.kind = Argument::Kind::Size;
      a.value = it->second.first;
    } else {
      a.kind = Argument::Kind::Scalar;
      a.value = terms_.symbol(a.name, width, {Wide{0}, (Wide{1} << width) - 1});
    }
    signature_.arguments.push_back(std::move(a));
  }

  void shape(Argument &a, const std::vector<Extent> &extents) {
    Term elements = Term::constant(1);
    for (const Extent &extent : extents) {
      const Term length = value(extent, 64);
      a.shape.push_back(terms_.exact(length, 64));
      if (!elements.isConstant() && !length.isConstant())
        products_.push_back({elements, length});
      elements = terms_.multiply(elements, length, 64);
    }
    a.elements = terms_.exact(elements, 64);
  }

  void blocks(std::size_t axis) {
    const Extent &grid = launch_.grid[axis];
    if (grid == Extent{{}, 1, 1}) {
      signature_.gridSize[axis] = Term::constant(1);
      signature_.blockIndex[axis] = Term::constant(0);
      return;
    }
    const Term index =
        terms_.symbol(fmt::format("block.{}", kAxes[axis]), 32, {Wide{0}, kMostBlocks[axis] - 1});
    // index < floor(sum / divisor) says that divisor * (index + 1) <= sum.
    const AffineId room =
        affine().combine(dividend(grid), 1, affine().atom(index.node()), -grid.divisor);
    terms_.facts().assume(affine().plus(room, -grid.divisor));
    signature_.blockIndex[axis] = index;
    signature_.gridSize[axis] = value(grid, 32);
  }

  struct Product {
    Term outer, inner; // 64 bits each
  };

  /// From block + 1 <= outer follows block * inner + inner <= outer * inner: a fact on products,
  /// which linear reasoning does not find.
  void bound(const Product &p, const Term &block) {
    if (block.isConstant())
      return;
    const Term wide = terms_.zeroExtend(block, 32, 64);
    const AffineId outer = terms_.exact(p.outer, 64), index = terms_.exact(wide, 64);
    if (!terms_.facts().holds(affine().plus(affine().sub(outer, index), -1)))
      return;
    const AffineId whole = product(p.outer, p.inner);
    const AffineId before = product(wide, p.inner);
    const AffineId after = affine().sub(whole, affine().add(before, terms_.exact(p.inner, 64)));
    terms_.facts().assume(after);
  }

  /// The product's value, and its bounds where those of the factors leave room in 64 bits.
  AffineId product(const Term &a, const Term &b) {
    const Interval x = terms_.facts().interval(terms_.exact(a, 64));
    const Interval y = terms_.facts().interval(terms_.exact(b, 64));
    const Term value = terms_.multiply(a, b, 64);
    const AffineId form = terms_.exact(value, 64);
    if (value.isNode() && x.high && y.high && *x.high * *y.high < (Wide{1} << 62))
      terms_.facts().bound(value.node(), {Wide{0}, *x.high * *y.high});
    return form;
  }

  const LaunchSignature &launch_;
  const Kernel &kernel_;
  Terms &terms_;
  Signature signature_;
  std::map<std::string, std::pair<Term, unsigned>> sizes_; // and their widths
  std::vector<Product> products_;
};

} // namespace

std::string mismatch(const LaunchSignature &launch, const Kernel &kernel) {
  if (kernel.parameters.size() != launch.arguments.size())
    return fmt::format("{} takes {} arguments, and the signature names {}", kernel.name,
                       kernel.parameters.size(), launch.arguments.size());
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const LaunchArgument &argument = launch.arguments[k];
    if (kernel.parameters[k].bytes != bytesOf(argument))
      return fmt::format("argument {} of {} has {} bytes, and {} has {}", k + 1, kernel.name,
                         kernel.parameters[k].bytes, argument.name, bytesOf(argument));
  }
  const auto &required = kernel.requiredBlock, &largest = kernel.largestBlock;
  if (required[0] != 0 && required != launch.block)
    return fmt::format("{} requires a block of {} x {} x {} threads", kernel.name, required[0],
                       required[1], required[2]);
  if (largest[0] != 0 &&
      launch.block[0] * launch.block[1] * launch.block[2] > largest[0] * largest[1] * largest[2])
    return fmt::format("{} takes blocks of {} threads at most", kernel.name,
                       largest[0] * largest[1] * largest[2]);
  return "";
}

Signature signatureOf(const LaunchSignature &launch, const Kernel &kernel, Terms &terms) {
  return Builder(launch, kernel, terms).run();
}

} // namespace ordo::verify
