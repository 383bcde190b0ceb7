#pragma once

#include <cstdint>

#include "fields.h"

namespace rolltape {

/// The tokens of a choice, with `version` each. @throws kReplyMismatch where ids and log probabilities disagree.
Generation vllmTokens(VllmChoice& choice, std::int32_t version);

/// Gives the tokens from `from` on the versions of the choice's spans, where these have any.
/// @param version of tokens in spans without a version, which were sampled before the others.
/// @throws kReplyMismatch where the spans do not cover these tokens one after the other.
void setVllmVersions(const VllmChoice& choice, std::uint32_t from, std::int32_t version, NamedVersions& named,
                     Generation& tokens);

/// @throws kReplyMismatch where the reply counts other tokens than it has.
void checkVllmCount(const std::optional<std::int64_t>& completionTokens, std::size_t count);

}  // namespace rolltape
