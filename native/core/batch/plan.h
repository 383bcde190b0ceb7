#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "../session/session.h"
#include "../session/session_rewards.h"
#include "batch_shape.h"
#include "depth_first.h"
#include "filtered_turns.h"
#include "row_columns.h"

namespace rolltape {

class PlanBuilder;
struct RowChoice;

/// Which interactions have a row, and which outputs the row trains on.
enum class RowStyle {
  /// Every interaction, and its own outputs.
  kIndividual,
  /// Every interaction without a token-exact child; its own output and those of the ancestors that it reaches over
  /// token-exact edges.
  kConcat,
};
enum class OnMismatch { kError, kSplit };
enum class PadSide { kLeft, kRight };
enum class Overflow { kError, kTruncate, kDrop };
/// The reward of a `concat` row.
enum class ConcatReward {
  /// The final reward of its last turn.
  kLeaf,
  /// The discounted return of its turns: Σ discount^k × own reward, with k = 0 for the first turn. If the session has a
  /// reward S, S × discount^h is added: h counts the edges from the first turn to the last one, and on to its
  /// descendant leaf that completed last.
  kReturn,
};

/// Which rows of a `concat` batch train on a turn that several of them hold.
enum class SharedTurns {
  /// All of them.
  kEvery,
  /// The first one of the whole export, shards included. Every sampled token is trained on once.
  kFirst,
  /// All of them, each with PlanTurn::weight.
  kWeight,
};

struct PlanOptions {
  Layout layout = Layout::kPadded;
  /// Without effect on a tree batch, in which every interaction is a node.
  RowStyle style = RowStyle::kIndividual;
  double discount = 1;
  OnMismatch onMismatch = OnMismatch::kError;
  std::int32_t padTokenId = 0;
  PadSide padSide = PadSide::kRight;
  std::uint32_t padToMultipleOf = 1;
  /// In tokens; 0: no limit. A tree batch takes no other value, because its rows share the tokens that would be cut.
  std::uint32_t maxLength = 0;
  Overflow overflow = Overflow::kError;
  ConcatReward concatReward = ConcatReward::kLeaf;
  /// Without effect on rows of single turns. kWeight needs `turns`.
  SharedTurns sharedTurns = SharedTurns::kEvery;
  /// Treats interactions of PlannedSession::leftOut like all others. PlanRow::leftOut still marks them.
  bool includeLeftOut = false;
  /// Removes conversation trees without any reward. A session reward counts for all trees of its session.
  bool rewardedRootsOnly = false;
  /// Adds the turns of each row. A tree batch has none: its nodes are turns.
  bool turns = false;
  /// Most distinct labels of one label column, known ones included; 0: no limit.
  std::uint32_t labelLimit = 0;
  /// The row and turn columns; null: none.
  std::shared_ptr<const RowColumns> columns = nullptr;
};

/// A session, and the indices of its interactions that are left out: they have no rows, and in a tree batch they are
/// nodes that are not trained on. The children of an interaction that is left out must be left out as well.
struct PlannedSession {
  const Session* session;
  std::vector<std::uint32_t> leftOut = {};
  /// Interactions that a filter of the export removes. They have no rows, and no row trains on their outputs. Their
  /// rewards still reach other interactions.
  std::vector<std::uint32_t> filtered = {};
  /// Sessions of one group have the same number. Shards keep groups whole if they can.
  std::uint32_t group = kNoGroup;
  /// By interaction index: the most tokens of its row if the row is truncated; those over maxLength count as maxLength.
  /// Empty: maxLength for all.
  std::vector<std::uint32_t> limits = {};

  /// The session is a group of its own.
  static constexpr std::uint32_t kNoGroup = std::numeric_limits<std::uint32_t>::max();
};

/// A session as a whole. Shards have the entries of all sessions of the export.
struct PlanEpisode {
  /// PlannedSession::group.
  std::uint32_t group;
  /// The session or one of its interactions has a reward.
  bool hasReward;
  /// Number of rows of the export.
  std::uint32_t rows;
  /// SessionRewards::episodeReward and episodeReturn.
  double reward;
  double discountedReturn;
};

struct PlanRow {
  /// Index into the sessions that were planned.
  std::uint32_t session;
  /// Tokens, after truncation.
  std::uint32_t length;
  /// The row's last turn.
  const Interaction* interaction;
  /// The first turn that the row trains on. Only `concat` rows have turns other than their interaction.
  const Interaction* first;
  /// Output tokens from here on are trained on.
  std::uint32_t trainedFrom;
  /// Position among the rows of its session in the export.
  std::uint32_t sessionRow = 0;
  /// After discount.
  double reward;
  /// Of `interaction`; NaN if it has none.
  float ownReward;
  /// Turns before the last one have own rewards that `reward` does not count.
  bool uncountedRewards = false;
  /// One of PlannedSession::leftOut.
  bool leftOut = false;
  /// A filter removed the interaction. Only in tree batches, because every interaction is a node there.
  bool filtered = false;
};

/// A model call within a row.
struct PlanTurn {
  const Interaction* interaction;
  /// After discount.
  float reward;
  /// NaN if it has none.
  float ownReward;
  /// With SharedTurns::kWeight: 1 / number of rows of the export that train on the turn. Else 1.
  float weight = 1;
};

/// The conversation trees in which no interaction has a reward: their number, and the first kMaxNamed of them.
struct UnrewardedRoots {
  static constexpr std::size_t kMaxNamed = 8;

  struct Root {
    /// Index into the sessions that were planned.
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
  /// -1 if the child's input ends there.
  std::int32_t childToken;
};

/// The rows, lengths, rewards and size of a batch. An immutable snapshot that keeps the sessions' tokens alive.
class Plan {
 public:
  /// Takes time linear in interactions. Reads no tokens except those that mismatches() names.
  /// @throws kInvalidArg if the discount is outside [0, 1]; if a reward does not fit a float32; for a tree batch with
  /// maxLength or turns; for columns that requireRowColumns() refuses; or if PlannedSession::leftOut or filtered names
  /// an interaction that the session does not have, or leftOut one that has a child which is not left out; or if there
  /// are limits, but not one for each interaction
  /// @throws kTooLarge if a size overflows
  Plan(std::span<const PlannedSession> sessions, const PlanOptions& options);
  /// Plans sessions with no interaction left out.
  Plan(std::span<const Session* const> sessions, const PlanOptions& options);

  const PlanOptions& options() const { return options_; }
  /// The batch has the items of channels as they are at this moment; see nextChannelMoment().
  std::uint64_t channelMoment() const { return channelMoment_; }
  /// In the order of sessions, then of interactions; in a tree batch, in the order of nodes().
  std::span<const PlanRow> rows() const { return rows_; }
  /// Returns the turn whose value the column has for this row.
  const Interaction& columnTurn(const PlanRow& row, const RowColumn& column) const {
    return column.ofFirstTurn ? *row.first : *row.interaction;
  }
  /// Returns the first interaction of the row's token-exact path, also if a filter removed it.
  const Interaction& rowStart(const PlanRow& row) const {
    return options_.style == RowStyle::kConcat ? *row.interaction->rowStart : *row.interaction;
  }
  /// Returns true if the interaction lies on the path of a `concat` row, but a filter removed it.
  bool isFiltered(const Interaction& at) const { return filteredTurns_ && filteredTurns_->contains(at); }
  /// The filtered interactions of `concat` rows; null if there are none.
  const FilteredTurns* filteredTurns() const { return filteredTurns_.get(); }
  /// One for each row of a tree batch; empty for other layouts.
  std::span<const TreeNode> nodes() const { return nodes_; }
  /// The turns of all rows, one row after the other; those of row i are [turnStarts()[i], turnStarts()[i + 1]).
  std::span<const PlanTurn> turns() const { return turns_; }
  std::span<const std::uint32_t> turnStarts() const { return turnStarts_; }
  std::span<const RowColumn> columns() const {
    return options_.columns ? std::span<const RowColumn>(*options_.columns) : std::span<const RowColumn>();
  }
  const UnrewardedRoots& unrewardedRoots() const { return unrewardedRoots_; }
  /// Number of interactions that filters removed. Shards of the plan do not have it.
  std::uint64_t filteredCount() const { return filteredCount_; }
  /// Indices of the sessions that have a reward, but because of a filter none of it reaches a row. Shards of the plan
  /// do not have it.
  std::span<const std::uint32_t> rewardsFiltered() const { return rewardsFiltered_; }
  std::span<const ConcatMismatch> mismatches() const { return mismatches_; }
  std::span<const PlanRow> overflows() const { return overflows_; }
  const BatchShape& shape() const { return shape_; }
  std::uint32_t longestRow() const { return longestRow_; }
  /// Bytes of the tensors.
  std::uint64_t byteLength() const { return byteLength_; }
  /// By PlanRow::session.
  std::span<const PlanEpisode> episodes() const { return episodes_; }
  /// The sessions that the batch has as episodes, in order: all; of a shard, those that have a row in it, and those of
  /// their groups.
  std::span<const std::uint32_t> listedSessions() const { return listedSessions_; }
  /// @throws kInvalidArg if mismatches or overflows forbid packing.
  void requirePackable() const;

  static constexpr double kMaxShardExcess = 1.2;
  /// Most shards without an empty one: the number of rows, or of trees in a tree batch.
  std::uint64_t maxShards() const { return options_.layout == Layout::kTree ? shape_.trees : rows_.size(); }
  /// Splits the batch into `count` plans with nearly equal numbers of tokens, padding not counted. Rows keep their
  /// order; a tree stays together. Groups stay together, or else sessions, unless a shard would then have more than
  /// kMaxShardExcess times the mean number of tokens. The same plan is always split in the same way.
  /// @throws kInvalidArg if `count` is 0 or over maxShards(), or if the plan cannot be packed.
  std::vector<Plan> shards(std::uint32_t count) const;

 private:
  friend class PlanBuilder;

  Plan() = default;
  /// Checks the options and reserves memory for the rows of so many interactions.
  void begin(const PlanOptions& options, std::size_t interactions);
  void addSession(const PlannedSession& planned, RowChoice& choice);
  void addRows(const Session& session, RowChoice& choice);
  void addConcatRows(const Session& session, RowChoice& choice);
  void addNodes(const Session& session, RowChoice& choice);
  void addMismatch(const Interaction& child);
  /// Adds the row that ends with an interaction. One that is over maxLength is truncated, or not added.
  void addRow(const Interaction& at, double reward, bool uncounted, RowChoice& choice);
  void addTurns(const PlanRow& row, const RowChoice& choice);
  void addFindings(const Session& session, RowChoice& choice);
  void addEpisode(const PlannedSession& planned, std::size_t firstRow, const RowChoice& choice);
  void weighTurns(const Session& session, std::size_t firstRow);
  void addFilteredTurns(const Session& session, const RowChoice& choice);
  /// Adds rows [begin, end) of another plan. In a tree batch they must begin at the root of a tree.
  void addRowsOf(const Plan& plan, std::size_t begin, std::size_t end);
  void listAllSessions();
  /// Lists those that have rows here, with their groups.
  void listSessionsOfRows();
  void measure();

  PlanOptions options_;
  std::uint64_t channelMoment_ = kNewestChannels;
  /// By PlanRow::session; null for an episode without rows here.
  std::vector<std::shared_ptr<const SessionStorage>> storages_;
  std::vector<PlanEpisode> episodes_;
  std::vector<std::uint32_t> listedSessions_;
  std::vector<PlanRow> rows_;
  std::vector<PlanTurn> turns_;
  std::vector<std::uint32_t> turnStarts_;
  UnrewardedRoots unrewardedRoots_;
  std::shared_ptr<FilteredTurns> filteredTurns_;
  std::uint64_t filteredCount_ = 0;
  std::vector<std::uint32_t> rewardsFiltered_;
  std::vector<ConcatMismatch> mismatches_;
  std::vector<PlanRow> overflows_;
  std::vector<TreeNode> nodes_;
  BatchShape shape_;
  std::uint32_t longestRow_ = 0;
  std::uint64_t byteLength_ = 0;
};

}  // namespace rolltape
