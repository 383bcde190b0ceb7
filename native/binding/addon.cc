#include <random>

#include "addon_data.h"
#include "batch_object.h"
#include "buffers.h"
#include "checksum.h"
#include "digest_messages.h"
#include "file_lock_object.h"
#include "generation_object.h"
#include "json_check_object.h"
#include "log_file_object.h"
#include "memory_arg.h"
#include "napi_setup.h"
#include "plan_builder_object.h"
#include "plan_object.h"
#include "prompt_object.h"
#include "reply_stream_object.h"
#include "send_buffer.h"
#include "session_object.h"
#include "shared_pool_object.h"

namespace rolltape::binding {

namespace {

SipKey randomKey() {
  std::random_device device;
  SipKey key;
  for (std::uint8_t& byte : key) byte = static_cast<std::uint8_t>(device());
  return key;
}

Napi::Object init(Napi::Env env, Napi::Object exports) {
  auto* data = new AddonData{randomKey(), Napi::Persistent(PromptObject::define(env)),
                             Napi::Persistent(PlanObject::define(env)), Napi::Persistent(BatchObject::define(env))};
  env.SetInstanceData(data);
  exports.Set("Session", SessionObject::define(env));
  exports.Set("PlanBuilder", PlanBuilderObject::define(env));
  exports.Set("Generation", GenerationObject::define(env));
  exports.Set("ReplyStream", ReplyStreamObject::define(env));
  exports.Set("SharedPool", SharedPoolObject::define(env));
  exports.Set("JsonCheck", JsonCheckObject::define(env));
  exports.Set("FileLock", FileLockObject::define(env));
  exports.Set("LogFile", LogFileObject::define(env));
  exports.Set("crc32c", Napi::Function::New(env, computeCrc32c, "crc32c"));
  exports.Set("digestMessages", Napi::Function::New(env, digestMessages, "digestMessages"));
  exports.Set("freeBytes", Napi::Function::New(env, freeBytes, "freeBytes"));
  exports.Set("setSendBuffer", Napi::Function::New(env, setSendBuffer, "setSendBuffer"));
  exports.Set("planBatch", Napi::Function::New(env, PlanObject::planBatch, "planBatch"));
  exports.Set("pinnedMemory", Napi::Function::New(env, pinnedMemory, "pinnedMemory"));
  return exports;
}

}  // namespace

NODE_API_MODULE(NODE_GYP_MODULE_NAME, init)

}  // namespace rolltape::binding
