#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "row.h"
#include "session.h"

namespace rolltape {

enum class OnMismatch { kError, kSplit };
enum class PadSide { kLeft, kRight };
enum class Overflow { kError, kTruncate, kDrop };
enum class Layout { kPadded };

struct PlanOptions {
  Layout layout = Layout::kPadded;
  RowStyle style = RowStyle::kIndividual;
  double discount = 1;
  OnMismatch onMismatch = OnMismatch::kError;
  std::int32_t padTokenId = 0;
  PadSide padSide = PadSide::kRight;
  std::uint32_t padToMultipleOf = 1;
  /// 0: no limit.
  std::uint32_t maxLength = 0;
  Overflow overflow = Overflow::kError;
};

struct PlanRow {
  /// Index into the sessions that were planned.
  std::uint32_t session;
  const Interaction* interaction;
  /// After truncation.
  std::uint32_t length;
  /// After discount.
  float reward;
};

/// A child whose input does not begin with its parent's whole sequence.
struct ConcatMismatch {
  std::uint32_t session;
  std::uint32_t parent;
  std::uint32_t child;
  /// The first position that differs.
  std::uint32_t position;
  std::int32_t parentToken;
  /// -1 where the child's input ends there.
  std::int32_t childToken;
};

/// Rows, lengths, rewards and size of a batch: a snapshot, which keeps the tokens that it names alive. Immutable.
class Plan {
 public:
  /// Costs time in interactions; touches no token but the first that differ.
  /// @throws kInvalidArg for a discount outside [0, 1] or rewards beyond float32, kTooLarge where sizes overflow.
  Plan(std::span<const Session* const> sessions, const PlanOptions& options);

  const PlanOptions& options() const { return options_; }
  std::span<const PlanRow> rows() const { return rows_; }
  std::span<const ConcatMismatch> mismatches() const { return mismatches_; }
  std::span<const PlanRow> overflows() const { return overflows_; }
  /// T of the padded [B, T]: the longest row, rounded up to the multiple.
  std::uint64_t paddedLength() const { return paddedLength_; }
  /// Tokens of the batch's flat dimension, padding included: B × T.
  std::uint64_t tokens() const { return tokens_; }
  /// Bytes of the tensors.
  std::uint64_t byteLength() const { return byteLength_; }
  /// @throws kInvalidArg where mismatches or overflows forbid packing.
  void requirePackable() const;

 private:
  void addSession(const Session& session);
  void addMismatch(const Interaction& child);
  void addRow(const Interaction& interaction, float reward);
  void measure();

  PlanOptions options_;
  std::vector<std::shared_ptr<const SessionStorage>> storages_;
  std::vector<PlanRow> rows_;
  std::vector<ConcatMismatch> mismatches_;
  std::vector<PlanRow> overflows_;
  std::uint64_t paddedLength_ = 0;
  std::uint64_t tokens_ = 0;
  std::uint64_t byteLength_ = 0;
};

}  // namespace rolltape
