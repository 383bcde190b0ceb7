#pragma once

#include <optional>
#include <vector>

#include "../core/batch/plan.h"
#include "outline.h"
#include "support.h"

namespace rolltape::test {

/// The items of a channel by token, as bytes; empty where a token has none.
using Items = std::vector<std::vector<std::uint8_t>>;

/// A channel of outputs, one of sequences, and a ragged one.
const ChannelSpec& wideChannel();
const ChannelSpec& expertsChannel();
const ChannelSpec& keptChannel();

/// A session as one would write it down: every interaction with its whole sequence.
struct ModelInteraction {
  std::vector<std::int32_t> input;
  std::vector<std::int32_t> output;
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;
  /// By output token: the engine wrote it.
  std::vector<bool> forced;
  /// By output token.
  Items wide, kept;
  /// By token of the sequence, as the engine gave them.
  Items experts;
  std::int32_t parent = -1;
  std::optional<double> reward;
  std::vector<std::uint32_t> facts;
  LabelSet labels;
  bool startsRow = false;
  bool leftOut = false;

  std::vector<std::int32_t> sequence() const {
    std::vector<std::int32_t> all = input;
    all.insert(all.end(), output.begin(), output.end());
    return all;
  }
};

struct Model {
  std::vector<ModelInteraction> all;
  std::optional<double> sessionReward;

  std::size_t shared(std::size_t index) const;
  bool exact(std::size_t index) const;
  /// The interaction's own items of expertsChannel(), and the item of the token before them if no ancestor has it.
  Items ownExperts(std::size_t index) const;
  /// The nearest ancestor whose own tokens are among those that this one shares; -1: none.
  std::int32_t source(std::size_t index) const;
  /// The item of a token of the sequence: of the interaction, or of the nearest source that has one.
  std::vector<std::uint8_t> expertsAt(std::size_t index, std::size_t position) const;
  Outline outline() const;
};

/// One row of a batch, before padding.
struct ModelRow {
  std::size_t interaction;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> lossMask;
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;
  Items wide, kept, experts;
};

ModelRow modelRow(const Model& model, std::size_t index, RowStyle style);

/// A session and its model, grown together by random records and rewards.
struct ModelledSession {
  Session session{kKey};
  Model model;

  void grow(Random& random);
  /// Leaves out interactions at random, none of which has a child that is kept. For plans of planned().
  void leaveOut(Random& random);
  PlannedSession planned() const;

 private:
  Prompt choosePrompt(Random& random, std::int32_t parent, std::vector<std::int32_t>& input);
};

}  // namespace rolltape::test
