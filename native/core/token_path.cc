#include "token_path.h"

#include <algorithm>

namespace rolltape {

TokenPath::TokenPath(std::uint32_t limit)
    : limit_(limit),
      words_(std::make_unique_for_overwrite<std::int32_t[]>(std::size_t{3} * limit)),
      logprobs_(std::make_unique_for_overwrite<float[]>(limit)),
      columns_{words_.get(), words_.get() + limit, logprobs_.get(), words_.get() + std::size_t{2} * limit} {}

/// Leaves in `steps_` what the path to the interaction has in common with the present one, and in `missing_` the rest.
void TokenPath::collectMissing(const Interaction& interaction) {
  missing_.clear();
  const Interaction* at = &interaction;
  for (; at != nullptr; at = at->source) {
    // A source has a smaller index than what it is the source of, so steps with a larger one are on no way to `at`.
    while (!steps_.empty() && steps_.back().interaction->index > at->index) steps_.pop_back();
    if (!steps_.empty() && steps_.back().interaction == at) return;
    missing_.push_back(at);
  }
  steps_.clear();
}

void TokenPath::extend(Step& step, std::uint32_t to) {
  const std::uint32_t end = std::min(to, limit_);
  if (end <= step.written) return;
  writeOwnTokens(*step.interaction, step.written, end, columns_.from(step.written), BulkStore::cached());
  step.written = end;
}

void TokenPath::moveTo(const Interaction& interaction) {
  collectMissing(interaction);
  for (; !missing_.empty(); missing_.pop_back()) {
    const Interaction* next = missing_.back();
    if (!steps_.empty()) {
      Step& source = steps_.back();
      extend(source, next->shared);
      source.written = std::min(source.written, next->shared);
    }
    steps_.push_back({next, next->shared});
  }
  extend(steps_.back(), interaction.sequenceLength());
}

}  // namespace rolltape
