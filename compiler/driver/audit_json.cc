#include "compiler/driver/audit_facts.h"
#include "compiler/driver/json.h"
#include "compiler/driver/manifest.h"
#include "dsl/order/digest.h"
#include "dsl/order/tree.h"

namespace ordo::compiler::driver {

namespace {

void addPlace(Json &object, const Place &place) {
  object["place"] = place.at.empty() ? Json(nullptr) : Json(place.at);
  object["source"] = place.source;
}

Json reductionJson(const ReductionFact &reduction) {
  Json object = {{"operation", reduction.operation},
                 {"over", reduction.over},
                 {"type", reduction.type},
                 {"length", reduction.length ? Json(*reduction.length) : Json(nullptr)},
                 {"masked", reduction.isMasked},
                 {"order", nullptr}};
  if (reduction.order != nullptr) {
    object["order"] = dsl::toString(*reduction.order);
    object["order_digest"] = dsl::digest(*reduction.order);
    if (reduction.length)
      if (const auto tree = dsl::Tree::make(*reduction.order, *reduction.length, nullptr)) {
        object["operations"] = tree->stats().adds;
        object["depth"] = tree->stats().depth;
      }
  }
  addPlace(object, reduction.place);
  return object;
}

Json atomJson(const dsl::AtomRule &atom) {
  return {
      {"name", atom.name}, {"version", atom.version}, {"provenance", dsl::name(atom.provenance)}};
}

} // namespace

std::string auditJson(const Contract &contract, const dsl::Program &program,
                      const AuditFacts &facts) {
  Json resolutions = Json::array();
  for (const ResolutionFact &each : facts.resolutions)
    resolutions.push_back({{"target", each.target},
                           {"atom", atomJson(*each.atom)},
                           {"contract_digest", each.digest}});
  Json reductions = Json::array();
  for (const ReductionFact &reduction : facts.reductions)
    reductions.push_back(reductionJson(reduction));
  Json casts = Json::array();
  for (const CastFact &cast : facts.casts) {
    Json object = {{"from", cast.from}, {"to", cast.to}, {"rounding", cast.rounding}};
    addPlace(object, cast.place);
    casts.push_back(std::move(object));
  }
  Json constants = Json::array();
  for (const ConstantFact &constant : facts.constants) {
    Json object = {{"type", constant.type}, {"value", constant.value}, {"bits", constant.bits}};
    addPlace(object, constant.place);
    constants.push_back(std::move(object));
  }
  return pretty({{"ordo_audit", 1},
                 {"file", contract.path()},
                 {"module", contract.module()},
                 {"kernel", program.kernel},
                 {"operator", operatorName(program)},
                 {"contract_digest", facts.digest.empty() ? Json(nullptr) : Json(facts.digest)},
                 {"atom", facts.atom ? atomJson(*facts.atom) : Json(nullptr)},
                 {"resolutions", std::move(resolutions)},
                 {"arguments", argumentsJson(program)},
                 {"requires", requiresJson(program)},
                 {"reductions", std::move(reductions)},
                 {"casts", std::move(casts)},
                 {"constants", std::move(constants)}});
}

} // namespace ordo::compiler::driver
