#include "channels.h"

#include <algorithm>

#include "../base/error.h"
#include "../base/size.h"
#include "../json/text.h"
#include "plan.h"

namespace rolltape {

namespace {

void requireDistinctNames(std::span<const BatchChannel> channels) {
  TensorNames names;
  for (const BatchChannel& channel : channels) {
    if (names.add(channel.spec)) continue;
    throw Error(ErrorCode::kInvalidArg, "channel " + channel.spec.name + ": two tensors would have one name");
  }
}

void appendTokenIds(std::string& json, std::span<const std::int32_t> ids) {
  json += ",\"token_ids\":";
  char separator = '[';
  for (const std::int32_t id : ids) {
    json += separator + std::to_string(id);
    separator = ',';
  }
  json += ']';
}

/// Returns true if the row trains on the outputs of `at`, an interaction of its path.
bool isTrained(const Plan& plan, const PlanRow& row, const Interaction& at) {
  if (&at != row.interaction) return !plan.isFiltered(at);
  return !row.filtered && !plan.isFiltered(at) && (!row.leftOut || plan.options().includeLeftOut);
}

}  // namespace

void addChannels(const SessionStorage& storage, std::vector<BatchChannel>& channels) {
  for (const ChannelSpec& spec : storage.channelSpecs) {
    const auto hasName = [&](const BatchChannel& channel) { return channel.spec.name == spec.name; };
    const auto found = std::ranges::find_if(channels, hasName);
    if (found == channels.end()) {
      channels.push_back({spec});
    } else if (found->spec != spec) {
      throw Error(ErrorCode::kInvalidArg,
                  "channel " + spec.name +
                      ": calls of this export recorded different dtypes, shapes, `of`, `offsets` or token ids");
    }
  }
  if (storage.channelSpecs.empty()) return;
  std::ranges::sort(channels, {}, [](const BatchChannel& channel) { return channel.spec.name; });
  requireDistinctNames(channels);
}

RowTokens rowTokens(const Plan& plan, const PlanRow& row) {
  if (plan.options().layout != Layout::kTree) return {0, row.length};
  return {row.interaction->shared, row.interaction->sequenceLength()};
}

void listStretches(const Plan& plan, const PlanRow& row, const ChannelSpec& spec,
                   std::vector<ChannelStretch>& stretches) {
  const RowTokens tokens = rowTokens(plan, row);
  const std::uint32_t begin = spec.ofSequence ? tokens.begin : std::max(tokens.begin, row.trainedFrom);
  const auto hasItems = [&](const Interaction& at) { return spec.ofSequence || isTrained(plan, row, at); };
  listStretches(*row.interaction, spec.name, begin, tokens.end, plan.channelMoment(), hasItems, stretches);
}

void countItems(const Plan& plan, BatchChannel& channel) {
  if (!channel.spec.isRagged()) return;
  std::vector<ChannelStretch> stretches;
  channel.rowStarts = {0};
  for (const PlanRow& row : plan.rows()) {
    listStretches(plan, row, channel.spec, stretches);
    std::uint64_t items = channel.rowStarts.back();
    for (const ChannelStretch& stretch : stretches) items = checkedAdd(items, stretch.items());
    channel.rowStarts.push_back(items);
  }
}

std::string channelsJson(std::span<const BatchChannel> channels) {
  std::string json = "[";
  for (const BatchChannel& channel : channels) {
    const ChannelSpec& spec = channel.spec;
    if (json.size() > 1) json += ',';
    json += "{\"name\":";
    appendJsonString(json, spec.name);
    json += spec.ofSequence ? ",\"of\":\"sequence\"" : ",\"of\":\"output\"";
    json += spec.isRagged() ? ",\"offsets\":" : ",\"mask\":";
    appendJsonString(json, spec.otherTensor());
    if (!spec.tokenIds.empty()) appendTokenIds(json, spec.tokenIds);
    json += '}';
  }
  return json + ']';
}

}  // namespace rolltape
