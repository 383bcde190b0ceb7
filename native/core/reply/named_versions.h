#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rolltape {

/// How a reply names the weight versions of its tokens.
enum class VersionNaming : std::uint8_t {
  /// It names none.
  kNone,
  /// It names one version at a time: that of the whole reply, or of each frame of a stream.
  kReply,
  /// It names spans of tokens.
  kSpans,
};

/// The weight versions that a reply names. Label i stands as version -2 - i until Generation::nameVersions gives it
/// one.
struct NamedVersions {
  /// Texts that are not integers, in order of appearance.
  std::vector<std::string> labels;
  /// The largest integer.
  std::optional<std::int32_t> highest;
  /// The reply names the version `default`, which nobody has set.
  bool saysDefault = false;

  VersionNaming naming = VersionNaming::kNone;
  /// Versions of the first and the last token, where the reply names them.
  std::optional<std::int32_t> first;
  std::optional<std::int32_t> last;
  /// Tokens that came with the first one: all of a whole reply, or those of the first frame.
  std::uint32_t firstCount = 0;
  /// A frame with several tokens names another version than the frame before, and there are no spans.
  bool mixed = false;

  std::int32_t versionOf(std::string_view label);
  /// Notes the versions of a reply that is complete.
  void noteSpans(std::optional<std::int32_t> firstVersion, std::optional<std::int32_t> lastVersion);
  /// Notes the version of the reply, or of one frame, with so many new tokens.
  void noteTokens(std::optional<std::int32_t> version, std::size_t count);

 private:
  bool begun_ = false;
};

}  // namespace rolltape
