#include "channels.h"

#include <algorithm>
#include <vector>

#include "../../base/parallel.h"
#include "../channels.h"

namespace rolltape {

namespace {

/// Returns where each row begins in tensors with an entry per token, and then the number of entries. Padding belongs to
/// its row.
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
        items_(block.tensor<std::uint8_t>(channel.spec.name), block.isBulk()),
        mask_(channel.spec.isRagged() ? nullptr : block.tensor<std::uint8_t>(channel.spec.maskName()), block.isBulk()),
        offsets_(channel.spec.isRagged() ? block.tensor<std::int64_t>(channel.spec.offsets) : nullptr) {}

  void write(std::size_t index) {
    const PlanRow& row = plan_.rows()[index];
    const RowTokens tokens = rowTokens(plan_, row);
    listStretches(plan_, row, channel_.spec, stretches_);
    at_ = places_[index];
    item_ = channel_.spec.isRagged() ? channel_.rowStarts[index] : 0;
    const std::uint64_t end = places_[index + 1];
    const bool isLeft = plan_.options().layout == Layout::kPadded && plan_.options().padSide == PadSide::kLeft;
    items_.moveTo((offsets_ == nullptr ? at_ : item_) * itemBytes_);
    mask_.moveTo(at_);
    const std::uint64_t first = isLeft ? end - (tokens.end - tokens.begin) : at_;
    for (const ChannelStretch& stretch : stretches_) {
      skipTo(first + (stretch.from - tokens.begin));
      copy(stretch);
    }
    skipTo(end);
  }

  void finish() {
    items_.finish();
    mask_.finish();
  }

 private:
  /// Writes tokens without an item.
  void skipTo(std::uint64_t place) {
    if (offsets_ != nullptr) {
      std::fill(offsets_ + at_, offsets_ + place, static_cast<std::int64_t>(item_));
    } else {
      items_.fill(0, (place - at_) * itemBytes_);
      mask_.fill(0, place - at_);
    }
    at_ = place;
  }

  void copy(const ChannelStretch& stretch) {
    const std::span<const std::byte> bytes = stretch.bytes();
    items_.copy(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    const std::uint32_t count = stretch.to - stretch.from;
    if (offsets_ != nullptr) {
      const std::uint64_t before = stretch.run->itemsBefore(stretch.from);
      for (std::uint32_t i = 0; i < count; ++i) {
        offsets_[at_ + i] = static_cast<std::int64_t>(item_ + stretch.run->itemsBefore(stretch.from + i) - before);
      }
      item_ += stretch.items();
    } else {
      mask_.fill(1, count);
    }
    at_ += count;
  }

  const Plan& plan_;
  const BatchChannel& channel_;
  std::span<const std::uint64_t> places_;
  std::uint64_t itemBytes_;
  ColumnWriter<std::uint8_t> items_;
  /// Null if the channel is ragged.
  ColumnWriter<std::uint8_t> mask_;
  /// Null if it is not.
  std::int64_t* offsets_;
  std::vector<ChannelStretch> stretches_;
  /// Index of the next token, and of the next item of a ragged channel.
  std::uint64_t at_ = 0;
  std::uint64_t item_ = 0;
};

}  // namespace

void writeChannels(const Plan& plan, const BatchBlock& block, unsigned threads) {
  if (plan.shape().channels.empty()) return;
  const std::vector<std::uint64_t> places = rowPlaces(plan);
  for (const BatchChannel& channel : plan.shape().channels) {
    // A thread writes the rows that begin in its part of the tokens. + 1, because an empty last row begins at the end.
    parallelRanges(places.back() + 1, threads, [&](std::uint64_t begin, std::uint64_t end) {
      ChannelRows rows(plan, channel, places, block);
      const auto first = std::ranges::lower_bound(places, begin) - places.begin();
      const auto last = std::ranges::lower_bound(places, end) - places.begin();
      const auto count = static_cast<std::ptrdiff_t>(plan.rows().size());
      for (auto i = first; i < std::min(last, count); ++i) rows.write(static_cast<std::size_t>(i));
      rows.finish();
    });
    if (!channel.spec.isRagged()) continue;
    block.tensor<std::int64_t>(channel.spec.offsets)[places.back()] = static_cast<std::int64_t>(channel.items());
  }
}

}  // namespace rolltape
