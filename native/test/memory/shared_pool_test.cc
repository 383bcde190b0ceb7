#include "../../memory/shared_pool.h"

#include <set>
#include <thread>

#include "shared_support.h"

namespace rolltape {
namespace {

namespace fs = std::filesystem;
using test::inodeOf;
using test::Reader;
using test::readFile;

constexpr std::uint64_t kPage = 4096;

class SharedPoolTest : public testing::Test {
 protected:
  std::shared_ptr<SharedPool> open(std::uint64_t maxBytes = 100 * kPage) {
    return SharedPool::open({.directory = directory_.path(), .maxBytes = maxBytes});
  }
  /// A batch that is handed out, filled with one letter.
  static std::unique_ptr<Block> publish(SharedPool& pool, std::uint64_t bytes, char letter) {
    std::unique_ptr<Block> block = pool.allocate(bytes);
    std::memset(block->data(), letter, block->size());
    block->publish();
    return block;
  }
  static void acknowledge(std::unique_ptr<Block> block) { block->acknowledge(); }

  test::SharedDirectory directory_;
};

TEST_F(SharedPoolTest, APublishedFileHoldsExactlyTheBlock) {
  const auto pool = open();
  for (const std::uint64_t bytes : {kPage, std::uint64_t{1}, 3 * kPage + 5, std::uint64_t{100}}) {
    const std::unique_ptr<Block> block = publish(*pool, bytes, 'a');
    EXPECT_EQ(std::string(bytes, 'a'), readFile(block->path()));
    EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(block->data()) % 64);
    EXPECT_EQ(BlockKind::kShared, block->kind());
    block->acknowledge();
  }
}

TEST_F(SharedPoolTest, OnlyTheOwnerMayOpenAFile) {
  const auto pool = open();
  const auto block = publish(*pool, 10, 'a');
  EXPECT_EQ(fs::perms::owner_read | fs::perms::owner_write, fs::status(block->path()).permissions());
}

TEST_F(SharedPoolTest, ABatchHasNoPathUntilItIsWhole) {
  const auto pool = open();
  const auto block = pool->allocate(10);
  EXPECT_EQ("", block->path());
  EXPECT_TRUE(directory_.files(".safetensors").empty());
  block->publish();
  EXPECT_EQ(1u, directory_.files(".safetensors").size());
  const std::string path = block->path();
  block->publish();
  EXPECT_EQ(path, block->path());
}

TEST_F(SharedPoolTest, AnAcknowledgedSlotIsUsedAgainUnderANewPath) {
  const auto pool = open();
  auto block = publish(*pool, 2 * kPage, 'a');
  const std::string path = block->path();
  const ino_t inode = inodeOf(path);
  acknowledge(std::move(block));
  EXPECT_FALSE(fs::exists(path)) << "a late reader finds no file rather than another batch";
  block = publish(*pool, kPage + 1, 'b');
  EXPECT_EQ(inode, inodeOf(block->path()));
  EXPECT_NE(path, block->path());
}

TEST_F(SharedPoolTest, WhatWasNotAcknowledgedIsNeverOverwritten) {
  const auto pool = open();
  auto block = publish(*pool, 3 * kPage, 'a');
  const std::string path = block->path();
  const ino_t inode = inodeOf(path);
  const Reader reader(path);
  const auto others = [&] {
    for (int round = 0; round < 5; ++round) {
      auto other = publish(*pool, 3 * kPage, 'b');
      EXPECT_NE(inode, inodeOf(other->path()));
      acknowledge(std::move(other));
    }
  };
  others();
  EXPECT_EQ(std::string(3 * kPage, 'a'), reader.text());
  block.reset();
  EXPECT_FALSE(fs::exists(path)) << "reaped";
  others();
  EXPECT_EQ(std::string(3 * kPage, 'a'), reader.text()) << "a reaped file stays with its readers";
}

TEST_F(SharedPoolTest, AFileThatItsReaderUnlinkedIsTheReadersForGood) {
  const auto pool = open();
  auto block = publish(*pool, kPage, 'a');
  const Reader reader(block->path());
  EXPECT_FALSE(block->taken());
  fs::remove(block->path());
  EXPECT_TRUE(block->taken());
  acknowledge(std::move(block));
  EXPECT_EQ(0u, pool->use().freeSlots);
  const auto next = publish(*pool, kPage, 'b');
  EXPECT_EQ(std::string(kPage, 'a'), reader.text());
}

TEST_F(SharedPoolTest, AFileThatItsReaderMovedOrLinkedIsTheReadersForGood) {
  const auto pool = open();
  const std::string kept = directory_.path() + "/kept";
  auto moved = publish(*pool, kPage, 'a');
  fs::rename(moved->path(), kept);
  acknowledge(std::move(moved));
  EXPECT_EQ(std::string(kPage, 'a'), readFile(kept));

  auto linked = publish(*pool, kPage, 'b');
  fs::create_hard_link(linked->path(), kept + "-2");
  const std::string path = linked->path();
  acknowledge(std::move(linked));
  EXPECT_FALSE(fs::exists(path));
  publish(*pool, kPage, 'c');
  EXPECT_EQ(std::string(kPage, 'b'), readFile(kept + "-2"));
  EXPECT_EQ(0u, pool->use().freeSlots);
}

TEST_F(SharedPoolTest, AFileThatSomebodyPutInAPlaceOfOursIsNotTouched) {
  const auto pool = open();
  auto block = publish(*pool, kPage, 'a');
  const std::string path = block->path();
  fs::remove(path);
  std::ofstream(path) << "mine";
  block.reset();
  EXPECT_EQ("mine", readFile(path));
}

TEST_F(SharedPoolTest, ABlockThatWasNeverPublishedIsUsedAgain) {
  const auto pool = open();
  const auto* data = pool->allocate(kPage)->data();
  EXPECT_EQ(1u, pool->use().freeSlots);
  EXPECT_EQ(data, pool->allocate(kPage)->data());
}

TEST_F(SharedPoolTest, ARemovedWorkingFileFailsThePublishing) {
  const auto pool = open();
  const auto block = pool->allocate(10);
  for (const std::string& name : directory_.files(".slot")) fs::remove(directory_.path() + '/' + name);
  EXPECT_CODE(kSharedUnavailable, block->publish());
}

TEST_F(SharedPoolTest, TheSlotOfTheClosestSizeIsTaken) {
  const std::vector<std::vector<std::uint64_t>> orders{{20, 5, 9}, {20, 9, 5}, {9, 20, 5}};
  for (const std::vector<std::uint64_t>& order : orders) {
    const auto pool = open();
    std::vector<std::unique_ptr<Block>> blocks;
    ino_t closest = 0;
    for (const std::uint64_t pages : order) {
      blocks.push_back(publish(*pool, pages * kPage, 'a'));
      if (pages == 9) closest = inodeOf(blocks.back()->path());
    }
    for (auto& block : blocks) acknowledge(std::move(block));
    EXPECT_EQ(closest, inodeOf(publish(*pool, 8 * kPage, 'b')->path()));
  }
}

TEST_F(SharedPoolTest, OfSlotsOfOneSizeTheLastUsedIsTaken) {
  const auto pool = open();
  auto one = publish(*pool, kPage, 'a');
  auto two = publish(*pool, kPage, 'a');
  const ino_t last = inodeOf(one->path());
  acknowledge(std::move(two));
  acknowledge(std::move(one));
  EXPECT_EQ(last, inodeOf(publish(*pool, kPage, 'b')->path()));
}

TEST_F(SharedPoolTest, AFreeSlotStaysIfThePoolHasRoomForIt) {
  const auto pool = open(10 * kPage);
  acknowledge(publish(*pool, 7 * kPage, 'a'));
  const auto block = publish(*pool, 3 * kPage, 'b');
  EXPECT_EQ(1u, pool->use().freeSlots);
  EXPECT_EQ(10 * kPage, pool->use().bytes);
}

TEST_F(SharedPoolTest, ABatchOfLessThanHalfLeavesALargerSlotAsItIs) {
  const auto pool = open();
  auto large = publish(*pool, 20 * kPage, 'a');
  const ino_t warm = inodeOf(large->path());
  acknowledge(std::move(large));
  EXPECT_NE(warm, inodeOf(publish(*pool, 9 * kPage, 'b')->path()));
  EXPECT_EQ(1u, pool->use().freeSlots);
  EXPECT_EQ(20 * kPage, pool->use().bytes);
  EXPECT_EQ(warm, inodeOf(publish(*pool, 10 * kPage, 'c')->path()));
}

TEST_F(SharedPoolTest, AFileThatAReaderCutShortServesNoOtherBatch) {
  const auto pool = open();
  auto lent = publish(*pool, 4 * kPage, 'a');
  const ino_t cut = inodeOf(lent->path());
  fs::resize_file(lent->path(), kPage);
  acknowledge(std::move(lent));
  const auto next = publish(*pool, 4 * kPage, 'b');
  EXPECT_NE(cut, inodeOf(next->path()));
  EXPECT_EQ(std::string(4 * kPage, 'b'), readFile(next->path()));
}

TEST_F(SharedPoolTest, FreeSlotsMakeRoomAndLentOnesDoNot) {
  const auto pool = open(10 * kPage);
  auto one = publish(*pool, 4 * kPage, 'a');
  acknowledge(publish(*pool, 6 * kPage, 'b'));
  acknowledge(publish(*pool, kPage, 'c'));
  EXPECT_LE(pool->use().bytes, 10 * kPage);
  EXPECT_CODE(kSharedFull, pool->allocate(6 * kPage + 1));
  EXPECT_CODE(kTooLarge, pool->allocate(10 * kPage + 1));
  const auto two = publish(*pool, 6 * kPage, 'd');
  EXPECT_CODE(kSharedFull, pool->allocate(1));
  one.reset();
  EXPECT_EQ(4 * kPage, pool->allocate(4 * kPage)->size());
  EXPECT_EQ(std::string(6 * kPage, 'd'), readFile(two->path()));
}

TEST_F(SharedPoolTest, ABlockIsNoLargerThanNodeCanView) {
  EXPECT_CODE(kTooLarge, open(std::uint64_t{1} << 62)->allocate(std::uint64_t{1} << 60));
}

TEST_F(SharedPoolTest, AFreeSlotThatSomebodyRemovedOrCutShortServesNoBatch) {
  const auto pool = open();
  acknowledge(publish(*pool, 2 * kPage, 'a'));
  fs::remove(directory_.path() + '/' + directory_.files(".slot")[0]);
  auto block = publish(*pool, 2 * kPage, 'b');
  EXPECT_EQ(std::string(2 * kPage, 'b'), readFile(block->path()));
  acknowledge(std::move(block));
  fs::resize_file(directory_.path() + '/' + directory_.files(".slot")[0], kPage);
  block = publish(*pool, 2 * kPage, 'c');
  EXPECT_EQ(std::string(2 * kPage, 'c'), readFile(block->path()));
}

TEST_F(SharedPoolTest, TrimUnlinksFreeSlotsOnly) {
  const auto pool = open();
  const auto block = publish(*pool, kPage, 'a');
  acknowledge(publish(*pool, kPage, 'b'));
  pool->trim(SharedPool::Clock::now() - std::chrono::hours(1));
  EXPECT_EQ(1u, pool->use().freeSlots);
  pool->trim(SharedPool::Clock::now());
  EXPECT_EQ(0u, pool->use().freeSlots);
  EXPECT_EQ(kPage, pool->use().bytes);
  EXPECT_TRUE(fs::exists(block->path()));
}

TEST_F(SharedPoolTest, AClosedPoolGivesNoBlockAndKeepsNoFile) {
  const auto pool = open();
  auto block = publish(*pool, kPage, 'a');
  acknowledge(publish(*pool, kPage, 'b'));
  pool->close();
  pool->close();
  EXPECT_CODE(kReleased, pool->allocate(1));
  EXPECT_EQ(std::string(kPage, 'a'), readFile(block->path()));
  acknowledge(std::move(block));
  EXPECT_TRUE(directory_.files(".slot").empty());
  EXPECT_TRUE(directory_.files(".safetensors").empty());
}

TEST_F(SharedPoolTest, LeavesNothingBehind) {
  auto pool = open();
  auto block = publish(*pool, kPage, 'a');
  acknowledge(publish(*pool, kPage, 'b'));
  pool.reset();
  EXPECT_TRUE(fs::exists(block->path())) << "a block may outlive its pool";
  block.reset();
  EXPECT_TRUE(directory_.files().empty());
}

TEST_F(SharedPoolTest, ADirectoryThatCannotBeUsedIsAnError) {
  const auto openAt = [](const std::string& directory, std::uint64_t maxBytes = 1) {
    return SharedPool::open({.directory = directory, .maxBytes = maxBytes});
  };
  EXPECT_CODE(kInvalidArg, openAt("relative"));
  EXPECT_CODE(kInvalidArg, openAt("/dev/shm", 0));
  EXPECT_CODE(kSharedUnavailable, openAt(directory_.path() + "/none"));
}

TEST_F(SharedPoolTest, ThreadsNeverShareASlot) {
  const auto pool = open(40 * kPage);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&pool, thread] {
      test::Random random(static_cast<unsigned>(thread));
      for (int round = 0; round < 200; ++round) {
        const std::uint64_t bytes = 1 + random.below(10 * kPage);
        auto block = publish(*pool, bytes, static_cast<char>('a' + thread));
        ASSERT_EQ(std::string(bytes, static_cast<char>('a' + thread)), readFile(block->path()));
        if (random.chance(0.7)) block->acknowledge();
        if (random.chance(0.1)) fs::remove(block->path());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0u, pool->use().lentSlots);
  EXPECT_LE(pool->use().bytes, 40 * kPage);
  EXPECT_EQ(pool->use().freeSlots, directory_.files(".slot").size());
  EXPECT_TRUE(directory_.files(".safetensors").empty());
}

}  // namespace
}  // namespace rolltape
