#pragma once

#include <cstddef>
#include <cstdint>

#include "bulk_store.h"
#include "interaction.h"

namespace rolltape {

/// What is recorded of a stretch of tokens, or is to be written: one value per token in each.
struct TokenColumns {
  std::int32_t* inputIds;
  /// 1 at outputs, else 0.
  std::int32_t* lossMask;
  /// Nats at outputs, else 0.
  float* logprobs;
  /// Weight versions at outputs, else -1.
  std::int32_t* versions;

  TokenColumns from(std::size_t token) const {
    return {inputIds + token, lossMask + token, logprobs + token, versions + token};
  }
};

inline constexpr std::int32_t kNoVersion = -1;

/// Writes the tokens at positions [from, to) of the interaction's sequence, all of them its own: from >= shared.
void writeOwnTokens(const Interaction& interaction, std::uint32_t from, std::uint32_t to, const TokenColumns& out,
                    const BulkStore& store);

}  // namespace rolltape
