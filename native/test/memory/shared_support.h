#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "../support.h"

namespace rolltape::test {

/// Names of what is in a directory with this end.
inline std::vector<std::string> filesIn(const std::string& directory, const std::string& end = "") {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(end)) names.push_back(name);
  }
  return names;
}

/// A new directory in shared memory where there is one, removed at the end.
class SharedDirectory {
 public:
  SharedDirectory() {
    const bool memory = std::filesystem::is_directory("/dev/shm");
    path_ = (memory ? std::string("/dev/shm") : std::filesystem::temp_directory_path().string()) + "/test-XXXXXX";
    if (!mkdtemp(path_.data())) ADD_FAILURE() << "no directory: " << path_;
  }
  ~SharedDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  SharedDirectory(const SharedDirectory&) = delete;
  SharedDirectory& operator=(const SharedDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::vector<std::string> files(const std::string& end = "") const { return filesIn(path_, end); }

 private:
  std::string path_;
};

/// A file mapped as a reader in another process would map it.
class Reader {
 public:
  explicit Reader(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY);
    struct stat status {};
    EXPECT_EQ(0, fstat(fd, &status)) << path;
    size_ = static_cast<std::size_t>(status.st_size);
    data_ = mmap(nullptr, size_, PROT_READ, MAP_SHARED, fd, 0);
    EXPECT_NE(MAP_FAILED, data_);
    close(fd);
  }
  ~Reader() { munmap(data_, size_); }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  std::string text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

inline std::string readFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline ino_t inodeOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(0, stat(path.c_str(), &status)) << path;
  return status.st_ino;
}

}  // namespace rolltape::test
