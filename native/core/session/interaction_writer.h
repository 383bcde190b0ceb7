#pragma once

#include <cstddef>
#include <cstdint>

#include "interaction.h"
#include "stored_format.h"

namespace rolltape {

/// Writes an interaction in the format of stored_format.h. It must not outlive the interaction.
class InteractionWriter {
 public:
  /// @throws kTooLarge over kMaxBlockBytes.
  InteractionWriter(const Interaction& interaction, const IndexedMessages& messages);

  std::size_t byteLength() const { return header_.byteLength; }
  /// Writes byteLength() bytes.
  void write(std::uint8_t* to) const;

 private:
  const Interaction& interaction_;
  CallIds callIds_;
  StoredHeader header_;
};

}  // namespace rolltape
