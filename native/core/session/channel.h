#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../base/dtype.h"

namespace rolltape {

/// A channel: values that an engine gave beside the ids of tokens, such as the experts that a token went through.
///
/// Each token has one item, `shape` values of `dtype`; or, in a ragged channel, any number of items.
struct ChannelSpec {
  /// Of the tensor: a to z, 0 to 9 and `_`, a letter first, and no other tensor of a batch has it.
  std::string name;
  Dtype dtype = Dtype::kF32;
  /// Extents of an item, for example [layers, top_k]. Empty: one value.
  std::vector<std::uint32_t> shape = {};
  /// Name of the tensor that says which items are of which token. Empty if the channel is not ragged.
  std::string offsets = {};
  /// The tokens that may have values: all tokens of a sequence, or only outputs.
  bool ofSequence = false;

  bool isRagged() const { return !offsets.empty(); }
  /// Name of the tensor that says which tokens have an item, if the channel is not ragged.
  std::string maskName() const { return name + "_mask"; }
  std::uint64_t itemBytes() const;
  friend bool operator==(const ChannelSpec&, const ChannelSpec&) = default;
  /// An order for sets. libc++ 16 has no <=> for vectors.
  friend bool operator<(const ChannelSpec& a, const ChannelSpec& b) {
    return std::tie(a.name, a.dtype, a.shape, a.offsets, a.ofSequence) <
           std::tie(b.name, b.dtype, b.shape, b.offsets, b.ofSequence);
  }
};

inline constexpr std::uint64_t kMaxItemBytes = std::uint64_t{1} << 16;
inline constexpr std::size_t kMaxChannelRank = 4;
/// Of one call.
inline constexpr std::size_t kMaxChannels = 64;

/// @throws kInvalidArg for a channel that no batch can have.
void requireChannel(const ChannelSpec& spec);

/// The items of consecutive tokens.
struct ChannelRun {
  const ChannelSpec* spec;
  /// Tokens [first, first + count) have them, counted from the start of the interaction's sequence.
  std::uint32_t first;
  std::uint32_t count;
  const std::byte* values;
  /// Of a ragged channel: items before each of these tokens, and the number of all. Else null.
  const std::uint32_t* starts;

  std::uint32_t end() const { return first + count; }
  /// Items before the token at `position`, which is one of these or the next.
  std::uint64_t itemsBefore(std::uint32_t position) const {
    return starts == nullptr ? position - first : starts[position - first];
  }
  /// Bytes of the items of tokens [from, to), which are some of these.
  std::span<const std::byte> bytes(std::uint32_t from, std::uint32_t to) const {
    const std::uint64_t size = spec->itemBytes();
    return {values + itemsBefore(from) * size, (itemsBefore(to) - itemsBefore(from)) * size};
  }
};

/// All that an interaction has, those of a channel in the order of tokens.
using ChannelRuns = std::vector<ChannelRun>;

/// A run that owns its values, while a call is not recorded. Its tokens are counted from the first output, or from the
/// start of the sequence if the channel is of sequences.
struct ChannelBuffer {
  ChannelSpec spec;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> values = {};
  /// See ChannelRun::starts; empty if the channel is not ragged.
  std::vector<std::uint32_t> starts = {};

  std::uint32_t end() const { return first + count; }
  /// Items of each token from `from` on, as addChannel() takes them.
  std::vector<std::uint32_t> counts(std::uint32_t from) const;
  /// A view of the same, with the tokens at other positions.
  ChannelRun run(std::uint32_t shift) const {
    return {&spec, first + shift, count, values.data(), starts.empty() ? nullptr : starts.data()};
  }
};

/// Adds items of tokens from `first` on to buffers. All or nothing.
/// @param counts items of each token of a ragged channel; else empty
/// @throws kInvalidArg if there are kMaxChannels others, if the items are not whole, do not match the counts or tokens
/// that have some already, or if the channel had another dtype or shape before.
void addChannel(std::vector<ChannelBuffer>& buffers, const ChannelSpec& spec, std::uint32_t first,
                std::span<const std::byte> values, std::span<const std::uint32_t> counts);

/// Forgets the items of tokens from `end` on.
void truncateChannel(ChannelBuffer& buffer, std::uint32_t end);

}  // namespace rolltape
