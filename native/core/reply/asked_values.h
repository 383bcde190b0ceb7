#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "routed_experts.h"
#include "sampling_masks.h"
#include "token_ids_logprobs.h"

namespace rolltape {

/// The values of tokens that a request asked for beside their ids and log probabilities. A reader skips all others.
struct AskedValues {
  std::optional<RoutedExperts> experts = std::nullopt;
  std::optional<SamplingMasks> masks = std::nullopt;
  /// Tokens whose log probabilities were asked for at every position.
  std::vector<std::int32_t> tokenIds = {};
  /// The ids that the reply must name as those of the prompt, if it names them. Empty: they are not read.
  std::vector<std::int32_t> promptIds = {};
};

}  // namespace rolltape
