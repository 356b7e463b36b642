#include "compiler/verify/proof/claim.h"

#include "dsl/eval/launch.h"

#include <algorithm>
#include <fmt/format.h>

namespace ordo::verify {
namespace {

constexpr std::int64_t kMostBytes = std::int64_t{1} << 47; // of an array
constexpr std::int64_t kHighest = std::int64_t{1} << 61;   // address of an array
constexpr std::int64_t kMostBlocks = (std::int64_t{1} << 31) - 1;
constexpr std::int64_t kMostThreads = 1024;

} // namespace

Claim::Claim(const dsl::Program &program, const Launch &launch) : program_(program) {
  addSizes();
  addScalars();
  std::vector<AffineId> dims;
  for (const NodeId size : sizes_)
    dims.push_back(terms_.affine().atom(size));
  contract_ = std::make_unique<ContractTerms>(program, terms_, dims, scalars_);
  addArrays();
  addGrid(launch);
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    signature_.arguments.push_back({Argument::Kind::Size,
                                    program.dims[k].name,
                                    dsl::DType::I64,
                                    {},
                                    0,
                                    false,
                                    false,
                                    0,
                                    Term::of(sizes_[k])});
  for (std::size_t k = 0; k < scalars_.size(); ++k)
    signature_.arguments.push_back({Argument::Kind::Scalar,
                                    program.scalars[k].name,
                                    program.scalars[k].type,
                                    {},
                                    0,
                                    false,
                                    false,
                                    0,
                                    scalars_[k]});
  assume();
}

void Claim::addSizes() {
  for (const dsl::Dim &dim : program_.dims)
    sizes_.push_back(terms_.symbol(dim.name, 64, {Wide{0}, Wide{kMostBytes}}).node());
}

void Claim::addScalars() {
  for (const dsl::Scalar &scalar : program_.scalars) {
    const auto width = static_cast<unsigned>(dsl::byteSize(scalar.type)) * 8;
    const Wide highest = scalar.type == dsl::DType::Bool ? 1 : (Wide{1} << width) - 1;
    scalars_.push_back(terms_.symbol(scalar.name, width, {Wide{0}, highest}));
  }
}

void Claim::addArrays() {
  for (dsl::TensorId k = 0; k < program_.tensors.size(); ++k) {
    const dsl::Tensor &tensor = program_.tensors[k];
    Argument array;
    array.name = tensor.name;
    array.type = tensor.type;
    array.shape = contract_->shape(k);
    limitProduct(array.shape, kMostBytes / dsl::byteSize(tensor.type));
    array.elements = contract_->elements(k);
    array.isRead = tensor.isRead();
    array.isWritten = tensor.isWritten();
    array.tensor = k;
    limit(array.elements, kMostBytes / dsl::byteSize(tensor.type));
    signature_.arguments.push_back(std::move(array));
    terms_.pool().tensors.push_back(tensor.name);
  }
  for (std::size_t k = 0; k < program_.tensors.size(); ++k)
    signature_.arguments[k].value =
        terms_.symbol("&" + program_.tensors[k].name, 64, {Wide{1}, Wide{kHighest}});
}

/// Where two extents are not numbers, their product is promised for the array that has them. (Of
/// three, that of two has no bound where the third may be 0.)
void Claim::limitProduct(std::span<const AffineId> shape, std::int64_t most) {
  std::vector<AffineId> free;
  for (const AffineId extent : shape)
    if (terms_.affine().constantOf(extent) == 0)
      return;
    else if (!terms_.affine().constantOf(extent))
      free.push_back(extent);
  if (free.size() == 2)
    terms_.limitProduct(free[0], free[1], most);
}

/// form <= most: an interval where it speaks of one symbol, for intervals are looked at first.
void Claim::limit(AffineId form, std::int64_t most) {
  const Affine f = terms_.affine().form(form);
  if (f.isConstant() && f.constant > most)
    throw DomainError("an array of this contract is larger than a device addresses");
  if (f.terms.size() == 1 && f.terms.front().second > 0) {
    const auto [atom, factor] = f.terms.front();
    const Interval of = terms_.facts().ofAtom(atom);
    const Wide high = std::max<Wide>((Wide{most} - f.constant) / factor, 0);
    if (!of.high || *of.high > high)
      terms_.facts().bound(atom, {of.low, high});
  } else if (!f.isConstant()) {
    terms_.facts().assume(terms_.affine().plus(terms_.affine().scale(form, -1), most));
  }
}

void Claim::addGrid(const Launch &launch) {
  std::int64_t threads = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (launch.block[axis] < 1 || launch.block[axis] > kMostThreads)
      throw DomainError("the launch has a block that no device takes");
    threads *= launch.block[axis];
    signature_.block.size[axis] = static_cast<std::uint32_t>(launch.block[axis]);
  }
  if (threads > kMostThreads || launch.rows < 1)
    throw DomainError("the launch has a block that no device takes");
  AffinePool &affine = terms_.affine();
  grid_.rows = launch.rows;
  grid_.extent = affine.constant(1);
  for (const dsl::ExprId extent : launch.extents)
    grid_.extent = terms_.product(grid_.extent, contract_->extent(extent));
  const Term zero = Term::constant(0);
  signature_.blockIndex = {zero, zero, zero};
  signature_.gridSize = {Term::constant(1), Term::constant(1), Term::constant(1)};
  grid_.block = zero;
  const auto extent = affine.constantOf(grid_.extent);
  if (extent && *extent >= 1 && *extent <= launch.rows)
    return;
  limit(grid_.extent, kMostBlocks * std::min(launch.rows, kMostBytes / kMostBlocks));
  const Wide last =
      (terms_.facts().interval(grid_.extent).high.value_or(Wide{kMostBytes}) - 1) / launch.rows;
  grid_.block =
      terms_.symbol("block", 32, {Wide{0}, std::clamp(last, Wide{0}, Wide{kMostBlocks - 1})});
  const Term count = terms_.symbol("blocks", 32, {Wide{0}, Wide{kMostBlocks}});
  // rows * block < extent, and rows * (blocks - 1) < extent <= rows * blocks.
  const AffineId block = affine.atom(grid_.block.node()), blocks = affine.atom(count.node());
  Facts &facts = terms_.facts();
  facts.assume(affine.plus(affine.combine(grid_.extent, 1, block, -launch.rows), -1));
  facts.define(count.node(), affine.combine(blocks, launch.rows, grid_.extent, -1));
  facts.define(count.node(),
               affine.plus(affine.combine(grid_.extent, 1, blocks, -launch.rows), launch.rows - 1));
  signature_.blockIndex[0] = grid_.block;
  signature_.gridSize[0] = count;
}

/// What the certificate lists.
void Claim::assume() {
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    assumptions_.push_back(fmt::format(
        "0 <= {} <= {}", program_.dims[k].name,
        static_cast<std::int64_t>(terms_.facts().ofAtom(sizes_[k]).high.value_or(kMostBytes))));
  assumptions_.push_back(
      "an array has 2^47 bytes at most, lies below address 2^62 and is aligned to "
      "16 bytes");
  assumptions_.push_back("no output overlaps another argument");
  assumptions_.push_back("a bool in memory is 0 or 1");
  for (const dsl::LaunchRequire &require : program_.requires_)
    assumptions_.push_back("require " + require.text);
  for (const dsl::Assumption &assumption : program_.assumptions)
    assumptions_.push_back("assume " + assumption.text);
}

bool Claim::isAdmissible(std::span<const std::int64_t> sizes) const {
  return std::ranges::all_of(program_.requires_, [&](const dsl::LaunchRequire &require) {
    const auto holds = dsl::evaluateUniform(program_, require.condition, sizes);
    return holds && *holds != 0;
  });
}

} // namespace ordo::verify
