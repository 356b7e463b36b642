#include "tests/unit/compiler/verify/gcn/run.h"

#include "compiler/verify/gcn/read.h"

#include <cstring>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace ordo::verify::gcn {

Outcome run(const std::string &chip, const std::string &body, const std::vector<Words> &lanes,
            Approximation within, std::uint32_t ldsBytes) {
  const bool isGfx11 = chip == "gfx1100";
  const std::string text =
      fmt::format("s_lshl_b32 s8, {}, 6\n{} s[4:7], s[0:1], 0x0\nv_add_{}u32 v1, s8, v0\n"
                  "v_lshlrev_b32 v2, 4, v1\nv_mov_b32 v8, 0\nv_mov_b32 v9, 0\n"
                  "s_waitcnt lgkmcnt(0)\n{} v[4:7], v2, s[4:5]\ns_waitcnt vmcnt(0)\n{}\n"
                  "s_waitcnt vmcnt(0) lgkmcnt(0)\nv_lshlrev_b32 v2, 3, v1\n{} v2, v[8:9], s[6:7]",
                  isGfx11 ? "s15" : "s2", isGfx11 ? "s_load_b128" : "s_load_dwordx4",
                  isGfx11 ? "nc_" : "", isGfx11 ? "global_load_b128" : "global_load_dwordx4", body,
                  isGfx11 ? "global_store_b64" : "global_store_dwordx2");
  Outcome result;
  ReadFailure failure;
  const auto kernel =
      read(assembleKernel({.chip = chip, .body = text, .ldsBytes = ldsBytes}), "", failure);
  if (!kernel) {
    result.error = failure.message;
    return result;
  }
  std::vector<std::byte> input(lanes.size() * sizeof(Words));
  std::memcpy(input.data(), lanes.data(), input.size());
  Memory memory;
  LaunchOf launch;
  const std::uint64_t pointers[] = {
      memory.add("words", std::move(input), false, 16),
      memory.add("results", std::vector<std::byte>(lanes.size() * sizeof(Results)), true, 16)};
  launch.grid = {static_cast<std::uint32_t>(lanes.size() / 64), 1, 1};
  launch.block.size = {64, 1, 1};
  launch.limits.steps = 100000;
  launch.parameters.resize(sizeof pointers);
  std::memcpy(launch.parameters.data(), pointers, sizeof pointers);
  if (const auto fault = emulate(*kernel, launch, memory, within)) {
    result.error = fault->message;
    return result;
  }
  result.lanes.resize(lanes.size());
  std::memcpy(result.lanes.data(), memory.region(1).bytes.data(), lanes.size() * sizeof(Results));
  return result;
}

std::vector<Words> everywhere(Words words) { return std::vector<Words>(64, words); }

std::uint32_t v8(const std::string &chip, const std::string &body, Words words) {
  return static_cast<std::uint32_t>(v8v9(chip, body, words));
}

std::uint64_t v8v9(const std::string &chip, const std::string &body, Words words) {
  const Outcome result = run(chip, body, everywhere(words));
  if (!result.error.empty()) {
    ADD_FAILURE() << chip << ": " << result.error;
    return 0xdeadbeef;
  }
  return result.lanes[0][0] | std::uint64_t{result.lanes[0][1]} << 32;
}

std::string errorOf(const std::string &chip, const std::string &body, std::uint32_t ldsBytes) {
  return run(chip, body, everywhere({1, 2, 3, 4}), Approximation::Nearest, ldsBytes).error;
}

} // namespace ordo::verify::gcn
