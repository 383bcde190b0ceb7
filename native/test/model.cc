#include "model.h"

#include <algorithm>

namespace rolltape::test {

std::size_t Model::shared(std::size_t index) const {
  const ModelInteraction& at = all[index];
  if (at.parent < 0) return 0;
  const std::vector<std::int32_t> before = all[static_cast<std::size_t>(at.parent)].sequence();
  std::size_t same = 0;
  while (same < before.size() && same < at.input.size() && before[same] == at.input[same]) ++same;
  return same;
}

bool Model::exact(std::size_t index) const {
  const ModelInteraction& at = all[index];
  return at.parent >= 0 && shared(index) == all[static_cast<std::size_t>(at.parent)].sequence().size();
}

Outline Model::outline() const {
  Outline outline;
  outline.sessionReward = sessionReward;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ModelInteraction& at = all[i];
    outline.all.push_back({at.parent, exact(i), at.leftOut, at.startsRow, at.input.size(), at.output.size(), at.reward,
                           at.facts, at.labels, at.forced});
  }
  return outline;
}

const ChannelSpec& wideChannel() {
  static const ChannelSpec spec{.name = "wide", .dtype = Dtype::kI32, .shape = {7}};
  return spec;
}

const ChannelSpec& expertsChannel() {
  static const ChannelSpec spec{.name = "experts", .dtype = Dtype::kU8, .shape = {48, 8}, .ofSequence = true};
  return spec;
}

const ChannelSpec& keptChannel() {
  static const ChannelSpec spec{.name = "kept_ids", .dtype = Dtype::kI32, .offsets = "kept_offsets"};
  return spec;
}

std::int32_t Model::source(std::size_t index) const {
  if (shared(index) == 0) return -1;
  std::int32_t at = all[index].parent;
  while (shared(static_cast<std::size_t>(at)) >= shared(index)) at = all[static_cast<std::size_t>(at)].parent;
  return at;
}

Items Model::ownExperts(std::size_t index) const {
  Items own = all[index].experts;
  const std::size_t first = shared(index);
  const bool isBeforeKnown = first > 0 && !expertsAt(static_cast<std::size_t>(source(index)), first - 1).empty();
  for (std::size_t i = 0; i < std::min(first, own.size()); ++i) {
    if (i + 1 < first || isBeforeKnown) own[i].clear();
  }
  return own;
}

std::vector<std::uint8_t> Model::expertsAt(std::size_t index, std::size_t position) const {
  for (auto at = static_cast<std::int32_t>(index); at >= 0; at = source(static_cast<std::size_t>(at))) {
    const Items own = ownExperts(static_cast<std::size_t>(at));
    if (position < own.size() && !own[position].empty()) return own[position];
    if (position >= shared(static_cast<std::size_t>(at))) break;
  }
  return {};
}

ModelRow modelRow(const Model& model, std::size_t index, RowStyle style) {
  ModelRow row{index, model.all[index].sequence(), {}, {}, {}, {}, {}, {}};
  row.lossMask.assign(row.ids.size(), 0);
  row.logprobs.assign(row.ids.size(), 0);
  row.versions.assign(row.ids.size(), -1);
  row.wide.resize(row.ids.size());
  row.kept.resize(row.ids.size());
  for (std::size_t i = 0; i < row.ids.size(); ++i) row.experts.push_back(model.expertsAt(index, i));
  if (model.all[index].leftOut) return row;
  for (std::size_t at = index;; at = static_cast<std::size_t>(model.all[at].parent)) {
    const ModelInteraction& turn = model.all[at];
    for (std::size_t i = 0; i < turn.output.size(); ++i) {
      row.wide[turn.input.size() + i] = turn.wide[i];
      row.kept[turn.input.size() + i] = turn.kept[i];
      if (turn.forced[i]) continue;
      row.lossMask[turn.input.size() + i] = 1;
      row.logprobs[turn.input.size() + i] = turn.logprobs[i];
      row.versions[turn.input.size() + i] = turn.versions[i];
    }
    if (style == RowStyle::kIndividual || !model.exact(at)) return row;
  }
}

namespace {

std::vector<std::int32_t> randomIds(Random& random, std::uint32_t most) {
  std::vector<std::int32_t> ids(random.below(most + 1));
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.below(3));
  return ids;
}

std::vector<ForcedRun> runsOf(const std::vector<bool>& forced) {
  std::vector<ForcedRun> runs;
  for (std::uint32_t i = 0; i < forced.size(); ++i) {
    if (!forced[i]) continue;
    if (i > 0 && forced[i - 1]) {
      ++runs.back().length;
    } else {
      runs.push_back({i, 1});
    }
  }
  return runs;
}

std::vector<std::uint8_t> randomBytes(Random& random, std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.below(256));
  return bytes;
}

/// Gives items to a stretch of the tokens, and to the generation.
/// @param bytesOf returns the number of bytes of a token's items
template <typename BytesOf>
void giveItems(Random& random, const ChannelSpec& spec, Items& items, Generation& generation, BytesOf bytesOf) {
  const auto size = static_cast<std::uint32_t>(items.size());
  const std::uint32_t first = random.below(size + 1);
  const std::uint32_t end = first + random.below(size - first + 1);
  std::vector<std::uint8_t> values;
  std::vector<std::uint32_t> counts;
  for (std::uint32_t i = first; i < end; ++i) {
    items[i] = randomBytes(random, bytesOf());
    values.insert(values.end(), items[i].begin(), items[i].end());
    if (spec.isRagged()) counts.push_back(static_cast<std::uint32_t>(items[i].size() / spec.itemBytes()));
  }
  const auto bytes = std::as_bytes(std::span(values));
  generation.addChannel(spec, first, {bytes.begin(), bytes.end()}, counts);
}

void giveChannels(Random& random, ModelInteraction& made, Generation& generation) {
  made.wide.resize(made.output.size());
  made.kept.resize(made.output.size());
  made.experts.resize(made.input.size() + made.output.size());
  if (random.chance(0.7)) return;
  giveItems(random, wideChannel(), made.wide, generation, [] { return wideChannel().itemBytes(); });
  giveItems(random, expertsChannel(), made.experts, generation, [] { return expertsChannel().itemBytes(); });
  giveItems(random, keptChannel(), made.kept, generation, [&] { return keptChannel().itemBytes() * random.below(4); });
}

/// Few of each, so that columns have labels in common, and sometimes fewer than the columns ask for.
void describe(Random& random, ModelInteraction& made) {
  for (std::uint32_t i = random.below(4); i > 0; --i) made.facts.push_back(random.below(3));
  for (std::uint32_t i = random.below(3); i > 0; --i) {
    made.labels.emplace_back(random.below(3), static_cast<char>('a' + random.below(4)));
  }
  made.startsRow = random.chance(0.3);
}

}  // namespace

/// Sometimes a continuation of the parent or of another interaction by reference, sometimes by value, sometimes with a
/// token changed or the end cut off.
Prompt ModelledSession::choosePrompt(Random& random, std::int32_t parent, std::vector<std::int32_t>& input) {
  const std::vector<std::int32_t> more = randomIds(random, 5);
  std::int32_t base = parent;
  if (!model.all.empty() && random.chance(0.2))
    base = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(model.all.size())));
  if (base >= 0) input = model.all[static_cast<std::size_t>(base)].sequence();
  const bool byReference = base >= 0 && random.chance(0.5);
  if (!byReference && random.chance(0.4) && !input.empty()) {
    if (random.chance(0.5)) {
      input.resize(random.below(static_cast<std::uint32_t>(input.size())));
    } else {
      input[random.below(static_cast<std::uint32_t>(input.size()))] ^= 1;
    }
  }
  input.insert(input.end(), more.begin(), more.end());
  if (byReference) return promptAfter(session, static_cast<std::uint32_t>(base), more);
  if (base >= 0 && random.chance(0.5)) return promptSharing(session, static_cast<std::uint32_t>(base), input);
  return promptOf(input);
}

void ModelledSession::grow(Random& random) {
  const auto count = static_cast<std::uint32_t>(model.all.size());
  if (count > 0 && random.chance(0.3)) {
    const std::uint32_t index = random.below(count);
    model.all[index].reward = random.below(17) / 8.0 - 1;
    session.setReward(index, *model.all[index].reward);
    return;
  }
  if (random.chance(0.02)) {
    model.sessionReward = random.below(17) / 8.0 - 1;
    session.setSessionReward(*model.sessionReward);
  }
  ModelInteraction made;
  if (count > 0 && random.chance(0.85)) made.parent = static_cast<std::int32_t>(random.below(count));
  const Prompt prompt = choosePrompt(random, made.parent, made.input);
  made.output = randomIds(random, 4);
  for (std::size_t i = 0; i < made.output.size(); ++i) {
    made.logprobs.push_back(-static_cast<float>(random.below(100)) / 16);
    made.versions.push_back(static_cast<std::int32_t>(random.below(3)));
    made.forced.push_back(random.chance(0.2));
  }
  Generation generation;
  generation.append(made.output, made.logprobs, made.versions);
  generation.setForced(runsOf(made.forced));
  giveChannels(random, made, generation);
  describe(random, made);
  RecordInput input{prompt, generation, {}, {}, made.parent};
  const std::vector<MessageDigest> digests = digestsOf(std::vector<std::string>{std::to_string(count)});
  input.digests = digests;
  input.facts = made.facts;
  input.labels = made.labels;
  input.startsRow = made.startsRow;
  session.record(input);
  model.all.push_back(made);
}

void ModelledSession::leaveOut(Random& random) {
  Outline outline = model.outline();
  for (std::size_t i = model.all.size(); i-- > 0;) {
    const bool allowed = outline.children(i, true).empty();
    model.all[i].leftOut = outline.all[i].leftOut = allowed && random.chance(0.4);
  }
}

PlannedSession ModelledSession::planned() const {
  PlannedSession planned{&session};
  for (std::uint32_t i = 0; i < model.all.size(); ++i) {
    if (model.all[i].leftOut) planned.leftOut.push_back(i);
  }
  return planned;
}

}  // namespace rolltape::test
