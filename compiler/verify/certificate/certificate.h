// What was proven of one kernel for one target, to be kept beside its code (docs/bundle.md).
//
// JSON, the same bytes whenever the same is proven. It is not signed: who wants to trust it proves
// again. It says which bytes it speaks of, so that a loader refuses others.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace ordo::verify::certificate {

/// What the certificate is about. A loader has these from the manifest and the files beside it.
struct Subject {
  std::string kernel;                      // the symbol
  std::string target;                      // "cuda.sm_90a"
  std::string contractDigest;              // SHA-256, 64 hexadecimal digits
  std::string launch;                      // the recipe's text: arguments, conditions, grid, block
  std::map<std::string, std::string> code; // the files' bytes by role: "ptx", "cubin", "hsaco"
};

struct Certificate {
  Subject subject;
  std::string level; // "ptx": ptxas is trusted; "gcn": the machine code itself
  std::vector<std::string> claims, assumptions, axioms, laws;
  std::vector<std::string> trusted; // tools between what was proven and what runs
  std::string verifier;             // its version
};

std::string toText(const Certificate &certificate);

/// Why the text is no certificate of this subject, or empty.
std::string mismatch(const std::string &text, const Subject &subject);
inline bool matches(const std::string &text, const Subject &subject) {
  return mismatch(text, subject).empty();
}

/// The claim of design section 5, and the laws that a proof may use (docs/proof.md).
const std::vector<std::string> &claims();
const std::vector<std::string> &laws();

} // namespace ordo::verify::certificate
