#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "batch_shape.h"
#include "depth_first.h"
#include "row_columns.h"
#include "session.h"
#include "session_rewards.h"

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
/// The reward of a `concat` row.
enum class ConcatReward {
  /// The final reward of its last turn.
  kLeaf,
  /// The discounted return of its own turns: Σ discount^k × own reward, k counted from the first turn; and the session's
  /// reward × discount^h, h counted along the row and on to the descendant leaf that completed last.
  kReturn,
};

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
  ConcatReward concatReward = ConcatReward::kLeaf;
  /// Interactions of PlannedSession::leftOut are treated like all others; PlanRow::leftOut still marks them.
  bool includeLeftOut = false;
  /// Adds the turns of each row. A tree batch has none: its nodes are turns.
  bool turns = false;
  /// Distinct labels that one label column may have; 0: no limit.
  std::uint32_t labelLimit = 0;
  /// The row and turn columns; null: none.
  std::shared_ptr<const RowColumns> columns = nullptr;
};

/// A session and the interactions of it that are left out: they give no rows, and a tree batch has them as nodes that are
/// not trained on. An interaction that is left out has no children but such.
struct PlannedSession {
  const Session* session;
  std::vector<std::uint32_t> leftOut = {};
};

struct PlanRow {
  /// Index into the sessions that were planned.
  std::uint32_t session;
  /// After truncation.
  std::uint32_t length;
  const Interaction* interaction;
  /// After discount.
  double reward;
  /// NaN if it has none.
  float ownReward;
  /// Turns before the last one have own rewards that `reward` does not count.
  bool uncountedRewards = false;
  /// One of PlannedSession::leftOut.
  bool leftOut = false;
};

/// A model call within a row.
struct PlanTurn {
  const Interaction* interaction;
  /// After discount.
  float reward;
  /// NaN if it has none.
  float ownReward;
};

/// The first of the conversation trees in which no interaction has a reward, and how many there are.
struct UnrewardedRoots {
  static constexpr std::size_t kMaxNamed = 8;

  struct Root {
    std::uint32_t session;
    std::uint32_t interaction;
  };
  std::uint64_t count = 0;
  std::vector<Root> first;
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
  /// @throws kInvalidArg for a discount outside [0, 1], rewards beyond float32, a tree batch with maxLength or turns,
  /// columns as requireRowColumns(), or an interaction to leave out that a session does not have or that has a child
  /// which is not; kTooLarge where sizes overflow.
  Plan(std::span<const PlannedSession> sessions, const PlanOptions& options);
  /// The same with nothing left out.
  Plan(std::span<const Session* const> sessions, const PlanOptions& options);

  const PlanOptions& options() const { return options_; }
  /// In order of sessions, then of interactions; of a tree batch, in the order of the nodes.
  std::span<const PlanRow> rows() const { return rows_; }
  /// The turn that a row begins with: its interaction, but for `concat` rows of several turns.
  const Interaction& firstTurn(const PlanRow& row) const {
    return options_.style == RowStyle::kConcat ? *row.interaction->rowStart : *row.interaction;
  }
  /// The turn of a row whose value one of its columns has.
  const Interaction& columnTurn(const PlanRow& row, const RowColumn& column) const {
    return column.ofFirstTurn ? firstTurn(row) : *row.interaction;
  }
  /// Of a tree batch, one for each row.
  std::span<const TreeNode> nodes() const { return nodes_; }
  /// The turns of all rows, one row after the other; those of row i are [turnStarts()[i], turnStarts()[i + 1]).
  std::span<const PlanTurn> turns() const { return turns_; }
  std::span<const std::uint32_t> turnStarts() const { return turnStarts_; }
  std::span<const RowColumn> columns() const {
    return options_.columns ? std::span<const RowColumn>(*options_.columns) : std::span<const RowColumn>();
  }
  const UnrewardedRoots& unrewardedRoots() const { return unrewardedRoots_; }
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
  struct Buffers;

  Plan() = default;
  void addSession(const PlannedSession& planned, Buffers& buffers);
  void addRows(const Session& session, Buffers& buffers);
  void addConcatRows(const Session& session, Buffers& buffers);
  void addNodes(const Session& session, Buffers& buffers);
  void addMismatch(const Interaction& child);
  /// Checks the row that was added last and limits its length, or takes it out again.
  void finishRow(const SessionRewards& rewards);
  void addTurns(const PlanRow& row, const SessionRewards& rewards);
  void addUnrewardedRoots(const Session& session, Buffers& buffers);
  /// Adds rows [begin, end) of another plan, which begin a tree where there are nodes.
  void addRowsOf(const Plan& plan, std::size_t begin, std::size_t end);
  void measure();

  PlanOptions options_;
  std::vector<std::shared_ptr<const SessionStorage>> storages_;
  std::vector<PlanRow> rows_;
  std::vector<PlanTurn> turns_;
  std::vector<std::uint32_t> turnStarts_;
  UnrewardedRoots unrewardedRoots_;
  std::vector<ConcatMismatch> mismatches_;
  std::vector<PlanRow> overflows_;
  std::vector<TreeNode> nodes_;
  BatchShape shape_;
  std::uint32_t longestRow_ = 0;
  std::uint64_t byteLength_ = 0;
};

}  // namespace rolltape
