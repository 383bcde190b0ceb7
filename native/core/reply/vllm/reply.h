#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "../asked_values.h"
#include "../engine_reply.h"

namespace rolltape {

/// Reads a whole reply, not streamed, of vLLM's `/inference/v1/generate` (entrypoints/scale_out/token_in_token_out/
/// protocol.py), or of its `/v1/completions` with `return_token_ids` and `return_tokens_as_token_ids`
/// (entrypoints/openai/completion/protocol.py): one choice with token_ids and as many log probabilities, whose tokens
/// are the same ones. Versions are those of the choice's weight_versions, else `fallbackVersion`.
///
/// @param topWidth alternatives to keep per token.
/// @param asked values of tokens to read. Others are skipped.
/// @throws kReplyMalformed with the byte offset for what is not such a reply, kReplyMismatch where ids, log
/// probabilities, spans and counts disagree, kReplyOtherPrompt for a prompt other than `asked` has, kReplyNotFinite for
/// a log probability that is not finite.
EngineReply readVllmReply(std::span<const std::uint8_t> body, std::int32_t fallbackVersion, std::size_t topWidth,
                          const AskedValues& asked = {});

}  // namespace rolltape
