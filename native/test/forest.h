#pragma once

#include <memory>
#include <vector>

#include "model.h"

namespace rolltape::test {

/// Sessions and their models.
using Forest = std::vector<std::unique_ptr<ModelledSession>>;

/// Up to three sessions of up to forty steps: branches, children that are not token-exact, empty
/// inputs and outputs, facts and labels, rewards of interactions and of sessions.
Forest randomForest(Random& random);

std::vector<const Session*> sessionsOf(const Forest& forest);
/// With what the models leave out.
std::vector<PlannedSession> plannedOf(const Forest& forest);
std::vector<Outline> outlinesOf(const Forest& forest);

struct ForestRow {
  std::size_t session;
  ModelRow row;
  float reward;
};

/// The rows of a batch, in order, cut or dropped as the options say; of a tree batch its nodes, as they were recorded.
std::vector<ForestRow> modelRows(const Forest& forest, const PlanOptions& options);

/// Options at random for any layout but the tree; mismatches split, and overflows do not forbid packing.
/// Half of them have row columns or turns.
PlanOptions randomOptions(Random& random);

}  // namespace rolltape::test
