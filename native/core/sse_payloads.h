#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace rolltape {

/// Finds the payloads in a stream of server-sent events (WHATWG HTML, 9.2.6) that comes in pieces cut anywhere. Each
/// `data` line is a payload, as the engines write one per event, and lines end with LF or CRLF. Other fields and comments
/// are passed over. A payload that lies in one piece is given where it lies; only what is cut is copied.
class SsePayloads {
 public:
  /// Calls `onPayload(bytes)` for each payload that is complete; it is valid until that returns.
  template <typename OnPayload>
  void push(std::span<const std::uint8_t> piece, OnPayload onPayload) {
    std::string_view rest(reinterpret_cast<const char*>(piece.data()), piece.size());
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) {
        cut_.append(rest);
        return;
      }
      if (cut_.empty()) {
        giveLine(rest.substr(0, end), onPayload);
      } else {
        cut_.append(rest.substr(0, end));
        giveLine(cut_, onPayload);
        cut_.clear();
      }
      rest.remove_prefix(end + 1);
    }
  }

  /// Whether the stream may end here: no line has begun.
  bool atLineStart() const { return cut_.empty(); }

 private:
  template <typename OnPayload>
  static void giveLine(std::string_view line, OnPayload onPayload) {
    constexpr std::string_view field = "data:";
    if (!line.starts_with(field)) return;
    line.remove_prefix(field.size());
    if (line.starts_with(' ')) line.remove_prefix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    onPayload(std::span<const std::uint8_t>(reinterpret_cast<const std::uint8_t*>(line.data()), line.size()));
  }

  std::string cut_;
};

}  // namespace rolltape
