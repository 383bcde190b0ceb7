#pragma once

#include <cstdint>
#include <vector>

#include "fields.h"

namespace rolltape {

/// The tokens of a choice, with `version` each. @throws kReplyMismatch where ids and log probabilities disagree.
Generation vllmTokens(VllmChoice& choice, std::int32_t version);

/// Adds the choice's sampling masks, if it has any, to its tokens, and notes them in the reply.
/// @throws as addMasks()
void addVllmMasks(Generation& tokens, const AskedValues& asked, const VllmChoice& choice, EngineReply& reply);

/// The versions that the choice's spans give to the `count` tokens so far, counted from the first; none if the spans
/// name no version.
/// @param version of tokens in spans without a version, which were sampled before the others.
/// @throws kReplyMismatch where the spans do not cover these tokens one after the other.
std::vector<VersionRun> vllmVersions(const VllmChoice& choice, std::int64_t count, std::int32_t version,
                                     NamedVersions& named);

/// @throws kReplyMismatch where the reply counts other tokens than it has.
void checkVllmCount(const std::optional<std::int64_t>& completionTokens, std::size_t count);

}  // namespace rolltape
