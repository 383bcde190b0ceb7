#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace rolltape {

enum class BlockKind { kHeap, kShared, kPinned };

/// Memory for one batch, uninitialized, aligned to at least 64 bytes. The destructor frees it or gives it back to
/// where it came from. May be used and destroyed on any one thread at a time.
class Block {
 public:
  virtual ~Block() = default;

  virtual std::uint8_t* data() const = 0;
  /// What was asked for, in bytes.
  virtual std::size_t size() const = 0;
  virtual BlockKind kind() const = 0;

  /// All bytes are written: readers elsewhere may see the block from now on. @throws Error kSharedUnavailable.
  virtual void publish() {}
  /// The file that readers elsewhere open, once it is published; empty for memory of this process alone.
  virtual std::string path() const { return {}; }
  /// A reader elsewhere has taken the file away, and its memory with it.
  virtual bool taken() const { return false; }
  /// Every reader elsewhere is done: what they read may be overwritten once the block is destroyed.
  virtual void acknowledge() {}

 protected:
  Block() = default;
  Block(const Block&) = default;
  Block& operator=(const Block&) = default;
};

/// A kind of memory. Thread-safe.
class BlockSource {
 public:
  BlockSource() = default;
  BlockSource(const BlockSource&) = delete;
  BlockSource& operator=(const BlockSource&) = delete;
  virtual ~BlockSource() = default;

  /// A block of exactly so many bytes, perhaps 0.
  /// @throws Error kTooLarge over kMaxBlockBytes, kOutOfMemory, and what the kind of memory adds.
  virtual std::unique_ptr<Block> allocate(std::uint64_t bytes) = 0;
};

}  // namespace rolltape
