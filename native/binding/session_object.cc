#include "session_object.h"

#include <algorithm>
#include <string>
#include <utility>

#include "../core/session/channel_stretches.h"
#include "../core/session/missing_items.h"
#include "../core/session/reward.h"
#include "../core/session/session_rewards.h"
#include "addon_data.h"
#include "buffers.h"
#include "channel_arg.h"
#include "generation_object.h"
#include "prompt_object.h"
#include "restore_worker.h"
#include "restored_tree.h"

namespace rolltape::binding {

Napi::Function SessionObject::define(Napi::Env env) {
  using Self = SessionObject;
  return DefineClass(env, "Session",
                     {guardedGetter<&Self::length>("length"),
                      guardedGetter<&Self::byteLength>("byteLength"),
                      guardedMethod<&Self::findParent>("findParent"),
                      guardedMethod<&Self::findSequence>("findSequence"),
                      guardedMethod<&Self::olderTwin>("olderTwin"),
                      guardedMethod<&Self::prompt>("prompt"),
                      guardedMethod<&Self::promptSharing>("promptSharing"),
                      guardedMethod<&Self::sharedLength>("sharedLength"),
                      guardedMethod<&Self::record>("record"),
                      guardedMethod<&Self::serialize>("serialize"),
                      guardedMethod<&Self::restore>("restore"),
                      promiseMethod<&Self::restoreAsync>("restoreAsync"),
                      guardedMethod<&Self::declareChannel>("declareChannel"),
                      guardedMethod<&Self::addChannel>("addChannel"),
                      guardedMethod<&Self::listMissing>("listMissing"),
                      guardedMethod<&Self::countMissing>("countMissing"),
                      guardedMethod<&Self::serializeAdded>("serializeAdded"),
                      guardedMethod<&Self::allItems>("allItems"),
                      guardedMethod<&Self::setReward>("setReward"),
                      guardedMethod<&Self::setSessionReward>("setSessionReward"),
                      guardedMethod<&Self::interaction>("interaction"),
                      guardedMethod<&Self::output>("output"),
                      guardedMethod<&Self::versionRange>("versionRange"),
                      guardedMethod<&Self::discountedRewards>("discountedRewards"),
                      guardedMethod<&Self::release>("release")});
}

SessionObject::SessionObject(const Napi::CallbackInfo& info)
    : Wrapped(info), session_(guarded(info.Env(), [&] {
        return std::make_unique<Session>(sipKeyArg(info[0], "digestKey", addonData(info.Env()).digestKey));
      })) {}

Session& SessionObject::session() {
  if (!session_) throw Error(ErrorCode::kReleased, "the session was released");
  return *session_;
}

Napi::Value SessionObject::length(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(session().length()));
}

Napi::Value SessionObject::byteLength(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(session().byteLength()));
}

Napi::Value SessionObject::findParent(const Napi::CallbackInfo& info) {
  std::span<const std::uint64_t> callIds;
  if (!info[1].IsUndefined()) callIds = bigUint64ArrayArg(info[1], "callIds");
  const std::span<const MessageDigest> digests = digestsArg(info[0], "digests");
  if (!callIds.empty() && callIds.size() != digests.size()) throwInvalid("callIds", "one number per message");
  const auto match = session().findParent(digests, callIds);
  if (!match) return info.Env().Undefined();
  const Napi::Object found = Napi::Object::New(info.Env());
  const char* rule = match->rule == ParentRule::kContinuation ? "continuation" : "messages";
  found.Set("index", Napi::Number::New(info.Env(), match->index));
  found.Set("rule", Napi::String::New(info.Env(), rule));
  return found;
}

Napi::Value SessionObject::findSequence(const Napi::CallbackInfo& info) {
  const auto found = session().findSequence(int32ArrayArg(info[0], "ids"));
  return found ? Napi::Number::New(info.Env(), *found) : info.Env().Undefined();
}

Napi::Value SessionObject::olderTwin(const Napi::CallbackInfo& info) {
  const auto twin = session().olderTwin(indexArg(info[0], "index"));
  return twin ? Napi::Number::New(info.Env(), *twin) : info.Env().Undefined();
}

namespace {

std::vector<TokenSpan> piecesArg(Napi::Value value) {
  const std::vector<Napi::Value> values = itemsOf(arrayArg(value, "pieces"));
  std::vector<TokenSpan> pieces;
  for (std::size_t i = 0; i < values.size(); ++i) {
    pieces.push_back(int32ArrayArg(values[i], "pieces[" + std::to_string(i) + "]"));
  }
  return pieces;
}

}  // namespace

Napi::Value SessionObject::prompt(const Napi::CallbackInfo& info) {
  const std::vector<TokenSpan> pieces = piecesArg(info[0]);
  std::optional<std::uint32_t> base;
  if (!info[1].IsUndefined()) base = indexArg(info[1], "base");
  return PromptObject::create(info.Env(), session().prompt(pieces, base));
}

Napi::Value SessionObject::promptSharing(const Napi::CallbackInfo& info) {
  const std::vector<TokenSpan> pieces = piecesArg(info[0]);
  return PromptObject::create(info.Env(), session().promptSharing(pieces, indexArg(info[1], "likelyParent")));
}

Napi::Value SessionObject::sharedLength(const Napi::CallbackInfo& info) {
  const Prompt& prompt = PromptObject::fromArg(info[0], "prompt").prompt();
  return Napi::Number::New(info.Env(), session().sharedLength(prompt, indexArg(info[1], "parent")));
}

namespace {

CallIds callIdsArg(Napi::Value value, const std::string& name) {
  const std::span<const std::uint64_t> ids = bigUint64ArrayArg(value, name);
  if (ids.size() != 2) throwInvalid(name, "two numbers: of the input, of input and output");
  return {ids[0], ids[1]};
}

}  // namespace

Napi::Value SessionObject::record(const Napi::CallbackInfo& info) {
  const Napi::Object input = objectArg(info[0], "input");
  const Napi::Value prompt = input.Get("prompt");
  const Napi::Value generation = input.Get("generation");
  const Napi::Value digests = input.Get("digests");
  const std::vector<std::string> output = utf16ListArg(input.Get("output"), "output");
  const Napi::Value parent = input.Get("parent");
  std::optional<std::int32_t> fixed;
  if (!parent.IsUndefined()) fixed = static_cast<std::int32_t>(integerArg(parent, "parent", -1, 0x7fffffff));

  const Napi::Value facts = input.Get("facts");
  const Napi::Value labels = input.Get("labels");
  const Napi::Value callIds = input.Get("callIds");
  const Napi::Value startsRow = input.Get("startsRow");
  const Napi::Value compactedFrom = input.Get("compactedFrom");
  LabelSet labelSet;
  if (!labels.IsUndefined()) labelSet = utf8ListArg(labels, "labels");

  GenerationObject& consumed = GenerationObject::fromArg(generation, "generation");
  RecordInput recorded{PromptObject::fromArg(prompt, "prompt").prompt(),
                       consumed.generation(),
                       digestsArg(digests, "digests"),
                       output,
                       fixed,
                       {},
                       std::move(labelSet),
                       !startsRow.IsUndefined() && booleanArg(startsRow, "startsRow"),
                       {},
                       -1,
                       &consumed.generation()};
  if (!facts.IsUndefined()) recorded.facts = uint32ArrayArg(facts, "facts");
  if (!compactedFrom.IsUndefined()) {
    recorded.compactedFrom = static_cast<std::int32_t>(indexArg(compactedFrom, "compactedFrom"));
  }
  if (!callIds.IsUndefined()) recorded.callIds = callIdsArg(callIds, "callIds");
  const Interaction& made = session().record(recorded);
  consumed.consume();

  const Napi::Object result = Napi::Object::New(info.Env());
  result.Set("index", Napi::Number::New(info.Env(), made.index));
  result.Set("parent", Napi::Number::New(info.Env(), made.parentIndex()));
  result.Set("tokenExact", Napi::Boolean::New(info.Env(), made.tokenExact));
  result.Set("sharedTokens", Napi::Number::New(info.Env(), made.shared));
  return result;
}

Napi::Value SessionObject::serialize(const Napi::CallbackInfo& info) {
  const InteractionWriter writer = session().serialize(indexArg(info[0], "index"));
  return newBuffer(info.Env(), writer.byteLength(), [&](std::uint8_t* to) { writer.write(to); });
}

namespace {

std::vector<Napi::Value> addedArg(Napi::Value value) {
  if (value.IsUndefined()) return {};
  return itemsOf(arrayArg(value, "added"));
}

}  // namespace

Napi::Value SessionObject::serializeAdded(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  if (session().interaction(index).addedChannels().empty()) return info.Env().Undefined();
  const AddedChannelsWriter writer = session().serializeAdded(index);
  return newBuffer(info.Env(), writer.byteLength(), [&](std::uint8_t* to) { writer.write(to); });
}

Napi::Value SessionObject::allItems(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  const std::string channel = utf8Arg(info[1], "channel");
  const std::uint32_t count = indexArg(info[2], "count");
  const std::vector<ChannelStretch> stretches = listAllItems(session().interaction(index), channel, count);
  if (stretches.empty()) return info.Env().Undefined();
  std::size_t size = 0;
  for (const ChannelStretch& stretch : stretches) size += stretch.bytes().size();
  return newBuffer(info.Env(), size, [&](std::uint8_t* to) {
    auto* at = reinterpret_cast<std::byte*>(to);
    for (const ChannelStretch& stretch : stretches) at = std::ranges::copy(stretch.bytes(), at).out;
  });
}

Napi::Value SessionObject::declareChannel(const Napi::CallbackInfo& info) {
  session().declareChannel(channelArg(info[0]));
  return info.Env().Undefined();
}

Napi::Value SessionObject::addChannel(const Napi::CallbackInfo& info) {
  const std::uint32_t leaf = indexArg(info[0], "leaf");
  const ChannelSpec spec = channelArg(info[1]);
  const std::uint32_t first = indexArg(info[2], "first");
  const std::span<const std::byte> values = std::as_bytes(bytesArg(info[3], "values"));
  const ChannelBuffer run = makeChannel(spec, first, {values.begin(), values.end()}, {});
  return copyToJs(info.Env(), std::span<const std::uint32_t>(session().addChannel(leaf, run.run(0))));
}

Napi::Value SessionObject::listMissing(const Napi::CallbackInfo& info) {
  std::vector<std::uint32_t> flat;
  for (const auto& [leaf, first] : rolltape::listMissing(*session().storage(), utf8Arg(info[0], "channel"))) {
    flat.push_back(leaf);
    flat.push_back(first);
  }
  return copyToJs(info.Env(), std::span<const std::uint32_t>(flat));
}

Napi::Value SessionObject::countMissing(const Napi::CallbackInfo& info) {
  const std::string channel = utf8Arg(info[0], "channel");
  double count = 0;
  for (const Interaction& at : session().storage()->interactions) count += rolltape::countMissing(at, channel);
  return Napi::Number::New(info.Env(), count);
}

Napi::Value SessionObject::restore(const Napi::CallbackInfo& info) {
  const StoredParts parts = storedPartsArg(itemsOf(arrayArg(info[0], "parts")), info[1], addedArg(info[2]));
  return restoreParts(session(), parts).toJs(info.Env());
}

Napi::Value SessionObject::restoreAsync(const Napi::CallbackInfo& info) {
  requireEmpty();
  const std::vector<Napi::Value> parts = itemsOf(arrayArg(info[0], "parts"));
  const std::vector<Napi::Value> added = addedArg(info[2]);
  StoredParts stored = storedPartsArg(parts, info[1], added);
  std::vector<HeldBytes> held;
  held.reserve(parts.size() + added.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Napi::HandleScope scope(info.Env());
    held.emplace_back(parts[i], storedPartName(i));
  }
  for (const Napi::Value& part : added) held.emplace_back(part, "added");
  return PromiseWorker::start(new RestoreWorker(info.Env(), *this, std::move(held), std::move(stored)));
}

void SessionObject::adopt(std::unique_ptr<Session> session) {
  requireEmpty();
  session_ = std::move(session);
}

void SessionObject::requireEmpty() {
  const std::size_t length = session().length();
  if (length == 0) return;
  throw Error(ErrorCode::kInvalidArg, "session must have no interactions; it has " + std::to_string(length));
}

Napi::Value SessionObject::setReward(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  session().setReward(index, numberArg(info[1], "reward"));
  return info.Env().Undefined();
}

Napi::Value SessionObject::setSessionReward(const Napi::CallbackInfo& info) {
  session().setSessionReward(numberArg(info[0], "reward"));
  return info.Env().Undefined();
}

Napi::Value SessionObject::interaction(const Napi::CallbackInfo& info) {
  const std::uint32_t index = indexArg(info[0], "index");
  const Interaction& at = session().interaction(index);
  const InteractionState& state = session().state(index);
  const Napi::Env env = info.Env();
  const Napi::Object object = Napi::Object::New(env);
  object.Set("parent", Napi::Number::New(env, at.parentIndex()));
  object.Set("tokenExact", Napi::Boolean::New(env, at.tokenExact));
  object.Set("promptTokens", Napi::Number::New(env, at.inputLength));
  object.Set("completionTokens", Napi::Number::New(env, at.outputLength));
  object.Set("sharedTokens", Napi::Number::New(env, at.shared));
  object.Set("forcedTokens", Napi::Number::New(env, countForced(at.forced(), at.outputLength)));
  object.Set("ownReward", state.isRewarded() ? Napi::Number::New(env, state.ownReward) : env.Undefined());
  object.Set("children", Napi::Number::New(env, state.children));
  return object;
}

Napi::Value SessionObject::output(const Napi::CallbackInfo& info) {
  const Interaction& at = session().interaction(indexArg(info[0], "index"));
  const Napi::Env env = info.Env();
  auto versions = newArray<std::int32_t>(env, at.outputLength);
  expandVersions(at.versions(), 0, {versions.Data(), versions.ElementLength()});
  const Napi::Object output = Napi::Object::New(env);
  output.Set("ids", copyToJs(env, std::span(at.outputIds, at.outputLength)));
  output.Set("logprobs", copyToJs(env, std::span(at.logprobs, at.outputLength)));
  output.Set("versions", versions);
  return output;
}

Napi::Value SessionObject::versionRange(const Napi::CallbackInfo& info) {
  const auto runs = session().interaction(indexArg(info[0], "index")).versions();
  if (runs.empty()) return info.Env().Undefined();
  const auto [oldest, newest] = std::ranges::minmax(runs, {}, &VersionRun::version);
  const Napi::Array range = Napi::Array::New(info.Env(), 2);
  range.Set(0U, Napi::Number::New(info.Env(), oldest.version));
  range.Set(1U, Napi::Number::New(info.Env(), newest.version));
  return range;
}

Napi::Value SessionObject::discountedRewards(const Napi::CallbackInfo& info) {
  const double discount = numberArg(info[0], "discount");
  const std::vector<bool> noneAbsent(session().length());
  const std::vector<double> rewards = SessionRewards(session(), discount, noneAbsent).finalRewards;
  for (std::size_t i = 0; i < rewards.size(); ++i) requireFinalReward(rewards[i], i);
  auto array = newArray<double>(info.Env(), rewards.size());
  std::ranges::copy(rewards, array.Data());
  return array;
}

Napi::Value SessionObject::release(const Napi::CallbackInfo& info) {
  session_.reset();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
