#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "../frame_reader.h"
#include "choice.h"

namespace rolltape {

/// Reads the frames of a streamed reply of vLLM, of either endpoint that readVllmReply knows. Each has the tokens that
/// are new; counts come in a last frame without choices. A generation that ends without a new token may end without a
/// finish reason: older servers send no frame then.
class VllmStream final : public FrameReader {
 public:
  /// @param into the generation that all frames go to.
  /// @param version of tokens that were sampled before the engine was given a version.
  /// @param asked values of tokens to read. Others are skipped.
  VllmStream(const Generation& into, std::int32_t version, std::size_t topWidth, const AskedValues& asked = {})
      : FrameReader(into, asked, ExpertsFormat::kNpy), firstVersion_(version), topWidth_(topWidth), asked_(asked) {
    unnamedVersion = version;
  }

  void read(RoomyText frame, Generation& into) override;
  EngineReply end(Generation& into) override;
  const NamedVersions& versions() const override { return end_.versions; }

 private:
  void readChoice(VllmChoice& choice, Generation& into);

  std::int32_t firstVersion_;
  std::size_t topWidth_;
  AskedValues asked_;
  EngineReply end_;
};

}  // namespace rolltape
