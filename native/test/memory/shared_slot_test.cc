#include "../../memory/shared_slot.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>

#include "../../memory/shared_pool.h"
#include "shared_support.h"
#include "system_calls.h"

namespace rolltape {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPage = 4096;

class SharedSlotTest : public testing::Test {
 protected:
  std::unique_ptr<SharedSlot> make() { return std::make_unique<SharedSlot>(path_, nullptr); }
  /// Bytes that the file system has reserved for the file.
  std::uint64_t reserved() const {
    struct stat status {};
    EXPECT_EQ(0, stat(path_.c_str(), &status));
    return static_cast<std::uint64_t>(status.st_blocks) * 512;
  }

  test::SharedDirectory directory_;
  const std::string path_ = directory_.path() + "/one.slot";
  test::SystemCalls calls_;
};

TEST_F(SharedSlotTest, IsAFileOfExactlySoManyBytesWithAllItsPages) {
  const auto slot = make();
  for (const std::uint64_t bytes : {3 * kPage + 5, 5 * kPage, kPage, std::uint64_t{1}, 2 * kPage}) {
    slot->resize(bytes);
    EXPECT_EQ(bytes, slot->size());
    EXPECT_EQ(bytes, fs::file_size(path_));
    EXPECT_EQ(SharedSlot::footprintOf(bytes), slot->footprint());
    EXPECT_GE(reserved(), bytes);
    std::memset(slot->data(), 'a', bytes);
    EXPECT_EQ(std::string(bytes, 'a'), test::readFile(path_));
  }
}

TEST_F(SharedSlotTest, OfNoBytesHasAPage) {
  const auto slot = make();
  slot->resize(0);
  EXPECT_EQ(0u, slot->size());
  EXPECT_EQ(kPage, slot->footprint());
  EXPECT_NE(nullptr, slot->data());
}

#ifdef MADV_POPULATE_WRITE
TEST_F(SharedSlotTest, MapsThePagesThatAreAddedInOneGo) {
  using Advice = std::vector<std::pair<std::size_t, int>>;
  const auto slot = make();
  slot->resize(2 * kPage);
  slot->resize(5 * kPage);
  slot->resize(5 * kPage - 1);
  slot->resize(kPage);
  EXPECT_EQ((Advice{{2 * kPage, MADV_POPULATE_WRITE}, {3 * kPage, MADV_POPULATE_WRITE}}), calls_.advice);
}
#endif

#ifdef __linux__
TEST_F(SharedSlotTest, AsksForItsSpaceAgainIfASignalInterrupts) {
  int asked = 0;
  int written = 0;
  calls_.fallocate = [&] { return asked++ < 2 ? EINTR : 0; };
  calls_.pwrite = [&] { return ++written, 0; };
  const auto slot = make();
  slot->resize(3 * kPage);
  EXPECT_EQ(3, asked);
  EXPECT_EQ(0, written);
  EXPECT_EQ(3 * kPage, fs::file_size(path_));
}

TEST_F(SharedSlotTest, OfWhichTheFileSystemRefusesTheSpaceIsAnError) {
  calls_.fallocate = [] { return ENOSPC; };
  EXPECT_CODE(kSharedFull, make()->resize(kPage));
  calls_.fallocate = [] { return EIO; };
  EXPECT_CODE(kSharedUnavailable, make()->resize(kPage));
}

TEST_F(SharedSlotTest, IsWrittenWithZerosWhereSpaceCannotBeReserved) {
  calls_.fallocate = [] { return EOPNOTSUPP; };
  int written = 0;
  calls_.pwrite = [&] {
    errno = EAGAIN;  // Of an earlier call: only a call that failed has set it.
    calls_.mostWritten = written % 3 == 1 ? 0 : 1000;
    return written++ % 3 == 0 ? EINTR : 0;
  };
  const auto slot = make();
  slot->resize(kPage + 5);
  EXPECT_EQ(std::string(kPage + 5, '\0'), test::readFile(path_));
  EXPECT_GE(reserved(), kPage + 5);
  slot->data()[kPage + 4] = 'a';
  written = 0;
  slot->resize(3 * kPage);
  EXPECT_EQ(std::string(kPage + 4, '\0') + 'a' + std::string(2 * kPage - 5, '\0'), test::readFile(path_));
  EXPECT_GE(reserved(), 3 * kPage);
}

TEST_F(SharedSlotTest, ThatCannotBeWrittenWithZerosIsAnError) {
  calls_.fallocate = [] { return EOPNOTSUPP; };
  calls_.pwrite = [] { return ENOSPC; };
  EXPECT_CODE(kSharedFull, make()->resize(kPage));
}

TEST_F(SharedSlotTest, IsMappedOnce) {
  const auto slot = make();
  for (const std::uint64_t pages : {2, 9, 3, 3}) {
    slot->resize(pages * kPage);
    const std::string maps = test::readFile("/proc/self/maps");
    EXPECT_NE(std::string::npos, maps.find(path_));
    EXPECT_EQ(maps.find(path_), maps.rfind(path_));
  }
}

TEST_F(SharedSlotTest, ThatCannotBeMappedElsewhereIsAnError) {
  const auto slot = make();
  slot->resize(kPage);
  calls_.mremap = [] { return ENOMEM; };
  EXPECT_CODE(kOutOfMemory, slot->resize(2 * kPage));
}
#endif

TEST_F(SharedSlotTest, ThatCannotBeCutIsAnError) {
  const auto slot = make();
  slot->resize(2 * kPage);
  calls_.ftruncate = [] { return EIO; };
  EXPECT_NO_THROW(slot->resize(2 * kPage));
  EXPECT_CODE(kSharedUnavailable, slot->resize(kPage));
}

TEST_F(SharedSlotTest, IsNotMadeOfAFileThatIsThere) {
  const auto slot = make();
  EXPECT_CODE(kSharedUnavailable, make());
  EXPECT_TRUE(fs::exists(path_));
}

TEST_F(SharedSlotTest, IsReusableWhileItsOnlyNameLeadsToTheWholeFile) {
  const std::string other = directory_.path() + "/other";
  const auto slot = make();
  slot->resize(2 * kPage);
  EXPECT_TRUE(slot->isOurs());
  EXPECT_TRUE(slot->isReusable());

  fs::create_hard_link(path_, other);
  EXPECT_FALSE(slot->isOurs());
  EXPECT_FALSE(slot->isReusable());
  fs::remove(other);
  EXPECT_TRUE(slot->isReusable());

  fs::resize_file(path_, kPage);
  EXPECT_TRUE(slot->isOurs());
  EXPECT_FALSE(slot->isReusable());
  fs::resize_file(path_, 2 * kPage);

  fs::rename(path_, other);
  EXPECT_FALSE(slot->isOurs());
  EXPECT_FALSE(slot->isReusable());
  std::ofstream(path_) << "mine";
  EXPECT_FALSE(slot->isOurs());
  EXPECT_FALSE(slot->rename(directory_.path() + "/third"));
  EXPECT_EQ("mine", test::readFile(path_));
}

TEST_F(SharedSlotTest, UnlinksNoFileButItsOwn) {
  auto slot = make();
  fs::rename(path_, directory_.path() + "/moved");
  std::ofstream(path_) << "mine";
  slot.reset();
  EXPECT_EQ(2u, directory_.files().size());
  fs::remove(path_);
  slot = make();
  slot.reset();
  EXPECT_FALSE(fs::exists(path_));
}

TEST_F(SharedSlotTest, MayHaveAllThatTheFileSizeLimitAllows) {
  // In a child, because the limit holds for the whole process.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{10 * kPage, 10 * kPage};
    setrlimit(RLIMIT_FSIZE, &limit);
    int outcome = 1;
    try {
      make()->resize(10 * kPage);
      outcome = 0;
    } catch (const Error&) {
    }
    _exit(outcome);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(0, WEXITSTATUS(status));
}

}  // namespace
}  // namespace rolltape
