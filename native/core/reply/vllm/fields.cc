#include "fields.h"

#include <string>

#include "../../base/error.h"
#include "../engine_failure.h"
#include "../reply_count.h"
#include "../stop_match.h"
#include "../token_logprob.h"
#include "logprobs.h"

namespace rolltape {

namespace {

void readFinishReason(JsonCursor& json, VllmChoice& choice) {
  if (json.consumeNull()) {
    choice.finish.reset();
    return;
  }
  if (!choice.finish) choice.finish.emplace();
  choice.finish->type = json.string();
  if (choice.finish->type.empty()) json.fail("an empty finish_reason");
}

void readTokenIds(JsonCursor& json, VllmChoice& choice) {
  choice.tokenIds.reset();
  if (json.consumeNull()) return;
  std::vector<std::int32_t>& ids = choice.tokenIds.emplace();
  json.array([&] { ids.push_back(readTokenId(json)); });
}

void readChoice(JsonCursor& json, VllmChoice& choice, NamedVersions& named, std::size_t topWidth,
                const AskedValues& asked, CutExperts* cut) {
  EngineFinish stop;
  json.object([&](std::string_view key) {
    if (key == "token_ids") {
      readTokenIds(json, choice);
    } else if (key == "logprobs") {
      choice.logprobs.reset();
      if (!json.consumeNull()) choice.logprobs = readVllmLogprobs(json, topWidth, asked.tokenIds);
    } else if (key == "weight_versions") {
      readWeightSpans(json, choice.weightVersions, named);
    } else if (key == "finish_reason") {
      readFinishReason(json, choice);
    } else if (key == "stop_reason") {
      readStopMatch(json, "stop_reason", stop);
    } else if (key == "routed_experts" && asked.experts) {
      choice.experts = readExperts(json, *asked.experts, ExpertsFormat::kNpy, cut);
    } else if (key == "sampling_mask" && asked.masks) {
      choice.masks.reset();
      if (!json.consumeNull()) choice.masks = readMaskLists(json);
    } else {
      json.skip();
    }
  });
  if (choice.finish) choice.finish->matched = std::move(stop.matched);
}

void readUsage(JsonCursor& json, VllmFields& fields) {
  if (json.consumeNull()) return;
  json.object([&](std::string_view key) {
    if (key == "prompt_tokens") {
      fields.promptTokens = readReplyCount(json, "prompt_tokens");
    } else if (key == "completion_tokens") {
      fields.completionTokens = readReplyCount(json, "completion_tokens");
    } else if (key == "prompt_tokens_details" && json.peek() == '{') {
      json.object([&](std::string_view detail) {
        if (detail == "cached_tokens") {
          fields.cachedTokens = readReplyCount(json, "cached_tokens");
        } else {
          json.skip();
        }
      });
    } else {
      json.skip();
    }
  });
}

/// Reads the ids with which the engine ran. @throws kReplyOtherPrompt where they are not those that were asked for
void checkPromptIds(JsonCursor& json, const std::vector<std::int32_t>& asked) {
  if (json.consumeNull()) return;
  std::size_t count = 0;
  json.array([&] {
    const std::int32_t id = readTokenId(json);
    if (count >= asked.size() || id != asked[count]) {
      throw Error(ErrorCode::kReplyOtherPrompt,
                  "the prompt has another token at " + std::to_string(count) + ": " + std::to_string(id));
    }
    ++count;
  });
  if (count == asked.size()) return;
  throw Error(ErrorCode::kReplyOtherPrompt,
              "the prompt has " + std::to_string(count) + " tokens, not " + std::to_string(asked.size()));
}

void readId(JsonCursor& json, VllmFields& fields) {
  fields.id.reset();
  if (!json.consumeNull()) fields.id = json.string();
}

}  // namespace

VllmFields readVllmFields(JsonCursor& json, NamedVersions& named, std::size_t topWidth, const AskedValues& asked,
                          CutExperts* cut) {
  VllmFields fields;
  json.object([&](std::string_view key) {
    if (key == "choices") {
      fields.choices.clear();
      if (!json.consumeNull()) {
        json.array([&] { readChoice(json, fields.choices.emplace_back(), named, topWidth, asked, cut); });
      }
    } else if (key == "usage") {
      readUsage(json, fields);
    } else if (key == "prompt_token_ids" && !asked.promptIds.empty()) {
      checkPromptIds(json, asked.promptIds);
    } else if (key == "id" || key == "request_id") {
      readId(json, fields);
    } else if (key == "error") {
      fields.error.reset();
      if (!json.consumeNull()) fields.error = readEngineFailure(json);
    } else {
      json.skip();
    }
  });
  json.finish();
  return fields;
}

}  // namespace rolltape
