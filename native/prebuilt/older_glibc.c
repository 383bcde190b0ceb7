// Makes the prebuilt addon load with glibc 2.28, the oldest that Node 20 runs on, although it is linked with a newer one.
//
// glibc 2.34 gave the functions of libpthread and libdl new versions, and a linker takes the newest version of each. The
// functions here have the same names and are hidden, so the addon and its static libstdc++ call them. They forward to the
// first version, which every glibc has. What glibc 2.28 lacks is written out.
//
// CMakeLists.txt compiles this file with ROLLTAPE_PREBUILT only. scripts/build-prebuilds.mjs checks which versions the addon
// needs. If it finds a new name after an update of the compiler, that name belongs here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/single_threaded.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define FIRST_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define FIRST_GLIBC "GLIBC_2.17"
#else
#error "Add the first version of glibc on this architecture."
#endif

// <pthread.h> says that pthread_setspecific does not read the value, which GCC takes as a sign that it is not set.
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

#define HIDDEN __attribute__((visibility("hidden")))

// Defines a hidden function that calls the first version of glibc's function of the same name.
#define FORWARD(result, name, parameters, arguments)           \
  extern result first_##name parameters;                       \
  __asm__(".symver first_" #name "," #name "@" FIRST_GLIBC);   \
  HIDDEN result name parameters { return first_##name arguments; }

typedef void *(*thread_main)(void *);
typedef void (*once_function)(void);
typedef void (*key_destructor)(void *);

FORWARD(int, pthread_create,
        (pthread_t * thread, const pthread_attr_t *attributes, thread_main run, void *argument),
        (thread, attributes, run, argument))
FORWARD(int, pthread_join, (pthread_t thread, void **result), (thread, result))
FORWARD(int, pthread_detach, (pthread_t thread), (thread))
FORWARD(int, pthread_once, (pthread_once_t * control, once_function run), (control, run))
FORWARD(int, pthread_key_create, (pthread_key_t * key, key_destructor destroy), (key, destroy))
FORWARD(int, pthread_key_delete, (pthread_key_t key), (key))
FORWARD(void *, pthread_getspecific, (pthread_key_t key), (key))
FORWARD(int, pthread_setspecific, (pthread_key_t key, const void *value), (key, value))
FORWARD(int, pthread_rwlock_rdlock, (pthread_rwlock_t * lock), (lock))
FORWARD(int, pthread_rwlock_wrlock, (pthread_rwlock_t * lock), (lock))
FORWARD(int, pthread_rwlock_unlock, (pthread_rwlock_t * lock), (lock))
FORWARD(void *, dlopen, (const char *file, int mode), (file, mode))
FORWARD(void *, dlsym, (void *restrict handle, const char *restrict name), (handle, name))
FORWARD(char *, dlerror, (void), ())

// glibc 2.32. libstdc++ counts references without atomics while it is true; Node always has several threads.
HIDDEN char __libc_single_threaded = 0;

// glibc 2.33. Before, the header made calls of __fxstat and __lxstat of these. The kernel's struct stat is that of glibc.
HIDDEN int fstat(int fd, struct stat *status) { return (int)syscall(SYS_fstat, fd, status); }

HIDDEN int lstat(const char *restrict path, struct stat *restrict status) {
  return (int)syscall(SYS_newfstatat, AT_FDCWD, path, status, AT_SYMLINK_NOFOLLOW);
}

// glibc 2.36. std::random_device calls it.
HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();
  return number;
}

static int64_t nanoseconds(const struct timespec *time) {
  return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

// glibc 2.30. std::condition_variable::wait_until calls it for the steady clock. An older glibc can only wait for the time of
// day, so a wait there ends early or late if that is set meanwhile.
HIDDEN int pthread_cond_clockwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, clockid_t clock,
                                  const struct timespec *restrict until) {
  typedef int (*clock_wait)(pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
  const clock_wait newer = (clock_wait)first_dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (newer != NULL) return newer(condition, mutex, clock, until);
  struct timespec now;
  struct timespec day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  const int64_t end = nanoseconds(&day) + nanoseconds(until) - nanoseconds(&now);
  day.tv_sec = end / 1000000000;
  day.tv_nsec = end % 1000000000;
  return pthread_cond_timedwait(condition, mutex, &day);
}
