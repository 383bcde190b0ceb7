#include "token_columns.h"

#include <algorithm>

namespace rolltape {

void writeOwnTokens(const Interaction& interaction, std::uint32_t from, std::uint32_t to, TokenColumns out) {
  const std::uint32_t inputEnd = std::clamp(interaction.inputLength, from, to);
  const std::uint32_t inputs = inputEnd - from;
  if (inputs > 0) {
    std::copy_n(interaction.tail + (from - interaction.shared), inputs, out.inputIds);
    std::fill_n(out.lossMask, inputs, 0);
    std::fill_n(out.logprobs, inputs, 0.0f);
    std::fill_n(out.versions, inputs, kNoVersion);
  }
  const std::uint32_t outputs = to - inputEnd;
  if (outputs > 0) {
    const std::uint32_t first = inputEnd - interaction.inputLength;
    const TokenColumns rest = out.from(inputs);
    std::copy_n(interaction.outputIds + first, outputs, rest.inputIds);
    std::fill_n(rest.lossMask, outputs, 1);
    std::copy_n(interaction.logprobs + first, outputs, rest.logprobs);
    expandVersions(interaction.versions(), first, {rest.versions, outputs});
  }
}

}  // namespace rolltape
