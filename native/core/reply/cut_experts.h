#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "../base/error.h"
#include "routed_experts.h"

namespace rolltape {

/// Reads the routed experts of a frame that comes in several pieces while it comes. Otherwise they would be kept as
/// text, and the last piece would take the time of all of them. The frame's text has an empty string in their place.
class CutExperts {
 public:
  CutExperts(const RoutedExperts& asked, ExpertsFormat format) : asked_(asked), format_(format) {}

  /// Looks for the beginning of the experts in a line that grew at its end. In JSON, the name of their member stands in
  /// no other place than before its value.
  /// @returns number of characters at the end of the line that belong to the experts; absent if they did not begin
  std::optional<std::size_t> begin(std::string_view line);
  /// The experts began and did not end.
  bool isOpen() const { return reader_ && !error_ && !reader_->ended(); }
  /// Reads further characters. At the end of the experts, adds their closing quote to the line. If they are refused,
  /// they are text again from here on: they may be no experts, and a member of something else.
  /// @returns number of characters that were read
  std::size_t read(std::string_view chars, std::string& line);

  /// Says where the line is in memory, now that it is complete.
  void setLine(const char* line) { place_ = reader_ ? line + offset_ : nullptr; }
  /// Returns true if the string that begins at `place`, behind its opening quote, stands for these experts.
  bool isAt(const char* place) const { return place_ != nullptr && place == place_; }
  /// Returns them. @throws as ExpertsReader
  ExpertRows take();
  /// Another line begins.
  void reset();

  /// Tokens that the reply has before this frame. Experts of a few more are expected.
  std::uint32_t tokens = 0;

 private:
  RoutedExperts asked_;
  ExpertsFormat format_;
  /// Characters of the line in which the name of the member does not begin.
  std::size_t searched_ = 0;
  std::optional<ExpertsReader> reader_;
  /// Why they were refused.
  std::optional<Error> error_;
  /// Where the value begins in the line.
  std::size_t offset_ = 0;
  const char* place_ = nullptr;
};

}  // namespace rolltape
