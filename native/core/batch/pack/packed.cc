#include "packed.h"

#include <vector>

#include "../../base/parallel.h"
#include "row_schedule.h"

namespace rolltape {

namespace {

/// Writes rows of a packed batch, on one thread.
class PackedRows {
 public:
  PackedRows(const Plan& plan, const BatchBlock& block, PackedColumns columns)
      : plan_(plan),
        writesIds_(columns != PackedColumns::kOthers),
        writesOthers_(columns != PackedColumns::kIds),
        cuSeqlens_(block.tensor<std::int32_t>("cu_seqlens")),
        tokens_(block.tokens(), block.isBulk()),
        positionIds_(block.tensor<std::int32_t>("position_ids"), block.isBulk()),
        attentionMask_(block.tensor<std::uint8_t>("attention_mask"), block.isBulk()) {}

  void write(std::size_t index, const TokenPath& path) {
    const PlanRow& row = plan_.rows()[index];
    const auto first = static_cast<std::size_t>(cuSeqlens_[index]);
    tokens_.moveTo(first);
    if (writesIds_) tokens_.inputIds.copy(path.inputIds(), row.length);
    if (!writesOthers_) return;
    path.writeTrained(plan_.trainedFrom(row), row.length, tokens_.trained);
    positionIds_.moveTo(first);
    positionIds_.countUp(0, row.length);
    attentionMask_.moveTo(first);
    attentionMask_.fill(1, row.length);
  }

  void finish() {
    tokens_.finish();
    positionIds_.finish();
    attentionMask_.finish();
  }

 private:
  const Plan& plan_;
  bool writesIds_;
  bool writesOthers_;
  const std::int32_t* cuSeqlens_;
  TokenWriter tokens_;
  ColumnWriter<std::int32_t> positionIds_;
  ColumnWriter<std::uint8_t> attentionMask_;
};

}  // namespace

void writePacked(const Plan& plan, const BatchBlock& block, unsigned threads, PackedColumns columns) {
  const std::span<const PlanRow> rows = plan.rows();
  auto* cuSeqlens = block.tensor<std::int32_t>("cu_seqlens");
  auto* rewards = block.tensor<float>("rewards");
  std::vector<std::uint64_t> lengths;
  lengths.reserve(rows.size());
  cuSeqlens[0] = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    lengths.push_back(rows[i].length);
    cuSeqlens[i + 1] = cuSeqlens[i] + static_cast<std::int32_t>(rows[i].length);
    rewards[i] = static_cast<float>(rows[i].reward);
  }
  const RowSchedule schedule(plan, lengths, heldFor(plan, columns));
  parallelRanges(schedule.work(), threads, [&](std::uint64_t begin, std::uint64_t end) {
    PackedRows part(plan, block, columns);
    schedule.visit(begin, end, [&](std::size_t row, const TokenPath& path) { part.write(row, path); });
    part.finish();
  });
}

}  // namespace rolltape
