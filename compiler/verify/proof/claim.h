// The symbols of a claim: sizes, blocks, arrays and scalars, with what the launch promises of them.
#pragma once

#include "compiler/verify/contract/contract_terms.h"
#include "compiler/verify/proof/launched.h"
#include "compiler/verify/proof/prove.h"

#include <memory>

namespace ordo::verify {

/// Throws DomainError where a launch cannot be what the claim speaks of.
class Claim {
public:
  Claim(const dsl::Program &program, const Launch &launch);

  Terms &terms() { return terms_; }
  ContractTerms &contract() { return *contract_; }
  const Signature &signature() const { return signature_; }
  const Grid &grid() const { return grid_; }
  const std::vector<NodeId> &sizes() const { return sizes_; }
  const std::vector<std::string> &assumptions() const { return assumptions_; }
  /// Whether the launch admits these sizes, by DimId.
  bool isAdmissible(std::span<const std::int64_t> sizes) const;

private:
  void addSizes();
  void addScalars();
  void addArrays();
  void addGrid(const Launch &launch);
  void limitProduct(std::span<const AffineId> shape, std::int64_t most);
  void limit(AffineId form, std::int64_t most);
  void assume();

  const dsl::Program &program_;
  Terms terms_;
  std::unique_ptr<ContractTerms> contract_;
  std::vector<NodeId> sizes_;
  std::vector<Term> scalars_;
  Signature signature_;
  Grid grid_;
  std::vector<std::string> assumptions_;
};

} // namespace ordo::verify
