#include "row_writer.h"

#include <algorithm>
#include <vector>

#include "parallel.h"
#include "row_order.h"
#include "token_path.h"

namespace rolltape {

void writeRow(const TokenColumns& tokens, std::uint32_t trainedFrom, std::uint32_t length, const TokenColumns& out,
              const BulkStore& store) {
  const std::uint32_t first = std::min(trainedFrom, length);
  const std::uint32_t rest = length - first;
  const TokenColumns from = tokens.from(first);
  const TokenColumns to = out.from(first);
  store.copy(out.inputIds, tokens.inputIds, length);
  store.fill(out.lossMask, first, 0);
  store.copy(to.lossMask, from.lossMask, rest);
  store.fill(out.logprobs, first, 0.0f);
  store.copy(to.logprobs, from.logprobs, rest);
  store.fill(out.versions, first, kNoVersion);
  store.copy(to.versions, from.versions, rest);
}

void writeRows(const Plan& plan, std::span<const std::uint64_t> weights, unsigned threads, const BulkStore& store,
               const RowWriter& write) {
  const std::vector<std::uint32_t> order = rowOrder(plan);
  // A row belongs to the thread in whose part of the work it starts.
  std::vector<std::uint64_t> starts(order.size());
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    starts[i] = total;
    total += weights[order[i]] + 1;
  }
  parallelRanges(total, threads, [&](std::uint64_t begin, std::uint64_t end) {
    TokenPath path(plan.longestRow());
    const auto first = std::ranges::lower_bound(starts, begin) - starts.begin();
    const auto last = std::ranges::lower_bound(starts, end) - starts.begin();
    for (auto i = first; i < last; ++i) {
      path.moveTo(*plan.rows()[order[i]].interaction);
      write(order[i], path.columns());
    }
    store.finish();
  });
}

}  // namespace rolltape
