#include "packed.h"

#include <vector>

#include "../../base/parallel.h"
#include "row_schedule.h"
#include "row_tensors.h"

namespace rolltape {

namespace {

/// Writes rows of a packed batch, on one thread.
class PackedRows {
 public:
  PackedRows(const Plan& plan, const BatchBlock& block, TokenTensor written)
      : plan_(plan),
        cuSeqlens_(block.tensor<std::int32_t>("cu_seqlens")),
        tokens_(block.tokens(written), block.isBulk()),
        positionIds_(block.tensor<std::int32_t>(written, TokenTensor::kPositionIds, "position_ids"), block.isBulk()),
        attentionMask_(block.tensor<std::uint8_t>(written, TokenTensor::kAttentionMask, "attention_mask"),
                       block.isBulk()) {}

  void write(std::size_t index, const TokenPath& path) {
    const PlanRow& row = plan_.rows()[index];
    const auto first = static_cast<std::size_t>(cuSeqlens_[index]);
    tokens_.moveTo(first);
    tokens_.inputIds.copy(path.inputIds(), row.length);
    path.writeTrained(row.trainedFrom, row.length, tokens_.trained);
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
  const std::int32_t* cuSeqlens_;
  TokenWriter tokens_;
  ColumnWriter<std::int32_t> positionIds_;
  ColumnWriter<std::uint8_t> attentionMask_;
};

}  // namespace

void writePacked(const Plan& plan, const BatchBlock& block, unsigned threads) {
  writeRewards(plan, block);
  writeRowStarts(plan, block);
  std::vector<std::uint64_t> lengths;
  lengths.reserve(plan.rows().size());
  for (const PlanRow& row : plan.rows()) lengths.push_back(row.length);
  const RowSchedule schedule(plan, lengths, heldFor(plan));
  parallelRanges(schedule.work(), threads, [&](std::uint64_t begin, std::uint64_t end) {
    PackedRows part(plan, block, TokenTensor::kAll);
    schedule.visit(begin, end, [&](std::size_t row, const TokenPath& path) { part.write(row, path); });
    part.finish();
  });
}

void writeRowStarts(const Plan& plan, const BatchBlock& block) {
  auto* starts = block.tensor<std::int32_t>("cu_seqlens");
  *starts = 0;
  for (const PlanRow& row : plan.rows()) {
    starts[1] = *starts + static_cast<std::int32_t>(row.length);
    ++starts;
  }
}

void writePackedRows(const Plan& plan, const BatchBlock& block, TokenTensor tensor,
                     std::span<const std::uint32_t> rows) {
  PackedRows writer(plan, block, tensor);
  TokenPath path(plan.longestRow(), heldFor(plan), plan.filteredTurns(), tensor);
  visitRows(plan, rows, path, [&](std::size_t row) { writer.write(row, path); });
  writer.finish();
}

}  // namespace rolltape
