#include "token_columns.h"

#include <algorithm>

namespace rolltape {

namespace {

void writeInputs(const Interaction& interaction, std::uint32_t from, std::uint32_t count, const TokenColumns& out,
                 const BulkStore& store) {
  store.copy(out.inputIds, interaction.tail + (from - interaction.shared), count);
  store.fill(out.lossMask, count, 0);
  store.fill(out.logprobs, count, 0.0f);
  store.fill(out.versions, count, kNoVersion);
}

void writeOutputs(const Interaction& interaction, std::uint32_t first, std::uint32_t count, const TokenColumns& out,
                  const BulkStore& store) {
  store.copy(out.inputIds, interaction.outputIds + first, count);
  store.fill(out.lossMask, count, 1);
  store.copy(out.logprobs, interaction.logprobs + first, count);
  std::int32_t* versions = out.versions;
  visitVersions(interaction.versions(), first, count, [&](std::int32_t version, std::uint32_t stretch) {
    store.fill(versions, stretch, version);
    versions += stretch;
  });
}

}  // namespace

void writeOwnTokens(const Interaction& interaction, std::uint32_t from, std::uint32_t to, const TokenColumns& out,
                    const BulkStore& store) {
  const std::uint32_t inputEnd = std::clamp(interaction.inputLength, from, to);
  if (inputEnd > from) writeInputs(interaction, from, inputEnd - from, out, store);
  if (to > inputEnd) {
    writeOutputs(interaction, inputEnd - interaction.inputLength, to - inputEnd, out.from(inputEnd - from), store);
  }
}

}  // namespace rolltape
