#include "token_path.h"

#include <algorithm>

namespace rolltape {

namespace {

template <typename T>
std::unique_ptr<T[]> columnIf(bool isHeld, std::uint32_t limit) {
  return isHeld ? std::make_unique_for_overwrite<T[]>(limit) : nullptr;
}

}  // namespace

TokenPath::TokenPath(std::uint32_t limit, Holds holds, const FilteredTurns* filtered, TokenTensor written)
    : limit_(limit), holds_(holds), filtered_(filtered), writer_({}, false) {
  const bool hasOutputs = holds == Holds::kOutputs;
  inputIds_ = columnIf<std::int32_t>(includes(written, TokenTensor::kInputIds), limit);
  lossMask_ = columnIf<std::int32_t>(hasOutputs && includes(written, TokenTensor::kLossMask), limit);
  logprobs_ = columnIf<float>(hasOutputs && includes(written, TokenTensor::kLogprobs), limit);
  versions_ = columnIf<std::int32_t>(hasOutputs && includes(written, TokenTensor::kVersions), limit);
  columns_ = {inputIds_.get(), lossMask_.get(), logprobs_.get(), versions_.get()};
  writer_ = TokenWriter(columns_, false);
}

/// Cuts `steps_` to the part that the path to the interaction shares with the current one, and lists the other
/// interactions in `missing_`.
void TokenPath::collectMissing(const Interaction& interaction) {
  missing_.clear();
  const Interaction* at = &interaction;
  for (; at != nullptr; at = at->source) {
    // A source has a smaller index than its dependants, so steps with a larger index are not on the path to `at`.
    while (!steps_.empty() && steps_.back().interaction->index > at->index) steps_.pop_back();
    if (!steps_.empty() && steps_.back().interaction == at) return;
    missing_.push_back(at);
  }
  steps_.clear();
}

void TokenPath::extend(Step& step, std::uint32_t to) {
  const std::uint32_t end = std::min(to, limit_);
  if (end <= step.written) return;
  if (holds_ == Holds::kOutputs) {
    writer_.moveTo(step.written);
    const bool isTrained = filtered_ == nullptr || !filtered_->contains(*step.interaction);
    if (isTrained) {
      writer_.writeOwn(*step.interaction, step.written, end);
    } else {
      writer_.writeUntrained(*step.interaction, step.written, end);
    }
  } else {
    writer_.inputIds.moveTo(step.written);
    writeOwnIds(*step.interaction, step.written, end, writer_.inputIds);
  }
  step.written = end;
}

void TokenPath::moveTo(const Interaction& interaction) {
  collectMissing(interaction);
  for (; !missing_.empty(); missing_.pop_back()) {
    const Interaction* next = missing_.back();
    if (!steps_.empty()) {
      Step& source = steps_.back();
      extend(source, next->shared);
      // The next step overwrites the source's tokens from here on.
      source.written = std::min(source.written, next->shared);
    }
    steps_.push_back({next, next->shared});
  }
  extend(steps_.back(), interaction.sequenceLength());
}

void TokenPath::writeTrained(std::uint32_t from, std::uint32_t length, TrainedColumns& out) const {
  const std::uint32_t first = std::min(from, length);
  out.fillUntrained(first);
  if (first == length) return;
  if (holds_ == Holds::kOutputs) {
    out.copy(columns_, first, length - first);
  } else {
    const Interaction& own = *steps_.back().interaction;
    out.writeOutputs(own, first - own.inputLength, length - first);
  }
}

}  // namespace rolltape
