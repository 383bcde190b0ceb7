#include "fields.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "../../base/error.h"
#include "../engine_failure.h"
#include "../reply_count.h"
#include "../stop_match.h"
#include "../token_logprob.h"

namespace rolltape {

namespace {

/// The least bytes that engines write per item, nearly: log probabilities have many digits, ids few.
constexpr std::size_t kLogprobBytes = 24;
constexpr std::size_t kIdBytes = 6;

/// Room for the items that the rest of the text may hold. It is never more memory than the text, and what is not used
/// of it is never touched; growing would touch, and copy, more than is needed.
template <typename T>
void reserveForRest(const JsonCursor& json, std::vector<T>& items, std::size_t itemBytes) {
  items.reserve(json.rest().size() / itemBytes);
}

[[noreturn]] void throwNotFinite(const JsonCursor& json, const std::string& what) {
  throw Error(ErrorCode::kReplyNotFinite,
              "the log probability of " + what + ", before byte " + std::to_string(json.offset()));
}

/// Reads the items of an array that are not known.
template <typename OnItem>
ReadArray readArray(JsonCursor& json, const KnownItems* known, OnItem onItem) {
  ReadArray array;
  const auto knownBytes = [&](std::string_view rest) {
    const std::size_t bytes = known == nullptr ? 0 : known->bytesIn(rest);
    if (bytes > 0) array.skipped = known->count();
    return bytes;
  };
  array.text = json.arrayBehind(knownBytes, onItem);
  return array;
}

void readLogprobs(JsonCursor& json, SglangMetaInfo& meta, const KnownItems* known) {
  meta.ids.clear();
  meta.logprobs.clear();
  meta.logprobsArray = {};
  meta.hasLogprobs = !json.consumeNull();
  if (!meta.hasLogprobs) return;
  if (known == nullptr) {
    reserveForRest(json, meta.ids, kLogprobBytes);
    reserveForRest(json, meta.logprobs, kLogprobBytes);
  }
  meta.logprobsArray = readArray(json, known, [&] {
    const TokenLogprob token = readTokenLogprob(json);
    if (!std::isfinite(token.logprob)) {
      throwNotFinite(json, "output token " + std::to_string(meta.ids.size()) + " is not finite");
    }
    meta.ids.push_back(token.id);
    meta.logprobs.push_back(token.logprob);
  });
}

/// The place of a token that the sampler excluded is left unused.
void readAlternative(JsonCursor& json, TopLists& top) {
  const TokenLogprob token = readTokenLogprob(json);
  const bool excluded = isExcluded(token.logprob);
  if (!excluded && !std::isfinite(token.logprob)) {
    throwNotFinite(json, "an alternative of output token " + std::to_string(top.counts.size()) + " is not a number");
  }
  top.ids.push_back(excluded ? TopLogprobs::kUnused : token.id);
  top.logprobs.push_back(excluded ? 0.0f : token.logprob);
}

/// Reads a list of tokens for each output token.
void readLists(JsonCursor& json, TopLists& top, ReadArray& read, const KnownItems* known) {
  top.clear();
  read = {};
  if (json.consumeNull()) return;
  if (known == nullptr) {
    reserveForRest(json, top.ids, kLogprobBytes);
    reserveForRest(json, top.logprobs, kLogprobBytes);
  }
  read = readArray(json, known, [&] {
    const std::size_t before = top.ids.size();
    if (!json.consumeNull()) json.array([&] { readAlternative(json, top); });
    top.endList(before);
  });
}

void readMasks(JsonCursor& json, SglangMetaInfo& meta, const KnownItems* known) {
  meta.masks.clear();
  meta.masksArray = {};
  meta.hasMasks = !json.consumeNull();
  if (meta.hasMasks) meta.masksArray = readArray(json, known, [&] { meta.masks.readNext(json); });
}

void readMaskedLogprobs(JsonCursor& json, SglangMetaInfo& meta, const KnownItems* known) {
  meta.maskedLogprobs.clear();
  meta.maskedLogprobsArray = {};
  if (json.consumeNull()) return;
  meta.maskedLogprobsArray = readArray(json, known, [&] {
    const float logprob = readFloat32(json);
    if (!std::isfinite(logprob)) {
      throwNotFinite(json, "masked output token " + std::to_string(meta.maskedLogprobs.size()) + " is not finite");
    }
    meta.maskedLogprobs.push_back(logprob);
  });
}

/// Reads a member of meta_info that has to do with sampling masks. False for any other.
bool readMaskMember(JsonCursor& json, std::string_view key, SglangMetaInfo& meta, const SglangKnown* known) {
  if (key == "output_token_sampling_mask") {
    readMasks(json, meta, known == nullptr ? nullptr : &known->masks);
  } else if (key == "output_token_sampling_logprobs") {
    readMaskedLogprobs(json, meta, known == nullptr ? nullptr : &known->maskedLogprobs);
  } else if (key == "output_token_sampling_mask_length") {
    meta.masksLength = readReplyCount(json, "output_token_sampling_mask_length");
  } else {
    return false;
  }
  return true;
}

void readFinish(JsonCursor& json, SglangMetaInfo& meta) {
  meta.finish.reset();
  if (json.consumeNull()) return;
  EngineFinish& finish = meta.finish.emplace();
  json.object([&](std::string_view key) {
    if (key == "type") {
      finish.type = json.string();
    } else if (key == "matched") {
      readStopMatch(json, "matched", finish);
    } else if (key == "message") {
      finish.message.reset();
      if (!json.consumeNull()) finish.message = json.string();
    } else if (key == "status_code") {
      finish.statusCode = readReplyCount(json, "status_code");
    } else {
      json.skip();
    }
  });
  if (finish.type.empty()) json.fail("finish_reason without a type");
}

void readMetaInfo(JsonCursor& json, SglangMetaInfo& meta, NamedVersions& versions, const AskedValues& asked,
                  const SglangKnown* known, CutExperts* cut) {
  json.object([&](std::string_view key) {
    if (asked.masks && readMaskMember(json, key, meta, known)) return;
    if (key == "output_token_logprobs") {
      readLogprobs(json, meta, known == nullptr ? nullptr : &known->logprobs);
    } else if (key == "output_token_logprobs_length") {
      meta.logprobsLength = readReplyCount(json, "output_token_logprobs_length");
    } else if (key == "output_top_logprobs") {
      readLists(json, meta.top, meta.topArray, known == nullptr ? nullptr : &known->top);
    } else if (key == "output_token_ids_logprobs" && !asked.tokenIds.empty()) {
      readLists(json, meta.tokenIds, meta.tokenIdsArray, known == nullptr ? nullptr : &known->tokenIds);
    } else if (meta.flatTop.read(json, key)) {
      return;
    } else if (key == "weight_versions") {
      readWeightSpans(json, meta.weightVersions, versions);
    } else if (key == "weight_version") {
      meta.weightVersion = readWeightVersion(json, versions);
    } else if (key == "finish_reason") {
      readFinish(json, meta);
    } else if (key == "id" && (known == nullptr || !known->id)) {
      meta.id.reset();
      if (!json.consumeNull()) meta.id = json.string();
    } else if (key == "prompt_tokens") {
      meta.promptTokens = readReplyCount(json, "prompt_tokens");
    } else if (key == "completion_tokens") {
      meta.completionTokens = readReplyCount(json, "completion_tokens");
    } else if (key == "cached_tokens") {
      meta.cachedTokens = readReplyCount(json, "cached_tokens");
    } else if (key == "routed_experts" && asked.experts && (known == nullptr || !known->experts)) {
      meta.experts = readExperts(json, *asked.experts, ExpertsFormat::kInt32, cut);
    } else {
      json.skip();
    }
  });
}

void readOutputIds(JsonCursor& json, SglangFields& fields, const KnownItems* known) {
  std::vector<std::int32_t>& ids = fields.outputIds;
  ids.clear();
  fields.outputIdsArray = {};
  fields.hasOutputIds = !json.consumeNull();
  if (!fields.hasOutputIds) return;
  if (known == nullptr) reserveForRest(json, ids, kIdBytes);
  fields.outputIdsArray = readArray(json, known, [&] { ids.push_back(readTokenId(json)); });
}

void clear(SglangFields& fields) {
  fields.hasOutputIds = false;
  fields.outputIdsArray = {};
  fields.outputIds.clear();
  fields.hasMetaInfo = false;
  fields.metaInfo.clear();
  fields.error.reset();
}

}  // namespace

void SglangMetaInfo::clear() {
  hasLogprobs = false;
  logprobsArray = {};
  ids.clear();
  logprobs.clear();
  logprobsLength.reset();
  topArray = {};
  top.clear();
  hasMasks = false;
  masksArray = {};
  masks.clear();
  maskedLogprobsArray = {};
  maskedLogprobs.clear();
  masksLength.reset();
  flatTop = {};
  tokenIdsArray = {};
  tokenIds.clear();
  weightVersion.reset();
  weightVersions.clear();
  id.reset();
  finish.reset();
  promptTokens.reset();
  completionTokens.reset();
  cachedTokens.reset();
  experts.reset();
}

bool SglangMetaInfo::hasEqualMasks() const {
  if (!hasMasks) return true;
  const std::size_t skipped = logprobsArray.skipped;
  const bool isEqual = masksArray.skipped == skipped && masks.counts.size() == ids.size() &&
                       maskedLogprobsArray.skipped == skipped && maskedLogprobs.size() == ids.size();
  return isEqual && (top.counts.empty() || (topArray.skipped == skipped && top.counts.size() == ids.size()));
}

void SglangMetaInfo::applyMasks(std::size_t total) {
  if (!hasMasks) return;
  if (!hasEqualMasks() || masksLength.value_or(static_cast<std::int64_t>(total)) != static_cast<std::int64_t>(total)) {
    throw Error(ErrorCode::kReplyMismatch, "there are " + std::to_string(masksArray.skipped + masks.counts.size()) +
                                               " sampling masks with " +
                                               std::to_string(maskedLogprobsArray.skipped + maskedLogprobs.size()) +
                                               " log probabilities for " + std::to_string(total) + " tokens");
  }
  std::size_t entry = 0;
  std::span<const std::int32_t> rest = masks.ids;
  for (std::size_t i = 0; i < top.counts.size(); ++i) {
    const auto mask = rest.first(masks.counts[i]);
    rest = rest.subspan(masks.counts[i]);
    const float shift = maskedLogprobs[i] - logprobs[i];
    for (const std::size_t end = entry + top.counts[i]; entry < end; ++entry) {
      const bool isKept = std::ranges::find(mask, top.ids[entry]) != mask.end();
      top.ids[entry] = isKept ? top.ids[entry] : TopLogprobs::kUnused;
      top.logprobs[entry] = isKept ? top.logprobs[entry] + shift : 0.0f;
    }
  }
  logprobs.swap(maskedLogprobs);
}

void readSglangFields(JsonCursor& json, SglangFields& fields, const AskedValues& asked, const SglangKnown* known,
                      CutExperts* cut) {
  clear(fields);
  if (json.peek() == '[') json.fail("an array of replies, where one was asked for");
  json.object([&](std::string_view key) {
    if (key == "meta_info") {
      // What an earlier meta_info held does not count.
      fields.metaInfo.clear();
      fields.hasMetaInfo = true;
      readMetaInfo(json, fields.metaInfo, fields.versions, asked, known, cut);
    } else if (key == "output_ids") {
      readOutputIds(json, fields, known == nullptr ? nullptr : &known->outputIds);
    } else if (key == "error") {
      fields.error.reset();
      if (!json.consumeNull()) fields.error = readEngineFailure(json);
    } else {
      json.skip();
    }
  });
  json.finish();
}

}  // namespace rolltape
