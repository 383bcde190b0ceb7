#include "../../memory/pool_lock.h"

#include <cerrno>

#include "shared_support.h"
#include "system_calls.h"

namespace rolltape {
namespace {

class PoolLockTest : public testing::Test {
 protected:
  static bool isThere(const PoolLock& lock) { return std::filesystem::exists(lock.prefix() + ".lock"); }

  test::SharedDirectory directory_;
  test::SystemCalls calls_;
};

TEST_F(PoolLockTest, TakesAnotherNameIfItsNameIsTaken) {
  int made = 0;
  calls_.open = [&] { return made++ == 0 ? EEXIST : 0; };
  const PoolLock lock(directory_.path());
  EXPECT_EQ(2, made);
  EXPECT_TRUE(isThere(lock));
}

TEST_F(PoolLockTest, TakesAnotherNameIfAnotherProcessHasLockedItsFile) {
  int tried = 0;
  calls_.flock = [&] { return tried++ == 0 ? EWOULDBLOCK : 0; };
  const PoolLock lock(directory_.path());
  EXPECT_EQ(2, tried);
  EXPECT_TRUE(isThere(lock));
  EXPECT_EQ(2u, directory_.files(".lock").size()) << "the first belongs to the other process";
}

TEST_F(PoolLockTest, TakesAnotherNameIfAnotherProcessHasRemovedItsFile) {
  int tried = 0;
  calls_.flock = [&] {
    if (tried++ == 0) std::filesystem::remove(directory_.path() + '/' + directory_.files(".lock")[0]);
    return 0;
  };
  const PoolLock lock(directory_.path());
  EXPECT_EQ(2, tried);
  EXPECT_TRUE(isThere(lock));
}

TEST_F(PoolLockTest, OfAFileSystemWithoutLocksIsAnErrorAndLeavesNoFile) {
  calls_.flock = [] { return ENOLCK; };
  EXPECT_CODE(kSharedUnavailable, PoolLock(directory_.path()));
  EXPECT_TRUE(directory_.files().empty());
}

TEST_F(PoolLockTest, OfADirectoryWithoutSpaceIsAnError) {
  calls_.open = [] { return ENOSPC; };
  EXPECT_CODE(kSharedFull, PoolLock(directory_.path()));
}

}  // namespace
}  // namespace rolltape
