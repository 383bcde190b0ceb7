#pragma once

#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "../core/batch/batch.h"
#include "../core/batch/pack/json.h"
#include "../memory/heap_block.h"

namespace rolltape::test {

inline constexpr std::span<const PlannedSession> kNoSessions;

/// A batch in a block of its own.
struct Packed {
  HeapBlock block;
  std::vector<TensorPlace> tensors;
  /// The metadata `row_codes`.
  std::string rowCodes;
};

inline Packed packed(const Plan& plan, const Metadata& metadata, unsigned threads = 1) {
  BatchLayout layout = layoutBatch(plan, metadata);
  HeapBlock block(layout.totalBytes);
  writeBatch(plan, layout, reinterpret_cast<std::byte*>(block.data()), threads);
  return {std::move(block), std::move(layout.tensors), layout.labels.json()};
}

inline HeapBlock packedJson(const Plan& plan, std::span<const std::string> parts) {
  const JsonBatch batch(plan, parts);
  HeapBlock block(batch.byteLength());
  batch.write(reinterpret_cast<char*>(block.data()));
  return block;
}

template <typename T>
std::vector<T> packedTensor(const Packed& packed, const std::string& name) {
  for (const TensorPlace& place : packed.tensors) {
    if (place.spec.name != name) continue;
    EXPECT_EQ(0u, place.offset % alignof(T));
    const auto* first = reinterpret_cast<const T*>(packed.block.data() + place.offset);
    return {first, first + place.bytes / sizeof(T)};
  }
  ADD_FAILURE() << "no tensor " << name;
  return {};
}

}  // namespace rolltape::test
