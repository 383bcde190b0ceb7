#include "../core/bulk_store.h"

#include <vector>

#include "support.h"

namespace rolltape {
namespace {

constexpr std::size_t kRoom = 200;

/// Small blocks are written in one way, large ones in another.
const BulkStore kStores[] = {BulkStore(0), BulkStore(std::uint64_t{1} << 32)};

/// `write` at every offset and length must change those values, to `value(i)`, and no others.
template <typename T, typename Write, typename Value>
void expectExactly(T before, Write write, Value value) {
  alignas(64) T room[kRoom];
  for (const BulkStore& store : kStores) {
    for (std::size_t offset = 0; offset < 20; ++offset) {
      for (std::size_t count = 0; offset + count + 20 < kRoom; ++count) {
        std::vector<T> expected(kRoom, before);
        for (std::size_t i = 0; i < count; ++i) expected[offset + i] = value(i);
        std::fill_n(room, kRoom, before);
        write(store, room + offset, count);
        store.finish();
        ASSERT_EQ(expected, std::vector<T>(room, room + kRoom)) << offset << " " << count;
      }
    }
  }
}

TEST(BulkStore, CopiesWhatItIsGivenAndNoMore) {
  std::int32_t ids[kRoom];
  float logprobs[kRoom];
  for (std::size_t i = 0; i < kRoom; ++i) {
    ids[i] = static_cast<std::int32_t>(i) * 3;
    logprobs[i] = static_cast<float>(i) / 4;
  }
  expectExactly<std::int32_t>(
      -5, [&](const BulkStore& store, std::int32_t* to, std::size_t count) { store.copy(to, ids + 1, count); },
      [&](std::size_t i) { return ids[i + 1]; });
  expectExactly<float>(
      -5, [&](const BulkStore& store, float* to, std::size_t count) { store.copy(to, logprobs + 3, count); },
      [&](std::size_t i) { return logprobs[i + 3]; });
}

TEST(BulkStore, FillsWhatItIsGivenAndNoMore) {
  expectExactly<std::int32_t>(
      -5, [](const BulkStore& store, std::int32_t* to, std::size_t count) { store.fill(to, count, 70'001); },
      [](std::size_t) { return 70'001; });
  expectExactly<float>(
      -5, [](const BulkStore& store, float* to, std::size_t count) { store.fill(to, count, 1.5f); },
      [](std::size_t) { return 1.5f; });
  expectExactly<std::uint8_t>(
      9, [](const BulkStore& store, std::uint8_t* to, std::size_t count) { store.fill(to, count, std::uint8_t{1}); },
      [](std::size_t) { return std::uint8_t{1}; });
}

TEST(BulkStore, CountsUpWhereItIsToldAndNoFurther) {
  expectExactly<std::int32_t>(
      -5, [](const BulkStore& store, std::int32_t* to, std::size_t count) { store.countUp(to, count, 40); },
      [](std::size_t i) { return static_cast<std::int32_t>(40 + i); });
}

}  // namespace
}  // namespace rolltape
