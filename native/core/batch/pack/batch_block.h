#pragma once

#include <cstddef>
#include <string_view>

#include "../safetensors.h"
#include "token_columns.h"

namespace rolltape {

/// A block that is being written: its tensors by name, which the layout must have.
class BatchBlock {
 public:
  BatchBlock(const SafetensorsLayout& layout, std::byte* bytes) : layout_(layout), bytes_(bytes) {}

  /// Whether it is written past the caches.
  bool isBulk() const { return layout_.totalBytes >= LineWriter::kPastCachesFrom; }
  template <typename T>
  T* tensor(std::string_view name) const {
    std::size_t at = 0;
    while (layout_.tensors[at].spec.name != name) ++at;
    return reinterpret_cast<T*>(bytes_ + layout_.tensors[at].offset);
  }
  /// The tensor if `written` includes it, else null.
  template <typename T>
  T* tensor(TokenTensor written, TokenTensor tensor, std::string_view name) const {
    return includes(written, tensor) ? this->tensor<T>(name) : nullptr;
  }
  /// Those of input_ids, loss_mask, logprobs and versions that `written` includes. Every layout has them.
  TokenColumns tokens(TokenTensor written = TokenTensor::kAll) const {
    return {tensor<std::int32_t>(written, TokenTensor::kInputIds, "input_ids"),
            tensor<std::int32_t>(written, TokenTensor::kLossMask, "loss_mask"),
            tensor<float>(written, TokenTensor::kLogprobs, "logprobs"),
            tensor<std::int32_t>(written, TokenTensor::kVersions, "versions")};
  }

 private:
  const SafetensorsLayout& layout_;
  std::byte* bytes_;
};

}  // namespace rolltape
