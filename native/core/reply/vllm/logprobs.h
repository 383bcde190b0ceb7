#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "../../json/cursor.h"
#include "fields.h"

namespace rolltape {

/// Reads a `logprobs` object: `{"content": [{"token_id": 5, "logprob": -0.5, "top_logprobs": [{…}]}]}`, where an older
/// server names a token `"token": "token_id:5"`; or the completions' `{"tokens": ["token_id:5"], "token_logprobs":
/// [-0.5], "top_logprobs": [{"token_id:5": -0.5}]}`. vLLM writes -Infinity as -9999.
///
/// Alternatives come with the sampled token among them, in no promised order: the `topWidth` most likely ones are kept,
/// the most likely first.
///
/// @param tokenIds tokens that the request asked for, which the alternatives then are
VllmLogprobs readVllmLogprobs(JsonCursor& json, std::size_t topWidth, std::span<const std::int32_t> tokenIds);

}  // namespace rolltape
