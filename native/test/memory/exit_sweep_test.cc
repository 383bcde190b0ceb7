#include "../../memory/exit_sweep.h"

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "../../memory/shared_pool.h"
#include "shared_support.h"

namespace rolltape {
namespace {

std::shared_ptr<SharedPool> openIn(const std::string& directory) {
  return SharedPool::open({.directory = directory, .maxBytes = 1 << 20});
}

TEST(ExitSweep, RemovesTheFilesOfAProcessThatExits) {
  // The program is started once more and runs this test up to its exit.
  constexpr const char* kVariable = "ROLLTAPE_TEST_DIRECTORY";
  std::optional<test::SharedDirectory> directory;
  if (std::getenv(kVariable) == nullptr) {
    setenv(kVariable, directory.emplace().path().c_str(), 1);
    std::ofstream(directory->path() + "/ended-0.slot") << "of a pool that ended before the process";
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        const auto pool = openIn(std::getenv(kVariable));
        const auto batch = pool->allocate(1);
        batch->publish();
        const auto unfinished = pool->allocate(1);
        { const ExitSweep ended(std::string(std::getenv(kVariable)) + "/ended-"); }
        std::exit(test::filesIn(std::getenv(kVariable)).size() == 4 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  unsetenv(kVariable);
  EXPECT_EQ(std::vector<std::string>{"ended-0.slot"}, directory->files());
}

TEST(ExitSweep, LeavesTheFilesOfAParentProcess) {
  const test::SharedDirectory directory;
  const auto pool = openIn(directory.path());
  const auto batch = pool->allocate(1);
  batch->publish();
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) std::exit(0);
  ASSERT_EQ(child, waitpid(child, nullptr, 0));
  EXPECT_EQ(2u, directory.files().size()) << "the batch and the lock";
}

TEST(ExitSweep, UnlinksTheFilesWithAPrefixAlone) {
  const test::SharedDirectory directory;
  for (const char* name : {"/a-0.slot", "/a-1.safetensors", "/ab-0.slot", "/b-a-0.slot"}) {
    std::ofstream(directory.path() + name) << "x";
  }
  unlinkFiles(directory.path() + "/a-");
  std::vector<std::string> left = directory.files();
  std::ranges::sort(left);
  EXPECT_EQ((std::vector<std::string>{"ab-0.slot", "b-a-0.slot"}), left);
  EXPECT_NO_THROW(unlinkFiles(directory.path() + "/none/a-"));
}

}  // namespace
}  // namespace rolltape
