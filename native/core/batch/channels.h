#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../session/channel.h"

namespace rolltape {

class Plan;
struct PlanRow;
struct SessionStorage;

/// A channel of a batch: all that some session of the export recorded.
struct BatchChannel {
  ChannelSpec spec;
  /// Of a ragged channel: items before each row, and the number of all.
  std::vector<std::uint64_t> rowStarts = {};

  std::uint64_t items() const { return rowStarts.empty() ? 0 : rowStarts.back(); }
};

/// Adds the channels that a session recorded. @throws kInvalidArg if another session recorded one of the same name with
/// another dtype or shape, or if two tensors would have one name.
void addChannels(const SessionStorage& storage, std::vector<BatchChannel>& channels);

/// Tokens of a row, by their position in its sequence, that have items of a channel, and where these are.
struct ChannelStretch {
  const ChannelRun* run;
  std::uint32_t from;
  std::uint32_t to;

  std::uint64_t items() const { return run->itemsBefore(to) - run->itemsBefore(from); }
};

/// Tokens of a row: all of a sequence, or in a tree batch only those of the node.
struct RowTokens {
  std::uint32_t begin;
  std::uint32_t end;
};
RowTokens rowTokens(const Plan& plan, const PlanRow& row);

/// Lists the items of a row in the order of tokens. Those of outputs are left out where the row does not train on them.
void listStretches(const Plan& plan, const PlanRow& row, const ChannelSpec& spec,
                   std::vector<ChannelStretch>& stretches);

/// Counts the items of each row.
void countItems(const Plan& plan, BatchChannel& channel);

/// JSON that tells the tensors of each channel: `[{"name","of","mask"}]`, or `offsets` instead of `mask`.
std::string channelsJson(std::span<const BatchChannel> channels);

}  // namespace rolltape
