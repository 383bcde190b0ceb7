#pragma once

#include <cstdint>
#include <vector>

#include "../session/generation.h"
#include "top_lists.h"

namespace rolltape {

/// The channel `token_ids_logprobs`: the log probability of each of these tokens at the position of an output. One
/// that the sampler excluded has -infinity.
ChannelSpec tokenIdsChannel(std::vector<std::int32_t> tokenIds);

/// Adds the values of a reply to `tokens`, which are all tokens that the lists are of. A list has an entry for each of
/// `asked`, in their order.
/// @returns false if the reply does not have them: then nothing is added
bool addTokenIdsLogprobs(Generation& tokens, const std::vector<std::int32_t>& asked, const TopLists& lists);

}  // namespace rolltape
