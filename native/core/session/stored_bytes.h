#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "../base/error.h"

namespace rolltape {

using StoredBytes = std::span<const std::uint8_t>;

[[noreturn]] inline void throwStored(const std::string& problem) {
  throw Error(ErrorCode::kStoredInvalid, problem);
}

inline void requireStored(bool condition, const char* problem) {
  if (!condition) throwStored(problem);
}

inline void requireStoredLength(StoredBytes bytes, std::uint64_t needed) {
  if (bytes.size() >= needed) return;
  throwStored("truncated: " + std::to_string(bytes.size()) + " of " + std::to_string(needed) + " bytes");
}

/// Runs `restore`. Whatever it refuses is a fault of the stored bytes.
template <typename Restore>
void requireRestored(Restore restore) {
  try {
    restore();
  } catch (const Error& error) {
    throwStored(error.what());
  }
}

/// Returns value `index` of an array, which need not be aligned.
template <typename T>
T valueAt(StoredBytes array, std::size_t index) {
  T value;
  std::memcpy(&value, array.data() + index * sizeof value, sizeof value);
  return value;
}

/// Takes arrays from the front of the bytes. The caller must have checked that there are enough.
class StoredInput {
 public:
  explicit StoredInput(StoredBytes bytes) : rest_(bytes) {}

  StoredBytes take(std::size_t bytes) {
    const StoredBytes taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }
  StoredBytes takeWords(std::size_t count) { return take(4 * count); }
  StoredBytes rest() const { return rest_; }

 private:
  StoredBytes rest_;
};

/// Writes values one after another.
class StoredOutput {
 public:
  explicit StoredOutput(std::uint8_t* to) : to_(to) {}

  template <typename T>
  void add(const T& value) {
    addAll(std::span<const T>(&value, 1));
  }
  template <typename T>
  void addAll(std::span<const T> values) {
    if (values.empty()) return;
    std::memcpy(to_, values.data(), values.size_bytes());
    to_ += values.size_bytes();
  }
  const std::uint8_t* end() const { return to_; }

 private:
  std::uint8_t* to_;
};

}  // namespace rolltape
