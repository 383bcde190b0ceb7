#include "cached_pages.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "../memory/file_descriptor.h"
#include "args.h"
#include "errors.h"

namespace rolltape::binding {

Napi::Value dropCachedPages(const Napi::CallbackInfo& info) {
  return guarded(info.Env(), [&] {
    const std::string path = utf8Arg(info[0], "path");
    const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throwInvalid("path", std::string("a file that can be opened: ") + std::strerror(errno));
    // The kernel drops clean pages only. If it cannot write one, it counts the page as clean afterwards.
    (void)fdatasync(file.get());
    const int error = posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
    if (error != 0) throwInvalid("path", std::string("a file with cached pages: ") + std::strerror(error));
    return info.Env().Undefined();
  });
}

}  // namespace rolltape::binding
