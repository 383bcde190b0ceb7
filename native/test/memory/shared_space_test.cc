#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../memory/shared_pool.h"
#include "shared_support.h"

namespace rolltape {
namespace {

constexpr std::uint64_t kPage = 4096;

/// A file system of 64 pages, where this user may mount one.
class SharedSpaceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (mount("none", directory_.path().c_str(), "tmpfs", 0, "size=256k") != 0) GTEST_SKIP() << "mounting needs root";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount2(directory_.path().c_str(), MNT_DETACH);
  }
  std::shared_ptr<SharedPool> open() {
    return SharedPool::open({.directory = directory_.path(), .maxBytes = 1000 * kPage});
  }

  test::SharedDirectory directory_;
  bool mounted_ = false;
};

TEST_F(SharedSpaceTest, AFullFileSystemIsAnErrorAndNothingIsLost) {
  const auto pool = open();
  const auto block = pool->allocate(40 * kPage);
  std::memset(block->data(), 'a', block->size());
  block->publish();
  EXPECT_CODE(kSharedFull, pool->allocate(40 * kPage));
  EXPECT_EQ(40 * kPage, pool->use().bytes);
  EXPECT_EQ(1u, pool->use().lentSlots);
  EXPECT_EQ(std::string(40 * kPage, 'a'), test::readFile(block->path()));
  EXPECT_EQ(10 * kPage, pool->allocate(10 * kPage)->size());
}

TEST_F(SharedSpaceTest, ASlotThatCannotGrowIsGivenUpAndItsSpaceUsed) {
  const auto pool = open();
  {
    const auto one = pool->allocate(20 * kPage);
    const auto two = pool->allocate(30 * kPage);
  }
  EXPECT_EQ(2u, pool->use().freeSlots);
  const auto block = pool->allocate(60 * kPage);
  std::memset(block->data(), 'a', block->size());
  EXPECT_EQ(0u, pool->use().freeSlots);
  EXPECT_EQ(60 * kPage, pool->use().bytes);
}

TEST_F(SharedSpaceTest, WritingAllocatedBlocksNeverRunsOutOfSpace) {
  const auto pool = open();
  std::vector<std::unique_ptr<Block>> blocks;
  EXPECT_CODE(kSharedFull, for (;;) blocks.push_back(pool->allocate(7 * kPage)));
  EXPECT_GE(blocks.size(), 8u);
  for (const auto& block : blocks) std::memset(block->data(), 'a', block->size());
}

TEST(SharedFileSizeLimit, IsAnErrorAndNoSignal) {
  const test::SharedDirectory directory;
  const auto pool = SharedPool::open({.directory = directory.path(), .maxBytes = 100 * kPage});
  // In a child, because the limit holds for the whole process.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{10 * kPage, 10 * kPage};
    setrlimit(RLIMIT_FSIZE, &limit);
    int outcome = 1;
    try {
      pool->allocate(20 * kPage);
    } catch (const Error& error) {
      outcome = error.code() == ErrorCode::kSharedFull ? 0 : 2;
    }
    _exit(outcome);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status));
}

/// Makes a pool in a child with one published batch and one free slot, and kills the child.
void leaveDeadPool(const std::string& directory) {
  int ready[2];
  ASSERT_EQ(0, pipe(ready));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const auto pool = SharedPool::open({.directory = directory, .maxBytes = 100 * kPage});
    const auto block = pool->allocate(kPage);
    std::memset(block->data(), 'd', block->size());
    block->publish();
    pool->allocate(kPage).reset();
    if (write(ready[1], "", 1) == 1) pause();
    _exit(1);
  }
  char byte = 0;
  EXPECT_EQ(1, read(ready[0], &byte, 1));
  close(ready[0]);
  close(ready[1]);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(SharedPoolOfADeadProcess, IsRemovedByTheNextAndItsReadersKeepWhatTheyMapped) {
  const test::SharedDirectory directory;
  leaveDeadPool(directory.path());
  ASSERT_EQ(1u, directory.files(".safetensors").size());
  const test::Reader reader(directory.path() + '/' + directory.files(".safetensors")[0]);
  const auto pool = SharedPool::open({.directory = directory.path(), .maxBytes = 100 * kPage});
  EXPECT_EQ(1u, directory.files().size()) << "the new pool's lock alone";
  EXPECT_EQ(std::string(kPage, 'd'), reader.text());
}

TEST(SharedPoolOfALivingProcess, IsLeftAlone) {
  const test::SharedDirectory directory;
  const auto pool = SharedPool::open({.directory = directory.path(), .maxBytes = 100 * kPage});
  const auto block = pool->allocate(kPage);
  block->publish();
  const auto second = SharedPool::open({.directory = directory.path(), .maxBytes = 100 * kPage});
  EXPECT_FALSE(block->taken());
  EXPECT_EQ(2u, directory.files(".lock").size());
}

TEST(SharedPoolStart, PassesOverWhatIsNoLockOfOurs) {
  const test::SharedDirectory directory;
  const std::string start = directory.path() + "/rolltape-1-0123456789abcdef";
  ASSERT_EQ(0, mkfifo((start + ".lock").c_str(), 0600));
  std::ofstream(start + "-0.slot") << "x";
  ASSERT_EQ(0, symlink("/etc/passwd", (directory.path() + "/rolltape-2-0.lock").c_str()));
  std::ofstream(directory.path() + "/other.safetensors") << "y";
  {
    const auto pool = SharedPool::open({.directory = directory.path(), .maxBytes = kPage});
    EXPECT_EQ(5u, directory.files().size());
  }
  EXPECT_EQ(4u, directory.files().size());
}

}  // namespace
}  // namespace rolltape
