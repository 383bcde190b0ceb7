#include "../../memory/heap_block.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support.h"
#include "system_calls.h"

namespace rolltape {
namespace {

TEST(HeapBlock, IsAlignedForAnyTensor) {
  for (const std::uint64_t bytes : {0, 1, 63, 64, 5 << 20}) {
    const HeapBlock block(bytes);
    EXPECT_EQ(bytes, block.size());
    EXPECT_NE(nullptr, block.data());
    EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(block.data()) % 64);
  }
}

TEST(HeapBlock, IsMemoryOfThisProcessAlone) {
  HeapBlock block(1);
  block.publish();
  EXPECT_EQ(BlockKind::kHeap, block.kind());
  EXPECT_EQ("", block.path());
  EXPECT_FALSE(block.taken());
}

#ifdef __linux__
TEST(HeapBlock, AsksForHugePagesIfItIsLarge) {
  using Advice = std::vector<std::pair<std::size_t, int>>;
  constexpr std::size_t huge = 2 << 20;
  test::SystemCalls calls;
  const HeapBlock small(2 * huge - 1);
  EXPECT_EQ(Advice{}, calls.advice);
  const HeapBlock large(2 * huge + 1);
  EXPECT_EQ((Advice{{3 * huge, MADV_HUGEPAGE}}), calls.advice);
  EXPECT_EQ(0u, reinterpret_cast<std::uintptr_t>(large.data()) % huge);
}
#endif

TEST(HeapBlock, MoreThanNodeCanViewIsAnError) {
  EXPECT_CODE(kTooLarge, HeapBlock(std::uint64_t{1} << 32));
  EXPECT_CODE(kTooLarge, HeapBlock(~std::uint64_t{0}));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(HeapBlock, MemoryThatIsNotThereIsAnError) {
  // In a child, because the limit holds for the whole process.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{std::uint64_t{1} << 30, std::uint64_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
    int outcome = 1;
    try {
      const HeapBlock block(std::uint64_t{2} << 30);
    } catch (const Error& error) {
      outcome = error.code() == ErrorCode::kOutOfMemory ? 0 : 2;
    }
    _exit(outcome);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(0, WEXITSTATUS(status));
}
#endif

}  // namespace
}  // namespace rolltape
