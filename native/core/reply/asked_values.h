#pragma once

#include <optional>

#include "routed_experts.h"
#include "sampling_masks.h"

namespace rolltape {

/// The values of tokens that a request asked for beside their ids and log probabilities. A reader skips all others.
struct AskedValues {
  std::optional<RoutedExperts> experts = std::nullopt;
  std::optional<SamplingMasks> masks = std::nullopt;
};

}  // namespace rolltape
