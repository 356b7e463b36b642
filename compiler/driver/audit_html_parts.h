// Parts of a page that the audit of one kernel and the comparison of two share.
#pragma once

#include "compiler/driver/audit_html.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ordo::compiler::driver {

/// The hexadecimal spelling of a constant, exact: "0x1.0c6f7ap-20" of a float, the bits of others.
std::string exactText(const ConstantFact &constant);

/// "sum over h in 3584 in f32", as text.
std::string reductionTitle(const ReductionFact &reduction);

/// The order's stages in a row; `marked` (a stage's index) stands out.
std::string stagesHtml(const dsl::Order &order, std::optional<std::size_t> marked = std::nullopt);

/// "2,048 elements, 2,047 operations, depth 15 · order digest …", or why there is no tree.
std::string treeFigures(const ReductionFact &reduction, std::optional<std::int64_t> asked);

/// The drawing in its frame.
std::string treeHtml(const ReductionFact &reduction, std::optional<std::int64_t> asked);

/// The tree as text, as `ordo audit` prints it.
std::string treeText(const ReductionFact &reduction, std::optional<std::int64_t> asked);

/// "exact" or how the cast rounds, coloured.
std::string roundingHtml(const CastFact &cast);

/// Who made the page, and what it does not claim.
std::string footerHtml();

} // namespace ordo::compiler::driver
