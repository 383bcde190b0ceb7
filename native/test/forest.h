#pragma once

#include <memory>
#include <vector>

#include "model.h"

namespace rolltape::test {

/// Sessions and their models.
using Forest = std::vector<std::unique_ptr<ModelledSession>>;

/// Up to three sessions of up to forty steps: branches, dropped retries, children that are not token-exact, empty
/// inputs and outputs.
Forest randomForest(Random& random);

std::vector<const Session*> sessionsOf(const Forest& forest);

struct ForestRow {
  std::size_t session;
  ModelRow row;
  float reward;
};

/// The rows of a batch, in order, cut or left out as the options say.
std::vector<ForestRow> modelRows(const Forest& forest, const PlanOptions& options);

/// Options at random for any layout but the tree; mismatches split, and overflows do not forbid packing.
PlanOptions randomOptions(Random& random);

}  // namespace rolltape::test
