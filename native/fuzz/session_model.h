#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "../core/batch/plan.h"
#include "../test/outline.h"

namespace rolltape::fuzz {

/// The items of a channel by token, as bytes; none where a token has none.
using Items = std::vector<std::optional<std::vector<std::uint8_t>>>;

/// By channel. Tokens are those of a sequence or a row.
using ChannelItems = std::map<ChannelSpec, Items>;

/// An interaction as one would write it down.
struct ModelInteraction {
  std::vector<std::string> messages;
  std::vector<std::string> answer;
  std::vector<std::int32_t> input;
  std::vector<std::int32_t> output;
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;
  /// As the call gave them.
  ChannelItems channels;
  std::int32_t parent = -1;
  std::optional<double> reward;
  std::vector<std::uint32_t> facts;
  LabelSet labels;
  CallIds callIds;
  bool startsRow = false;
  /// Of the plan at hand.
  bool leftOut = false;

  std::vector<std::int32_t> sequence() const;
  std::vector<std::string> conversation() const;
};

/// A row of a batch before padding.
struct ModelRow {
  std::size_t interaction = 0;
  std::vector<std::int32_t> ids;
  std::vector<std::int32_t> lossMask;
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;
  float reward = 0;
  /// Has every channel of the session.
  ChannelItems channels = {};
};

/// A session as a list of whole sequences.
struct SessionModel {
  std::vector<ModelInteraction> all;
  std::optional<double> sessionReward;

  /// -1 for none. `callIds` has an entry per message.
  std::int32_t findParent(const std::vector<std::string>& messages, const std::vector<std::uint64_t>& callIds) const;
  std::size_t sharedTokens(std::size_t index) const;
  bool tokenExact(std::size_t index) const;
  test::Outline outline() const;
  /// The channels that some interaction has items of.
  std::set<ChannelSpec> channels() const;
  /// The rows of a padded or packed batch, uncut, in order; of a tree batch every interaction.
  std::vector<ModelRow> rows(const PlanOptions& options) const;

 private:
  /// Returns the nearest ancestor whose own tokens are among those that this one shares; -1: none.
  std::int32_t source(std::size_t index) const;
  /// Returns true if the item of a token is recorded with the interaction, and not with an ancestor.
  bool records(std::size_t index, const ChannelSpec& spec, std::size_t position) const;
  std::optional<std::vector<std::uint8_t>> item(std::size_t index, const ChannelSpec& spec, std::size_t position) const;
  ModelRow row(std::size_t index, const test::Outline& outline, const PlanOptions& options) const;
};

}  // namespace rolltape::fuzz
