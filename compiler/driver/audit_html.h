// A kernel's audit as one HTML page to read, print and file.
//
// A page holds everything that it shows: no script, no network, no time stamp. The same input gives
// the same bytes.
#pragma once

#include "compiler/driver/audit_facts.h"

#include <cstdint>
#include <optional>
#include <string>

namespace ordo::compiler::driver {

/// What a page is about. The referents outlive it.
struct AuditSubject {
  const Contract &contract;
  const dsl::Program &program;
  const AuditFacts &facts;
};

/// `asked`: the length at which reductions over free dimensions are drawn.
std::string htmlAudit(const AuditSubject &subject, std::optional<std::int64_t> asked);

/// Two kernels in two columns, part by part, the first difference marked. Equal digests settle that
/// the bits agree; unequal ones do not settle that they differ, and the page says so.
std::string htmlDiff(const AuditSubject &left, const AuditSubject &right,
                     std::optional<std::int64_t> asked);

} // namespace ordo::compiler::driver
