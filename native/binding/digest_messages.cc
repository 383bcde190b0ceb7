#include "digest_messages.h"

#include <algorithm>

#include "addon_data.h"
#include "args.h"
#include "buffers.h"
#include "errors.h"

namespace rolltape::binding {

Napi::Value digestMessages(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::vector<std::string> messages = utf16ListArg(info[0], "canonical");
    auto digests = newArray<std::uint8_t>(info.Env(), messages.size() * sizeof(MessageDigest));
    MessageDigest digest{};
    std::uint8_t* to = digests.Data();
    for (const std::string& message : messages) {
      digest = chainDigest(addonData(info.Env()).digestKey, digest,
                           {reinterpret_cast<const std::uint8_t*>(message.data()), message.size()});
      to = std::copy(digest.begin(), digest.end(), to);
    }
    return digests;
  });
}

}  // namespace rolltape::binding
