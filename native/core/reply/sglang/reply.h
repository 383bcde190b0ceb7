#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "../asked_values.h"
#include "../engine_reply.h"

namespace rolltape {

/// Reads a whole reply of SGLang's `/generate` for one prompt, not streamed (`GenerateReqInput` with `return_logprob`;
/// sglang, managers/tokenizer_manager.py).
///
/// Ids and log probabilities are those of meta_info.output_token_logprobs; output_ids, where present, must end with
/// these ids, since some builds put prompt ids before them. Versions are those of meta_info.weight_versions, else
/// weight_version; else `fallbackVersion`. An alternative of output_top_logprobs that the
/// sampler excluded (null or -Infinity) leaves its place unused. With sampling masks, log probabilities are those among
/// the tokens of each mask (output_token_sampling_logprobs).
///
/// @param asked values of tokens to read. Others are skipped.
/// @throws kReplyMalformed with the byte offset for what is not such a reply, kReplyMismatch where ids, log
/// probabilities, spans and counts disagree, kReplyNotFinite for a log probability that is not finite.
EngineReply readSglangReply(std::span<const std::uint8_t> body, std::int32_t fallbackVersion,
                            const AskedValues& asked = {});

}  // namespace rolltape
