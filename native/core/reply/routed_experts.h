#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../json/cursor.h"
#include "../session/generation.h"
#include "base64_text.h"

namespace rolltape {

/// The routed experts that a request asked for: the `topK` experts of each layer that a token went through, in order.
/// An engine has a row for each token of the sequence but the last, on which the model did not run.
struct RoutedExperts {
  std::uint32_t layers = 0;
  std::uint32_t topK = 0;
  /// Experts of a layer: ids are less.
  std::uint32_t experts = 0;
  /// Tokens of the prompt that was sent, with the partial output in it.
  std::uint32_t promptLength = 0;
  /// The first token whose row was asked for, at most promptLength.
  std::uint32_t start = 0;

  /// U8, or U16 for more than 256 experts.
  Dtype dtype() const;
  std::uint64_t rowValues() const { return std::uint64_t{layers} * topK; }
  std::uint64_t rowBytes() const { return rowValues() * dtypeBytes(dtype()); }
  /// The channel `routed_experts`, of shape [layers, topK].
  ChannelSpec channel() const;
};

/// Rows as a reply has them, in the dtype of the channel.
using ExpertRows = std::vector<std::byte>;

/// How an engine writes rows in base64.
enum class ExpertsFormat {
  /// vLLM: a file in NumPy's format (numpy.lib.format) with |u1 or <u2 and the shape (rows, layers, topK).
  kNpy,
  /// SGLang: int32 in rows of layers x topK.
  kInt32,
};

/// Reads the JSON string `routed_experts`, whose characters may come in pieces. Rows are checked and converted while
/// they are decoded, so that memory is written once.
class ExpertsReader {
 public:
  /// @param expectedBytes rows that there is room for from the beginning
  ExpertsReader(const RoutedExperts& asked, ExpertsFormat format, std::uint64_t expectedBytes);

  /// Reads characters behind the opening quote, up to and with the closing one if it is among them.
  /// @returns number of characters that were read
  /// @throws kReplyMalformed if they are not base64 or not such a file, kReplyImpossible if the dtype, the shape or an
  /// id is not the model's
  std::size_t read(std::string_view chars);
  bool ended() const { return text_.ended(); }
  std::string_view begunEscape() const { return text_.begunEscape(); }
  /// Returns all rows, once the string has ended. @throws as read()
  ExpertRows take();

 private:
  void addToFile(std::span<const std::byte> bytes);
  void readHeader(std::string_view text);
  void addStored(std::span<const std::byte> bytes);
  void addInt32(std::span<const std::byte> bytes);
  void addValues(std::span<const std::byte> int32s);

  RoutedExperts asked_;
  ExpertsFormat format_;
  Dtype dtype_;
  Base64Text text_{"routed_experts"};
  ExpertRows rows_;
  /// The beginning of a file until its header is complete; of int32, the value that is not complete.
  std::string begun_;
  /// Of a file: its header is read, and says how many bytes of rows follow.
  bool hasHeader_ = false;
  std::uint64_t fileBytes_ = 0;
};

class CutExperts;

/// Reads `routed_experts` of a text: null for none.
/// @param cut those that were read before their text was complete; null if there cannot be any
/// @throws as ExpertsReader
std::optional<ExpertRows> readExperts(JsonCursor& json, const RoutedExperts& asked, ExpertsFormat format,
                                      CutExperts* cut);

/// Adds the rows of a reply to `tokens`, which must have all tokens of the reply. Older servers send every row: those
/// before `asked.start` are left out.
/// @param count tokens that the whole reply sampled
/// @throws kReplyImpossible for another number of rows
void addExperts(Generation& tokens, const RoutedExperts& asked, ExpertRows rows, std::size_t count);

}  // namespace rolltape
