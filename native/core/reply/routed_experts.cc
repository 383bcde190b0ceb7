#include "routed_experts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "../base/base64.h"
#include "../base/error.h"
#include "../base/size.h"
#include "npy.h"

namespace rolltape {

namespace {

constexpr std::uint32_t kMaxU8Experts = 256;

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyImpossible, "routed_experts: " + what);
}

/// Decodes the characters [from, from + count) of a text, whole groups of four or up to its end, and returns the number
/// of bytes. Only its end may have padding.
std::size_t decode(const JsonCursor& json, std::string_view text, std::size_t from, std::size_t count, std::byte* out) {
  const std::string_view part = text.substr(from, count);
  const bool isLast = from + part.size() == text.size();
  if (!(isLast ? readBase64(part, out) : readBase64Part(part, out))) json.fail("routed_experts is not base64");
  return isLast ? *decodedLength(part) : part.size() / 4 * 3;
}

std::uint64_t requireLength(const JsonCursor& json, std::string_view text) {
  const std::optional<std::uint64_t> length = decodedLength(text);
  if (!length) json.fail("routed_experts is not base64");
  return *length;
}

void requireShape(const RoutedExperts& asked, std::uint64_t layers, std::uint64_t topK) {
  if (layers == asked.layers && topK == asked.topK) return;
  mismatch("the rows have " + std::to_string(layers) + " layers of " + std::to_string(topK) +
           " experts, but the model has " + std::to_string(asked.layers) + " of " + std::to_string(asked.topK));
}

void requireRange(const RoutedExperts& asked, std::uint64_t largest) {
  if (largest < asked.experts) return;
  mismatch("expert " + std::to_string(largest) + " is beyond the " + std::to_string(asked.experts) +
           " experts of the model");
}

/// Returns the largest value, so that one comparison checks the range of all values.
template <typename T>
std::uint64_t largestOf(std::span<const std::byte> bytes) {
  T largest = 0;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
    T value = 0;
    std::memcpy(&value, bytes.data() + i, sizeof value);
    largest = std::max(largest, value);
  }
  return largest;
}

/// Converts int32 to the channel's dtype. Returns the largest value, for which a negative one counts as large.
template <typename T>
std::uint32_t narrow(std::span<const std::uint32_t> from, std::byte* out) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    largest = std::max(largest, from[i]);
    const T value = static_cast<T>(from[i]);
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
  return largest;
}

}  // namespace

ChannelSpec RoutedExperts::channel() const {
  return {.name = "routed_experts",
          .dtype = experts <= kMaxU8Experts ? Dtype::kU8 : Dtype::kU16,
          .shape = {layers, topK},
          .ofSequence = true};
}

std::optional<ExpertRows> readNpyExperts(JsonCursor& json, const RoutedExperts& asked) {
  if (json.consumeNull()) return std::nullopt;
  std::string decoded;
  const std::string_view text = json.text(decoded);
  const std::uint64_t length = requireLength(json, text);
  std::string start(NpyHeader::kStartBytes, '\0');
  // 16 characters are 12 bytes.
  if (length < start.size()) json.fail("routed_experts is not a file in NumPy's format");
  decode(json, text, 0, 16, reinterpret_cast<std::byte*>(start.data()));
  const std::size_t headerEnd = npyHeaderEnd(start);
  if (headerEnd == 0 || headerEnd > length) json.fail("routed_experts is not a file in NumPy's format");
  // Whole groups of three bytes that hold the header, and perhaps the first values.
  const std::size_t headChars = std::min(text.size(), (headerEnd + 2) / 3 * 4);
  std::string head(headChars / 4 * 3, '\0');
  head.resize(decode(json, text, 0, headChars, reinterpret_cast<std::byte*>(head.data())));
  if (head.size() < headerEnd) json.fail("routed_experts is not a file in NumPy's format");
  const NpyHeader header = readNpyHeader(std::string_view(head).substr(0, headerEnd));

  const Dtype dtype = asked.channel().dtype;
  if (header.descr != (dtype == Dtype::kU8 ? "'|u1'" : "'<u2'")) {
    mismatch("the dtype is " + header.descr.substr(0, 16) + " for " + std::to_string(asked.experts) + " experts");
  }
  if (header.isFortranOrder) mismatch("the array is not in C order");
  const std::vector<std::uint64_t>& shape = header.shape;
  if (shape.size() != 3) mismatch("the array does not have three dimensions");
  requireShape(asked, shape[1], shape[2]);
  const std::uint64_t bytes = length - headerEnd;
  if (bytes != checkedMultiply(shape[0], asked.channel().itemBytes())) {
    mismatch("there are " + std::to_string(bytes) + " bytes for " + std::to_string(shape[0]) + " rows");
  }

  ExpertRows rows(bytes);
  const std::size_t first = head.size() - headerEnd;
  if (bytes == 0) return rows;
  std::memcpy(rows.data(), head.data() + headerEnd, std::min<std::size_t>(first, bytes));
  if (headChars < text.size()) decode(json, text, headChars, text.size(), rows.data() + first);
  requireRange(asked, dtype == Dtype::kU8 ? largestOf<std::uint8_t>(rows) : largestOf<std::uint16_t>(rows));
  return rows;
}

std::optional<ExpertRows> readInt32Experts(JsonCursor& json, const RoutedExperts& asked) {
  if (json.consumeNull()) return std::nullopt;
  std::string decoded;
  const std::string_view text = json.text(decoded);
  const std::uint64_t length = requireLength(json, text);
  const std::uint64_t values = length / sizeof(std::uint32_t);
  const std::uint64_t rowValues = std::uint64_t{asked.layers} * asked.topK;
  if (length % sizeof(std::uint32_t) != 0 || values % rowValues != 0) {
    mismatch(std::to_string(length) + " bytes are not rows of " + std::to_string(asked.layers) + " layers of " +
             std::to_string(asked.topK) + " experts");
  }
  // Four characters are three bytes, so 16 are three values.
  constexpr std::size_t kPieceChars = 4096;
  std::array<std::uint32_t, kPieceChars / 16 * 3> piece;
  const Dtype dtype = asked.channel().dtype;
  ExpertRows rows(values * dtypeBytes(dtype));
  std::byte* out = rows.data();
  std::uint32_t largest = 0;
  for (std::size_t from = 0; from < text.size(); from += kPieceChars) {
    const std::size_t bytes = decode(json, text, from, kPieceChars, reinterpret_cast<std::byte*>(piece.data()));
    const std::span<const std::uint32_t> read(piece.data(), bytes / sizeof(std::uint32_t));
    largest =
        std::max(largest, dtype == Dtype::kU8 ? narrow<std::uint8_t>(read, out) : narrow<std::uint16_t>(read, out));
    out += read.size() * dtypeBytes(dtype);
  }
  if (values > 0) requireRange(asked, largest);
  return rows;
}

void addExperts(Generation& tokens, const RoutedExperts& asked, ExpertRows rows, std::size_t count) {
  // A generation that was aborted in the queue has none.
  if (count == 0) return;
  const ChannelSpec channel = asked.channel();
  const std::uint64_t given = rows.size() / channel.itemBytes();
  const std::uint64_t end = asked.promptLength + count - 1;
  const std::uint64_t wanted = end - asked.start;
  if (given != wanted && given != end) {
    mismatch(std::to_string(given) + " rows for tokens " + std::to_string(asked.start) + " to " + std::to_string(end));
  }
  const std::uint64_t bytes = wanted * channel.itemBytes();
  if (rows.size() > bytes) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(bytes));
  tokens.addChannel(channel, asked.start, std::move(rows));
}

}  // namespace rolltape
