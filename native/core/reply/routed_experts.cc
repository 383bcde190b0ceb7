#include "routed_experts.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "../base/error.h"
#include "../base/size.h"
#include "cut_experts.h"
#include "npy.h"

namespace rolltape {

namespace {

constexpr std::uint32_t kMaxU8Experts = 256;
constexpr std::size_t kInt32Bytes = sizeof(std::uint32_t);
/// Most bytes that are reserved because a reply says that they follow.
constexpr std::uint64_t kMaxReservedBytes = std::uint64_t{1} << 28;
/// A header is padded to a multiple of 64 bytes, and has about 100.
constexpr std::size_t kMaxHeaderBytes = 4096;

[[noreturn]] void mismatch(const std::string& what) {
  throw Error(ErrorCode::kReplyImpossible, "routed_experts: " + what);
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
std::uint32_t narrow(std::span<const std::byte> from, std::byte* out) {
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < from.size() / kInt32Bytes; ++i) {
    std::uint32_t wide = 0;
    std::memcpy(&wide, from.data() + i * kInt32Bytes, kInt32Bytes);
    largest = std::max(largest, wide);
    const T value = static_cast<T>(wide);
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
  return largest;
}

}  // namespace

Dtype RoutedExperts::dtype() const {
  return experts <= kMaxU8Experts ? Dtype::kU8 : Dtype::kU16;
}

ChannelSpec RoutedExperts::channel() const {
  return {.name = "routed_experts", .dtype = dtype(), .shape = {layers, topK}, .ofSequence = true};
}

ExpertsReader::ExpertsReader(const RoutedExperts& asked, ExpertsFormat format, std::uint64_t expectedBytes)
    : asked_(asked), format_(format), dtype_(asked.dtype()) {
  // Memory that is reserved and not used is never touched.
  rows_.reserve(std::min(expectedBytes, kMaxReservedBytes));
}

std::size_t ExpertsReader::read(std::string_view chars) {
  if (format_ == ExpertsFormat::kNpy) {
    return text_.read(chars, [this](std::span<const std::byte> bytes) { addToFile(bytes); });
  }
  return text_.read(chars, [this](std::span<const std::byte> bytes) { addInt32(bytes); });
}

void ExpertsReader::addToFile(std::span<const std::byte> bytes) {
  if (hasHeader_) return addStored(bytes);
  begun_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (begun_.size() < NpyHeader::kStartBytes) return;
  const std::size_t end = npyHeaderEnd(begun_);
  if (end == 0 || end > kMaxHeaderBytes) text_.fail("is not a file in NumPy's format");
  if (begun_.size() < end) return;
  readHeader(std::string_view(begun_).substr(0, end));
  addStored(std::as_bytes(std::span(begun_)).subspan(end));
}

void ExpertsReader::readHeader(std::string_view text) {
  const NpyHeader header = readNpyHeader(text);
  if (header.descr != (dtype_ == Dtype::kU8 ? "'|u1'" : "'<u2'")) {
    mismatch("the dtype is " + header.descr.substr(0, 16) + " for " + std::to_string(asked_.experts) + " experts");
  }
  if (header.isFortranOrder) mismatch("the array is not in C order");
  const std::vector<std::uint64_t>& shape = header.shape;
  if (shape.size() != 3) mismatch("the array does not have three dimensions");
  requireShape(asked_, shape[1], shape[2]);
  fileBytes_ = checkedMultiply(shape[0], asked_.rowBytes());
  rows_.reserve(std::min(fileBytes_, kMaxReservedBytes));
  hasHeader_ = true;
}

/// Adds values that have the channel's dtype. One of two bytes may be cut, and is checked once it is complete.
void ExpertsReader::addStored(std::span<const std::byte> bytes) {
  const std::size_t size = dtypeBytes(dtype_);
  const std::size_t unchecked = rows_.size() / size * size;
  rows_.insert(rows_.end(), bytes.begin(), bytes.end());
  const auto added = std::span<const std::byte>(rows_).first(rows_.size() / size * size).subspan(unchecked);
  if (added.empty()) return;
  requireRange(asked_, dtype_ == Dtype::kU8 ? largestOf<std::uint8_t>(added) : largestOf<std::uint16_t>(added));
}

void ExpertsReader::addInt32(std::span<const std::byte> bytes) {
  if (!begun_.empty()) {
    const std::size_t missing = std::min(bytes.size(), kInt32Bytes - begun_.size());
    begun_.append(reinterpret_cast<const char*>(bytes.data()), missing);
    bytes = bytes.subspan(missing);
    if (begun_.size() < kInt32Bytes) return;
    addValues(std::as_bytes(std::span(begun_)));
  }
  const std::size_t whole = bytes.size() / kInt32Bytes * kInt32Bytes;
  begun_.assign(reinterpret_cast<const char*>(bytes.data()) + whole, bytes.size() - whole);
  addValues(bytes.first(whole));
}

void ExpertsReader::addValues(std::span<const std::byte> int32s) {
  std::array<std::byte, 2048> narrowed;
  while (!int32s.empty()) {
    const auto part = int32s.first(std::min(int32s.size(), narrowed.size() / sizeof(std::uint16_t) * kInt32Bytes));
    int32s = int32s.subspan(part.size());
    requireRange(asked_, dtype_ == Dtype::kU8 ? narrow<std::uint8_t>(part, narrowed.data())
                                              : narrow<std::uint16_t>(part, narrowed.data()));
    const std::size_t bytes = part.size() / kInt32Bytes * dtypeBytes(dtype_);
    rows_.insert(rows_.end(), narrowed.begin(), narrowed.begin() + bytes);
  }
}

ExpertRows ExpertsReader::take() {
  if (format_ == ExpertsFormat::kNpy) {
    if (!hasHeader_) text_.fail("is not a file in NumPy's format");
    if (rows_.size() != fileBytes_) {
      mismatch("there are " + std::to_string(rows_.size()) + " bytes for " +
               std::to_string(fileBytes_ / asked_.rowBytes()) + " rows");
    }
  } else if (!begun_.empty() || rows_.size() % asked_.rowBytes() != 0) {
    mismatch(std::to_string(rows_.size() / dtypeBytes(dtype_)) + " values are not rows of " +
             std::to_string(asked_.layers) + " layers of " + std::to_string(asked_.topK) + " experts");
  }
  return std::move(rows_);
}

std::optional<ExpertRows> readExperts(JsonCursor& json, const RoutedExperts& asked, ExpertsFormat format,
                                      CutExperts* cut) {
  if (json.consumeNull()) return std::nullopt;
  json.expect('"');
  if (cut != nullptr && cut->isAt(json.rest().data())) {
    ExpertRows rows = cut->take();
    json.expect('"');
    return rows;
  }
  // The header of a file says how much follows. Of int32, 16 characters are three values.
  const std::uint64_t values = format == ExpertsFormat::kInt32 ? json.rest().size() / 16 * 3 : 0;
  ExpertsReader reader(asked, format, values * dtypeBytes(asked.dtype()));
  json.advance(reader.read(json.rest()));
  if (!reader.ended()) json.fail("the text ends in a string");
  return reader.take();
}

void addExperts(Generation& tokens, const RoutedExperts& asked, ExpertRows rows, std::size_t count) {
  // A generation that was aborted in the queue has none.
  if (count == 0) return;
  const std::uint64_t given = rows.size() / asked.rowBytes();
  const std::uint64_t end = asked.promptLength + count - 1;
  const std::uint64_t wanted = end - asked.start;
  if (given != wanted && given != end) {
    mismatch(std::to_string(given) + " rows for tokens " + std::to_string(asked.start) + " to " + std::to_string(end));
  }
  const std::uint64_t bytes = wanted * asked.rowBytes();
  if (rows.size() > bytes) rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(bytes));
  tokens.addChannel(asked.channel(), asked.start, std::move(rows));
}

}  // namespace rolltape
