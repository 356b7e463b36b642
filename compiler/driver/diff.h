// What `diff` finds, gathered once for its text and its JSON.
#pragma once

#include "dsl/order/difference.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ordo::compiler::driver {

/// Two orders of one reduction, compared.
struct OrderPair {
  dsl::Order a, b;
  std::string operation = "sum";
  std::string over;                   // "n in 64"; empty: no reduction, orders alone
  std::string place;                  // "path:line:column" in the first kernel; empty: nowhere
  std::optional<std::int64_t> length; // compared at it alone; nothing: at every length
  dsl::Facts facts;
  dsl::Difference difference;
  std::string reason; // why nothing was compared; empty: something was
};

/// A line of two printed programs: in both (' '), in the first ('-') or in the second ('+') only.
struct ProgramLine {
  char side;
  std::string text;
};

struct DiffReport {
  dsl::Verdict verdict = dsl::Verdict::Equal;
  std::string a, b;               // the kernels as FILE:KERNEL, or the orders
  std::string digest;             // of both contracts, where they have one; else empty
  std::string atomA, atomB;       // where both fold by `mma`, and by atoms of different names
  bool atomsAlike = true;         // whether the two are one function all the same
  std::vector<OrderPair> orders;  // those that are not spelt alike
  std::vector<ProgramLine> lines; // where the kernels differ in more than orders; else empty
};

/// The report as JSON text, ended by a newline.
std::string diffJson(const DiffReport &report);

} // namespace ordo::compiler::driver
