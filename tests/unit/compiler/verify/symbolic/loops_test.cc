// Loops of N steps, N any number: what one step says of all of them, and what stops it.
#include "compiler/verify/ptx/read.h"
#include "compiler/verify/symbolic/run.h"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ordo::verify {
namespace {

using dsl::DType;
using ::testing::HasSubstr;

/// A loop over x[0 … N - 1]: %rd4 counts, %rd5 is the element's address, %f1 is stored at the end.
struct Parts {
  std::string guard = "setp.lt.s64 %p1, %rd3, 1;\n  @%p1 bra done;";
  std::string body = "ld.global.nc.f32 %f2, [%rd5];\n  add.rn.f32 %f1, %f1, %f2;";
  std::string next = "add.s64 %rd4, %rd4, 1;\n  add.s64 %rd5, %rd5, 4;";
  std::string again = "setp.lt.s64 %p2, %rd4, %rd3;\n  @%p2 bra loop;";
};

std::string kernelOf(const Parts &parts) {
  return fmt::format(R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 .ptr .global .align 16 p0, .param .u64 .ptr .global .align 16 p1,
  .param .u64 p2)
.reqntid 2, 1, 1
{{
  .reg .pred %p<9>;
  .reg .b32 %r<19>;
  .reg .b64 %rd<19>;
  .reg .f32 %f<19>;
  .shared .align 4 .b8 tile[128];
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  ld.param.u64 %rd3, [p2];
  mov.f32 %f1, 0f80000000;
  mov.f32 %f3, 0f80000000;
  mov.u64 %rd4, 0;
  mov.u64 %rd5, %rd1;
  {}
loop:
  {}
  {}
  {}
done:
  st.global.f32 [%rd2], %f1;
  ret;
}}
)",
                     parts.guard, parts.body, parts.next, parts.again);
}

struct Found {
  Terms terms;
  AffineId size = 0;
  std::vector<Summary> cases;

  /// `elements` of x: N, or a number where long loops are shown by induction, too.
  explicit Found(const Parts &parts, std::int64_t elements = 0) {
    ptx::ReadFailure failure;
    const auto kernel = ptx::read(kernelOf(parts), "k", failure);
    if (!kernel) {
      ADD_FAILURE() << failure.line << ": " << failure.message;
      return;
    }
    AffinePool &affine = terms.affine();
    const Term n = terms.symbol("N", 64, {Wide{0}, Wide{1} << 40});
    size = affine.atom(n.node());
    Signature signature;
    for (const char *name : {"x", "y"}) {
      Argument array;
      array.name = name;
      array.isRead = array.name == "x";
      array.isWritten = !array.isRead;
      array.elements = elements != 0  ? affine.constant(elements)
                       : array.isRead ? size
                                      : affine.constant(1);
      array.tensor = array.isRead ? 0 : 1;
      array.value = terms.symbol(name, 64, {Wide{1}, Wide{1} << 61});
      terms.pool().tensors.emplace_back(name);
      signature.arguments.push_back(array);
    }
    Argument count;
    count.kind = Argument::Kind::Size;
    count.name = "N";
    count.value = n;
    signature.arguments.push_back(count);
    signature.block.size = {2, 1, 1}; // so that N parts cases, not one lane's paths
    signature.blockIndex = {Term::constant(0), Term::constant(0), Term::constant(0)};
    signature.gridSize = {Term::constant(1), Term::constant(1), Term::constant(1)};
    cases = run(*kernel, terms, signature, {}, elements != 0);
  }

  std::string fault() const {
    for (const Summary &one : cases)
      if (one.fault)
        return one.fault->message;
    return "";
  }

  /// What is stored where there are steps.
  NodeId value() {
    for (const Summary &one : cases)
      for (const GlobalStore &store : one.stores)
        if (store.value.isNode() && terms.pool().node(store.value.node()).kind == Kind::Fold)
          return store.value.node();
    ADD_FAILURE() << "no fold is stored; " << fault();
    return 0;
  }

  /// -0.0 + x[first] + x[first + stride] + …
  NodeId sum(AffineId count, std::int64_t stride, std::int64_t first) {
    AffinePool &affine = terms.affine();
    const NodeId k = terms.symbol("k", 64, {Wide{0}, Wide{1} << 40}).node();
    const NodeId before = terms.unnamed("c", Sort::of(DType::F32));
    const AffineId at = affine.plus(affine.scale(affine.atom(k), stride), first);
    const NodeId next = terms.fadd(DType::F32, before, terms.input(0, DType::F32, at).node());
    return terms.fold(count, terms.floatConstant(DType::F32, 0x80000000u), next, before, k);
  }
};

TEST(Loops, AreFoldsOfTheirStep) {
  Found found(Parts{});
  ASSERT_EQ(found.fault(), "");
  ASSERT_EQ(found.cases.size(), 2u); // no element, and some
  EXPECT_EQ(found.value(), found.sum(found.size, 1, 0));
}

TEST(Loops, MayCountDown) {
  Parts parts;
  parts.next = "add.s64 %rd3, %rd3, -1;\n  add.s64 %rd5, %rd5, 4;";
  parts.again = "setp.ne.s64 %p2, %rd3, 0;\n  @%p2 bra loop;";
  Found found(parts);
  ASSERT_EQ(found.fault(), "");
  EXPECT_EQ(found.value(), found.sum(found.size, 1, 0));
}

TEST(Loops, MayTakeSeveralElementsAStep) {
  Parts parts;
  parts.next = "add.s64 %rd4, %rd4, 3;\n  add.s64 %rd5, %rd5, 12;";
  Found found(parts);
  ASSERT_EQ(found.fault(), "");
  const AffineId third = found.terms.quotient(found.terms.affine().plus(found.size, 2), 3);
  EXPECT_EQ(found.value(), found.sum(third, 3, 0));
}

TEST(Loops, OfAnotherStrideStartOrCountAreOthers) {
  Parts parts;
  parts.guard = "setp.lt.s64 %p1, %rd3, 2;\n  @%p1 bra done;\n  mov.u64 %rd4, 1;\n"
                "  add.s64 %rd5, %rd5, 4;";
  Found late(parts); // from the second element on
  ASSERT_EQ(late.fault(), "");
  EXPECT_NE(late.value(), late.sum(late.size, 1, 0));
  EXPECT_EQ(late.value(), late.sum(late.terms.affine().plus(late.size, -1), 1, 1));
  parts = Parts{};
  parts.next = "add.s64 %rd4, %rd4, 1;"; // the first element again and again
  Found still(parts);
  ASSERT_EQ(still.fault(), "");
  EXPECT_NE(still.value(), still.sum(still.size, 1, 0));
  EXPECT_EQ(still.value(), still.sum(still.size, 0, 0));
}

/// A loop of 64 steps, which the code knows.
Parts known() {
  Parts parts;
  parts.guard = "";
  parts.again = "setp.lt.u64 %p2, %rd4, 64;\n  @%p2 bra loop;";
  return parts;
}

TEST(LongLoops, AreFoldsToo) {
  Found found(known(), 64);
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.cases.front().hasLongLoops);
  EXPECT_EQ(found.value(), found.sum(found.terms.affine().constant(64), 1, 0));
}

TEST(LongLoops, CostTheSameHoweverLong) {
  Parts longer = known();
  longer.again = "setp.lt.u64 %p2, %rd4, 1000000;\n  @%p2 bra loop;";
  Found some(known(), 64), many(longer, 1000000);
  ASSERT_EQ(some.fault() + many.fault(), "");
  EXPECT_EQ(some.cases.front().steps, many.cases.front().steps);
  EXPECT_EQ(some.terms.pool().size(), many.terms.pool().size());
}

TEST(LongLoops, MayCountIn32Bits) {
  Parts parts = known();
  parts.next = "add.s32 %r4, %r4, 1;\n  add.s64 %rd5, %rd5, 4;";
  parts.guard = "mov.u32 %r4, 0;";
  parts.again = "setp.lt.u32 %p2, %r4, 64;\n  @%p2 bra loop;";
  Found found(parts, 64);
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.cases.front().hasLongLoops);
  EXPECT_EQ(found.value(), found.sum(found.terms.affine().constant(64), 1, 0));
}

TEST(LongLoops, MayStore) {
  Parts parts = known();
  parts.guard = "mov.u64 %rd6, %rd2;";
  parts.body = "ld.global.nc.f32 %f2, [%rd5];\n  st.global.f32 [%rd6], %f2;\n"
               "  add.s64 %rd6, %rd6, 4;";
  Found found(parts, 64);
  ASSERT_EQ(found.fault(), "");
  const Summary &summary = found.cases.front();
  const GlobalStore &store = summary.stores.front();
  const std::vector<StoreStep> &steps = summary.storeSteps.at(store.steps);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].count, 64);
  EXPECT_EQ(store.element, found.terms.affine().atom(steps[0].step));
  EXPECT_EQ(store.value, found.terms.input(0, DType::F32, store.element));
}

/// What is before the exit is done once more than what is behind it.
TEST(LongLoops, MayBeLeftInTheMiddle) {
  Parts parts = known();
  parts.body += "\n  setp.gt.u64 %p2, %rd4, 62;\n  @%p2 bra done;";
  parts.again = "bra loop;";
  Found found(parts, 64);
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.cases.front().hasLongLoops);
  EXPECT_EQ(found.value(), found.sum(found.terms.affine().constant(64), 1, 0));
  Found beyond(parts, 63);
  EXPECT_THAT(beyond.fault(), HasSubstr("need not be below 63"));
}

TEST(LongLoops, MayHaveAnExitThatNoStepTakes) {
  Parts parts = known();
  parts.body += "\n  setp.eq.u64 %p3, %rd4, 64;\n  @%p3 bra done;";
  Found found(parts, 64);
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.cases.front().hasLongLoops);
  EXPECT_EQ(found.value(), found.sum(found.terms.affine().constant(64), 1, 0));
}

TEST(LongLoops, LeaveWhatTheirLastStepLeaves) {
  Parts parts = known();
  parts.again += "\n  sub.rn.f32 %f1, %f1, %f2;";
  Found found(parts, 64);
  ASSERT_EQ(found.fault(), "");
  EXPECT_TRUE(found.cases.front().hasLongLoops);
  const NodeId sum = found.sum(found.terms.affine().constant(64), 1, 0);
  const Term last = found.terms.input(0, DType::F32, found.terms.affine().constant(63));
  EXPECT_EQ(found.cases.front().stores.front().value,
            Term::of(found.terms.fadd(DType::F32, sum, found.terms.fneg(last.node()))));
}

/// Where there is a last step, and which one it is does not count.
TEST(Loops, LeaveWhatEveryStepLeaves) {
  Parts parts;
  parts.body += "\n  mov.f32 %f4, 0f3f000000;";
  parts.again += "\n  mov.f32 %f1, %f4;";
  Found found(parts);
  ASSERT_EQ(found.fault(), "");
  const NodeId half = found.terms.floatConstant(DType::F32, 0x3f000000);
  EXPECT_TRUE(std::ranges::any_of(found.cases, [&](const Summary &one) {
    return found.terms.asFloat(DType::F32, one.stores.front().value) == half;
  }));
}

TEST(Loops, OfManyStepsLeaveNothingThatTheLastAloneMakes) {
  Parts parts;
  parts.again += "\n  mov.f32 %f1, %f2;";
  EXPECT_EQ(Found(parts).fault(), "stores to y what nobody defined");
}

TEST(LongLoops, OneStepTooManyLeavesTheArray) {
  Found found(known(), 63);
  EXPECT_THAT(found.fault(), HasSubstr("need not be below 63"));
}

/// What one step does not say of all is run out, step by step.
TEST(LongLoops, OthersAreRunOut) {
  const auto runsOut = [](const char *what, const Parts &parts) {
    SCOPED_TRACE(what);
    Found found(parts, 64);
    EXPECT_EQ(found.fault(), "");
    EXPECT_FALSE(found.cases.front().hasLongLoops);
    EXPECT_GT(found.cases.front().steps, 64u * 4);
  };
  Parts barrier = known();
  barrier.body += "\n  bar.sync 0;";
  runsOut("a barrier in each step", barrier);
  Parts doubles = known();
  doubles.guard = "mov.u64 %rd4, 1;";
  doubles.next = "shl.b64 %rd4, %rd4, 1;\n  add.s64 %rd5, %rd5, 4;";
  doubles.again = "setp.lt.u64 %p2, %rd4, 1152921504606846976;\n  @%p2 bra loop;";
  runsOut("a count that doubles", doubles);
  Parts both = known();
  both.body += "\n  add.rn.f32 %f3, %f3, %f1;\n  add.rn.f32 %f1, %f1, %f3;";
  runsOut("two values that depend on each other", both);
  Parts some = known(); // the first steps alone store
  some.body += "\n  setp.lt.u64 %p3, %rd4, 7;\n  @%p3 st.global.f32 [%rd2], %f1;";
  runsOut("a store that some steps make", some);
}

struct Refused {
  const char *name;
  Parts parts;
  const char *why;
};

class LoopsRefused : public ::testing::TestWithParam<Refused> {};

TEST_P(LoopsRefused, SaysWhy) {
  Found found(GetParam().parts);
  EXPECT_THAT(found.fault(), HasSubstr(GetParam().why));
}

std::vector<Refused> refusals() {
  const Parts plain;
  std::vector<Refused> all;
  const auto with = [&](const char *name, const char *why, std::string Parts::*part,
                        const std::string &text) {
    all.push_back({name, plain, why});
    all.back().parts.*part = text;
  };
  with("LeavesItsArrayInTheLastStep", "need not be below N", &Parts::body,
       "ld.global.nc.f32 %f2, [%rd5+4];\n  add.rn.f32 %f1, %f1, %f2;");
  with("OneStepTooMany", "need not be below N", &Parts::again,
       "setp.le.s64 %p2, %rd4, %rd3;\n  @%p2 bra loop;");
  with("AStepWhereThereIsNoElement", "need not be below N", &Parts::guard, "");
  with("TwoValuesThatDependOnEachOther", "depend on each other", &Parts::body,
       "ld.global.nc.f32 %f2, [%rd5];\n  add.rn.f32 %f1, %f1, %f2;\n"
       "  add.rn.f32 %f3, %f3, %f1;\n  add.rn.f32 %f1, %f1, %f3;");
  with("ACountThatDoubles", "after different numbers of steps", &Parts::next,
       "shl.b64 %rd4, %rd4, 1;\n  add.s64 %rd4, %rd4, 1;\n  add.s64 %rd5, %rd5, 4;");
  with("ABarrier", "exchange values in a step", &Parts::body, "bar.sync 0;");
  with("SharedMemory", "it uses shared memory", &Parts::body,
       "mov.u32 %r1, %tid.x;\n  shl.b32 %r1, %r1, 2;\n  mov.u32 %r2, tile;\n"
       "  add.s32 %r1, %r1, %r2;\n  st.shared.f32 [%r1], %f1;");
  with("TwoExits", "steps of a loop take differently", &Parts::body,
       "setp.eq.s64 %p3, %rd4, 1000;\n  @%p3 bra done;");
  with("AStore", "a store in a loop", &Parts::body, "st.global.f32 [%rd2], %f1;");
  return all;
}

INSTANTIATE_TEST_SUITE_P(Loops, LoopsRefused, ::testing::ValuesIn(refusals()),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace ordo::verify
