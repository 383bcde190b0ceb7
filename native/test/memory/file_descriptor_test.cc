#include "../../memory/file_descriptor.h"

#include <fcntl.h>
#include <sys/wait.h>

#include "../support.h"

namespace rolltape {
namespace {

bool isOpen(int fd) {
  return fcntl(fd, F_GETFD) != -1;
}

int openSomething() {
  return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

TEST(FileDescriptor, IsClosedAtItsEnd) {
  int fd = -1;
  {
    const FileDescriptor file(openSomething());
    fd = file.get();
    EXPECT_TRUE(file);
    EXPECT_TRUE(isOpen(fd));
  }
  EXPECT_FALSE(isOpen(fd));
}

TEST(FileDescriptor, IsNoneWithoutAFile) {
  EXPECT_FALSE(FileDescriptor());
  EXPECT_FALSE(FileDescriptor(-1));
}

TEST(FileDescriptor, GivesItsFileToAnother) {
  FileDescriptor one(openSomething());
  const int fd = one.get();
  FileDescriptor two(std::move(one));
  EXPECT_EQ(fd, two.get());
  FileDescriptor three;
  three = std::move(two);
  EXPECT_EQ(fd, three.get());
  EXPECT_TRUE(isOpen(fd));
}

TEST(FileDescriptor, MayBeTheFirstOfAProcess) {
  // In a child, which has no standard input then.
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    close(0);
    bool isFile = false;
    {
      const FileDescriptor file(openSomething());
      isFile = file.get() == 0 && file;
    }
    _exit(isFile && !isOpen(0) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(0, WEXITSTATUS(status));
}

}  // namespace
}  // namespace rolltape
