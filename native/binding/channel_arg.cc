#include "channel_arg.h"

#include "args.h"
#include "choice_arg.h"

namespace rolltape::binding {

std::vector<std::int32_t> tokenIdsArg(Napi::Value value, const char* name) {
  if (value.IsUndefined()) return {};
  const std::span<const std::int32_t> ids = int32ArrayArg(value, name);
  return {ids.begin(), ids.end()};
}

ChannelSpec channelArg(Napi::Value value) {
  const Napi::Object object = objectArg(value, "channel");
  ChannelSpec spec{.name = utf8Arg(object.Get("name"), "channel.name")};
  spec.dtype = choiceArg<Dtype>(
      object.Get("dtype"), "channel.dtype",
      {{"I32", Dtype::kI32}, {"F32", Dtype::kF32}, {"U16", Dtype::kU16}, {"U8", Dtype::kU8}, {"BOOL", Dtype::kBool}});
  for (const Napi::Value extent : itemsOf(arrayArg(object.Get("shape"), "channel.shape"))) {
    spec.shape.push_back(static_cast<std::uint32_t>(integerArg(extent, "channel.shape", 1, kMaxItemBytes)));
  }
  const Napi::Value offsets = object.Get("offsets");
  if (!offsets.IsUndefined()) spec.offsets = utf8Arg(offsets, "channel.offsets");
  spec.ofSequence = choiceArg<bool>(object.Get("of"), "channel.of", {{"output", false}, {"sequence", true}});
  spec.tokenIds = tokenIdsArg(object.Get("tokenIds"), "channel.tokenIds");
  return spec;
}

}  // namespace rolltape::binding
