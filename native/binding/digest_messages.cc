#include "digest_messages.h"

#include <algorithm>

#include "addon_data.h"
#include "args.h"
#include "buffers.h"
#include "errors.h"

namespace rolltape::binding {

namespace {

MessageDigest digestArg(Napi::Value value, const std::string& name) {
  const std::span<const MessageDigest> digests = digestsArg(value, name);
  if (digests.size() != 1) throwInvalid(name, "one digest of 16 bytes");
  return digests.front();
}

}  // namespace

Napi::Value digestMessages(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::vector<std::string> messages = utf16ListArg(info[0], "canonical");
    auto digests = newArray<std::uint8_t>(info.Env(), messages.size() * sizeof(MessageDigest));
    MessageDigest digest = info[1].IsUndefined() ? MessageDigest{} : digestArg(info[1], "before");
    const SipKey key = sipKeyArg(info[2], "digestKey", addonData(info.Env()).digestKey);
    std::uint8_t* to = digests.Data();
    for (const std::string& message : messages) {
      digest = chainDigest(key, digest, {reinterpret_cast<const std::uint8_t*>(message.data()), message.size()});
      to = std::copy(digest.begin(), digest.end(), to);
    }
    return digests;
  });
}

}  // namespace rolltape::binding
