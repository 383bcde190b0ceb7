#include "file_lock_object.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace rolltape::binding {

namespace {

/// Returns the locked file; an empty descriptor if the file is locked elsewhere.
FileDescriptor lockFile(const std::string& path) {
  FileDescriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  // A file on a read-only mount can be locked too. Another mount of the same file system may be writable.
  if (!file && errno == EROFS) file = FileDescriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) throwInvalid("path", std::string("a file that can be opened: ") + std::strerror(errno));
  if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
  if (errno != EWOULDBLOCK) throwInvalid("path", std::string("a file that can be locked: ") + std::strerror(errno));
  return {};
}

}  // namespace

Napi::Function FileLockObject::define(Napi::Env env) {
  using Self = FileLockObject;
  return DefineClass(env, kClassName, {guardedGetter<&Self::held>("held"), guardedMethod<&Self::release>("release")});
}

FileLockObject::FileLockObject(const Napi::CallbackInfo& info)
    : Wrapped(info), file_(guarded(info.Env(), [&] { return lockFile(utf8Arg(info[0], "path")); })) {}

Napi::Value FileLockObject::held(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), static_cast<bool>(file_));
}

Napi::Value FileLockObject::release(const Napi::CallbackInfo& info) {
  file_ = FileDescriptor();
  return info.Env().Undefined();
}

}  // namespace rolltape::binding
