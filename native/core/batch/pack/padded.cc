#include "padded.h"

#include <vector>

#include "../../base/parallel.h"
#include "row_schedule.h"
#include "row_tensors.h"

namespace rolltape {

namespace {

/// Writes rows of a padded batch, on one thread.
class PaddedRows {
 public:
  PaddedRows(const Plan& plan, const BatchBlock& block, TokenTensor written)
      : plan_(plan),
        tokens_(block.tokens(written), block.isBulk()),
        attentionMask_(block.tensor<std::uint8_t>(written, TokenTensor::kAttentionMask, "attention_mask"),
                       block.isBulk()) {}

  void write(std::size_t index, const TokenPath& path) {
    const PlanRow& row = plan_.rows()[index];
    const std::size_t width = plan_.shape().length;
    const std::size_t padding = width - row.length;
    const bool left = plan_.options().padSide == PadSide::kLeft;
    tokens_.moveTo(index * width);
    attentionMask_.moveTo(index * width);
    if (left) pad(padding);
    tokens_.inputIds.copy(path.inputIds(), row.length);
    path.writeTrained(row.trainedFrom, row.length, tokens_.trained);
    attentionMask_.fill(1, row.length);
    if (!left) pad(padding);
  }

  void finish() {
    tokens_.finish();
    attentionMask_.finish();
  }

 private:
  void pad(std::size_t count) {
    tokens_.inputIds.fill(plan_.options().padTokenId, count);
    tokens_.trained.fillUntrained(count);
    attentionMask_.fill(0, count);
  }

  const Plan& plan_;
  TokenWriter tokens_;
  ColumnWriter<std::uint8_t> attentionMask_;
};

}  // namespace

void writePadded(const Plan& plan, const BatchBlock& block, unsigned threads) {
  writeRewards(plan, block);
  const std::vector<std::uint64_t> weights(plan.rows().size(), plan.shape().length);
  const RowSchedule schedule(plan, weights, heldFor(plan));
  parallelRanges(schedule.work(), threads, [&](std::uint64_t begin, std::uint64_t end) {
    PaddedRows rows(plan, block, TokenTensor::kAll);
    schedule.visit(begin, end, [&](std::size_t row, const TokenPath& path) { rows.write(row, path); });
    rows.finish();
  });
}

void writePaddedRows(const Plan& plan, const BatchBlock& block, TokenTensor tensor,
                     std::span<const std::uint32_t> rows) {
  PaddedRows writer(plan, block, tensor);
  TokenPath path(plan.longestRow(), heldFor(plan), plan.filteredTurns(), tensor);
  visitRows(plan, rows, path, [&](std::size_t row) { writer.write(row, path); });
  writer.finish();
}

}  // namespace rolltape
