#include "json.h"

#include <algorithm>
#include <string_view>

#include "../../base/base64.h"
#include "../../base/size.h"
#include "row_schedule.h"

namespace rolltape {

namespace {

/// Counts what a Writer given the same calls writes.
class Counter {
 public:
  void text(std::string_view text) { bytes_ = checkedAdd(bytes_, text.size()); }
  void base64(const void*, std::size_t bytes) { bytes_ = checkedAdd(bytes_, base64Length(bytes)); }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

class Writer {
 public:
  explicit Writer(char* out) : out_(out) {}
  void text(std::string_view text) { out_ = std::copy(text.begin(), text.end(), out_); }
  void base64(const void* data, std::size_t bytes) {
    out_ = writeBase64({static_cast<const std::uint8_t*>(data), bytes}, out_);
  }

 private:
  char* out_;
};

/// The tensors of one row before they are encoded.
struct RowTensors {
  std::vector<std::int32_t> inputIds;
  std::vector<std::int32_t> lossMask;
  std::vector<float> logprobs;
  std::vector<std::int32_t> versions;
  std::vector<std::uint8_t> attentionMask;
  float reward = 0;

  void fill(const PlanRow& row, const TokenPath& path) {
    inputIds.resize(row.length);
    lossMask.resize(row.length);
    logprobs.resize(row.length);
    versions.resize(row.length);
    attentionMask.resize(row.length, 1);
    reward = static_cast<float>(row.reward);
    TokenWriter writer({inputIds.data(), lossMask.data(), logprobs.data(), versions.data()}, false);
    writer.inputIds.copy(path.inputIds(), row.length);
    path.writeTrained(row.trainedFrom, row.length, writer.trained);
  }
};

template <typename Sink>
void writeTensor(Sink& sink, std::string_view name, std::string_view dtype, std::string_view shape, const void* data,
                 std::size_t bytes) {
  sink.text("\"");
  sink.text(name);
  sink.text("\":{\"type\":\"tensor\",\"dtype\":\"");
  sink.text(dtype);
  sink.text("\",\"shape\":");
  sink.text(shape);
  sink.text(",\"data\":\"");
  sink.base64(data, bytes);
  sink.text("\"}");
}

template <typename Sink>
void writeTensorDict(Sink& sink, std::size_t length, const RowTensors& row) {
  const std::string shape = "[1," + std::to_string(length) + "]";
  const std::size_t words = length * sizeof(std::int32_t);
  sink.text("{");
  writeTensor(sink, "input_ids", "torch.int32", shape, row.inputIds.data(), words);
  sink.text(",");
  writeTensor(sink, "loss_mask", "torch.int32", shape, row.lossMask.data(), words);
  sink.text(",");
  writeTensor(sink, "logprobs", "torch.float32", shape, row.logprobs.data(), words);
  sink.text(",");
  writeTensor(sink, "versions", "torch.int32", shape, row.versions.data(), words);
  sink.text(",");
  writeTensor(sink, "attention_mask", "torch.bool", shape, row.attentionMask.data(), length);
  sink.text(",");
  writeTensor(sink, "rewards", "torch.float32", "[1]", &row.reward, sizeof row.reward);
  sink.text("}");
}

std::uint64_t jsonBytes(const Plan& plan, std::span<const std::string> parts) {
  Counter counter;
  const RowTensors nothing;
  for (const std::string& part : parts) counter.text(part);
  for (const PlanRow& row : plan.rows()) writeTensorDict(counter, row.length, nothing);
  return counter.bytes();
}

}  // namespace

JsonBatch::JsonBatch(const Plan& plan, std::span<const std::string> parts) : plan_(plan), parts_(parts) {
  plan.requirePackable();
  if (parts.size() != plan.rows().size() + 1) {
    throw Error(ErrorCode::kInvalidArg, "parts: " + std::to_string(parts.size()) + " parts for " +
                                            std::to_string(plan.rows().size()) + " rows; there must be one more");
  }
  byteLength_ = jsonBytes(plan, parts);
}

void JsonBatch::write(char* out) const {
  Writer writer(out);
  RowTensors tensors;
  TokenPath path(plan_.longestRow(), heldFor(plan_), plan_.filteredTurns());
  writer.text(parts_[0]);
  for (std::size_t i = 0; i < plan_.rows().size(); ++i) {
    const PlanRow& row = plan_.rows()[i];
    path.moveTo(*row.interaction);
    tensors.fill(row, path);
    writeTensorDict(writer, row.length, tensors);
    writer.text(parts_[i + 1]);
  }
}

}  // namespace rolltape
