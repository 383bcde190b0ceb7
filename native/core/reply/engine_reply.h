#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "../session/generation.h"
#include "named_versions.h"

namespace rolltape {

/// Why an engine stopped.
struct EngineFinish {
  /// SGLang's type of finish reason, or vLLM's finish reason: "stop", "length", "abort", …
  std::string type;
  /// The stop token id or the stop string, where the reply names one.
  std::variant<std::monostate, std::int64_t, std::string> matched;
  std::optional<std::string> message;
  std::optional<std::int64_t> statusCode;
};

/// An error that an engine sent in place of a reply.
struct EngineFailure {
  std::string message;
  /// The HTTP status that the reply would have had, if it had not begun with 200.
  std::optional<std::int32_t> code;

  bool operator==(const EngineFailure&) const = default;
};

/// What an engine's reply holds. Absent fields were not in it.
struct EngineReply {
  Generation tokens;
  NamedVersions versions;
  std::optional<std::string> id;
  std::optional<EngineFinish> finish;
  std::optional<std::int64_t> promptTokens;
  std::optional<std::int64_t> completionTokens;
  std::optional<std::int64_t> cachedTokens;
  /// It had the routed experts that were asked for.
  bool hasExperts = false;
  /// It had the sampling masks that were asked for.
  bool hasMasks = false;
  /// See addMasks().
  std::uint32_t longestMask = 0;
  /// It had the log probabilities of the token ids that were asked for.
  bool hasTokenIds = false;
  /// What a stream says went wrong, in place of what it was to bring.
  std::optional<EngineFailure> error;
};

}  // namespace rolltape
