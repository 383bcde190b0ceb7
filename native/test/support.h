#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../core/base/error.h"
#include "../core/session/generation.h"
#include "../core/session/message_digest.h"
#include "../core/session/session.h"

namespace rolltape::test {

/// Runs `body` and gives the code and message of the core error that it must throw.
template <typename Body>
Error thrownBy(Body body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "expected an error";
  return Error(ErrorCode::kInvalidArg, "none");
}

#define EXPECT_CODE(expected, statement) \
  EXPECT_EQ(ErrorCode::expected, ::rolltape::test::thrownBy([&] { statement; }).code())

inline std::span<const std::uint8_t> bytesOf(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

inline constexpr SipKey kKey{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

inline std::vector<MessageDigest> digestsOf(std::span<const std::string> messages) {
  std::vector<MessageDigest> digests;
  MessageDigest at{};
  for (const std::string& message : messages) digests.push_back(at = chainDigest(kKey, at, bytesOf(message)));
  return digests;
}

/// A generation of these ids, with log probability -id/8 and one version.
inline Generation generationOf(const std::vector<std::int32_t>& ids, std::int32_t version = 0) {
  Generation generation;
  std::vector<float> logprobs;
  for (const std::int32_t id : ids) logprobs.push_back(static_cast<float>(-id) / 8);
  generation.append(ids, logprobs, version);
  return generation;
}

inline Prompt promptOf(const std::vector<std::int32_t>& ids) {
  const TokenSpan piece(ids);
  return Prompt(std::span<const TokenSpan>(&piece, 1));
}

inline Prompt promptAfter(const Session& session, std::uint32_t base, const std::vector<std::int32_t>& ids) {
  const TokenSpan piece(ids);
  return session.prompt(std::span<const TokenSpan>(&piece, 1), base);
}

inline Prompt promptSharing(const Session& session, std::uint32_t parent, const std::vector<std::int32_t>& ids) {
  const TokenSpan piece(ids);
  return session.promptSharing(std::span<const TokenSpan>(&piece, 1), parent);
}

inline std::vector<std::int32_t> join(std::span<const TokenSpan> spans) {
  std::vector<std::int32_t> ids;
  for (const TokenSpan span : spans) ids.insert(ids.end(), span.begin(), span.end());
  return ids;
}

/// Records by messages; returns the index.
inline std::uint32_t record(Session& session, const Prompt& prompt, const Generation& generation,
                            const std::vector<std::string>& messages, const std::vector<std::string>& output,
                            std::optional<std::int32_t> parent = std::nullopt) {
  return session.record({prompt, generation, digestsOf(messages), output, parent}).index;
}

/// Small random numbers, the same in every run.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  /// In [0, below).
  std::uint32_t below(std::uint32_t below) {
    return std::uniform_int_distribution<std::uint32_t>(0, below - 1)(engine_);
  }
  bool chance(double probability) { return std::bernoulli_distribution(probability)(engine_); }

 private:
  std::mt19937 engine_;
};

}  // namespace rolltape::test
