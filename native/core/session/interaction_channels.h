#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "channel.h"

namespace rolltape {

/// The items of the channels of one interaction as they are from some moment on. Immutable.
struct InteractionChannels {
  /// Those that the call recorded, then those that were added later.
  ChannelRuns runs;
  /// Number of the runs that the call recorded.
  std::size_t recorded = 0;
  /// The moment, see nextChannelMoment(). 0 for what the call recorded.
  std::uint64_t since = 0;
  /// The items before that moment. Null: there were none.
  const InteractionChannels* before = nullptr;
};

/// A moment after every addition so far.
inline constexpr std::uint64_t kNewestChannels = std::numeric_limits<std::uint64_t>::max();

/// Returns the moment of the next addition of items. Moments ascend over all sessions of the process, so a plan that
/// remembers one moment has one state of every session, whatever is added while it is packed.
std::uint64_t nextChannelMoment();
/// Returns the moment of the last addition.
std::uint64_t lastChannelMoment();

/// The items of an interaction. One thread may add items while others read.
class CurrentChannels {
 public:
  CurrentChannels() = default;
  CurrentChannels(const CurrentChannels& other) : newest_(other.newest()) {}
  CurrentChannels& operator=(const CurrentChannels& other) {
    set(other.newest());
    return *this;
  }

  const InteractionChannels* newest() const { return newest_.load(std::memory_order_acquire); }
  /// Returns the items at a moment. Null: there were none.
  const InteractionChannels* at(std::uint64_t moment) const {
    const InteractionChannels* found = newest();
    while (found != nullptr && found->since > moment) found = found->before;
    return found;
  }
  void set(const InteractionChannels* channels) { newest_.store(channels, std::memory_order_release); }

 private:
  std::atomic<const InteractionChannels*> newest_ = nullptr;
};

}  // namespace rolltape
