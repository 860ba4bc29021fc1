/* Preloaded into a service by disks.ts: each flush of a file takes SLOW_DISK_US microseconds, as on a network disk or a hard disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_for_disk(void) {
  const char *us = getenv("SLOW_DISK_US");
  if (us) usleep(atoi(us));
}

int fsync(int fd) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fsync"))(fd);
}

int fdatasync(int fd) {
  wait_for_disk();
  return ((int (*)(int))dlsym(RTLD_NEXT, "fdatasync"))(fd);
}
