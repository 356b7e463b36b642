// Every field of a program that can move a bit moves its digest: recurrences, rankings, places,
// updates and assumptions, built by hand.
#include "dsl/sema/digest.h"
#include "tests/unit/dsl/eval/program_builder.h"

#include <gtest/gtest.h>

#include <functional>

namespace ordo::dsl {
namespace {

using testing_support::Builder;

struct Sample {
  Builder b;
  TensorId x, n, state, y, rank;
  RecurrenceId fold, scan;
  CarryId sum, twice, running;
  ReductionId best, top;
  DefId update, step;
};

/// A fold with a merge, a scan with a yield, argmax and top, an update of a tensor at places.
Sample sample() {
  Sample s;
  Builder &b = s.b;
  const DimId rows = b.dim("T");
  s.x = b.tensor("x", DType::F32, {b.size(rows), b.n(8)});
  s.n = b.tensor("n", DType::I32, {b.size(rows)});
  s.state = b.tensor("state", DType::F32, {b.size(rows)}, Tensor::Role::InOut);
  s.y = b.tensor("y", DType::F32, {b.size(rows)}, Tensor::Role::Output);
  s.rank = b.tensor("r", DType::I32, {b.size(rows)}, Tensor::Role::Output);

  const VarId ft = b.var("t", b.size(rows)), fi = b.var("i", b.n(8));
  const ExprId cell = b.load(s.x, {b.at(ft), b.at(fi)});
  s.fold = b.recurrence({ft}, {fi}, "seq(2) | seq", b.op(Op::Gt, {cell, b.f32(0)}));
  s.sum = b.carry(s.fold, "sum", DType::F32, {}, b.f32(0.5f));
  const VarId own = b.var("d", b.n(3));
  s.twice = b.carry(s.fold, "twice", DType::F32, {own}, b.f32(1.5f));
  s.step = b.local(s.fold, "step", {}, b.mul(b.held(s.sum), cell));
  b.p.carries[s.sum].next = b.add(b.use(s.step, {}), cell);
  b.p.carries[s.twice].next = b.add(b.held(s.twice, {b.at(own)}), b.held(s.sum));
  b.p.carries[s.sum].merged = b.sub(b.held(s.sum, {}, Side::Left), b.held(s.sum, {}, Side::Right));
  b.p.carries[s.twice].merged = b.held(s.twice, {b.at(own)}, Side::Left);
  b.p.recurrences[s.fold].stepLocals = {s.step};

  const VarId si = b.var("i", b.n(8));
  s.scan = b.recurrence({}, {si}, "seq");
  s.running = b.carry(s.scan, "running", DType::F32, {}, b.f32(0));
  b.p.carries[s.running].next = b.add(b.held(s.running), b.load(s.x, {b.n(0), b.at(si)}));
  b.yield(s.scan, "emitted", {}, b.mul(b.held(s.running), b.f32(3)));

  const VarId t = b.var("t", b.size(rows));
  const DefId total = b.define("total", {t}, b.part(s.fold, 0, {b.at(t)}));
  const VarId t1 = b.var("t", b.size(rows)), d1 = b.var("d", b.n(3));
  const DefId wide = b.define("wide", {t1, d1}, b.part(s.fold, 1, {b.at(t1), b.at(d1)}));
  const VarId i1 = b.var("i", b.n(8));
  const DefId emitted = b.define("emitted", {i1}, b.part(s.scan, 1, {b.at(i1)}));
  const VarId t2 = b.var("t", b.size(rows));
  b.define("y", {t2},
           b.add(b.add(b.use(total, {b.at(t2)}), b.use(wide, {b.at(t2), b.n(2)})),
                 b.use(emitted, {b.n(5)})),
           s.y);

  const VarId t3 = b.var("t", b.size(rows));
  s.update = b.place("state", {t3}, {b.cast(DType::Index, b.load(s.n, {b.at(t3)}))}, {b.size(rows)},
                     b.load(s.state, {b.at(t3)}), s.state);

  const VarId t4 = b.var("t", b.size(rows)), i4 = b.var("i", b.n(8)), i5 = b.var("i", b.n(8));
  const ExprId first = b.load(s.x, {b.at(t4), b.at(i4)}), second = b.load(s.x, {b.n(0), b.at(i4)});
  const ExprId best = b.rank(ReduceOp::ArgMax, i4, {{first, true, false}, {second, false, true}},
                             b.op(Op::Lt, {first, b.f32(9)}));
  const ExprId top = b.rank(ReduceOp::Top, i5, {{b.load(s.x, {b.at(t4), b.at(i5)}), true, true}},
                            kNone, b.n(2), b.n(1));
  s.best = static_cast<ReductionId>(b.p.expr(best).payload);
  s.top = static_cast<ReductionId>(b.p.expr(top).payload);
  b.define("r", {t4}, b.add(best, top), s.rank);

  const VarId a = b.var("t", b.size(rows));
  const ExprId slot = b.cast(DType::Index, b.load(s.n, {b.at(a)}));
  Assumption distinct;
  distinct.kind = Assumption::Kind::Distinct;
  distinct.vars = {a};
  distinct.value = slot;
  Assumption inside;
  inside.vars = {a};
  inside.condition = b.op(Op::Lt, {slot, b.size(rows)});
  b.p.assumptions = {distinct, inside};
  return s;
}

TEST(DigestOfAProgram, MovesWithEachFieldThatCanMoveABit) {
  const std::string before = digest(sample().b.p);
  EXPECT_EQ(before, digest(sample().b.p));
  using Change = std::function<void(Sample &)>;
  const auto recurrence = [](Sample &s) -> Recurrence & { return s.b.p.recurrences[s.fold]; };
  const std::pair<const char *, Change> changes[] = {
      {"fold to scan", [&](Sample &s) { recurrence(s).isScan = true; }},
      {"order",
       [&](Sample &s) { recurrence(s).order = parseOrder("seq(4) | seq", nullptr).value(); }},
      {"no where", [&](Sample &s) { recurrence(s).where = kNone; }},
      {"where", [&](Sample &s) { recurrence(s).where = s.b.p.constant(DType::Bool, 1); }},
      {"steps", [](Sample &s) { s.b.p.vars[s.b.p.recurrences[s.fold].vars[0]].extent = s.b.n(7); }},
      {"carries in another order",
       [&](Sample &s) { std::swap(recurrence(s).carries[0], recurrence(s).carries[1]); }},
      {"start", [](Sample &s) { s.b.p.carries[s.sum].start = s.b.f32(-0.5f); }},
      {"next", [](Sample &s) { s.b.p.carries[s.sum].next = s.b.held(s.sum); }},
      {"merged",
       [](Sample &s) {
         s.b.p.carries[s.sum].merged =
             s.b.sub(s.b.held(s.sum, {}, Side::Right), s.b.held(s.sum, {}, Side::Left));
       }},
      {"no merge", [](Sample &s) { s.b.p.carries[s.sum].merged = kNone; }},
      {"what a carry runs over",
       [](Sample &s) { s.b.p.vars[s.b.p.carries[s.twice].vars[0]].extent = s.b.n(4); }},
      {"type of a carry", [](Sample &s) { s.b.p.carries[s.sum].type = DType::F64; }},
      {"a local definition", [](Sample &s) { s.b.p.definitions[s.step].value = s.b.held(s.sum); }},
      {"what is emitted",
       [](Sample &s) {
         const CarryId emitted = s.b.p.recurrences[s.scan].yields[0];
         s.b.p.carries[emitted].next = s.b.held(s.running);
       }},
      {"which part is read",
       [](Sample &s) {
         const VarId t = s.b.p.definitions[s.step + 1].vars[0];
         s.b.p.definitions[s.step + 1].value = s.b.part(s.fold, 1, {s.b.at(t), s.b.n(0)});
       }},
      {"first key falls", [](Sample &s) { s.b.p.reductions[s.best].keys[0].isDescending = false; }},
      {"NaN first", [](Sample &s) { s.b.p.reductions[s.best].keys[1].isNanFirst = false; }},
      {"fewer keys", [](Sample &s) { s.b.p.reductions[s.best].keys.pop_back(); }},
      {"keys in another order",
       [](Sample &s) {
         std::swap(s.b.p.reductions[s.best].keys[0], s.b.p.reductions[s.best].keys[1]);
       }},
      {"candidates", [](Sample &s) { s.b.p.reductions[s.best].where = kNone; }},
      {"places", [](Sample &s) { s.b.p.reductions[s.top].count = s.b.n(3); }},
      {"where a point stands",
       [](Sample &s) {
         s.b.p.definitions[s.update].at = {s.b.at(s.b.p.definitions[s.update].vars[0])};
       }},
      {"the shape around it", [](Sample &s) { s.b.p.definitions[s.update].shape = {s.b.n(12)}; }},
      {"no place", [](Sample &s) { s.b.p.definitions[s.update].at.clear(); }},
      {"no update", [](Sample &s) { s.b.p.definitions[s.update].isUpdate = false; }},
      {"an update of an output",
       [](Sample &s) { s.b.p.tensors[s.state].role = Tensor::Role::Output; }},
      {"no assumption", [](Sample &s) { s.b.p.assumptions.pop_back(); }},
      {"another assumption",
       [](Sample &s) { s.b.p.assumptions[0].kind = Assumption::Kind::Disjoint; }},
      {"its condition",
       [](Sample &s) { s.b.p.assumptions[1].condition = s.b.p.constant(DType::Bool, 1); }},
      {"its guard", [](Sample &s) { s.b.p.assumptions[1].where = s.b.p.constant(DType::Bool, 0); }},
      {"its length", [](Sample &s) { s.b.p.assumptions[0].length = s.b.n(2); }},
      {"its variables",
       [](Sample &s) { s.b.p.vars[s.b.p.assumptions[0].vars[0]].extent = s.b.n(1); }},
  };
  for (const auto &[what, change] : changes) {
    Sample s = sample();
    change(s);
    EXPECT_NE(digest(s.b.p), before) << what;
  }
}

TEST(DigestOfAProgram, StaysUnderNamesAndTheOrderOfAssumptions) {
  const std::string before = digest(sample().b.p);
  Sample s = sample();
  Program &p = s.b.p;
  for (Carry &each : p.carries)
    each.name += "_q";
  for (Var &each : p.vars)
    each.name += "_q";
  for (Definition &each : p.definitions)
    each.name += "_q";
  for (Tensor &each : p.tensors)
    each.name += "_q";
  for (Assumption &each : p.assumptions)
    each.text = "q";
  std::swap(p.assumptions[0], p.assumptions[1]);
  p.assumptions.push_back(p.assumptions[0]); // said twice
  EXPECT_EQ(digest(p), before);
}

TEST(DigestOfAProgram, PartsCoverLocalDefinitionsAndAssumptions) {
  const auto parts = [](const std::function<void(Sample &)> &change) {
    Sample s = sample();
    change(s);
    return partsOf(s.b.p);
  };
  const ContractParts before = parts([](Sample &) {});
  ASSERT_EQ(before.definitions.size(), sample().b.p.definitions.size());
  ASSERT_EQ(before.requires_.size(), 2u);
  const DefId step = sample().step;
  const ContractParts local =
      parts([](Sample &s) { s.b.p.definitions[s.step].value = s.b.held(s.sum); });
  EXPECT_NE(before.definitions[step], local.definitions[step]);
  EXPECT_EQ(before.requires_, local.requires_);
  const ContractParts assumed =
      parts([](Sample &s) { s.b.p.assumptions[0].kind = Assumption::Kind::Disjoint; });
  EXPECT_NE(before.requires_, assumed.requires_);
  EXPECT_EQ(before.definitions, assumed.definitions);
}

} // namespace
} // namespace ordo::dsl
