#include "../../../core/batch/pack/line_writer.h"

#include <numeric>
#include <vector>

#include "../../../core/batch/pack/column_writer.h"
#include "../../support.h"

namespace rolltape {
namespace {

constexpr std::size_t kRoom = 600;

/// One of the things that a writer does, to a plain array.
template <typename T>
void writePlainly(unsigned kind, std::vector<T>& to, std::size_t at, std::size_t count, const std::vector<T>& from) {
  for (std::size_t i = 0; i < count; ++i) {
    to[at + i] = kind == 0 ? from[i] : kind == 1 ? T{7} : static_cast<T>(40 + i);
  }
}

template <typename T>
void write(unsigned kind, ColumnWriter<T>& writer, std::size_t count, const std::vector<T>& from) {
  if (kind == 0) writer.copy(from.data(), count);
  if (kind == 1) writer.fill(T{7}, count);
  if (kind == 2) writer.countUp(40, count);
}

/// Stretches of random lengths, mostly one behind the other, sometimes elsewhere, must change those values and no
/// others.
template <typename T>
void expectExactly(unsigned kinds, bool pastCaches, unsigned seed) {
  test::Random random(seed);
  std::vector<T> from(kRoom);
  std::iota(from.begin(), from.end(), T{1});
  alignas(64) T room[kRoom];
  std::fill_n(room, kRoom, T{99});
  std::vector<T> expected(kRoom, T{99});
  std::size_t at = random.below(40);
  ColumnWriter<T> writer(room, pastCaches);
  for (int stretch = 0; stretch < 8; ++stretch) {
    const std::size_t count = random.below(3) == 0 ? random.below(100) : random.below(20);
    if (random.below(4) == 0) at = random.below(200);
    if (at + count > kRoom) break;
    const unsigned kind = random.below(kinds);
    writer.moveTo(at);
    write(kind, writer, count, from);
    writePlainly(kind, expected, at, count, from);
    at += count;
  }
  writer.finish();
  ASSERT_EQ(expected, std::vector<T>(room, room + kRoom)) << "seed " << seed;
}

template <typename T>
void expectExactly(unsigned kinds) {
  for (unsigned seed = 0; seed < 2'000; ++seed) {
    expectExactly<T>(kinds, true, seed);
    expectExactly<T>(kinds, false, seed);
  }
}

TEST(LineWriter, WritesStretchesOfIdsAndNoMore) {
  expectExactly<std::int32_t>(3);
}

TEST(LineWriter, WritesStretchesOfLogprobsAndNoMore) {
  expectExactly<float>(2);
}

TEST(LineWriter, WritesStretchesOfFlagsAndNoMore) {
  expectExactly<std::uint8_t>(2);
}

/// Stretches of a few pages, each behind the other, that begin and end anywhere in a line.
TEST(LineWriter, CopiesPagesAndNoMore) {
  constexpr std::size_t kMostBytes = 5 * 4096;
  std::vector<std::byte> from(kMostBytes + 64);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 31 + i / 256);
  test::Random random(5);
  for (int round = 0; round < 300; ++round) {
    const std::size_t before = random.below(130);
    const std::size_t offset = random.below(64);
    const std::size_t bytes = 1 + random.below(kMostBytes);
    std::vector<std::byte> room(before + 2 * kMostBytes + 200, std::byte{99});
    std::vector<std::byte> expected = room;
    LineWriter writer(room.data() + before, round % 4 != 0);
    std::size_t at = before;
    for (const std::size_t count : {bytes, kMostBytes - bytes, std::size_t{random.below(9000)}}) {
      writer.copy(from.data() + offset, count);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(offset), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(at));
      at += count;
      EXPECT_EQ(room.data() + at, writer.position());
    }
    writer.finish();
    ASSERT_EQ(expected, room) << before << " " << offset << " " << bytes;
  }
}

TEST(LineWriter, GoesOnAfterItFinished) {
  alignas(64) std::int32_t room[64] = {};
  ColumnWriter<std::int32_t> writer(room, true);
  writer.fill(1, 5);
  writer.finish();
  EXPECT_EQ(room[4], 1);
  room[2] = 9;
  writer.fill(2, 20);
  writer.finish();
  EXPECT_EQ(room[2], 9);
  EXPECT_EQ(room[24], 2);
  EXPECT_EQ(room[25], 0);
}

}  // namespace
}  // namespace rolltape
