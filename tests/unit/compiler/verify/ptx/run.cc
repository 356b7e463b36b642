#include "tests/unit/compiler/verify/ptx/run.h"

#include "compiler/verify/machine/concrete.h"
#include "compiler/verify/ptx/read.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <span>

namespace ordo::verify::test {

namespace {

std::string textOf(const std::string &body, const RunOptions &options) {
  return fmt::format(R"(.version 8.0
.target sm_90a
.address_size 64
{}
.visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)
{{
  {}
  .reg .pred %p<32>;
  .reg .b16 %h<32>;
  .reg .b32 %r<32>;
  .reg .f32 %f<32>;
  .reg .b64 %d<32>;
  .reg .f64 %g<32>;
  .reg .b32 %t;
  .reg .b64 %in, %out, %at;
  ld.param.u64 %in, [k_param_0];
  ld.param.u64 %out, [k_param_1];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %at, %t, {};
  add.s64 %out, %out, %at;
{}
  ret;
}}
)",
                     options.module, options.declarations, options.bytes, body);
}

} // namespace

Ran run(const std::string &body, const std::vector<std::uint64_t> &in, RunOptions options) {
  Ran ran;
  ptx::ReadFailure failure;
  const auto kernel = ptx::read(textOf(body, options), "", failure);
  if (!kernel) {
    ran.error = failure.message;
    return ran;
  }
  Memory memory;
  const auto view = std::as_bytes(std::span(in));
  std::vector<std::byte> bytes(view.begin(), view.end());
  const std::uint64_t addresses[2] = {
      memory.add("in", std::move(bytes), false, 16),
      memory.add("out", std::vector<std::byte>(options.threads * options.bytes), true, 16)};
  LaunchOf launch;
  launch.block.size = {options.threads, 1, 1};
  launch.block.sharedBytes = options.shared;
  launch.order = options.order;
  launch.parameters.resize(sizeof addresses);
  std::memcpy(launch.parameters.data(), addresses, sizeof addresses);
  if (const auto fault = emulate(*kernel, launch, memory)) {
    ran.error = fault->message;
    return ran;
  }
  for (std::uint32_t t = 0; t < options.threads; ++t) {
    std::uint64_t word = 0;
    std::memcpy(&word, memory.regions()[1].bytes.data() + t * options.bytes, options.bytes);
    ran.words.push_back(word);
  }
  return ran;
}

std::uint64_t result(const std::string &body, const std::vector<std::uint64_t> &in) {
  RunOptions options;
  options.threads = 1;
  const Ran ran = run(body + "\n  st.global.u64 [%out], %d0;", in, options);
  EXPECT_EQ(ran.error, "") << body;
  return ran.words.empty() ? 0xbad : ran.words.front();
}

} // namespace ordo::verify::test
