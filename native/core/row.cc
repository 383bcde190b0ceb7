#include "row.h"

#include <algorithm>

namespace rolltape {

void rowSegments(const Interaction& interaction, RowStyle style, std::uint32_t length,
                 std::vector<RowSegment>& segments) {
  segments.clear();
  std::uint32_t end = length;
  bool trained = true;
  for (const Interaction* at = &interaction; at != nullptr && end > 0;) {
    if (end > at->inputLength) {
      segments.push_back({at->outputIds, trained ? at->logprobs : nullptr, at->versions(), end - at->inputLength});
    }
    const std::uint32_t tailEnd = std::min(end, at->inputLength);
    if (tailEnd > at->shared) segments.push_back({at->tail, nullptr, {}, tailEnd - at->shared});
    end = std::min(end, at->shared);
    trained = trained && style == RowStyle::kConcat && at->tokenExact;
    at = trained ? at->parent : at->source;
  }
  std::reverse(segments.begin(), segments.end());
}

void writeRow(std::span<const RowSegment> segments, RowOutput out) {
  for (const RowSegment& segment : segments) {
    const std::uint32_t n = segment.length;
    out.inputIds = std::copy_n(segment.ids, n, out.inputIds);
    if (segment.logprobs == nullptr) {
      out.lossMask = std::fill_n(out.lossMask, n, 0);
      out.logprobs = std::fill_n(out.logprobs, n, 0.0f);
      out.versions = std::fill_n(out.versions, n, -1);
    } else {
      out.lossMask = std::fill_n(out.lossMask, n, 1);
      out.logprobs = std::copy_n(segment.logprobs, n, out.logprobs);
      expandVersions(segment.versions, 0, {out.versions, n});
      out.versions += n;
    }
  }
}

}  // namespace rolltape
