#pragma once

#include <vector>

#include "../core/plan.h"
#include "session_model.h"

namespace rolltape::fuzz {

/// Packs the plan, reads the block back and ends the process where it does not hold exactly these rows: those of a
/// padded or packed batch, cut where the options say; for a tree batch the whole sequence of every interaction, by
/// index.
void requireBatch(const Plan& plan, const std::vector<ModelRow>& rows);

}  // namespace rolltape::fuzz
