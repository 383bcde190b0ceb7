#pragma once

#include <cstdint>
#include <optional>

#include "../json/cursor.h"

namespace rolltape {

/// A token and its log probability as an engine writes them: `[logprob, id, …]`, in SGLang `[logprob, id, text]`.
struct TokenLogprob {
  /// In nats. NaN where the text has NaN; infinite beyond float32, and negative so for null.
  float logprob = 0;
  std::int32_t id = 0;
};

/// A token id: an int32, not negative. @throws kReplyMalformed.
std::int32_t readTokenId(JsonCursor& json);

/// A number as float32: infinite beyond it, negative infinity for null, NaN where the text has that.
float readFloat32(JsonCursor& json);

/// Returns true for the log probability of a token that the sampler excluded: -Infinity, or the least float32, with
/// which SGLang masks the logits of tokens that a grammar does not allow.
bool isExcluded(float logprob);

/// @throws kReplyMalformed for what is not such an array.
TokenLogprob readTokenLogprob(JsonCursor& json);

}  // namespace rolltape
