/*
 * Errors that a test asks for. The file UNSYNCED_FAULT names the next one: the calls that fail, the error number, and how often. After
 * the last time, the file is removed.
 *
 *   meta-write    writes to the first two pages of LMDB's file, where it has its meta pages, by a descriptor without O_DSYNC
 *   write         its other writes to a descriptor without O_DSYNC
 *   sync          fdatasync and fsync of LMDB's file
 *   meta-sync     of these, only those after a write to the first two pages
 *   log-write     writes to a log by a descriptor without O_DSYNC
 *   log-sync      fdatasync and fsync of a log
 *   synced-write  writes to any of the files by a descriptor with O_DSYNC
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the error with which this call must fail; 0 if it must not. */
static int take_fault(const char *call) {
  const char *path = getenv("UNSYNCED_FAULT");
  if (!path) return 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[64] = {0};
  ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  char name[16];
  int error, times;
  if (length <= 0 || sscanf(text, "%15s %d %d", name, &error, &times) != 3 || strcmp(name, call) != 0) return 0;
  if (times <= 1) {
    unlink(path);
    return error;
  }
  file = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
  length = snprintf(text, sizeof text, "%s %d %d", name, error, times - 1);
  if (file >= 0 && syscall(SYS_write, file, text, (size_t)length) != length) times = 0;
  close(file);
  return error;
}
