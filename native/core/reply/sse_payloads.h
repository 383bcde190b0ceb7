#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "../json/cursor.h"
#include "cut_experts.h"

namespace rolltape {

/// Finds the payloads in a stream of server-sent events (WHATWG HTML, 9.2.6) that comes in pieces cut anywhere. Each
/// `data` line is a payload, as the engines write one per event, and lines end with LF or CRLF. Other fields and
/// comments are passed over. A payload that lies in one piece with something behind it is given where it lies; else it
/// is copied, without its experts.
class SsePayloads {
 public:
  /// @param experts reads the experts of lines that are cut; null if they are not asked for
  explicit SsePayloads(CutExperts* experts = nullptr) : experts_(experts) {}

  /// Calls `onPayload(RoomyText)` for each payload that is complete; it is valid until that returns.
  template <typename OnPayload>
  void push(std::span<const std::uint8_t> piece, OnPayload onPayload) {
    std::string_view rest(reinterpret_cast<const char*>(piece.data()), piece.size());
    while (!rest.empty()) {
      if (experts_ != nullptr && experts_->isOpen()) {
        rest.remove_prefix(experts_->read(rest, cut_));
        continue;
      }
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) {
        rest = addCut(rest);
        continue;
      }
      prefetch(rest.substr(end));
      if (cut_.empty() && rest.size() - end >= RoomyText::kSlack) {
        giveLine(rest.substr(0, end), onPayload);
      } else {
        giveCopy(rest.substr(0, end), onPayload);
      }
      rest.remove_prefix(end + 1);
    }
  }

  /// Whether the stream may end here: no line has begun.
  bool atLineStart() const { return cut_.empty(); }

 private:
  /// A line is searched for its end before it is read. The next one comes from memory while this one is read.
  static void prefetch(std::string_view next) {
    constexpr std::size_t ahead = 1024;
    constexpr std::size_t cacheLine = 64;
    const std::size_t size = std::min(next.size(), ahead);
    for (std::size_t at = 0; at < size; at += cacheLine) __builtin_prefetch(next.data() + at);
  }
  /// Adds to the line that is cut. Returns what is left: the part that belongs to the experts.
  std::string_view addCut(std::string_view rest) {
    cut_.append(rest);
    const std::optional<std::size_t> left = experts_ == nullptr ? std::nullopt : experts_->begin(cut_);
    if (!left) return {};
    cut_.resize(cut_.size() - *left);
    return rest.substr(rest.size() - *left);
  }
  template <typename OnPayload>
  void giveCopy(std::string_view end, OnPayload onPayload) {
    cut_.append(end);
    const std::size_t size = cut_.size();
    cut_.append(RoomyText::kSlack, '\0');
    if (experts_ != nullptr) experts_->setLine(cut_.data());
    giveLine(std::string_view(cut_).substr(0, size), onPayload);
    cut_.clear();
    if (experts_ != nullptr) experts_->reset();
  }
  template <typename OnPayload>
  static void giveLine(std::string_view line, OnPayload onPayload) {
    constexpr std::string_view field = "data:";
    if (!line.starts_with(field)) return;
    line.remove_prefix(field.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    onPayload(RoomyText{{reinterpret_cast<const std::uint8_t*>(line.data()), line.size()}});
  }

  std::string cut_;
  CutExperts* experts_;
};

}  // namespace rolltape
