#pragma once

#include <cstddef>
#include <cstdint>

#include "../../session/interaction.h"
#include "column_writer.h"

namespace rolltape {

/// The tensors with a value per token that a pass over rows writes.
enum class TokenTensor { kAll, kInputIds, kLossMask, kLogprobs, kVersions, kPositionIds, kAttentionMask };

inline bool includes(TokenTensor written, TokenTensor tensor) {
  return written == TokenTensor::kAll || written == tensor;
}

/// The columns of a stretch of tokens, with one value per token in each. A column that a pass does not need is null.
struct TokenColumns {
  std::int32_t* inputIds;
  /// 1 at sampled outputs, else 0.
  std::int32_t* lossMask;
  /// Nats at sampled outputs, else 0.
  float* logprobs;
  /// Weight versions at sampled outputs, else -1.
  std::int32_t* versions;
};

inline constexpr std::int32_t kNoVersion = -1;

/// What is written beside a token's id.
struct TrainedColumns {
  ColumnWriter<std::int32_t> lossMask;
  ColumnWriter<float> logprobs;
  ColumnWriter<std::int32_t> versions;

  void moveTo(std::size_t token);
  /// Tokens that are not trained on: inputs, padding, outputs that the engine wrote.
  void fillUntrained(std::size_t count);
  /// Outputs [first, first + count) of the interaction.
  void writeOutputs(const Interaction& interaction, std::uint32_t first, std::uint32_t count);
  /// The same for outputs of which none is forced.
  void writeSampled(const Interaction& interaction, std::uint32_t first, std::uint32_t count);
  /// Tokens as they are in `from`, starting there with token `first`.
  void copy(const TokenColumns& from, std::size_t first, std::size_t count);
  void finish();
};

/// Writes TokenColumns from front to back.
struct TokenWriter {
  ColumnWriter<std::int32_t> inputIds;
  TrainedColumns trained;

  TokenWriter(const TokenColumns& to, bool pastCaches);

  void moveTo(std::size_t token);
  /// The tokens at positions [from, to) of the interaction's sequence, all of them its own: from >= shared.
  void writeOwn(const Interaction& interaction, std::uint32_t from, std::uint32_t to);
  /// Writes the tokens as writeOwn() does, but with outputs that are not trained on.
  void writeUntrained(const Interaction& interaction, std::uint32_t from, std::uint32_t to);
  void finish();
};

/// Writes the ids of tokens as TokenWriter::writeOwn does.
void writeOwnIds(const Interaction& interaction, std::uint32_t from, std::uint32_t to,
                 ColumnWriter<std::int32_t>& inputIds);

}  // namespace rolltape
