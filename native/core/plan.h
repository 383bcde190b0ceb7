#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "batch_shape.h"
#include "depth_first.h"
#include "session.h"

namespace rolltape {

/// Which interactions have a row, and which of its outputs are trained on.
enum class RowStyle {
  /// Every interaction, and its own outputs.
  kIndividual,
  /// Every leaf; its own outputs and those of the ancestors that token-exact edges lead to.
  kConcat,
};
enum class OnMismatch { kError, kSplit };
enum class PadSide { kLeft, kRight };
enum class Overflow { kError, kTruncate, kDrop };

struct PlanOptions {
  Layout layout = Layout::kPadded;
  /// A tree batch has every interaction as a node, whatever the style, and every output is trained on.
  RowStyle style = RowStyle::kIndividual;
  double discount = 1;
  OnMismatch onMismatch = OnMismatch::kError;
  std::int32_t padTokenId = 0;
  PadSide padSide = PadSide::kRight;
  std::uint32_t padToMultipleOf = 1;
  /// 0: no limit, which a tree batch demands: what is cut from one row may be needed by others.
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
  /// @throws kInvalidArg for a discount outside [0, 1], rewards beyond float32, or a tree batch with maxLength;
  /// kTooLarge where sizes overflow.
  Plan(std::span<const Session* const> sessions, const PlanOptions& options);

  const PlanOptions& options() const { return options_; }
  /// In order of sessions, then of interactions; of a tree batch, in the order of the nodes.
  std::span<const PlanRow> rows() const { return rows_; }
  /// Of a tree batch, one for each row.
  std::span<const TreeNode> nodes() const { return nodes_; }
  std::span<const ConcatMismatch> mismatches() const { return mismatches_; }
  std::span<const PlanRow> overflows() const { return overflows_; }
  const BatchShape& shape() const { return shape_; }
  std::uint32_t longestRow() const { return longestRow_; }
  /// Bytes of the tensors.
  std::uint64_t byteLength() const { return byteLength_; }
  /// The position from which on the row's outputs are trained on.
  std::uint32_t trainedFrom(const PlanRow& row) const {
    return options_.style == RowStyle::kConcat ? row.interaction->exactFrom : row.interaction->inputLength;
  }
  /// @throws kInvalidArg where mismatches or overflows forbid packing.
  void requirePackable() const;

  /// How many shards there can be, none of them empty: rows; trees of a tree batch.
  std::uint64_t maxShards() const { return options_.layout == Layout::kTree ? shape_.trees : rows_.size(); }
  /// Splits the batch into `count` whose numbers of recorded tokens are nearly equal, each complete on its own. Rows keep
  /// their order; a tree stays together. The same plan is always split in the same way.
  /// @throws kInvalidArg for a count that is 0 or over maxShards(), or a plan that cannot be packed.
  std::vector<Plan> shards(std::uint32_t count) const;

 private:
  Plan() = default;
  void addSession(const Session& session);
  void addRows(const Session& session, std::span<const double> rewards);
  void addNodes(const Session& session, std::span<const double> rewards);
  void addMismatch(const Interaction& child);
  void addRow(const Interaction& interaction, float reward);
  /// Adds rows [begin, end) of another plan, which begin a tree where there are nodes.
  void addRowsOf(const Plan& plan, std::size_t begin, std::size_t end);
  void measure();

  PlanOptions options_;
  std::vector<std::shared_ptr<const SessionStorage>> storages_;
  std::vector<PlanRow> rows_;
  std::vector<ConcatMismatch> mismatches_;
  std::vector<PlanRow> overflows_;
  std::vector<TreeNode> nodes_;
  BatchShape shape_;
  std::uint32_t longestRow_ = 0;
  std::uint64_t byteLength_ = 0;
};

}  // namespace rolltape
