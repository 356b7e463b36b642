// The pass that binds the stages of orders to a target's axes.
#pragma once

#include "compiler/target/target.h"

#include <memory>

namespace mlir {
class Pass;
}

namespace ordo::compiler {

/// `ordo-bind{target=…}`: chooses the schedule and names the axis of every stage.
std::unique_ptr<mlir::Pass> createBindPass(const Target &target);
void registerBindPass();

} // namespace ordo::compiler
