#include "padded.h"

#include <vector>

#include "../../base/parallel.h"
#include "row_schedule.h"

namespace rolltape {

namespace {

/// Writes rows of a padded batch, on one thread.
class PaddedRows {
 public:
  PaddedRows(const Plan& plan, const BatchBlock& block, PackedColumns columns)
      : plan_(plan),
        writesIds_(columns != PackedColumns::kOthers),
        writesOthers_(columns != PackedColumns::kIds),
        tokens_(block.tokens(), block.isBulk()),
        attentionMask_(block.tensor<std::uint8_t>("attention_mask"), block.isBulk()) {}

  void write(std::size_t index, const TokenPath& path) {
    const PlanRow& row = plan_.rows()[index];
    const std::size_t width = plan_.shape().length;
    const std::size_t padding = width - row.length;
    const bool left = plan_.options().padSide == PadSide::kLeft;
    tokens_.moveTo(index * width);
    attentionMask_.moveTo(index * width);
    if (left) pad(padding);
    if (writesIds_) tokens_.inputIds.copy(path.inputIds(), row.length);
    if (writesOthers_) {
      path.writeTrained(plan_.trainedFrom(row), row.length, tokens_.trained);
      attentionMask_.fill(1, row.length);
    }
    if (!left) pad(padding);
  }

  void finish() {
    tokens_.finish();
    attentionMask_.finish();
  }

 private:
  void pad(std::size_t count) {
    if (writesIds_) tokens_.inputIds.fill(plan_.options().padTokenId, count);
    if (!writesOthers_) return;
    tokens_.trained.fillUntrained(count);
    attentionMask_.fill(0, count);
  }

  const Plan& plan_;
  bool writesIds_;
  bool writesOthers_;
  TokenWriter tokens_;
  ColumnWriter<std::uint8_t> attentionMask_;
};

}  // namespace

void writePadded(const Plan& plan, const BatchBlock& block, unsigned threads, PackedColumns columns) {
  auto* rewards = block.tensor<float>("rewards");
  for (std::size_t i = 0; i < plan.rows().size(); ++i) rewards[i] = static_cast<float>(plan.rows()[i].reward);
  const std::vector<std::uint64_t> weights(plan.rows().size(), plan.shape().length);
  const RowSchedule schedule(plan, weights, heldFor(plan, columns));
  parallelRanges(schedule.work(), threads, [&](std::uint64_t begin, std::uint64_t end) {
    PaddedRows rows(plan, block, columns);
    schedule.visit(begin, end, [&](std::size_t row, const TokenPath& path) { rows.write(row, path); });
    rows.finish();
  });
}

}  // namespace rolltape
