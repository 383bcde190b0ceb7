#include "channels.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "../../base/parallel.h"
#include "../channels.h"

namespace rolltape {

namespace {

/// Where the tokens of each row lie in tensors with an entry per token, and where they all end. Padding belongs to its
/// row.
std::vector<std::uint64_t> rowPlaces(const Plan& plan) {
  std::vector<std::uint64_t> places{0};
  for (const PlanRow& row : plan.rows()) {
    const RowTokens tokens = rowTokens(plan, row);
    const bool isPadded = plan.options().layout == Layout::kPadded;
    places.push_back(places.back() + (isPadded ? plan.shape().length : tokens.end - tokens.begin));
  }
  return places;
}

/// Writes one channel, row after row.
class ChannelRows {
 public:
  ChannelRows(const Plan& plan, const BatchChannel& channel, std::span<const std::uint64_t> places,
              const BatchBlock& block)
      : plan_(plan),
        channel_(channel),
        places_(places),
        itemBytes_(channel.spec.itemBytes()),
        items_(block.tensor<std::byte>(channel.spec.name)) {
    if (channel.spec.isRagged()) {
      offsets_ = block.tensor<std::int64_t>(channel.spec.offsets);
    } else {
      mask_ = block.tensor<std::uint8_t>(channel.spec.maskName());
    }
  }

  void write(std::size_t index) {
    const PlanRow& row = plan_.rows()[index];
    const RowTokens tokens = rowTokens(plan_, row);
    listStretches(plan_, row, channel_.spec, stretches_);
    at_ = places_[index];
    item_ = channel_.spec.isRagged() ? channel_.rowStarts[index] : 0;
    const std::uint64_t end = places_[index + 1];
    const bool isLeft = plan_.options().layout == Layout::kPadded && plan_.options().padSide == PadSide::kLeft;
    const std::uint64_t first = isLeft ? end - (tokens.end - tokens.begin) : at_;
    for (const ChannelStretch& stretch : stretches_) {
      skipTo(first + (stretch.from - tokens.begin));
      copy(stretch);
    }
    skipTo(end);
  }

  void finish() {
    if (offsets_ != nullptr) offsets_[places_.back()] = static_cast<std::int64_t>(channel_.items());
  }

 private:
  /// Writes tokens without an item.
  void skipTo(std::uint64_t place) {
    if (offsets_ != nullptr) {
      std::fill(offsets_ + at_, offsets_ + place, static_cast<std::int64_t>(item_));
    } else {
      std::memset(items_ + at_ * itemBytes_, 0, (place - at_) * itemBytes_);
      std::memset(mask_ + at_, 0, place - at_);
    }
    at_ = place;
  }

  void copy(const ChannelStretch& stretch) {
    const std::span<const std::byte> bytes = stretch.run->bytes(stretch.from, stretch.to);
    const std::uint64_t to = offsets_ != nullptr ? item_ : at_;
    if (!bytes.empty()) std::memcpy(items_ + to * itemBytes_, bytes.data(), bytes.size());
    const std::uint32_t count = stretch.to - stretch.from;
    if (offsets_ != nullptr) {
      const std::uint64_t before = stretch.run->itemsBefore(stretch.from);
      for (std::uint32_t i = 0; i < count; ++i) {
        offsets_[at_ + i] = static_cast<std::int64_t>(item_ + stretch.run->itemsBefore(stretch.from + i) - before);
      }
      item_ += stretch.items();
    } else {
      std::memset(mask_ + at_, 1, count);
    }
    at_ += count;
  }

  const Plan& plan_;
  const BatchChannel& channel_;
  std::span<const std::uint64_t> places_;
  std::uint64_t itemBytes_;
  std::byte* items_;
  std::uint8_t* mask_ = nullptr;
  std::int64_t* offsets_ = nullptr;
  std::vector<ChannelStretch> stretches_;
  /// The next token and the next item of a ragged channel.
  std::uint64_t at_ = 0;
  std::uint64_t item_ = 0;
};

}  // namespace

void writeChannels(const Plan& plan, const BatchBlock& block, unsigned threads) {
  if (plan.shape().channels.empty()) return;
  const std::vector<std::uint64_t> places = rowPlaces(plan);
  for (const BatchChannel& channel : plan.shape().channels) {
    // A row belongs to the thread in whose part of the tokens it begins. The last one may begin where they end.
    parallelRanges(places.back() + 1, threads, [&](std::uint64_t begin, std::uint64_t end) {
      ChannelRows rows(plan, channel, places, block);
      const auto first = std::ranges::lower_bound(places, begin) - places.begin();
      const auto last = std::ranges::lower_bound(places, end) - places.begin();
      const auto count = static_cast<std::ptrdiff_t>(plan.rows().size());
      for (auto i = first; i < std::min(last, count); ++i) rows.write(static_cast<std::size_t>(i));
    });
    ChannelRows(plan, channel, places, block).finish();
  }
}

}  // namespace rolltape
