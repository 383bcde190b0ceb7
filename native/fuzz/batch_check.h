#pragma once

#include <vector>

#include "../core/batch/plan.h"
#include "session_model.h"

namespace rolltape::fuzz {

/// Packs the plan, reads the block back and ends the process where it does not hold exactly these rows: those of a
/// padded or packed batch, cut where the options say; for a tree batch the whole sequence of every interaction, by
/// index. Its row and turn tensors must be those of `outline`, which is the only session of the plan.
void requireBatch(const Plan& plan, const std::vector<ModelRow>& rows, const test::Outline& outline);

}  // namespace rolltape::fuzz
