// The flow SDE step against f64 with Philox and Box-Muller of its own, guidance against plain
// loops.
#include "tests/oracle/sketches/sketch.h"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <numbers>

namespace ordo::oracle {
namespace {

using enum dsl::DType;

constexpr std::size_t kChannels = 5;

/// Philox4x32-10 (Salmon et al., SC 2011).
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 2> key,
                                    std::array<std::uint32_t, 4> counter) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9E3779B9, key[1] + 0xBB67AE85};
  }
  return counter;
}

double normal(std::uint64_t seed, std::uint32_t step, std::uint32_t element) {
  const auto w = philox({static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
                        {element / 2, step, 0, 0});
  const double u1 = ((w[0] >> 8) + 1) * 0x1p-24, u2 = (w[1] >> 8) * 0x1p-24;
  const double r = std::sqrt(-2 * std::log(u1)), angle = 2 * std::numbers::pi * u2;
  return element % 2 == 0 ? r * std::cos(angle) : r * std::sin(angle);
}

struct Request {
  std::int32_t start, len;
  float t, next, second, level;
  std::uint64_t seed;
  std::uint32_t step;
};

struct Landed {
  std::vector<float> x, logp;
};

Landed landed(const std::vector<Request> &requests, const std::vector<float> &x,
              const std::vector<std::uint16_t> &v) {
  static const dsl::Program program = sketch("flow_step");
  const auto R = static_cast<std::int64_t>(requests.size());
  const auto N = static_cast<std::int64_t>(x.size() / kChannels);
  dsl::EvalInputs in;
  const auto give = [&]<class T>(const char *name, dsl::DType type, T Request::*member) {
    std::vector<T> values;
    for (const Request &request : requests)
      values.push_back(request.*member);
    in.tensors[name] = tensorOf(type, {R}, values);
  };
  in.tensors["x"] = tensorOf(F32, {N, kChannels}, x);
  in.tensors["v"] = tensorOf(BF16, {N, kChannels}, v);
  give("start", I32, &Request::start);
  give("len", I32, &Request::len);
  give("t", F32, &Request::t);
  give("t_next", F32, &Request::next);
  give("t_second", F32, &Request::second);
  give("level", F32, &Request::level);
  give("seed", U64, &Request::seed);
  give("step", U32, &Request::step);
  auto outputs = evaluated(program, in);
  return {valuesOf<float>(outputs["x_next"]), valuesOf<float>(outputs["logp"])};
}

const std::vector<Request> kRequests = {{4, 3, 0.5f, 0.4375f, 0.9f, 0.7f, 0x123456789abcdefull, 3},
                                        {0, 4, 1.0f, 0.96f, 0.95f, 0.3f, 7, 0},
                                        {9, 0, 0.25f, 0.2f, 0.9f, 0.7f, 1, 1},
                                        {7, 2, 0.125f, 0.0f, 0.9f, 1.0f, ~0ull, 49}};

TEST(Flow, LandsWhereTheFormulasSay) {
  Random random(12);
  const auto x = normalF32(10 * kChannels, random);
  const auto v = normalBf16(10 * kChannels, random);
  const Landed got = landed(kRequests, x, v);
  ASSERT_EQ(got.x.size(), x.size());
  ASSERT_EQ(got.logp.size(), kRequests.size());
  for (std::size_t r = 0; r < kRequests.size(); ++r) {
    const Request &request = kRequests[r];
    const double t = request.t, dt = t - request.next;
    const double den = 1 - (request.t == 1.0f ? double{request.second} : t);
    const double std = std::sqrt(t / den) * request.level, var = std * std;
    const double a = 1 - var / (2 * t) * dt, b = (1 + var * (1 - t) / (2 * t)) * dt;
    const double tau = std * std::sqrt(dt);
    // Each of these is made of at most twelve roundings, none of which cancels much.
    const double relative = 16 * 0x1p-24;
    double q = 0, qError = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(request.len) * kChannels; ++i) {
      const std::size_t at = static_cast<std::size_t>(request.start) * kChannels + i;
      const double noise = normal(request.seed, request.step, static_cast<std::uint32_t>(i));
      const double drift = x[at] * a, push = floatOf(v[at]) * b, jump = tau * noise;
      const double size = std::fabs(drift) + std::fabs(push) + std::fabs(jump) + tau;
      EXPECT_NEAR(got.x[at], drift - push + jump, relative * size)
          << "request " << r << " at " << i;
      q += jump * jump;
      qError += 2 * std::fabs(jump) * relative * size + relative * size * relative * size;
    }
    const double count = static_cast<double>(request.len) * kChannels;
    const double constant = std::log(std::sqrt(2 * std::numbers::pi));
    const double quadratic = q / (2 * tau * tau), area = count * (std::log(tau) + constant);
    EXPECT_NEAR(got.logp[r], -quadratic - area,
                qError / (2 * tau * tau) + 40 * 0x1p-24 * (quadratic + std::fabs(area) + count))
        << "request " << r;
  }
  for (std::size_t c = 0; c < kChannels; ++c)
    EXPECT_EQ(got.x[9 * kChannels + c], 0.0f); // no request owns row 9
}

/// Alone, at another place of the pack, in another batch: the same bits.
TEST(Flow, NothingElseMovesABit) {
  Random random(12);
  const auto x = normalF32(10 * kChannels, random);
  const auto v = normalBf16(10 * kChannels, random);
  const Landed all = landed(kRequests, x, v);
  for (std::size_t r = 0; r < kRequests.size(); ++r) {
    Request request = kRequests[r];
    const auto from = static_cast<std::ptrdiff_t>(request.start) * kChannels;
    const auto count = static_cast<std::ptrdiff_t>(request.len) * kChannels;
    auto otherX = normalF32(8 * kChannels, random);
    auto otherV = normalBf16(8 * kChannels, random);
    request.start = static_cast<std::int32_t>(r);
    const auto to = static_cast<std::ptrdiff_t>(r * kChannels);
    std::copy_n(x.begin() + from, count, otherX.begin() + to);
    std::copy_n(v.begin() + from, count, otherV.begin() + to);
    const Landed one = landed({request}, otherX, otherV);
    ASSERT_EQ(one.logp.size(), 1u);
    EXPECT_EQ(one.logp[0], all.logp[r]);
    EXPECT_TRUE(std::equal(one.x.begin() + to, one.x.begin() + to + count, all.x.begin() + from));
  }
  EXPECT_TRUE(landed({}, {}, {}).logp.empty());
}

TEST(Flow, BrokenPromisesAreRefused) {
  const dsl::Program program = sketch("flow_step");
  const auto refused = [&](std::int32_t second, float level) {
    dsl::EvalInputs in;
    in.tensors["x"] = tensorOf(F32, {4, kChannels}, std::vector<float>(20));
    in.tensors["v"] = tensorOf(BF16, {4, kChannels}, std::vector<std::uint16_t>(20));
    in.tensors["start"] = tensorOf<std::int32_t>(I32, {2}, {0, second});
    in.tensors["len"] = tensorOf<std::int32_t>(I32, {2}, {2, 2});
    in.tensors["t"] = tensorOf<float>(F32, {2}, {0.5f, 0.5f});
    in.tensors["t_next"] = tensorOf<float>(F32, {2}, {0.25f, 0.25f});
    in.tensors["t_second"] = tensorOf<float>(F32, {2}, {0.9f, 0.9f});
    in.tensors["level"] = tensorOf<float>(F32, {2}, {0.5f, level});
    in.tensors["seed"] = tensorOf<std::uint64_t>(U64, {2}, {1, 2});
    in.tensors["step"] = tensorOf<std::uint32_t>(U32, {2}, {1, 2});
    return dsl::evaluate(program, in).error;
  };
  EXPECT_EQ(refused(2, 0.5f), "");
  EXPECT_NE(refused(1, 0.5f).find("disjoint"), std::string::npos) << refused(1, 0.5f);
  EXPECT_NE(refused(3, 0.5f).find("at r = 1"), std::string::npos) << refused(3, 0.5f);
  EXPECT_NE(refused(2, 0.0f).find("level[r] > 0.0"), std::string::npos) << refused(2, 0.0f);
}

/// cfg_combine_renorm in plain f32.
TEST(Guidance, EqualsPlainLoops) {
  const dsl::Program program = sketch("cfg");
  Random random(13);
  const std::vector<std::int32_t> start = {6, 0, 3, 9}, len = {3, 3, 2, 0};
  const std::vector<float> t = {0.5f, 0.25f, 0.75f, 0.5f};
  const auto cond = normalBf16(9 * kChannels, random), text = normalBf16(9 * kChannels, random),
             image = normalBf16(9 * kChannels, random);
  dsl::EvalInputs in;
  in.tensors["cond"] = tensorOf(BF16, {9, kChannels}, cond);
  in.tensors["text"] = tensorOf(BF16, {9, kChannels}, text);
  in.tensors["image"] = tensorOf(BF16, {9, kChannels}, image);
  in.tensors["start"] = tensorOf(I32, {4}, start);
  in.tensors["len"] = tensorOf(I32, {4}, len);
  in.tensors["t"] = tensorOf(F32, {4}, t);
  const auto got = valuesOf<std::uint16_t>(evaluated(program, in)["out"]);
  std::vector<std::uint16_t> want(9 * kChannels);
  for (std::size_t r = 0; r < start.size(); ++r) {
    std::vector<float> g, squares, norms;
    const auto from = static_cast<std::size_t>(start[r]) * kChannels;
    for (std::size_t i = from; i < from + static_cast<std::size_t>(len[r]) * kChannels; ++i) {
      const float c = floatOf(cond[i]), x = floatOf(text[i]), y = floatOf(image[i]);
      const float away = 4.0f * (c - x);
      const float u = x + away;
      const float more = 1.5f * (u - y);
      g.push_back(y + more);
      norms.push_back(c * c);
      squares.push_back(g.back() * g.back());
    }
    const float ratio = std::sqrt(treeSum(norms)) / (std::sqrt(treeSum(squares)) + 1e-8f);
    const float k = ratio < 0.5f ? 0.5f : ratio > 1.0f ? 1.0f : ratio;
    for (std::size_t i = 0; i < g.size(); ++i)
      want[from + i] = 0.25f < t[r] && t[r] <= 0.75f ? bf16Of(g[i] * k) : cond[from + i];
  }
  EXPECT_EQ(got, want);
}

} // namespace
} // namespace ordo::oracle
