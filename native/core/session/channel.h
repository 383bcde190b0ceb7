#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "../base/dtype.h"

namespace rolltape {

/// A channel: values that an engine gives for tokens in addition to ids and log probabilities, such as the experts that
/// a token went through.
///
/// An item is `shape` values of `dtype`. Each token has one item, or in a ragged channel any number of items.
struct ChannelSpec {
  /// Name of the tensor in batches: a letter, then letters a to z, digits and `_`. No other tensor has it.
  std::string name;
  Dtype dtype = Dtype::kF32;
  /// Extents of an item, for example [layers, top_k]. Empty: one value.
  std::vector<std::uint32_t> shape = {};
  /// Name of the tensor with the first item of each token. Empty if the channel is not ragged.
  std::string offsets = {};
  /// True: all tokens of a sequence may have items. False: only outputs may.
  bool ofSequence = false;
  /// The token ids that the values of an item belong to, in order. Empty if they belong to none.
  std::vector<std::int32_t> tokenIds = {};

  bool isRagged() const { return !offsets.empty(); }
  /// Name of the tensor that says which tokens have an item, if the channel is not ragged.
  std::string maskName() const { return name + "_mask"; }
  /// Returns the name of its other tensor in batches.
  std::string otherTensor() const { return isRagged() ? offsets : maskName(); }
  std::uint64_t itemBytes() const;
  friend bool operator==(const ChannelSpec&, const ChannelSpec&) = default;
  /// An order for sets. libc++ 16 has no <=> for vectors.
  friend bool operator<(const ChannelSpec& a, const ChannelSpec& b) {
    return std::tie(a.name, a.dtype, a.shape, a.offsets, a.ofSequence, a.tokenIds) <
           std::tie(b.name, b.dtype, b.shape, b.offsets, b.ofSequence, b.tokenIds);
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
  /// The items are those of tokens [first, first + count) of the interaction's sequence.
  std::uint32_t first;
  std::uint32_t count;
  const std::byte* values;
  /// Of a ragged channel: the number of items before each of these tokens, and then of all items. Otherwise null.
  const std::uint32_t* starts;

  std::uint32_t end() const { return first + count; }
  /// Returns the number of items before the token at `position`, which is in [first, end()].
  std::uint64_t itemsBefore(std::uint32_t position) const {
    return starts == nullptr ? position - first : starts[position - first];
  }
  /// Returns the bytes of the items of tokens [from, to), which must be within [first, end()).
  std::span<const std::byte> bytes(std::uint32_t from, std::uint32_t to) const {
    const std::uint64_t size = spec->itemBytes();
    return {values + itemsBefore(from) * size, (itemsBefore(to) - itemsBefore(from)) * size};
  }
};

/// All runs of an interaction. Runs of the same channel are in the order of tokens.
using ChannelRuns = std::vector<ChannelRun>;

/// A run that owns its values, for a call that is not recorded yet. Tokens are counted from the first output, or from
/// the start of the sequence if `spec.ofSequence`.
struct ChannelBuffer {
  ChannelSpec spec;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  std::vector<std::byte> values = {};
  /// See ChannelRun::starts; empty if the channel is not ragged.
  std::vector<std::uint32_t> starts = {};

  std::uint32_t end() const { return first + count; }
  /// Returns a view of this buffer whose positions are greater by `shift`.
  ChannelRun run(std::uint32_t shift) const {
    return {&spec, first + shift, count, values.data(), starts.empty() ? nullptr : starts.data()};
  }
};

/// The names of the tensors of channels.
class TensorNames {
 public:
  /// Returns false if a tensor of an earlier channel has one of the names.
  bool add(const ChannelSpec& spec) {
    return names_.insert(spec.name).second && names_.insert(spec.otherTensor()).second;
  }

 private:
  std::set<std::string> names_;
};

/// Returns how many tokens these items are of.
/// @throws kInvalidArg as requireChannel() does, if an item is incomplete, or if the counts do not add up to the items.
std::uint64_t countTokens(const ChannelSpec& spec, std::size_t bytes, std::span<const std::uint32_t> counts);

/// Returns the items of tokens from `first` on. Takes the values without a copy.
/// @param counts number of items of each token, for a ragged channel; otherwise empty
/// @throws kInvalidArg if an item is incomplete, if a BOOL is not 0 or 1, or if the counts do not add up to the items.
ChannelBuffer makeChannel(const ChannelSpec& spec, std::uint32_t first, std::vector<std::byte> values,
                          std::span<const std::uint32_t> counts);

/// Makes room in the buffers for the parts, whose positions count from the same token.
/// @throws kInvalidArg if there are kMaxChannels others, if a token at or after the first of a part has items already,
/// or if the buffers have a channel of this name that is not equal.
void reserveChannels(std::vector<ChannelBuffer>& buffers, std::span<const ChannelBuffer> parts);
/// Adds the parts, after reserveChannels(). Cannot throw then.
void appendChannels(std::vector<ChannelBuffer>& buffers, std::vector<ChannelBuffer> parts);

/// Removes the items of tokens before `from`, which is at most buffer.end().
void dropFront(ChannelBuffer& buffer, std::uint32_t from);
/// Removes the items of tokens from `end` on.
void truncateChannel(ChannelBuffer& buffer, std::uint32_t end);

}  // namespace rolltape
