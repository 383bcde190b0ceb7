#include "batch_check.h"

#include <algorithm>
#include <cstring>

#include "../core/batch/batch.h"
#include "../core/json/text.h"
#include "../memory/heap_block.h"
#include "require.h"
#include "safetensors_reader.h"

namespace rolltape::fuzz {

namespace {

/// A packed batch as a reader finds it.
class Batch {
 public:
  explicit Batch(const Plan& plan) : bytes_(pack(plan)), file_(readSafetensors(bytes_)) {}

  template <typename T>
  std::vector<T> tensor(const std::string& name) const {
    const auto found = std::ranges::find(file_.tensors, name, &ReadTensor::name);
    FUZZ_REQUIRE(found != file_.tensors.end());
    std::vector<T> values((found->end - found->begin) / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes_.data() + found->begin, found->end - found->begin);
    return values;
  }
  std::vector<std::int32_t> words(const char* name) const { return tensor<std::int32_t>(name); }
  const ReadFile& file() const { return file_; }

 private:
  static std::vector<std::byte> pack(const Plan& plan) {
    const BatchLayout layout = layoutBatch(plan, {{"rows", "[]"}});
    // Exactly the size that was said, and nothing in it that packing could rely on.
    const std::unique_ptr<std::byte[], void (*)(void*)> block(
        static_cast<std::byte*>(std::aligned_alloc(64, (layout.totalBytes + 63) / 64 * 64)), std::free);
    std::memset(block.get(), 0xab, layout.totalBytes);
    // Threads are slow to start here: some batches are enough.
    const unsigned threads = plan.rows().size() % 8 == 7 ? 2 : 1;
    writeBatch(plan, layout, block.get(), threads);
    return {block.get(), block.get() + layout.totalBytes};
  }

  std::vector<std::byte> bytes_;
  ReadFile file_;
};

template <typename T>
bool equalAt(const std::vector<T>& all, std::size_t from, const std::vector<T>& row) {
  if (row.empty()) return true;
  return from + row.size() <= all.size() && std::memcmp(all.data() + from, row.data(), row.size() * sizeof(T)) == 0;
}

template <typename T>
bool isAll(const std::vector<T>& all, std::size_t from, std::size_t to, T value) {
  return std::all_of(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to),
                     [&](T at) { return at == value; });
}

/// The tensors that padded and packed batches have.
struct RowTensors {
  std::vector<std::int32_t> ids, mask, versions;
  std::vector<float> logprobs, rewards;
  std::vector<std::uint8_t> attention;

  explicit RowTensors(const Batch& batch)
      : ids(batch.words("input_ids")),
        mask(batch.words("loss_mask")),
        versions(batch.words("versions")),
        logprobs(batch.tensor<float>("logprobs")),
        rewards(batch.tensor<float>("rewards")),
        attention(batch.tensor<std::uint8_t>("attention_mask")) {}

  void requireRow(std::size_t from, const ModelRow& row) const {
    FUZZ_REQUIRE(equalAt(ids, from, row.ids) && equalAt(mask, from, row.lossMask));
    FUZZ_REQUIRE(equalAt(logprobs, from, row.logprobs) && equalAt(versions, from, row.versions));
    FUZZ_REQUIRE(isAll(attention, from, from + row.ids.size(), std::uint8_t{1}));
  }
  void requirePadding(std::size_t from, std::size_t to, std::int32_t padTokenId) const {
    FUZZ_REQUIRE(isAll(ids, from, to, padTokenId) && isAll(mask, from, to, 0) && isAll(logprobs, from, to, 0.0f));
    FUZZ_REQUIRE(isAll(versions, from, to, -1) && isAll(attention, from, to, std::uint8_t{0}));
  }
};

void requirePadded(const Plan& plan, const Batch& batch, const std::vector<ModelRow>& rows) {
  const RowTensors tensors(batch);
  std::size_t width = 0;
  for (const ModelRow& row : rows) width = std::max(width, row.ids.size());
  const std::size_t multiple = plan.options().padToMultipleOf;
  width = (width + multiple - 1) / multiple * multiple;
  FUZZ_REQUIRE(tensors.ids.size() == rows.size() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t padding = width - rows[i].ids.size();
    const bool left = plan.options().padSide == PadSide::kLeft;
    tensors.requireRow(i * width + (left ? padding : 0), rows[i]);
    const std::size_t padFrom = i * width + (left ? 0 : rows[i].ids.size());
    tensors.requirePadding(padFrom, padFrom + padding, plan.options().padTokenId);
  }
}

void requirePacked(const Batch& batch, const std::vector<ModelRow>& rows) {
  const RowTensors tensors(batch);
  const std::vector<std::int32_t> starts = batch.words("cu_seqlens");
  const std::vector<std::int32_t> positions = batch.words("position_ids");
  FUZZ_REQUIRE(starts.size() == rows.size() + 1 && starts[0] == 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto from = static_cast<std::size_t>(starts[i]);
    FUZZ_REQUIRE(static_cast<std::size_t>(starts[i + 1]) == from + rows[i].ids.size());
    tensors.requireRow(from, rows[i]);
    for (std::size_t at = 0; at < rows[i].ids.size(); ++at) {
      FUZZ_REQUIRE(positions[from + at] == static_cast<std::int32_t>(at));
    }
  }
  FUZZ_REQUIRE(tensors.ids.size() == static_cast<std::size_t>(starts.back()));
}

struct TreeTensors {
  std::vector<std::int32_t> ids, mask, versions, positions, subtreeEnd, offsets, parents, lengths;
  std::vector<float> logprobs, rewards;

  explicit TreeTensors(const Batch& batch)
      : ids(batch.words("input_ids")),
        mask(batch.words("loss_mask")),
        versions(batch.words("versions")),
        positions(batch.words("position_ids")),
        subtreeEnd(batch.words("subtree_end")),
        offsets(batch.words("node_offsets")),
        parents(batch.words("node_parents")),
        lengths(batch.words("node_lengths")),
        logprobs(batch.tensor<float>("logprobs")),
        rewards(batch.tensor<float>("node_rewards")) {}

  /// A node's row: what its last token sees, or the first tokens of the node that it branches from.
  void requireNode(std::size_t node, const ModelRow& row) const {
    FUZZ_REQUIRE(static_cast<std::size_t>(lengths[node]) == row.ids.size());
    FUZZ_REQUIRE(std::memcmp(&rewards[node], &row.reward, sizeof row.reward) == 0);
    std::size_t last = node;
    while (offsets[last] == offsets[last + 1] && parents[last] >= 0) last = static_cast<std::size_t>(parents[last]);
    std::size_t position = 0;
    for (std::int32_t token = 0; token < offsets[last + 1] && position < row.ids.size(); ++token) {
      const auto at = static_cast<std::size_t>(token);
      if (offsets[last + 1] - 1 >= subtreeEnd[at]) continue;
      FUZZ_REQUIRE(ids[at] == row.ids[position] && positions[at] == static_cast<std::int32_t>(position));
      if (token >= offsets[node]) {
        FUZZ_REQUIRE(mask[at] == row.lossMask[position] && versions[at] == row.versions[position]);
        FUZZ_REQUIRE(std::memcmp(&logprobs[at], &row.logprobs[position], sizeof(float)) == 0);
      }
      ++position;
    }
    FUZZ_REQUIRE(position == row.ids.size());
  }
};

void requireTree(const Plan& plan, const Batch& batch, const std::vector<ModelRow>& rows) {
  const TreeTensors tensors(batch);
  FUZZ_REQUIRE(plan.rows().size() == rows.size() && tensors.lengths.size() == rows.size());
  for (std::size_t node = 0; node < rows.size(); ++node) {
    const std::size_t index = plan.rows()[node].interaction->index;
    const auto row = std::ranges::find(rows, index, &ModelRow::interaction);
    FUZZ_REQUIRE(row != rows.end());
    tensors.requireNode(node, *row);
  }
}

std::vector<std::uint32_t> wordsOf(const Batch& batch, const ReadTensor& tensor) {
  if (tensor.dtype != "BOOL") return batch.tensor<std::uint32_t>(tensor.name);
  const auto bytes = batch.tensor<std::uint8_t>(tensor.name);
  return {bytes.begin(), bytes.end()};
}

std::string jsonOf(const RowColumns& columns, const std::map<std::string, std::vector<std::string>>& codes) {
  std::string json;
  for (const RowColumn& column : columns) {
    if (column.source != RowSource::kLabel) continue;
    std::string list;
    for (const std::string& label : codes.at(column.name)) {
      if (!list.empty()) list += ',';
      appendJsonString(list, label);
    }
    json += (json.empty() ? "\"" : ",\"") + column.name + "\":[" + list + "]";
  }
  return "{" + json + "}";
}

void requireColumns(const Plan& plan, const Batch& batch, const test::Outline& outline) {
  const std::vector<test::OutlineRow> rows = test::outlineRows(plan);
  const std::vector<test::Outline> sessions{outline};
  const test::OutlineColumns expected(sessions, rows, plan.options());
  std::size_t found = 0;
  for (const ReadTensor& tensor : batch.file().tensors) {
    const bool isColumn = tensor.name.starts_with("row_") || tensor.name.starts_with("turn_");
    if (!isColumn && tensor.name != "cu_turns") continue;
    ++found;
    const auto words = expected.tensors.find(tensor.name);
    FUZZ_REQUIRE(words != expected.tensors.end());
    FUZZ_REQUIRE(words->second == wordsOf(batch, tensor));
  }
  FUZZ_REQUIRE(found == expected.tensors.size());
  const auto codes = batch.file().metadata.find("row_codes");
  FUZZ_REQUIRE((codes != batch.file().metadata.end()) == (plan.options().columns != nullptr));
  if (!plan.options().columns) return;
  FUZZ_REQUIRE(codes->second == jsonOf(*plan.options().columns, expected.codes));
}

/// The items of all tokens of a batch, padding and tokens without an item as none.
Items itemsOf(const Plan& plan, const std::vector<ModelRow>& rows, const ChannelSpec& spec) {
  const PlanOptions& options = plan.options();
  Items all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Interaction& at = *plan.rows()[i].interaction;
    const ModelRow& row = *std::ranges::find(rows, std::size_t{at.index}, &ModelRow::interaction);
    const Items& items = row.channels.at(spec);
    const std::size_t padding = options.layout == Layout::kPadded ? plan.shape().length - items.size() : 0;
    const std::size_t first = options.layout == Layout::kTree ? at.shared : 0;
    if (options.padSide == PadSide::kLeft) all.resize(all.size() + padding);
    all.insert(all.end(), items.begin() + static_cast<std::ptrdiff_t>(first), items.end());
    if (options.padSide == PadSide::kRight) all.resize(all.size() + padding);
  }
  return all;
}

void requireChannel(const Batch& batch, const ChannelSpec& spec, const Items& items) {
  const auto values = batch.tensor<std::uint8_t>(spec.name);
  const std::size_t size = spec.itemBytes();
  std::vector<std::uint8_t> expected;
  if (spec.isRagged()) {
    const auto offsets = batch.tensor<std::int64_t>(spec.offsets);
    FUZZ_REQUIRE(offsets.size() == items.size() + 1);
    for (std::size_t i = 0; i < items.size(); ++i) {
      FUZZ_REQUIRE(static_cast<std::size_t>(offsets[i]) * size == expected.size());
      if (items[i]) expected.insert(expected.end(), items[i]->begin(), items[i]->end());
    }
    FUZZ_REQUIRE(static_cast<std::size_t>(offsets.back()) * size == expected.size());
  } else {
    const auto mask = batch.tensor<std::uint8_t>(spec.maskName());
    FUZZ_REQUIRE(mask.size() == items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      FUZZ_REQUIRE(mask[i] == (items[i] ? 1 : 0));
      const std::vector<std::uint8_t> item = items[i].value_or(std::vector<std::uint8_t>(size, 0));
      expected.insert(expected.end(), item.begin(), item.end());
    }
  }
  FUZZ_REQUIRE(values == expected);
}

void requireChannels(const Plan& plan, const Batch& batch, const std::vector<ModelRow>& rows) {
  for (const BatchChannel& channel : plan.shape().channels) {
    requireChannel(batch, channel.spec, itemsOf(plan, rows, channel.spec));
  }
  for (const ModelRow& row : rows) FUZZ_REQUIRE(row.channels.size() == plan.shape().channels.size());
}

}  // namespace

void requireBatch(const Plan& plan, const std::vector<ModelRow>& rows, const test::Outline& outline) {
  const Batch batch(plan);
  requireColumns(plan, batch, outline);
  requireChannels(plan, batch, rows);
  if (plan.options().layout == Layout::kTree) return requireTree(plan, batch, rows);
  const RowTensors tensors(batch);
  FUZZ_REQUIRE(tensors.rewards.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    FUZZ_REQUIRE(std::memcmp(&tensors.rewards[i], &rows[i].reward, sizeof(float)) == 0);
  }
  if (plan.options().layout == Layout::kPadded) return requirePadded(plan, batch, rows);
  requirePacked(batch, rows);
}

}  // namespace rolltape::fuzz
