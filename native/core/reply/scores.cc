#include "scores.h"

#include <cmath>

#include "../base/error.h"
#include "../session/generation.h"

namespace rolltape {

AskedScores::AskedScores(const Prompt& prompt, std::uint32_t firstToken, std::size_t width)
    : first(firstToken), topWidth(width) {
  ids.reserve(prompt.length());
  for (const TokenSpan span : prompt.spans()) ids.insert(ids.end(), span.begin(), span.end());
  if (first >= 1 && first < ids.size()) return;
  throw Error(ErrorCode::kInvalidArg, "first: must be from 1 to the last of the " + std::to_string(ids.size()) +
                                          " tokens; received " + std::to_string(first));
}

float requireScore(float logprob, std::size_t position) {
  if (!std::isfinite(logprob)) {
    throw Error(ErrorCode::kReplyNotFinite, "the score of token " + std::to_string(position) + " is not finite");
  }
  if (logprob <= kMaxLogprob) return logprob;
  throw Error(ErrorCode::kReplyImpossible, "the score of token " + std::to_string(position) + " is " +
                                               std::to_string(logprob) + ", which is no log probability");
}

}  // namespace rolltape
