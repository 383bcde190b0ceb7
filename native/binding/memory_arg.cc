#include "memory_arg.h"

#include "addon_data.h"
#include "shared_pool_object.h"

namespace rolltape::binding {

std::shared_ptr<BlockSource> memoryArg(Napi::Value value, const std::string& name) {
  const MemorySources& memory = addonData(value.Env()).memory;
  if (value.IsUndefined()) return memory.heap;
  if (value.IsObject()) return SharedPoolObject::fromArg(value, name).pool();
  const std::string kind = value.IsString() ? value.As<Napi::String>().Utf8Value() : "";
  if (kind == "heap") return memory.heap;
  if (kind == "pinned") return memory.pinned;
  throwInvalid(name, R"("heap", "pinned" or a SharedPool)");
}

Napi::Value pinnedMemory(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::optional<std::string> reason = addonData(info.Env()).memory.cuda->unavailableReason();
    const Napi::Object answer = Napi::Object::New(info.Env());
    answer.Set("available", Napi::Boolean::New(info.Env(), !reason));
    if (reason) answer.Set("reason", Napi::String::New(info.Env(), *reason));
    return answer;
  });
}

}  // namespace rolltape::binding
