#include "cut_experts.h"

#include <algorithm>

namespace rolltape {

namespace {

constexpr std::string_view kName = "\"routed_experts\"";
/// A search for the rest of the name stops at few characters: lists of ids and log probabilities have no `x`.
constexpr std::size_t kRareAt = kName.find('x');
/// Tokens that the last frame may bring, beside an eighth of those before.
constexpr std::uint32_t kFrameTokens = 64;

std::size_t skipSpaces(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(" \t", at), text.size());
}

/// Where a member's name stands in a text, and its value behind it if it is a string.
struct Found {
  std::size_t name = std::string_view::npos;
  /// Behind the opening quote. Absent: the value is something else, or did not come yet.
  std::optional<std::size_t> value = std::nullopt;
  bool isComplete = true;
};

Found findValue(std::string_view text, std::size_t from) {
  const std::size_t rare = text.find(kName.substr(kRareAt), from + kRareAt);
  if (rare == std::string_view::npos) return {};
  const std::size_t name = rare - kRareAt;
  // Behind a backslash, the quote is a part of some text.
  const bool isName = text.substr(name).starts_with(kName) && (name == 0 || text[name - 1] != '\\');
  if (!isName) return {.name = name};
  const std::size_t colon = skipSpaces(text, name + kName.size());
  if (colon < text.size() && text[colon] != ':') return {.name = name};
  const std::size_t quote = skipSpaces(text, std::min(colon + 1, text.size()));
  if (quote == text.size()) return {.name = name, .isComplete = false};
  if (text[quote] != '"') return {.name = name};
  return {.name = name, .value = quote + 1};
}

}  // namespace

std::optional<std::size_t> CutExperts::begin(std::string_view line) {
  constexpr std::string_view field = "data:";
  if (reader_ || !line.starts_with(field)) return std::nullopt;
  while (true) {
    const Found found = findValue(line, searched_);
    if (found.name == std::string_view::npos) {
      searched_ = std::max(searched_, line.size() - std::min(line.size(), kName.size() - 1));
      return std::nullopt;
    }
    if (!found.isComplete) {
      searched_ = found.name;
      return std::nullopt;
    }
    if (found.value) {
      offset_ = *found.value;
      const std::uint64_t rows = std::uint64_t{asked_.promptLength} - asked_.start + tokens + tokens / 8 + kFrameTokens;
      reader_.emplace(asked_, format_, format_ == ExpertsFormat::kInt32 ? rows * asked_.rowBytes() : 0);
      return line.size() - offset_;
    }
    searched_ = found.name + 1;
  }
}

std::size_t CutExperts::read(std::string_view chars, std::string& line) {
  const std::string escape(reader_->begunEscape());
  try {
    const std::size_t count = reader_->read(chars);
    if (reader_->ended()) line += '"';
    return count;
  } catch (const Error& error) {
    error_ = error;
    line += escape;
    return 0;
  }
}

ExpertRows CutExperts::take() {
  if (error_) throw Error(*error_);
  return reader_->take();
}

void CutExperts::reset() {
  searched_ = 0;
  reader_.reset();
  error_.reset();
  place_ = nullptr;
}

}  // namespace rolltape
