#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../session/channel_stretches.h"

namespace rolltape {

class Plan;
struct PlanRow;
struct SessionStorage;

/// A channel that at least one session of the export recorded.
struct BatchChannel {
  ChannelSpec spec;
  /// Of a ragged channel: the number of items before each row, and then of all items.
  std::vector<std::uint64_t> rowStarts = {};

  std::uint64_t items() const { return rowStarts.empty() ? 0 : rowStarts.back(); }
};

/// Adds the channels that a session recorded, and sorts all by name.
/// @throws kInvalidArg if calls recorded different channels of one name, or if two tensors would have one name.
void addChannels(const SessionStorage& storage, std::vector<BatchChannel>& channels);

/// Positions of a row's tokens in its sequence: all of them, or in a tree batch only those of the node.
struct RowTokens {
  std::uint32_t begin;
  std::uint32_t end;
};
RowTokens rowTokens(const Plan& plan, const PlanRow& row);

/// Lists the items of a row in the order of tokens, without those of outputs whose call the row does not train on.
void listStretches(const Plan& plan, const PlanRow& row, const ChannelSpec& spec,
                   std::vector<ChannelStretch>& stretches);

/// Sets `rowStarts` of a ragged channel.
void countItems(const Plan& plan, BatchChannel& channel);

/// Returns the tensors of each channel as JSON: `[{"name","of","mask"}]`, with `offsets` instead of `mask` if ragged,
/// and with `token_ids` if the values of an item belong to some.
std::string channelsJson(std::span<const BatchChannel> channels);

}  // namespace rolltape
