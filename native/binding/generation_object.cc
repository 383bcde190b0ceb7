#include "generation_object.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "../core/base/size.h"
#include "../core/session/reasoning_budget.h"
#include "buffers.h"
#include "channel_arg.h"
#include "choice_arg.h"
#include "prompt_object.h"
#include "reply_worker.h"

namespace rolltape::binding {

Napi::Function GenerationObject::define(Napi::Env env) {
  using Self = GenerationObject;
  return DefineClass(
      env, "Generation",
      {guardedGetter<&Self::length>("length"), guardedMethod<&Self::append>("append"),
       guardedMethod<&Self::appendTop>("appendTop"), guardedMethod<&Self::recordTop>("recordTop"),
       guardedMethod<&Self::addChannel>("addChannel"), guardedMethod<&Self::hasOutputs>("hasOutputs"),
       guardedMethod<&Self::appendSglangReply>("appendSglangReply"),
       promiseMethod<&Self::appendSglangReplyAsync>("appendSglangReplyAsync"),
       guardedMethod<&Self::appendVllmReply>("appendVllmReply"),
       promiseMethod<&Self::appendVllmReplyAsync>("appendVllmReplyAsync"), guardedMethod<&Self::truncate>("truncate"),
       guardedMethod<&Self::nameVersions>("nameVersions"), guardedMethod<&Self::markForced>("markForced"),
       guardedMethod<&Self::ids>("ids"), guardedMethod<&Self::logprobs>("logprobs"),
       guardedMethod<&Self::versions>("versions"), guardedMethod<&Self::top>("top")});
}

namespace {

OutputLimits limitsArg(Napi::Value value) {
  if (!value.IsObject()) throwInvalid("limits", "an object");
  const auto limits = value.As<Napi::Object>();
  const auto maxTokens = integerArg(limits.Get("maxTokens"), "limits.maxTokens", 1, kMaxSequenceTokens);
  OutputLimits read{.maxTokens = static_cast<std::uint32_t>(maxTokens)};
  const Napi::Value size = limits.Get("vocabularySize");
  if (!size.IsUndefined()) read.vocabularySize = int32Arg(size, "limits.vocabularySize");
  return read;
}

}  // namespace

GenerationObject::GenerationObject(const Napi::CallbackInfo& info) : Wrapped(info) {
  guarded(info.Env(), [&] {
    if (!info[0].IsUndefined()) generation_ = Generation(limitsArg(info[0]));
    return info.Env().Undefined();
  });
}

Generation& GenerationObject::generation() {
  if (consumed_) throw Error(ErrorCode::kReleased, "the generation was recorded and cannot be used any more");
  if (reading_) throw Error(ErrorCode::kInvalidArg, "the generation cannot be used while a reply is read into it");
  return generation_;
}

void GenerationObject::consume() {
  generation_ = Generation();
  consumed_ = true;
}

Napi::Value GenerationObject::length(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), generation().length());
}

Napi::Value GenerationObject::append(const Napi::CallbackInfo& info) {
  const std::span<const std::int32_t> ids = int32ArrayArg(info[0], "ids");
  const std::span<const float> logprobs = float32ArrayArg(info[1], "logprobs");
  if (info[2].IsNumber()) {
    generation().append(ids, logprobs, int32Arg(info[2], "versions"));
  } else if (info[2].IsTypedArray()) {
    generation().append(ids, logprobs, int32ArrayArg(info[2], "versions"));
  } else {
    throwInvalid("versions", "a number or an Int32Array");
  }
  return info.Env().Undefined();
}

Napi::Value GenerationObject::appendTop(const Napi::CallbackInfo& info) {
  const std::span<const std::int32_t> ids = int32ArrayArg(info[0], "ids");
  const std::span<const float> logprobs = float32ArrayArg(info[1], "logprobs");
  const auto width = static_cast<std::size_t>(integerArg(info[2], "width", 1, kMaxTopWidth));
  generation().appendTop(ids, logprobs, width);
  return info.Env().Undefined();
}

Napi::Value GenerationObject::recordTop(const Napi::CallbackInfo& info) {
  generation().recordTop(static_cast<std::size_t>(integerArg(info[0], "width", 1, kMaxTopWidth)));
  return info.Env().Undefined();
}

Napi::Value GenerationObject::addChannel(const Napi::CallbackInfo& info) {
  const ChannelSpec spec = channelArg(info[0]);
  const std::uint32_t first = indexArg(info[1], "first");
  const std::span<const std::byte> values = std::as_bytes(bytesArg(info[2], "values"));
  const bool hasCounts = !info[3].IsUndefined();
  const std::span<const std::uint32_t> counts =
      hasCounts ? uint32ArrayArg(info[3], "counts") : std::span<const std::uint32_t>();
  generation().addChannel(spec, first, {values.begin(), values.end()}, counts);
  return info.Env().Undefined();
}

Napi::Value GenerationObject::hasOutputs(const Napi::CallbackInfo& info) {
  const std::string channel = utf8Arg(info[0], "channel");
  const auto from = static_cast<std::uint32_t>(integerArg(info[1], "from", 0, kMaxSequenceTokens));
  return Napi::Boolean::New(info.Env(), generation().hasOutputs(channel, from));
}

std::size_t topWidthArg(Napi::Value value) {
  return static_cast<std::size_t>(integerArg(value, "topLogprobs", 0, kMaxTopWidth));
}

namespace {

std::optional<RoutedExperts> expertsArg(Napi::Value value) {
  if (value.IsUndefined()) return std::nullopt;
  const Napi::Object object = objectArg(value, "asked.experts");
  const auto read = [&](const char* name, std::int64_t lowest, std::int64_t highest) {
    return static_cast<std::uint32_t>(
        integerArg(object.Get(name), std::string("asked.experts.") + name, lowest, highest));
  };
  // An id has 16 bits.
  RoutedExperts experts{.layers = read("layers", 1, kMaxItemBytes),
                        .topK = read("topK", 1, kMaxItemBytes),
                        .experts = read("experts", 1, 65'536),
                        .promptLength = read("promptLength", 1, kMaxSequenceTokens)};
  experts.start = read("start", 0, experts.promptLength);
  requireChannel(experts.channel());
  return experts;
}

std::optional<SamplingMasks> masksArg(Napi::Value value) {
  if (value.IsUndefined()) return std::nullopt;
  const Napi::Object object = objectArg(value, "asked.masks");
  const auto read = [&](const char* name) {
    constexpr std::int64_t highest = std::numeric_limits<std::int32_t>::max();
    return static_cast<std::uint32_t>(integerArg(object.Get(name), std::string("asked.masks.") + name, 1, highest));
  };
  return SamplingMasks{.maxIds = read("maxIds"), .vocabularySize = read("vocabularySize")};
}

}  // namespace

AskedValues askedArg(Napi::Value value) {
  if (value.IsUndefined()) return {};
  const Napi::Object object = objectArg(value, "asked");
  AskedValues asked{.experts = expertsArg(object.Get("experts")),
                    .masks = masksArg(object.Get("masks")),
                    .tokenIds = tokenIdsArg(object.Get("tokenIds"), "asked.tokenIds"),
                    .promptIds = tokenIdsArg(object.Get("promptIds"), "asked.promptIds")};
  if (!asked.tokenIds.empty()) requireChannel(tokenIdsChannel(asked.tokenIds));
  return asked;
}

namespace {

ReplyReader sglangReader(const Napi::CallbackInfo& info) {
  return {.format = ReplyReader::Format::kSglang, .version = int32Arg(info[1], "version"), .asked = askedArg(info[2])};
}

ReplyReader vllmReader(const Napi::CallbackInfo& info) {
  return {ReplyReader::Format::kVllm, int32Arg(info[1], "version"), topWidthArg(info[2]), askedArg(info[3])};
}

Napi::Value appendReply(const Napi::CallbackInfo& info, GenerationObject& into, ReplyReader reader) {
  const std::span<const std::uint8_t> body = bytesArg(info[0], "body");
  Generation& generation = into.generation();
  return addReply(info.Env(), reader(body), generation);
}

Napi::Value appendReplyAsync(const Napi::CallbackInfo& info, GenerationObject& into, ReplyReader reader) {
  HeldBytes body(info[0], "body");
  into.generation();
  return PromiseWorker::start(new ReplyWorker(into, std::move(body), reader));
}

}  // namespace

Napi::Value GenerationObject::appendSglangReply(const Napi::CallbackInfo& info) {
  return appendReply(info, *this, sglangReader(info));
}

Napi::Value GenerationObject::appendSglangReplyAsync(const Napi::CallbackInfo& info) {
  return appendReplyAsync(info, *this, sglangReader(info));
}

Napi::Value GenerationObject::appendVllmReply(const Napi::CallbackInfo& info) {
  return appendReply(info, *this, vllmReader(info));
}

Napi::Value GenerationObject::appendVllmReplyAsync(const Napi::CallbackInfo& info) {
  return appendReplyAsync(info, *this, vllmReader(info));
}

Napi::Value GenerationObject::nameVersions(const Napi::CallbackInfo& info) {
  generation().nameVersions(int32ArrayArg(info[0], "versions"));
  return info.Env().Undefined();
}

Napi::Value GenerationObject::truncate(const Napi::CallbackInfo& info) {
  generation().truncate(indexArg(info[0], "length"), indexArg(info[1], "promptLength"));
  return info.Env().Undefined();
}

namespace {

std::size_t startArg(const Napi::CallbackInfo& info, std::uint32_t length) {
  return info[0].IsUndefined() ? 0 : static_cast<std::size_t>(integerArg(info[0], "from", 0, length));
}

}  // namespace

Napi::Value GenerationObject::markForced(const Napi::CallbackInfo& info) {
  const Prompt& prompt = PromptObject::fromArg(info[0], "prompt").prompt();
  const Napi::Object rule = objectArg(info[1], "rule");
  const Napi::Value begin = rule.Get("begin");
  const BudgetRule budget{
      begin.IsUndefined() ? std::span<const std::int32_t>() : int32ArrayArg(begin, "rule.begin"),
      int32ArrayArg(rule.Get("end"), "rule.end"),
      static_cast<std::uint32_t>(integerArg(rule.Get("budget"), "rule.budget", 0, 0x7fffffff)),
      booleanArg(rule.Get("isCertain"), "rule.isCertain"),
  };
  if (budget.end.empty()) throwInvalid("rule.end", "at least one token id");
  Generation& into = generation();
  ForcedTokens forced = findForcedTokens(prompt.spans(), into.ids(), into.logprobs(), budget);
  into.setForced(std::move(forced.runs));
  return Napi::Boolean::New(info.Env(), forced.isOpen);
}

Napi::Value GenerationObject::ids(const Napi::CallbackInfo& info) {
  const Generation& all = generation();
  return copyToJs(info.Env(), all.ids().subspan(startArg(info, all.length())));
}

Napi::Value GenerationObject::logprobs(const Napi::CallbackInfo& info) {
  const Generation& all = generation();
  return copyToJs(info.Env(), all.logprobs().subspan(startArg(info, all.length())));
}

Napi::Value GenerationObject::versions(const Napi::CallbackInfo& info) {
  const Generation& all = generation();
  const std::size_t from = startArg(info, all.length());
  auto array = newArray<std::int32_t>(info.Env(), all.length() - from);
  expandVersions(all.versionRuns(), static_cast<std::uint32_t>(from), {array.Data(), array.ElementLength()});
  return array;
}

Napi::Value GenerationObject::top(const Napi::CallbackInfo& info) {
  const Generation& all = generation();
  const std::size_t from = startArg(info, all.length());
  const TopLogprobs& held = all.top();
  const std::size_t asked = info[1].IsUndefined() ? held.width() : topWidthArg(info[1]);
  const std::size_t width = std::min(asked, held.width());
  if (width == 0) return info.Env().Undefined();
  const std::size_t rows = all.length() - from;
  const std::size_t heldRows = held.ids().size() / held.width();
  auto ids = newArray<std::int32_t>(info.Env(), rows * width);
  auto logprobs = newArray<float>(info.Env(), rows * width);
  for (std::size_t row = 0; row < rows; ++row) {
    std::int32_t* id = ids.Data() + row * width;
    if (from + row >= heldRows) {
      std::fill_n(id, width, TopLogprobs::kUnused);
      continue;
    }
    const std::size_t at = (from + row) * held.width();
    std::copy_n(held.ids().data() + at, width, id);
    std::copy_n(held.logprobs().data() + at, width, logprobs.Data() + row * width);
  }
  const Napi::Object top = Napi::Object::New(info.Env());
  top.Set("width", Napi::Number::New(info.Env(), static_cast<double>(width)));
  top.Set("ids", ids);
  top.Set("logprobs", logprobs);
  return top;
}

}  // namespace rolltape::binding
