#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../session/prompt.h"

namespace rolltape {

/// The scores that a request asked for: log probabilities of tokens of a sequence that was sent as a prompt, each given
/// the tokens before it.
struct AskedScores {
  std::vector<std::int32_t> ids;
  /// The first token to score, at least 1: the first token of a sequence has no score.
  std::uint32_t first = 1;
  /// The number of most probable tokens to return for each position.
  std::size_t topWidth = 0;

  AskedScores(const Prompt& prompt, std::uint32_t firstToken, std::size_t width);
  std::size_t count() const { return ids.size() - first; }
};

/// Scores of consecutive tokens.
struct Scores {
  std::vector<float> logprobs;
  /// `topWidth` places for each token, the most probable first. A place that is not used has id -1 and log probability
  /// -infinity.
  std::vector<std::int32_t> topIds;
  std::vector<float> topLogprobs;

  static constexpr std::int32_t kUnused = -1;
  static constexpr float kUnusedLogprob = -std::numeric_limits<float>::infinity();
};

/// Reads the `input_token_logprobs` and `input_top_logprobs` of a reply of SGLang's `/generate`. They may begin before
/// the first token that was asked for.
/// @throws kReplyMalformed, kReplyMismatch if the tokens are not those that were sent, kReplyNotFinite,
/// kReplyImpossible
Scores readSglangScores(std::span<const std::uint8_t> body, const AskedScores& asked);

/// Reads the `prompt_logprobs` of a reply of vLLM, or the `prompt_token_id_logprobs` of one id per token.
/// @returns nothing if the reply has neither: the server does not know the field of the request
/// @throws as readSglangScores
std::optional<Scores> readVllmScores(std::span<const std::uint8_t> body, const AskedScores& asked);

/// @throws kReplyNotFinite, kReplyImpossible unless it can be a log probability
float requireScore(float logprob, std::size_t position);

}  // namespace rolltape
