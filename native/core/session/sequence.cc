#include "sequence.h"

#include <algorithm>
#include <cstring>

namespace rolltape {

namespace {

/// Returns the nearest ancestor, `parent` included, whose own tokens are among the first `shared` tokens. The ancestors
/// between would only add empty spans to every later walk.
const Interaction* sourceOf(const Interaction* parent, std::uint32_t shared) {
  if (shared == 0) return nullptr;
  while (shared <= parent->shared) parent = parent->source;
  return parent;
}

}  // namespace

void derivePlace(Interaction& made) {
  made.source = sourceOf(made.parent, made.shared);
  made.tokenExact = made.parent != nullptr && made.shared == made.parent->sequenceLength();
  made.exactFrom = made.tokenExact ? made.parent->exactFrom : made.shared;
  made.depth = made.parent == nullptr ? 0 : made.parent->depth + 1;
}

void appendSequence(const Interaction& interaction, std::uint32_t count, std::vector<TokenSpan>& spans) {
  const std::size_t first = spans.size();
  const auto add = [&](const std::int32_t* ids, std::uint32_t from, std::uint32_t to) {
    if (to > from) spans.emplace_back(ids, to - from);
  };
  std::uint32_t end = count;
  for (const Interaction* at = &interaction; at != nullptr; at = at->source) {
    add(at->outputIds, at->inputLength, end);
    add(at->tail, at->shared, std::min(end, at->inputLength));
    end = std::min(end, at->shared);
  }
  std::reverse(spans.begin() + static_cast<std::ptrdiff_t>(first), spans.end());
}

std::uint32_t firstUnrecorded(const Interaction* source, std::uint32_t shared, std::string_view channel) {
  if (shared == 0) return 0;
  const std::uint32_t position = shared - 1;
  while (position < source->shared) source = source->source;
  const bool hasItem = std::ranges::any_of(source->channels(), [&](const ChannelRun& run) {
    return run.spec->name == channel && run.first <= position && position < run.end();
  });
  return hasItem ? shared : position;
}

std::int32_t tokenAt(const Interaction& interaction, std::uint32_t position) {
  const Interaction* at = &interaction;
  while (position < at->shared) at = at->source;
  return position < at->inputLength ? at->tail[position - at->shared] : at->outputIds[position - at->inputLength];
}

namespace {

constexpr std::size_t kCompareChunk = 4096;

std::size_t commonPrefix(const std::int32_t* a, const std::int32_t* b, std::size_t count) {
  if (a == b) return count;
  std::size_t done = 0;
  while (done < count) {
    const std::size_t chunk = std::min(kCompareChunk, count - done);
    if (std::memcmp(a + done, b + done, chunk * sizeof(std::int32_t)) != 0) break;
    done += chunk;
  }
  while (done < count && a[done] == b[done]) ++done;
  return done;
}

}  // namespace

std::size_t commonPrefix(std::span<const TokenSpan> a, std::span<const TokenSpan> b) {
  std::size_t total = 0;
  std::size_t atA = 0;
  std::size_t atB = 0;
  TokenSpan leftA;
  TokenSpan leftB;
  while (true) {
    while (leftA.empty() && atA < a.size()) leftA = a[atA++];
    while (leftB.empty() && atB < b.size()) leftB = b[atB++];
    const std::size_t count = std::min(leftA.size(), leftB.size());
    if (count == 0) return total;
    const std::size_t equal = commonPrefix(leftA.data(), leftB.data(), count);
    total += equal;
    if (equal < count) return total;
    leftA = leftA.subspan(count);
    leftB = leftB.subspan(count);
  }
}

std::vector<TokenSpan> dropTokens(std::span<const TokenSpan> spans, std::size_t count) {
  std::vector<TokenSpan> rest;
  for (const TokenSpan span : spans) {
    const std::size_t skipped = std::min(count, span.size());
    count -= skipped;
    if (skipped < span.size()) rest.push_back(span.subspan(skipped));
  }
  return rest;
}

}  // namespace rolltape
