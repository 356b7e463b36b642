// The laws: constructors that bring every way of writing a value to one node.
//
// Each law holds for every bit of every operand, a NaN being one value (docs/proof.md lists them):
// commuted operands; x + -0.0 = x; x * 1 = x; x + x = 2 * x; x / 2^k = x * 2^-k; 1 / x for rcp;
// signs through products; max and min as sets; casts there and back; arithmetic of narrow floats
// in f32, rounded again; selection; and exact integers for what is not seen to wrap.
#pragma once

#include "compiler/verify/machine/instruction.h"
#include "compiler/verify/term/facts.h"
#include "compiler/verify/term/float_set.h"
#include "compiler/verify/term/pool.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace ordo::verify {

/// A value: bits that are known, or a node, or nothing.
struct Term {
  enum class State : std::uint8_t { Undefined, Constant, Node };
  State state = State::Undefined;
  std::uint64_t bits = 0; // or the NodeId

  bool operator==(const Term &) const = default;
  bool isConstant() const { return state == State::Constant; }
  bool isNode() const { return state == State::Node; }
  bool isUndefined() const { return state == State::Undefined; }
  NodeId node() const { return static_cast<NodeId>(bits); }
  static Term constant(std::uint64_t bits) { return {State::Constant, bits}; }
  static Term of(NodeId node) { return {State::Node, node}; }
};

class Terms {
public:
  Terms() : facts_(affine_) {}

  Pool &pool() { return pool_; }
  const Pool &pool() const { return pool_; }
  AffinePool &affine() { return affine_; }
  const AffinePool &affine() const { return affine_; }
  Facts &facts() { return facts_; }

  /// A symbol of `width` bits whose unsigned value lies in the interval.
  Term symbol(std::string name, unsigned width, Interval interval);
  /// An element of a tensor by its row-major number, exact. A bool's byte is 0 or 1.
  Term input(std::uint32_t tensor, dsl::DType type, AffineId element);

  Term valueOf(NodeId node) const { return constantOrNode(node); }

  // As nodes, typed.
  NodeId asFloat(dsl::DType format, const Term &value);
  NodeId asBits(unsigned width, const Term &value);
  /// What is stored: of a float, the float.
  NodeId asElement(dsl::DType type, const Term &value);

  // Integers. exact(): the unsigned value; modular(): equal to it modulo 2^width.
  AffineId exact(const Term &value, unsigned width);
  AffineId modular(const Term &value, unsigned width);
  Term integer(AffineId form, unsigned width);
  Term atLeastZero(AffineId form);
  Term isZero(AffineId form);
  Term isZeroModulo(AffineId difference, unsigned width);

  // Indices: exact integers of any sign, which never wrap. DomainError where what is asked needs a
  // bound that the facts do not give.
  /// floor(form / divisor), divisor > 0.
  AffineId quotient(AffineId form, std::int64_t divisor);
  AffineId product(AffineId a, AffineId b);
  /// That the product of two sizes, if it is asked for, is promised to be `most` at most.
  void limitProduct(AffineId a, AffineId b, Wide most);
  AffineId minimum(AffineId a, AffineId b);
  AffineId maximum(AffineId a, AffineId b);
  AffineId choice(const Term &condition, AffineId a, AffineId b);
  /// The value of two's complement.
  AffineId exactSigned(const Term &value, unsigned width);

  /// An operation of the machine from Mov to GcnMed3. Throws DomainError for what no contract says:
  /// flushing, contraction, another rounding; and for what has no law here.
  void apply(const Instruction &i, const Term *src, Term *dst);
  Term add(const Term &a, const Term &b, unsigned width, std::int64_t factor = 1);
  Term multiply(const Term &a, const Term &b, unsigned width);
  /// The upper half of the product of the unsigned values.
  Term multiplyHigh(const Term &a, std::uint64_t factor, unsigned width);
  Term shiftLeft(const Term &a, unsigned by, unsigned width);
  Term shiftRight(const Term &a, unsigned by, unsigned width);
  Term shiftRightSigned(const Term &a, unsigned by, unsigned width);
  Term bitAnd(const Term &a, const Term &b, unsigned width);
  Term bitOr(const Term &a, const Term &b, unsigned width);
  Term bitXor(const Term &a, const Term &b, unsigned width);
  Term extract(const Term &a, unsigned bit, unsigned width, unsigned ofWidth);
  Term concat(std::span<const Term> lowestFirst, std::span<const unsigned> widths);
  Term zeroExtend(const Term &a, unsigned from, unsigned to);
  Term signExtend(const Term &a, unsigned from, unsigned to);
  Term floorDivide(const Term &a, std::uint64_t divisor, unsigned width);
  Term remainder(const Term &a, std::uint64_t divisor, unsigned width);
  Term minMax(Kind kind, const Term &a, const Term &b, unsigned width);
  std::optional<Term> isNoBit(const Term &a, unsigned width);
  Term compare(Op op, const Term &a, const Term &b, unsigned width);
  Term notBit(const Term &a);
  Term andBit(const Term &a, const Term &b);
  Term orBit(const Term &a, const Term &b);
  Term select(const Term &condition, const Term &a, const Term &b, unsigned width);

  // Floats; arguments are float nodes.
  NodeId floatConstant(dsl::DType format, std::uint64_t bits);
  NodeId fadd(dsl::DType format, NodeId a, NodeId b);
  NodeId fmul(dsl::DType format, NodeId a, NodeId b);
  NodeId fdiv(dsl::DType format, NodeId a, NodeId b);
  NodeId ffma(dsl::DType format, NodeId a, NodeId b, NodeId c);
  NodeId fsqrt(dsl::DType format, NodeId a);
  NodeId fneg(NodeId a);
  NodeId fabs(NodeId a);
  NodeId fminmax(Kind kind, NodeId a, NodeId b);
  NodeId fconvert(dsl::DType to, NodeId a, Round rounding);
  NodeId froundInt(NodeId a, Round rounding);
  NodeId fromInteger(dsl::DType to, const Term &a, unsigned width, bool isSigned);
  Term toInteger(NodeId a, unsigned width, bool isSigned, Round rounding);
  Term fcompare(Kind kind, NodeId a, NodeId b);
  Term isNan(NodeId a);
  /// AMDGCN's v_cmp_class: whether it is of one of these classes (FloatSet::ofClasses).
  Term isOfClass(NodeId a, std::uint64_t classes);
  /// Bits of the contract: those of a NaN are 0x7fc00000 and its like.
  Term canonicalBits(dsl::DType format, NodeId a);
  /// max and min of several as one set, where `a` is the top of a tree of them.
  NodeId settled(NodeId a);

  /// The operation of `n`, whose value is a float, on operands that may be others: every law is
  /// applied again. No Input, Fold, Constant or Symbol.
  NodeId onFloats(const Node &n, std::span<const NodeId> args);

  // Folds over steps.
  /// More steps are not expressed: their numbers must be far from where 63 bits end.
  static constexpr std::int64_t kMostSteps = std::int64_t{1} << 47;
  /// A symbol without bounds that is not any other.
  NodeId unnamed(std::string name, Sort sort);
  bool mentions(NodeId root, NodeId symbol) const;
  /// `first`, then count times `next`, which speaks of the value before as `carried` and of the
  /// step, 0 <= step < count, as `step`. All of one sort; no step: `first`.
  NodeId fold(AffineId count, NodeId first, NodeId next, NodeId carried, NodeId step);
  /// The values at that step, if they are said of it; undefined where a number leaves 64 bits.
  std::vector<Term> atStep(std::span<const NodeId> values, NodeId step, std::int64_t number);

private:
  Term constantOrNode(NodeId node) const;
  std::optional<std::uint64_t> floatBits(NodeId node) const;
  NodeId folded(Op op, dsl::DType format, std::initializer_list<NodeId> args);
  bool allConstant(std::initializer_list<NodeId> args) const;
  NodeId selectFloat(NodeId condition, NodeId a, NodeId b);
  std::pair<NodeId, bool> withoutSign(NodeId a);
  std::optional<NodeId> narrowed(dsl::DType to, NodeId a);
  std::optional<NodeId> narrowExtremum(dsl::DType to, NodeId a);
  std::optional<NodeId> narrowOperand(dsl::DType to, NodeId a);
  NodeId oneIn(dsl::DType format);
  Term integerResult(const Instruction &i, const Term *src);
  Term approximation(const Instruction &i, const Term *src);
  Term bytePermute(const Term *src);
  void withCarry(const Instruction &i, const Term *src, Term *dst);
  void ofGcn(const Instruction &i, const Term *src, Term *dst);
  std::optional<NodeId> powerOfTwo(dsl::DType format, const Term &exponent);
  std::optional<std::int64_t> apart(const Term &a, const Term &b);
  std::optional<Term> asMinMax(NodeId condition, const Term &a, const Term &b, unsigned width);
  std::optional<Term> asUpperExtreme(AffineId f, AffineId a, AffineId b);
  std::optional<Kind> orderOf(AffineId form, AffineId x, AffineId y);
  int infinityOf(NodeId a) const;
  std::optional<Term> withInfinity(Kind kind, NodeId a, NodeId b);
  std::optional<NodeId> onArms(std::initializer_list<NodeId> args,
                               const std::function<NodeId(std::span<const NodeId>)> &operation);
  bool isChosenConstant(NodeId a) const;
  std::optional<Term> asFinite(Op op, const Term &a, const Term &b, unsigned width);
  std::optional<NodeId> asBounded(NodeId condition, NodeId a, NodeId b);
  std::optional<NodeId> asOneChoice(NodeId condition, NodeId a, NodeId b);
  NodeId chosen(const Term &condition, NodeId a, NodeId b);
  bool isNever(NodeId a, bool nan, int depth) const;
  bool isNeverNegativeZero(NodeId a, int depth) const;
  std::optional<NodeId> withDifference(dsl::DType format, NodeId a, NodeId b);
  NodeId given(NodeId a, NodeId condition, bool holds, int depth);
  Term rawBits(NodeId a);
  bool isOrderedEqual(NodeId u, NodeId v, NodeId a, NodeId b);
  bool isOfBits(NodeId a, Kind kind, NodeId u, NodeId v);
  NodeId imageIn(dsl::DType format, NodeId a);
  std::optional<NodeId> asExtremum(NodeId condition, NodeId a, NodeId rest);
  Term asChoiceOfBits(const Term &a);
  Term armOf(const Term &condition, const Term &arm, bool holds);
  Term opaque(Kind kind, unsigned width, std::initializer_list<NodeId> args,
              std::uint64_t payload = 0);
  static void requireDefined(const Term &value);
  bool registers(NodeId node);
  bool isRegistered(NodeId node) const {
    return node < isRegistered_.size() && isRegistered_[node];
  }
  void registerAtom(NodeId node);
  bool isOfData(AffineId form, int depth) const;
  std::optional<Term> isQuotient(AffineId form);
  std::optional<Term> ofWrapped(AffineId form);
  std::optional<Term> isBitOfQuotients(AffineId form);
  bool isBelowABit(AffineId form);
  AffineId reduced(AffineId form, unsigned width);
  AffineId combined(AffineId a, std::int64_t x, AffineId b, std::int64_t y, unsigned width);
  std::optional<AffineId> otherRepresentative(AffineId form, unsigned width);
  bool isIndexLike(NodeId node) const;
  std::optional<NodeId> upperProduct(NodeId node, int depth) const;
  std::optional<Term> asDivision(AffineId form, unsigned width);
  NodeId quotientAtom(AffineId form, std::int64_t divisor);
  std::optional<AffineId> simplestQuotient(AffineId x, Wide factor, Wide divisor);
  std::optional<AffineId> quotientOf(AffineId x, Wide m, Wide d);
  void defineQuotient(AffineId quotient, AffineId x, Wide m, Wide d);
  std::optional<AffineId> nestedQuotient(AffineId rest, std::int64_t divisor);
  std::optional<AffineId> flatQuotient(AffineId rest, std::int64_t divisor);
  std::pair<std::int64_t, AffineId> primitive(AffineId form);
  std::optional<Term> knownProduct(const Term &a, const Term &b, unsigned width);
  AffineId productModulo(AffineId a, AffineId b, unsigned width);
  struct HalfProducts {
    AffineId low = 0, high = 0;
  };
  std::optional<HalfProducts> halfProducts(const Term &a, const Term &b, unsigned width);
  std::optional<Term> productOfData(const Term &a, const Term &b, unsigned width);
  std::optional<Term> upperProductOfData(const Term &a, const Term &b, unsigned width);
  NodeId productNode(NodeId a, NodeId b);
  NodeId productAtom(NodeId a, NodeId b);
  bool boundByFacts(NodeId node, NodeId a, NodeId b);
  AffineId extreme(Kind kind, AffineId a, AffineId b);
  std::int64_t leastOf(std::initializer_list<AffineId> forms);
  struct Leaves;
  bool collectLeaves(Leaves &leaves, const Term &value, const FloatSet &set, int depth);
  std::optional<Term> asConversion(NodeId condition, const Term &a, const Term &b);
  struct OfOneFloat {
    NodeId of; // the float, without signs
    FloatSet set;
  };
  struct Piece;
  std::optional<std::pair<NodeId, std::vector<Piece>>> piecesOf(NodeId atom) const;
  static FloatSet bitsWhere(dsl::DType format, std::span<const Piece> pieces, int sign,
                            Wide constant, bool isZero);
  static std::vector<Piece> withSign(std::span<const Piece> pieces, unsigned width);
  std::optional<OfOneFloat> setOfSigned(Kind kind, NodeId a, NodeId b) const;
  std::optional<OfOneFloat> setOfLeaf(NodeId condition) const;
  std::optional<OfOneFloat> setOfComparison(Kind kind, NodeId a, NodeId b) const;
  OfOneFloat beforeSigns(NodeId x, FloatSet set) const;
  std::optional<NodeId> asBound(NodeId condition, NodeId a, NodeId b);
  const std::optional<OfOneFloat> &setOf(NodeId condition);
  Term knownCondition(const Term &condition);
  bool joinConditions(std::vector<NodeId> &all);
  std::optional<Term> armGiven(const Term &known, const Term &choice);
  bool openConjuncts(std::vector<NodeId> &all);
  bool isAbsorbed(NodeId condition, std::span<const NodeId> all);
  std::optional<Term> withKnownConjuncts(std::span<const NodeId> all);
  bool isOfOneFloat(AffineId form) const;
  bool isOfFloatBits(NodeId atom) const;
  struct Slice {
    Term value;
    unsigned width;
  };
  void requireSameTwice(NodeId id) const;
  Term conditionGiven(NodeId conjunction, const Term &known, bool holds);
  bool isForm(const Term &a) const;
  unsigned digitsOf(NodeId node, int depth) const;
  std::optional<AffineId> chosenNumber(NodeId choice, unsigned width);
  bool isChosenBit(NodeId node, unsigned width) const;
  std::optional<NodeId> asUpperHalf(NodeId condition, NodeId a, NodeId b);
  std::vector<Slice> slices(const Term &a, unsigned width);
  static std::vector<Slice> runs(std::uint64_t bits, unsigned width);
  std::optional<Term> joinedExtreme(const Slice &low, const Slice &high);
  std::optional<Term> extremeOf(AffineId f, AffineId x, AffineId y, const Slice &low,
                                const Slice &high);
  std::optional<Term> joinedNumber(const Slice &low, const Slice &high);
  std::optional<Term> besideSum(const Slice &low, const Slice &high);
  Term beside(const Term &low, unsigned lowWidth, const Term &high, unsigned highWidth);
  std::optional<Term> throughChoice(const Slice &low, const Slice &high);
  std::optional<Term> withOppositeSign(const Slice &low, NodeId sign);
  std::optional<Term> besideChoice(const Slice &low, const Slice &high);
  std::optional<Term> neighbours(const Slice &low, const Slice &high);
  Term joined(const std::vector<Slice> &slices);
  Term joinedWith(std::vector<Slice> low, const Term &high, unsigned highWidth);
  AffineId withNarrowData(AffineId form, unsigned bits, unsigned width);
  Term extractSlices(const Term &a, unsigned bit, unsigned width, unsigned ofWidth);
  std::vector<std::pair<Slice, Slice>> aligned(const Term &a, const Term &b, unsigned width);
  Term bitwise(Kind kind, const Term &a, const Term &b, unsigned width);
  std::pair<NodeId, bool> withoutInversion(NodeId a, unsigned width);
  Term flattened(Kind kind, NodeId a, NodeId b, unsigned width);
  Term bitwiseOf(Kind kind, const Term &a, const Term &b, unsigned width);
  Term withRun(Kind kind, const Term &a, bool isOnes, unsigned width);
  Term invert(const Term &a, unsigned width);
  std::optional<Term> numberXor(const Term &a, std::uint64_t bits, unsigned width);
  std::optional<NodeId> signLaw(const Term &a, std::uint64_t bits, unsigned width,
                                std::uint64_t wanted) const;
  bool isOfIndices(const Term &a, unsigned width);
  bool disjoint(const Term &a, const Term &b, unsigned width);
  std::optional<Term> throughSelect(const Term &a, const Term &b, unsigned width,
                                    const std::function<Term(const Term &, const Term &)> &op);
  std::optional<Term> onNumberArm(const Term &a, unsigned width,
                                  const std::function<Term(const Term &)> &op);
  Term floatResult(const Instruction &i, const Term *src);
  Term shift(const Instruction &i, const Term *src);

  class Substitution;
  template <class Visit> void forEachOf(NodeId id, const Node &n, Visit &&visit) const;
  template <class Visit> void forNodes(NodeId root, NodeId oldest, Visit &&visit) const;
  unsigned foldLevel(NodeId root);
  NodeId boundSymbol(unsigned level, Sort sort, bool isStep);
  /// One step of a fold, under names of its own.
  struct FoldStep {
    NodeId next = 0, carried = 0, step = 0;
  };
  /// A fold whose number of steps is a number.
  struct KnownFold {
    std::int64_t count = 0;
    NodeId first = 0;
    FoldStep step;
    std::size_t operations = 0; // from a step's result down to the value before; 0: not one line
  };
  NodeId namedFold(AffineId count, NodeId first, const FoldStep &s);
  NodeId canonicalFold(KnownFold f);
  void shortenPeriod(KnownFold &f);
  void takeInFirst(KnownFold &f);
  std::vector<NodeId> spine(const FoldStep &s) const;
  std::optional<NodeId> stepWith(const FoldStep &s, NodeId carried, std::int64_t number);
  std::optional<NodeId> undone(NodeId value, NodeId next, NodeId carried);
  NodeId extended(NodeId node);
  // Extrema over a range of elements (terms_range.cc).
  struct Range {
    NodeId element = 0, position = 0; // an element, and the symbol that it has for its position
    std::int64_t first = 0, stride = 1, count = 0;
  };
  std::optional<NodeId> extremumFold(const KnownFold &f);
  std::optional<Range> rangeOf(NodeId element, NodeId step, std::int64_t count);
  std::optional<std::int64_t> positionIn(const Range &range, NodeId single);
  bool joinRanges(Kind kind, std::vector<NodeId> &leaves);
  NodeId rangeNode(Kind kind, const Range &range);

  Pool pool_;
  AffinePool affine_;
  Facts facts_;
  std::vector<bool> isRegistered_; // atoms whose bounds are known to the facts
  std::unordered_map<NodeId, std::optional<OfOneFloat>> sets_; // by condition
  std::map<std::pair<NodeId, FloatSet>, NodeId> conditions_;   // the first of a set
  std::unordered_map<NodeId, NodeId> settled_;
  std::unordered_map<NodeId, unsigned> foldLevels_, levels_;
  std::unordered_map<NodeId, KnownFold> knownFolds_;
  /// Folds and a part of one more step: the fold, and how many of the step's operations.
  std::unordered_map<NodeId, std::pair<NodeId, std::size_t>> partSteps_;
  std::unordered_map<NodeId, Range> ranges_; // extrema over them
  bool isExtending_ = false;
  std::map<std::array<std::uint64_t, 3>, NodeId> boundSymbols_;
  bool hasManyChoices(const Term &a) const;
  std::optional<Term> onArmsOfChoice(const Slice &low, const Slice &high);
  struct BesideHash {
    std::size_t operator()(const std::array<std::uint64_t, 3> &key) const;
  };
  // By choice, constant and its width.
  std::unordered_map<std::array<std::uint64_t, 3>, Term, BesideHash> besideChoices_;
  // By both neighbours, and their states and widths.
  std::unordered_map<std::array<std::uint64_t, 3>, std::optional<Term>, BesideHash> throughChoices_;
  std::unordered_map<std::uint64_t, NodeId> floats_; // selects as floats, by node and format
  std::unordered_map<std::uint64_t, Term> parts_;    // parts of selects, by node and place
};

} // namespace ordo::verify
