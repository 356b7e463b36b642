// Profiles: what they name, whose names they see, what they refuse.
#include "dsl/sema/digest.h"
#include "tests/unit/dsl/sema/harness.h"

namespace ordo::dsl::testing {
namespace {

const std::string kOps = R"(
let width = 32
order wide = seq(4) | seq
op total<H, order row>(x: f32[T, H]) -> (y: f32[T]) {
  y[t] = sum[h in H by row] x[t, h]
}
op product<K, order red>(x: bf16[T, K], w: bf16[K]) -> (y: f32[T]) {
  y[t] = dot[k in K by red] (x[t, k], w[k])
}
)";

const std::string kTargets = R"(
  target cuda.sm_90a { atom mma = nv.hopper.bf16 }
  target rocm.gfx942 { atom mma = amd.cdna3.bf16 }
)";

TEST(Profile, KernelsAreNamedByAPath) {
  Loaded good(kOps + "kernel plain = total<H = width, row = wide>\n" + "profile a.b.v2 {\n" +
              kTargets +
              "  kernel big = total<H = hidden, row>\n"
              "  let hidden = width * 2\n"
              "  order row = seq(2) | wide\n"
              "  kernel o = product<K = hidden, red = mma> over ranks(1, hidden / width)\n"
              "  forbid sm_80, rocm.gfx90a\n}\n");
  ASSERT_TRUE(good.package) << good.diagnostics.renderAll();
  EXPECT_EQ(good.package->kernels(), (std::vector<std::string>{"plain", "a.b.v2.big", "a.b.v2.o"}));
  const auto big = good.kernel("a.b.v2.big");
  ASSERT_TRUE(big);
  EXPECT_EQ(big->kernel, "a_b_v2_big");
  EXPECT_EQ(big->constantIndex(big->tensors[0].shape[1]), 64);
  EXPECT_EQ(toString(big->reductions[0].order), "seq(2) | seq(4) | seq");
  ASSERT_EQ(good.package->profiles().size(), 1u);
  const ProfileInfo &profile = good.package->profiles()[0];
  EXPECT_EQ(profile.name, "a.b.v2");
  ASSERT_EQ(profile.targets.size(), 2u);
  EXPECT_EQ(profile.targets[1].matrix, findAtom("amd.cdna3.bf16"));
  ASSERT_EQ(profile.forbidden.size(), 2u);
  EXPECT_EQ(profile.forbidden[1].name, "rocm.gfx90a");
  EXPECT_EQ(profile.kernels, (std::vector<std::string>{"big", "o"}));
  EXPECT_EQ(good.package->kernel("a.b.v2.o")->ranks, (std::vector<std::int64_t>{1, 2}));
  EXPECT_TRUE(good.package->kernel("plain")->ranks.empty());
}

TEST(Profile, TheSameContractHasTheSameDigestInsideAndOut) {
  Loaded loaded(kOps + "kernel outer = total<H = 64, row = seq(4) | seq>\n" +
                "profile p.v1 {\n  kernel inner = total<H = 2 * width, row = wide>\n}\n");
  const auto in = loaded.kernel("p.v1.inner"), out = loaded.kernel("outer");
  ASSERT_TRUE(in && out);
  EXPECT_EQ(digest(*in), digest(*out));
}

TEST(Profile, AnAtomIsPartOfAResolvedDigestWhereMmaIsFolded) {
  Loaded loaded(kOps + "profile p.v1 {\n" + kTargets +
                "  kernel a = product<K = 64, red = mma>\n"
                "  kernel b = total<H = 64, row = wide>\n}\n");
  const auto a = loaded.kernel("p.v1.a"), b = loaded.kernel("p.v1.b");
  ASSERT_TRUE(a && b);
  const AtomRule *hopper = findAtom("nv.hopper.bf16"), *cdna = findAtom("amd.cdna3.bf16");
  EXPECT_NE(digest(*a, *hopper), digest(*a, *cdna));
  EXPECT_NE(digest(*a, *cdna), digest(*a, *findAtom("amd.cdna3.bf16", 3 - cdna->version)));
  EXPECT_NE(digest(*a, *hopper), digest(*a));
  EXPECT_EQ(digest(*b, *hopper), digest(*b));
}

TEST(Profile, PartsShowTheFirstDefinitionThatChanged) {
  const auto parts = [](const std::string &start, const std::string &last) {
    Loaded loaded("op f<H>(x: f32[T, H]) -> (y: f32[T]) {\n  require T < 9\n"
                  "  a[t] = max[h in H] x[t, h]\n  b[t] = a[t] + " +
                  start + "\n  y[t] = b[t] * " + last + "\n}\nkernel k = f<H = 8>\n");
    const auto program = loaded.kernel("k");
    return program ? partsOf(*program) : ContractParts{};
  };
  const ContractParts old = parts("1.0", "2.0"), early = parts("1.5", "2.0"),
                      late = parts("1.0", "2.5");
  ASSERT_EQ(old.definitions.size(), 3u);
  EXPECT_EQ(old.arguments, early.arguments);
  EXPECT_EQ(old.requires_, early.requires_);
  EXPECT_EQ(old.definitions[0], early.definitions[0]);
  EXPECT_NE(old.definitions[1], early.definitions[1]);
  EXPECT_NE(old.definitions[2], early.definitions[2]); // it uses the one before
  EXPECT_EQ(old.definitions[1], late.definitions[1]);
  EXPECT_NE(old.definitions[2], late.definitions[2]);
}

TEST(Profile, RefusesWithAPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"profile-version", "profile «p» {\n}\n"},
      {"profile-version", "profile «p.v01» {\n}\n"},
      {"profile-version", "profile «p.v» {\n}\n"},
      {"duplicate-name", "profile p.v1 {\n}\nprofile «p.v1» {\n}\n"},
      {"duplicate-name", "profile p.v1 {\n  let «width» = 3\n}\n"},
      {"duplicate-name", "profile p.v1 {\n  let a = 3\n  let «a» = 3\n}\n"},
      {"duplicate-name", "kernel p_v1_k = total<H = 2, row = wide>\n"
                         "profile p.v1 {\n  kernel «k» = total<H = 2, row = wide>\n}\n"},
      {"reserved-name", "profile p.v1 {\n  order «sqrt» = seq\n}\n"},
      {"duplicate-name", "profile p.v1 {\n  target cpu\n  target «cpu»\n}\n"},
      {"unknown-atom", "profile p.v1 {\n  target cpu { atom mma = «nv.hoper.bf16» }\n}\n"},
      {"unmodelled-atom", "profile p.v1 {\n  target cpu { atom mma = «amd.cdna4.bf16» }\n}\n"},
      {"unknown-stage", "profile p.v1 {\n  target cpu { atom «fma» = nv.hopper.bf16 }\n}\n"},
      {"bad-ranks",
       "profile p.v1 {\n  kernel k = total<H = 2, row = wide> over ranks(1, «0»)\n}\n"},
      {"bad-ranks", "kernel k = total<H = 2, row = wide> over ranks(2, «2»)\n"},
      {"unknown-name", "profile p.v1 {\n  order row = seq(4) | «wid»\n}\n"},
  };
  for (const auto &[kind, text] : cases) {
    SCOPED_TRACE(text);
    Loaded loaded(kOps + text);
    EXPECT_FALSE(loaded.package);
    loaded.expectError(kind);
  }
}

TEST(Profile, MmaNeedsAnAtomOfEveryTarget) {
  const std::vector<std::string> texts = {
      "profile p.v1 {\n  kernel «k» = product<K = 64, red = mma>\n}\n",
      "profile p.v1 {\n  target cuda.sm_90a { atom mma = nv.hopper.bf16 }\n  target «cpu»\n"
      "  kernel k = product<K = 64, red = mma>\n}\n"};
  for (const std::string &text : texts) {
    Loaded loaded(kOps + text);
    EXPECT_FALSE(loaded.kernel("p.v1.k", false));
    loaded.expectError("missing-atom");
  }
}

TEST(Profile, TheAtomTakesTheOperandsOfTheDot) {
  const std::string op = R"(
op any<K, type E>(x: E[T, K], w: E[K]) -> (y: f32[T]) {
  y[t] = dot[k in K by mma(32) | seq] (x[t, k], w[k])
}
)";
  const std::tuple<std::string, std::string, std::string> cases[] = {
      {"nv.hopper.bf16", "bf16", ""},
      {"nv.hopper.bf16", "f16", "or name nv.hopper.f16"},
      {"nv.hopper.bf16", "f32", "cast both operands to bf16"},
      {"nv.hopper.f8e5m2", "f8e5m2", ""},
      {"nv.hopper.f8e5m2", "f8e4m3fn", "or name nv.hopper.f8e4m3fn"},
      {"nv.hopper.tf32", "f32", ""},
      {"nv.hopper.tf32", "bf16", ""}, // widened exactly
      {"amd.cdna3.f64", "f32", "or name amd.cdna3.f32"},
      {"amd.cdna2.bf16_1k", "bf16", ""},
  };
  for (const auto &[atom, type, help] : cases) {
    SCOPED_TRACE(atom + " " + type);
    Loaded loaded(op + "profile p.v1 {\n  target cpu { atom mma = " + atom +
                  " }\n  kernel k = any<K = 64, E = " + type + ">\n}\n");
    const auto program = loaded.kernel("p.v1.k", help.empty());
    EXPECT_EQ(program.has_value(), help.empty());
    if (help.empty())
      continue;
    ASSERT_EQ(loaded.diagnostics.errorCount(), 1u);
    const Diagnostic &d = loaded.diagnostics.all().front();
    EXPECT_EQ(d.kind, "atom-operand");
    EXPECT_EQ(loaded.sources.text(d.span), "dot[k in K by mma(32) | seq] (x[t, k], w[k])");
    ASSERT_FALSE(d.labels.empty());
    EXPECT_EQ(loaded.sources.text(d.labels[0].span), atom);
    EXPECT_NE(d.help.find(help), std::string::npos) << d.help;
  }
}

TEST(Profile, ATargetSaysByWhichAtom) {
  Loaded loaded(
      kOps + "kernel k = product<K = 64, red = mma>\nprofile p.v1 {\n" + kTargets +
      "  kernel k = product<K = 64, red = mma>\n  kernel n = total<H = 4, row = wide>\n}\n" +
      "profile q.v1 {\n  target cuda.sm_90a { atom mma = nv.hopper.bf16 }\n"
      "  target cuda.sm_90 { atom mma = nv.hopper.bf16 }\n"
      "  kernel k = product<K = 64, red = mma>\n}\n");
  ASSERT_TRUE(loaded.package) << loaded.diagnostics.renderAll();
  const auto at = [&](const std::string &name, const std::string &target) {
    const auto program = loaded.package->instantiate(name, loaded.diagnostics, target);
    return !program ? "refused" : !program->matrix ? "open" : program->matrix->atom;
  };
  EXPECT_EQ(at("p.v1.k", ""), "open");
  EXPECT_EQ(at("p.v1.k", "cuda.sm_90a"), "nv.hopper.bf16");
  EXPECT_EQ(at("p.v1.k", "rocm.gfx942"), "amd.cdna3.bf16");
  EXPECT_EQ(at("p.v1.n", "rocm.gfx942"), "open"); // needs none
  EXPECT_EQ(at("q.v1.k", ""), "nv.hopper.bf16");  // its targets agree
  EXPECT_EQ(at("k", ""), "open");
  EXPECT_EQ(loaded.diagnostics.errorCount(), 0u);
  EXPECT_EQ(at("k", "cuda.sm_90a"), "refused");
  EXPECT_EQ(at("p.v1.k", "cuda.sm_90"), "refused");
  for (const Diagnostic &d : loaded.diagnostics.all())
    EXPECT_EQ(d.kind, "unknown-target");
  EXPECT_EQ(loaded.diagnostics.errorCount(), 2u);
}

TEST(Profile, AProfileHasOneDigestPerResolution) {
  Loaded loaded(kOps + "profile p.v1 {\n" + kTargets +
                "  kernel a = product<K = 64, red = mma>\n"
                "  kernel b = total<H = 64, row = wide>\n}\n");
  ASSERT_TRUE(loaded.package);
  const auto at = [&](const std::string &name, const std::string &target) {
    return digest(*loaded.package->instantiate(name, loaded.diagnostics, target));
  };
  const auto open = loaded.kernel("p.v1.a");
  ASSERT_TRUE(open);
  EXPECT_EQ(at("p.v1.a", "cuda.sm_90a"), digest(*open, *findAtom("nv.hopper.bf16")));
  EXPECT_EQ(at("p.v1.a", "rocm.gfx942"), digest(*open, *findAtom("amd.cdna3.bf16")));
  EXPECT_NE(at("p.v1.a", "cuda.sm_90a"), at("p.v1.a", "rocm.gfx942"));
  EXPECT_NE(at("p.v1.a", "cuda.sm_90a"), at("p.v1.a", ""));
  EXPECT_EQ(at("p.v1.b", "cuda.sm_90a"), at("p.v1.b", "rocm.gfx942"));
}

} // namespace
} // namespace ordo::dsl::testing
