// Short names for building programs by hand in tests.
#pragma once

#include "dsl/eval/evaluator.h"
#include "dsl/eval/numeric.h"
#include "dsl/term/program.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

namespace ordo::dsl::testing_support {

struct Builder {
  Program p;

  DimId dim(std::string name) {
    p.dims.push_back({std::move(name)});
    return static_cast<DimId>(p.dims.size() - 1);
  }
  ExprId size(DimId d) { return p.make(Op::Size, DType::Index, d); }
  ExprId n(std::int64_t v) { return p.index(v); }
  TensorId tensor(std::string name, DType type, std::vector<ExprId> shape,
                  Tensor::Role role = Tensor::Role::Input) {
    p.tensors.push_back({std::move(name), type, std::move(shape), role});
    return static_cast<TensorId>(p.tensors.size() - 1);
  }
  ExprId scalar(std::string name, DType type) {
    p.scalars.push_back({std::move(name), type});
    return p.make(Op::Scalar, type, p.scalars.size() - 1);
  }
  VarId var(std::string name, ExprId extent) {
    p.vars.push_back({std::move(name), extent});
    return static_cast<VarId>(p.vars.size() - 1);
  }
  ExprId at(VarId v) { return p.make(Op::Var, DType::Index, v); }
  ExprId load(TensorId t, std::vector<ExprId> index) {
    return p.make(Op::Load, p.tensors[t].type, t, std::span<const ExprId>(index));
  }
  ExprId use(DefId d, std::vector<ExprId> index) {
    return p.make(Op::Use, p.expr(p.definitions[d].value).type, d, std::span<const ExprId>(index));
  }
  ExprId op(Op o, std::initializer_list<ExprId> args) {
    const bool isBool = o >= Op::Eq && o <= Op::Ge;
    const ExprId typed = o == Op::Select ? *(args.begin() + 1) : *args.begin();
    return p.make(o, isBool ? DType::Bool : p.expr(typed).type, 0, args);
  }
  ExprId add(ExprId a, ExprId b) { return op(Op::Add, {a, b}); }
  ExprId sub(ExprId a, ExprId b) { return op(Op::Sub, {a, b}); }
  ExprId mul(ExprId a, ExprId b) { return op(Op::Mul, {a, b}); }
  ExprId div(ExprId a, ExprId b) { return op(Op::Div, {a, b}); }
  ExprId cast(DType to, ExprId a, Rounding r = Rounding::NearestEven) {
    return p.make(Op::Cast, to, static_cast<std::uint64_t>(r), {a});
  }
  ExprId f32(float v) { return p.constant(DType::F32, std::bit_cast<std::uint32_t>(v)); }
  ExprId reduce(ReduceOp o, std::vector<VarId> vars, const std::string &order, ExprId body,
                ExprId where = kNone, DType type = DType::Bool) {
    Reduction r;
    r.op = o;
    r.vars = std::move(vars);
    std::string error;
    if (!order.empty())
      r.order = parseOrder(order, &error).value();
    r.body = body;
    r.where = where;
    p.reductions.push_back(std::move(r));
    return p.make(Op::Reduce, o == ReduceOp::Count ? type : p.expr(body).type,
                  p.reductions.size() - 1);
  }
  DefId define(std::string name, std::vector<VarId> vars, ExprId value, TensorId output = kNone,
               ExprId where = kNone) {
    Definition d;
    d.name = std::move(name);
    d.vars = std::move(vars);
    d.value = value;
    d.where = where;
    d.output = output;
    p.definitions.push_back(std::move(d));
    return static_cast<DefId>(p.definitions.size() - 1);
  }
  /// A definition whose points stand at `at` of an array of `shape`.
  DefId place(std::string name, std::vector<VarId> vars, std::vector<ExprId> at,
              std::vector<ExprId> shape, ExprId value, TensorId output = kNone,
              ExprId where = kNone) {
    const DefId d = define(std::move(name), std::move(vars), value, output, where);
    p.definitions[d].at = std::move(at);
    p.definitions[d].shape = std::move(shape);
    p.definitions[d].isUpdate = output != kNone && p.tensors[output].isRead();
    return d;
  }
  /// A local definition of a recurrence, to be listed in it.
  DefId local(RecurrenceId r, std::string name, std::vector<VarId> vars, ExprId value,
              ExprId where = kNone) {
    const DefId d = define(std::move(name), std::move(vars), value, kNone, where);
    p.definitions[d].recurrence = r;
    return d;
  }
  ExprId rank(ReduceOp o, VarId var, std::vector<RankKey> keys, ExprId where = kNone,
              ExprId count = kNone, ExprId slot = kNone) {
    Reduction r;
    r.op = o;
    r.vars = {var};
    r.keys = std::move(keys);
    r.where = where;
    r.count = count;
    p.reductions.push_back(std::move(r));
    const std::vector<ExprId> args = slot == kNone ? std::vector<ExprId>{} : std::vector{slot};
    return p.make(Op::Reduce, DType::I32, p.reductions.size() - 1, std::span<const ExprId>(args));
  }

  /// A recurrence to be completed: `carry`s, then `next`s, then `part`s.
  RecurrenceId recurrence(std::vector<VarId> shared, std::vector<VarId> vars,
                          const std::string &order, ExprId where = kNone) {
    Recurrence r;
    r.shared = std::move(shared);
    r.vars = std::move(vars);
    std::string error;
    r.order = parseOrder(order, &error).value();
    r.where = where;
    p.recurrences.push_back(std::move(r));
    return static_cast<RecurrenceId>(p.recurrences.size() - 1);
  }
  CarryId carry(RecurrenceId r, std::string name, DType type, std::vector<VarId> vars,
                ExprId start) {
    Carry c;
    c.name = std::move(name);
    c.type = type;
    c.vars = std::move(vars);
    c.start = start;
    c.recurrence = r;
    p.carries.push_back(std::move(c));
    p.recurrences[r].carries.push_back(static_cast<CarryId>(p.carries.size() - 1));
    return p.recurrences[r].carries.back();
  }
  CarryId yield(RecurrenceId r, std::string name, std::vector<VarId> vars, ExprId value) {
    Carry c;
    c.name = std::move(name);
    c.type = p.expr(value).type;
    c.vars = std::move(vars);
    c.next = value;
    c.recurrence = r;
    p.carries.push_back(std::move(c));
    p.recurrences[r].isScan = true;
    p.recurrences[r].yields.push_back(static_cast<CarryId>(p.carries.size() - 1));
    return p.recurrences[r].yields.back();
  }
  ExprId held(CarryId c, std::vector<ExprId> index = {}, Side side = Side::Step) {
    return p.make(Op::Carry, p.carries[c].type, carryPayload(c, side),
                  std::span<const ExprId>(index));
  }
  ExprId part(RecurrenceId r, std::uint32_t part, std::vector<ExprId> index) {
    const Recurrence &of = p.recurrences[r];
    const CarryId c =
        part < of.carries.size() ? of.carries[part] : of.yields[part - of.carries.size()];
    return p.make(Op::Recur, p.carries[c].type, recurPayload(r, part),
                  std::span<const ExprId>(index));
  }
};

template <class T>
TensorValue tensorOf(DType type, std::vector<std::int64_t> shape, const std::vector<T> &values) {
  TensorValue t{type, std::move(shape), std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty())
    std::memcpy(t.data.data(), values.data(), t.data.size());
  return t;
}

template <class T> std::vector<T> valuesOf(const TensorValue &t) {
  std::vector<T> v(t.data.size() / sizeof(T));
  if (!v.empty())
    std::memcpy(v.data(), t.data.data(), t.data.size());
  return v;
}

/// bf16 by comparing the dropped half with the middle; NaN canonical.
inline std::uint16_t bf16Of(float v) {
  const auto u = std::bit_cast<std::uint32_t>(v);
  if (v != v)
    return 0x7fc0;
  const std::uint32_t rest = u & 0xffff, kept = u >> 16;
  const bool up = rest > 0x8000 || (rest == 0x8000 && kept % 2 != 0);
  return static_cast<std::uint16_t>(kept + (up ? 1 : 0));
}
inline float floatOfBf16(std::uint16_t b) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(b) << 16);
}

/// y[t, h] = bf16(f32(x[t, h]) * rstd[t] * f32(w[h])), rstd[t] = 1 / sqrt(ss[t] / H + eps).
inline Program rmsNorm(std::int64_t width, const std::string &order) {
  Builder b;
  const DimId rows = b.dim("T");
  const TensorId x = b.tensor("x", DType::BF16, {b.size(rows), b.n(width)});
  const TensorId w = b.tensor("w", DType::BF16, {b.n(width)});
  const TensorId y = b.tensor("y", DType::BF16, {b.size(rows), b.n(width)}, Tensor::Role::Output);
  const ExprId eps = b.scalar("eps", DType::F32);
  const VarId t0 = b.var("t", b.size(rows)), h0 = b.var("h", b.n(width));
  const ExprId xe = b.cast(DType::F32, b.load(x, {b.at(t0), b.at(h0)}));
  const DefId ss = b.define("ss", {t0}, b.reduce(ReduceOp::Sum, {h0}, order, b.mul(xe, xe)));
  const VarId t1 = b.var("t", b.size(rows));
  const ExprId mean = b.div(b.use(ss, {b.at(t1)}), b.cast(DType::F32, b.n(width)));
  const DefId rstd = b.define("rstd", {t1}, b.div(b.f32(1.0f), b.op(Op::Sqrt, {b.add(mean, eps)})));
  const VarId t2 = b.var("t", b.size(rows)), h2 = b.var("h", b.n(width));
  const ExprId scaled =
      b.mul(b.cast(DType::F32, b.load(x, {b.at(t2), b.at(h2)})), b.use(rstd, {b.at(t2)}));
  b.define("y", {t2, h2},
           b.cast(DType::BF16, b.mul(scaled, b.cast(DType::F32, b.load(w, {b.at(h2)})))), y);
  return std::move(b.p);
}

/// exp for x <= 0 by range reduction and a polynomial, 20 nodes; the tests need its bits, not its
/// accuracy.
inline ExprId expOf(Builder &b, ExprId x) {
  const ExprId clamped = b.op(Op::MaxNan, {x, b.f32(-87.0f)});
  const ExprId k = b.op(
      Op::Floor, {b.p.make(Op::Fma, DType::F32, 0, {clamped, b.f32(0x1.715476p0f), b.f32(0.5f)})});
  const ExprId r = b.p.make(Op::Fma, DType::F32, 0, {k, b.f32(-0x1.62e43p-1f), clamped});
  ExprId poly = b.f32(0x1.6c16c2p-10f);
  for (const float c : {0x1.111112p-7f, 0x1.555556p-5f, 0x1.555556p-3f, 0.5f, 1.0f, 1.0f})
    poly = b.add(b.mul(poly, r), b.f32(c));
  const ExprId n = b.cast(DType::I32, k);
  const ExprId biased = b.add(n, b.p.constant(DType::I32, 127));
  const ExprId shifted = b.op(Op::Shl, {biased, b.p.constant(DType::I32, 23)});
  const ExprId scale = b.p.make(Op::OfBits, DType::F32, 0, {b.cast(DType::U32, shifted)});
  return b.mul(poly, scale);
}

/// The same in plain C++.
inline float expPlain(float x) {
  const float clamped = x != x ? x : x > -87.0f ? x : -87.0f;
  const float k = std::floor(std::fma(clamped, 0x1.715476p0f, 0.5f));
  const float r = std::fma(k, -0x1.62e43p-1f, clamped);
  float poly = 0x1.6c16c2p-10f;
  for (const float c : {0x1.111112p-7f, 0x1.555556p-5f, 0x1.555556p-3f, 0.5f, 1.0f, 1.0f}) {
    const float product = poly * r;
    poly = product + c;
  }
  const int n = k != k ? 0 : static_cast<int>(k);
  return poly * std::bit_cast<float>((n + 127) << 23);
}

/// y[t, j] = bf16(exp(x - max) / sum exp(x - max)), exp written out twice.
inline Program softmax(std::int64_t width, const std::string &order) {
  Builder b;
  const DimId rows = b.dim("T");
  const TensorId x = b.tensor("x", DType::BF16, {b.size(rows), b.n(width)});
  const TensorId y = b.tensor("y", DType::BF16, {b.size(rows), b.n(width)}, Tensor::Role::Output);
  const VarId t0 = b.var("t", b.size(rows)), j0 = b.var("j", b.n(width));
  const ExprId x0 = b.cast(DType::F32, b.load(x, {b.at(t0), b.at(j0)}));
  const DefId m = b.define("m", {t0}, b.reduce(ReduceOp::Max, {j0}, "", x0));
  const VarId t1 = b.var("t", b.size(rows)), j1 = b.var("j", b.n(width));
  const ExprId x1 = b.cast(DType::F32, b.load(x, {b.at(t1), b.at(j1)}));
  const ExprId e1 = expOf(b, b.sub(x1, b.use(m, {b.at(t1)})));
  const DefId s = b.define("s", {t1}, b.reduce(ReduceOp::Sum, {j1}, order, e1));
  const VarId t2 = b.var("t", b.size(rows)), j2 = b.var("j", b.n(width));
  const ExprId x2 = b.cast(DType::F32, b.load(x, {b.at(t2), b.at(j2)}));
  const ExprId e2 = expOf(b, b.sub(x2, b.use(m, {b.at(t2)})));
  b.define("y", {t2, j2}, b.cast(DType::BF16, b.div(e2, b.use(s, {b.at(t2)}))), y);
  return std::move(b.p);
}

} // namespace ordo::dsl::testing_support
