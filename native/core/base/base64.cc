#include "base64.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
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

/// Decodes groups of four characters as readBase64Groups() does, and returns their number.
std::size_t readGroups(const char* chars, std::size_t groups, std::byte* out) {
  std::size_t done = 0;
  for (; done < groups; ++done, chars += 4, out += 3) {
    const std::uint32_t bits = groupBits(chars);
    if (bits >= kNoDigit) break;
    const std::uint32_t bytes = __builtin_bswap32(bits << 8);
    std::memcpy(out, &bytes, sizeof bytes);
  }
  return done;
}

/// Decodes the last characters of a text to `left` bytes, and writes no byte behind them. Does not read padding.
bool readEnd(const char* group, std::size_t left, std::byte* out) {
  for (; left > 0; group += 4) {
    const std::size_t count = std::min<std::size_t>(left, 3);
    const std::array<char, 4> padded{group[0], group[1], count > 1 ? group[2] : 'A', count > 2 ? group[3] : 'A'};
    const std::uint32_t bits = groupBits(padded.data());
    // The bits that no byte takes are 0 (RFC 4648, section 3.5).
    const std::uint32_t unused = bits & ((std::uint32_t{1} << (24 - 8 * count)) - 1);
    if (bits >= kNoDigit || unused != 0) return false;
    for (std::size_t i = 0; i < count; ++i) *out++ = static_cast<std::byte>(bits >> (16 - 8 * i));
    left -= count;
  }
  return true;
}

#if defined(__x86_64__)

/// Characters that the processor decodes at a time, and the bytes that they are. 32 bytes are written for them.
constexpr std::size_t kBlockChars = 32;
constexpr std::size_t kBlockBytes = 24;
static_assert(kBlockChars - kBlockBytes <= kBase64Slack);

/// One entry for each of the 16 values of half a byte.
using HalfByteTable = std::array<std::uint8_t, 16>;

/// The kinds of characters that begin with each half byte. One kind has the same second half bytes: `+` and `/`, the
/// digits, `A` to `O` and `a` to `o`, `P` to `Z` and `p` to `z`.
constexpr HalfByteTable kKinds{0, 0, 1, 2, 4, 8, 4, 8};

/// The kinds of characters that end with each half byte.
constexpr HalfByteTable kKindsByEnd = [] {
  HalfByteTable kinds{};
  for (const char c : kAlphabet) {
    const auto byte = static_cast<unsigned char>(c);
    kinds[byte & 15] |= kKinds[byte >> 4];
  }
  return kinds;
}();

/// The number that is added to a character to give its digit, by the character's first half byte. `/` has the entry
/// before that of `+`.
constexpr HalfByteTable kShifts = [] {
  HalfByteTable shifts{};
  for (std::size_t digit = 0; digit < kAlphabet.size(); ++digit) {
    const auto byte = static_cast<unsigned char>(kAlphabet[digit]);
    shifts[kAlphabet[digit] == '/' ? 1 : byte >> 4] = static_cast<std::uint8_t>(digit - byte);
  }
  return shifts;
}();

__attribute__((target("avx2"))) __m256i inBothHalves(const HalfByteTable& table) {
  return _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table.data())));
}

/// Decodes blocks until one has a character that is not of the alphabet, and returns their number.
__attribute__((target("avx2"))) std::size_t readBlocks(const char* chars, std::size_t blocks, std::byte* out) {
  const __m256i kinds = inBothHalves(kKinds);
  const __m256i kindsByEnd = inBothHalves(kKindsByEnd);
  const __m256i shifts = inBothHalves(kShifts);
  const __m256i halfByte = _mm256_set1_epi8(15);
  const __m256i slash = _mm256_set1_epi8('/');
  // Multiplying and adding neighbors joins two digits, then four.
  const __m256i two = _mm256_set1_epi32(0x01400140);
  const __m256i four = _mm256_set1_epi32(0x00011000);
  // The three bytes of each group, highest first; the groups of both halves next to each other.
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
  const __m256i halves = _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 7, 7);
  std::size_t done = 0;
  for (; done < blocks; ++done, chars += kBlockChars, out += kBlockBytes) {
    const __m256i c = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(chars));
    const __m256i first = _mm256_and_si256(_mm256_srli_epi32(c, 4), halfByte);
    // A look-up by a byte above 127 gives 0, so such characters have no kind.
    const __m256i kind = _mm256_and_si256(_mm256_shuffle_epi8(kinds, first), _mm256_shuffle_epi8(kindsByEnd, c));
    if (_mm256_movemask_epi8(_mm256_cmpeq_epi8(kind, _mm256_setzero_si256())) != 0) break;
    // A comparison gives -1 for true.
    const __m256i entry = _mm256_add_epi8(first, _mm256_cmpeq_epi8(c, slash));
    const __m256i digits = _mm256_add_epi8(c, _mm256_shuffle_epi8(shifts, entry));
    const __m256i groups = _mm256_madd_epi16(_mm256_maddubs_epi16(digits, two), four);
    const __m256i bytes = _mm256_permutevar8x32_epi32(_mm256_shuffle_epi8(groups, order), halves);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), bytes);
  }
  return done;
}

bool hasBlocks() {
  return __builtin_cpu_supports("avx2");
}

#elif defined(__aarch64__)

constexpr std::size_t kBlockChars = 64;
constexpr std::size_t kBlockBytes = 48;

using Vector = std::uint8_t __attribute__((vector_size(16)));

/// Adds to `valid` which of the characters are of the alphabet, and returns their digits.
Vector readDigits(Vector c, Vector& valid) {
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
  return (isUpper & upper) | (isLower & (lower + 26)) | (isNumber & (number + 52)) | (isPlus & 62) | (isSlash & 63);
}

/// Decodes blocks until one has a character that is not of the alphabet, and returns their number.
std::size_t readBlocks(const char* chars, std::size_t blocks, std::byte* out) {
  std::size_t done = 0;
  for (; done < blocks; ++done, chars += kBlockChars, out += kBlockBytes) {
    // The first characters of 16 groups, the second ones, and so on.
    const uint8x16x4_t groups = vld4q_u8(reinterpret_cast<const std::uint8_t*>(chars));
    Vector valid = ~Vector{};
    const Vector a = readDigits(groups.val[0], valid);
    const Vector b = readDigits(groups.val[1], valid);
    const Vector c = readDigits(groups.val[2], valid);
    const Vector d = readDigits(groups.val[3], valid);
    if (vminvq_u8(valid) == 0) break;
    vst3q_u8(reinterpret_cast<std::uint8_t*>(out), {{a << 2 | b >> 4, b << 4 | c >> 2, c << 6 | d}});
  }
  return done;
}

constexpr bool hasBlocks() {
  return true;
}

#else

constexpr std::size_t kBlockChars = 4;
constexpr std::size_t kBlockBytes = 3;

std::size_t readBlocks(const char*, std::size_t, std::byte*) {
  return 0;
}

constexpr bool hasBlocks() {
  return false;
}

#endif

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

std::size_t readBase64Groups(std::string_view text, std::byte* out) {
  const std::size_t blocks = hasBlocks() ? readBlocks(text.data(), text.size() / kBlockChars, out) : 0;
  const std::size_t read = blocks * kBlockChars;
  const std::size_t left = (text.size() - read) / 4;
  return read + readGroups(text.data() + read, left, out + blocks * kBlockBytes) * 4;
}

bool readBase64(std::string_view text, std::byte* out) {
  const std::optional<std::uint64_t> length = decodedLength(text);
  if (!length) return false;
  // The end is decoded apart, since it may have padding and no slack behind it.
  const std::size_t groups = *length < kBase64Slack ? 0 : (*length - kBase64Slack) / 3;
  if (readBase64Groups(text.substr(0, groups * 4), out) != groups * 4) return false;
  return readEnd(text.data() + groups * 4, *length - groups * 3, out + groups * 3);
}

}  // namespace rolltape
