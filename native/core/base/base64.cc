#include "base64.h"

#include <array>
#include <cstring>
#include <string_view>

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace rolltape {

namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Pair = std::array<char, 2>;

/// The two characters of every 12 bits: half the look-ups of one character at a time.
constexpr std::array<Pair, 4096> kPairs = [] {
  std::array<Pair, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {kAlphabet[i >> 6], kAlphabet[i & 63]};
  return pairs;
}();

constexpr std::uint32_t kNoDigit = std::uint32_t{1} << 24;

/// The bits of each character at each of the four places of a group; kNoDigit for other characters.
constexpr std::array<std::array<std::uint32_t, 256>, 4> kDigits = [] {
  std::array<std::array<std::uint32_t, 256>, 4> digits{};
  for (std::size_t place = 0; place < digits.size(); ++place) {
    digits[place].fill(kNoDigit);
    for (std::uint32_t value = 0; value < kAlphabet.size(); ++value) {
      digits[place][static_cast<unsigned char>(kAlphabet[value])] = value << (18 - 6 * place);
    }
  }
  return digits;
}();

/// The 24 bits of a group; kNoDigit or more if a character is none of the alphabet.
std::uint32_t groupBits(const char* group) {
  const auto digit = [&](std::size_t place) { return kDigits[place][static_cast<unsigned char>(group[place])]; };
  return digit(0) | digit(1) | digit(2) | digit(3);
}

std::size_t countPadding(std::string_view text) {
  return text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
}

/// Writes the first `count` of the group's three bytes.
void writeGroup(std::uint32_t bits, std::size_t count, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<std::byte>(bits >> (16 - 8 * i));
}

/// Decodes whole groups of four characters. Writes one byte behind the last of `groups`.
std::uint32_t readGroups(const char* chars, std::uint64_t groups, std::byte* out) {
  std::uint32_t all = 0;
  for (; groups > 0; --groups, chars += 4, out += 3) {
    const std::uint32_t bits = groupBits(chars);
    all |= bits;
    const std::uint32_t bytes = __builtin_bswap32(bits << 8);
    std::memcpy(out, &bytes, sizeof bytes);
  }
  return all;
}

#ifdef __x86_64__

/// Characters that the processor decodes at a time, the bytes that they are, and the bytes that are written for them.
constexpr std::size_t kBlockChars = 32;
constexpr std::size_t kBlockBytes = 24;
constexpr std::size_t kBlockRoom = 32;

using Vector = std::uint8_t __attribute__((vector_size(kBlockChars)));

/// Decodes whole blocks. Returns false if a character is not of the alphabet.
__attribute__((target("avx2"))) bool readBlocks(const char* chars, std::uint64_t blocks, std::byte* out) {
  // Multiplying and adding neighbors joins two digits, then four.
  const __m256i two = _mm256_set1_epi32(0x01400140);
  const __m256i four = _mm256_set1_epi32(0x00011000);
  // The three bytes of each group, highest first; the groups of both halves next to each other.
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i halves = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
  Vector valid = ~Vector{};
  for (; blocks > 0; --blocks, chars += kBlockChars, out += kBlockBytes) {
    Vector c;
    std::memcpy(&c, chars, sizeof c);
    const Vector upper = c - 'A';
    const Vector lower = c - 'a';
    const Vector number = c - '0';
    // A comparison gives 0xff for true.
    const auto isUpper = reinterpret_cast<Vector>(upper < 26);
    const auto isLower = reinterpret_cast<Vector>(lower < 26);
    const auto isNumber = reinterpret_cast<Vector>(number < 10);
    const auto isPlus = reinterpret_cast<Vector>(c == '+');
    const auto isSlash = reinterpret_cast<Vector>(c == '/');
    valid &= isUpper | isLower | isNumber | isPlus | isSlash;
    const Vector digits =
        (isUpper & upper) | (isLower & (lower + 26)) | (isNumber & (number + 52)) | (isPlus & 62) | (isSlash & 63);
    const __m256i groups = _mm256_madd_epi16(_mm256_maddubs_epi16(reinterpret_cast<__m256i>(digits), two), four);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, order), halves);
    std::memcpy(out, &bytes, sizeof bytes);
  }
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(valid)) == -1;
}

#endif

/// Decodes the text, whose padding is not read, to `left` bytes.
bool readText(std::string_view text, std::uint64_t left, std::byte* out) {
  const char* group = text.data();
#ifdef __x86_64__
  if (left >= kBlockRoom && __builtin_cpu_supports("avx2")) {
    const std::uint64_t blocks = (left - kBlockRoom) / kBlockBytes + 1;
    if (!readBlocks(group, blocks, out)) return false;
    group += blocks * kBlockChars;
    out += blocks * kBlockBytes;
    left -= blocks * kBlockBytes;
  }
#endif
  // Four bytes are written at a time, so the last group is written like one with padding.
  const std::uint64_t groups = left == 0 ? 0 : (left - 1) / 3;
  std::uint32_t all = readGroups(group, groups, out);
  group += groups * 4;
  out += groups * 3;
  if (left > 0) {
    const std::size_t count = (left - 1) % 3 + 1;
    std::array<char, 4> last{group[0], group[1], count > 1 ? group[2] : 'A', count > 2 ? group[3] : 'A'};
    const std::uint32_t bits = groupBits(last.data());
    all |= bits;
    // The bits that no byte takes are 0 (RFC 4648, section 3.5).
    if ((bits & ((std::uint32_t{1} << (24 - 8 * count)) - 1)) != 0) return false;
    writeGroup(bits, count, out);
  }
  return all < kNoDigit;
}

}  // namespace

char* writeBase64(std::span<const std::uint8_t> bytes, char* out) {
  const std::size_t whole = bytes.size() / 3 * 3;
  for (std::size_t i = 0; i < whole; i += 3, out += 4) {
    const std::uint32_t bits = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    std::memcpy(out, kPairs[bits >> 12].data(), 2);
    std::memcpy(out + 2, kPairs[bits & 4095].data(), 2);
  }
  const std::size_t left = bytes.size() - whole;
  if (left == 0) return out;
  const std::uint32_t bits = bytes[whole] << 16 | (left == 2 ? bytes[whole + 1] << 8 : 0);
  std::memcpy(out, kPairs[bits >> 12].data(), 2);
  out[2] = left == 2 ? kAlphabet[bits >> 6 & 63] : '=';
  out[3] = '=';
  return out + 4;
}

std::optional<std::uint64_t> decodedLength(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  return text.size() / 4 * 3 - countPadding(text);
}

bool readBase64(std::string_view text, std::byte* out) {
  const std::optional<std::uint64_t> length = decodedLength(text);
  return length && readText(text, *length, out);
}

bool readBase64Part(std::string_view text, std::byte* out) {
  return text.size() % 4 == 0 && readText(text, text.size() / 4 * 3, out);
}

}  // namespace rolltape
