// The gated delta rule: a response against plain loops in f32, and decode against replay.
#include "tests/oracle/sketches/sketch.h"

#include <gtest/gtest.h>

namespace ordo::oracle {
namespace {

constexpr std::size_t kHeads = 2, kValues = 4, kKey = 6, kValue = 3;
constexpr std::size_t kState = kValues * kValue * kKey; // of one slot
using enum dsl::DType;

std::int64_t signedSize(std::size_t size) { return static_cast<std::int64_t>(size); }

/// Tokens of several requests in one pack.
struct Tokens {
  std::size_t rows = 0;
  std::vector<float> qn, kn, decay, beta;
  std::vector<std::uint16_t> v;
};

struct Response {
  std::vector<std::uint16_t> o;
  std::vector<float> state;
};

Response respond(const Tokens &tokens, const std::vector<std::int32_t> &start,
                 const std::vector<std::int32_t> &len, const std::vector<std::int32_t> &slot,
                 const std::vector<float> &state) {
  static const dsl::Program program = sketch("delta_response");
  const auto N = signedSize(tokens.rows), R = signedSize(start.size());
  dsl::EvalInputs in;
  in.tensors["qn"] = tensorOf(F32, {N, kValues, kKey}, tokens.qn);
  in.tensors["kn"] = tensorOf(F32, {N, kValues, kKey}, tokens.kn);
  in.tensors["v"] = tensorOf(BF16, {N, kValues, kValue}, tokens.v);
  in.tensors["decay"] = tensorOf(F32, {N, kValues}, tokens.decay);
  in.tensors["beta"] = tensorOf(F32, {N, kValues}, tokens.beta);
  in.tensors["start"] = tensorOf(I32, {R}, start);
  in.tensors["len"] = tensorOf(I32, {R}, len);
  in.tensors["slot"] = tensorOf(I32, {R}, slot);
  in.tensors["state"] =
      tensorOf(F32, {signedSize(state.size() / kState), kValues, kValue, kKey}, state);
  auto outputs = evaluated(program, in);
  return {valuesOf<std::uint16_t>(outputs["o"]), valuesOf<float>(outputs["state"])};
}

/// One token into one row of the state (kKey elements), by the formulas.
float stepRow(float *s, const float *q, const float *k, float v, float decay, float beta) {
  std::vector<float> products;
  for (std::size_t j = 0; j < kKey; ++j) {
    s[j] = s[j] * decay;
    products.push_back(s[j] * k[j]);
  }
  const float u = (v - treeSum(products)) * beta;
  products.clear();
  for (std::size_t j = 0; j < kKey; ++j) {
    const float change = u * k[j];
    s[j] = s[j] + change;
    products.push_back(s[j] * q[j]);
  }
  return treeSum(products);
}

Tokens randomTokens(std::size_t rows, std::uint64_t seed) {
  Random random(seed);
  Tokens tokens;
  tokens.rows = rows;
  tokens.qn = normalF32(rows * kValues * kKey, random);
  tokens.kn = normalF32(rows * kValues * kKey, random);
  tokens.v = normalBf16(rows * kValues * kValue, random);
  for (std::size_t i = 0; i < rows * kValues; ++i) {
    tokens.decay.push_back(static_cast<float>(random.uniform()));
    tokens.beta.push_back(static_cast<float>(random.uniform()));
  }
  return tokens;
}

TEST(Delta, ResponseEqualsPlainLoops) {
  const std::vector<std::int32_t> start = {7, 0, 20, 12}, len = {5, 6, 0, 1}, slot = {2, 0, 1, 4};
  const Tokens tokens = randomTokens(21, 3);
  Random random(4);
  std::vector<float> state = normalF32(5 * kState, random);
  const Response got = respond(tokens, start, len, slot, state);
  std::vector<std::uint16_t> o(tokens.rows * kValues * kValue);
  for (std::size_t r = 0; r < start.size(); ++r)
    for (int t = 0; t < len[r]; ++t)
      for (std::size_t g = 0; g < kValues; ++g)
        for (std::size_t x = 0; x < kValue; ++x) {
          const std::size_t n = static_cast<std::size_t>(start[r] + t) * kValues + g;
          float *s = &state[static_cast<std::size_t>(slot[r]) * kState + (g * kValue + x) * kKey];
          const float y =
              stepRow(s, &tokens.qn[n * kKey], &tokens.kn[n * kKey],
                      floatOf(tokens.v[n * kValue + x]), tokens.decay[n], tokens.beta[n]);
          o[n * kValue + x] = bf16Of(y);
        }
  EXPECT_EQ(got.o, o);
  EXPECT_EQ(got.state, state);
}

TEST(Delta, ResponseOfNothing) {
  Random random(4);
  const std::vector<float> state = normalF32(2 * kState, random);
  EXPECT_EQ(respond(randomTokens(0, 1), {}, {}, {}, state).state, state);
  const Response idle = respond(randomTokens(3, 1), {0, 1}, {0, 0}, {1, 0}, state);
  EXPECT_EQ(idle.state, state);
  EXPECT_EQ(idle.o, std::vector<std::uint16_t>(3 * kValues * kValue));
}

/// The projections of each token, as the model gives them.
struct Projections {
  std::size_t rows = 0;
  std::vector<std::uint16_t> q, k, v, a, b;
  std::vector<float> aLog, bias;

  void give(dsl::EvalInputs &in, const std::vector<std::size_t> &tokens) const {
    const auto B = signedSize(tokens.size());
    const auto rowsOf = [&](const std::vector<std::uint16_t> &from, std::size_t width) {
      std::vector<std::uint16_t> values;
      for (const std::size_t n : tokens)
        values.insert(values.end(), from.begin() + signedSize(n * width),
                      from.begin() + signedSize((n + 1) * width));
      return values;
    };
    in.tensors["q"] = tensorOf(BF16, {B, kHeads, kKey}, rowsOf(q, kHeads * kKey));
    in.tensors["k"] = tensorOf(BF16, {B, kHeads, kKey}, rowsOf(k, kHeads * kKey));
    in.tensors["a"] = tensorOf(BF16, {B, kValues}, rowsOf(a, kValues));
    in.tensors["b"] = tensorOf(BF16, {B, kValues}, rowsOf(b, kValues));
    in.tensors["a_log"] = tensorOf(F32, {kValues}, aLog);
    in.tensors["dt_bias"] = tensorOf(F32, {kValues}, bias);
  }
  dsl::TensorValue values(const std::vector<std::size_t> &tokens) const {
    std::vector<std::uint16_t> rows;
    for (const std::size_t n : tokens)
      rows.insert(rows.end(), v.begin() + signedSize(n * kValues * kValue),
                  v.begin() + signedSize((n + 1) * kValues * kValue));
    return tensorOf(BF16, {signedSize(tokens.size()), kValues, kValue}, rows);
  }
};

Projections randomProjections(std::size_t rows) {
  Random random(9);
  Projections p;
  p.rows = rows;
  p.q = normalBf16(rows * kHeads * kKey, random);
  p.k = normalBf16(rows * kHeads * kKey, random);
  p.v = normalBf16(rows * kValues * kValue, random);
  p.a = normalBf16(rows * kValues, random);
  p.b = normalBf16(rows * kValues, random);
  p.aLog = normalF32(kValues, random);
  p.bias = normalF32(kValues, random);
  return p;
}

/// Decoding token by token, in any batch and with idle rows in it, leaves the state and gives the
/// outputs that one scan over the response does: bit for bit.
TEST(Delta, ReplayEqualsDecode) {
  const std::vector<std::int32_t> start = {7, 0, 12}, len = {5, 6, 1}, slot = {2, 4, 1};
  const Projections p = randomProjections(13);
  Random random(6);
  const std::vector<float> before = normalF32(5 * kState, random);

  std::vector<std::size_t> every;
  for (std::size_t n = 0; n < p.rows; ++n)
    every.push_back(n);
  dsl::EvalInputs all;
  p.give(all, every);
  auto made = evaluated(sketch("delta_inputs"), all);
  Tokens tokens{p.rows,
                valuesOf<float>(made["qn"]),
                valuesOf<float>(made["kn"]),
                valuesOf<float>(made["decay"]),
                valuesOf<float>(made["beta"]),
                p.v};
  const Response replay = respond(tokens, start, len, slot, before);

  const dsl::Program decode = sketch("delta_step");
  std::vector<float> state = before;
  std::vector<std::uint16_t> o(p.rows * kValues * kValue);
  for (int t = 0; t < 6; ++t) {
    std::vector<std::size_t> batch;
    std::vector<std::int32_t> slots;
    for (std::size_t r = 0; r < start.size(); ++r) {
      if (t >= len[r])
        continue;
      batch.push_back(static_cast<std::size_t>(start[r] + t));
      slots.push_back(slot[r]);
      if (t % 2 == 1) { // an idle row
        batch.push_back(0);
        slots.push_back(t % 3 == 0 ? 0 : -1);
      }
    }
    dsl::EvalInputs in;
    p.give(in, batch);
    in.tensors["v"] = p.values(batch);
    in.tensors["slot"] = tensorOf(I32, {signedSize(slots.size())}, slots);
    in.tensors["state"] = tensorOf(F32, {5, kValues, kValue, kKey}, state);
    auto outputs = evaluated(decode, in);
    state = valuesOf<float>(outputs["state"]);
    const auto row = valuesOf<std::uint16_t>(outputs["o"]);
    ASSERT_EQ(row.size(), batch.size() * kValues * kValue);
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (std::size_t e = 0; e < kValues * kValue; ++e) {
        if (slots[i] > 0)
          o[batch[i] * kValues * kValue + e] = row[i * kValues * kValue + e];
        else
          EXPECT_EQ(row[i * kValues * kValue + e], 0) << "an idle row";
      }
  }
  EXPECT_EQ(o, replay.o);
  EXPECT_EQ(state, replay.state);
  EXPECT_NE(state, before);
}

TEST(Delta, OneSlotTwiceIsRefused) {
  const Projections p = randomProjections(3);
  const auto refused = [&](const std::vector<std::int32_t> &slots) {
    dsl::EvalInputs in;
    p.give(in, {0, 1, 2});
    in.tensors["v"] = p.values({0, 1, 2});
    in.tensors["slot"] = tensorOf(I32, {3}, slots);
    in.tensors["state"] = tensorOf(F32, {5, kValues, kValue, kKey}, std::vector<float>(5 * kState));
    return dsl::evaluate(sketch("delta_step"), in).error;
  };
  EXPECT_EQ(refused({3, 1, 2}), "");
  EXPECT_EQ(refused({0, 0, 2}), "");
  EXPECT_NE(refused({3, 1, 3}).find("n = 0 and at n = 2"), std::string::npos) << refused({3, 1, 3});
  EXPECT_NE(refused({3, 5, 1}).find("at n = 1"), std::string::npos) << refused({3, 5, 1});
}

} // namespace
} // namespace ordo::oracle
