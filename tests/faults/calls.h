/*
 * calls.h: the system calls that shim.c intercepts; errors.py has the errors of each.
 */
#ifndef TESTS_FAULTS_CALLS_H
#define TESTS_FAULTS_CALLS_H

struct epoll_event;
struct statvfs;
struct stat;
struct rlimit;

CALL_OPEN(open, (const char *path, int flags, ...), flags, (path, flags, more))
CALL_OPEN(open64, (const char *path, int flags, ...), flags, (path, flags, more))
CALL_OPEN(openat, (int folder, const char *path, int flags, ...), flags,
    (folder, path, flags, more))
CALL_OPEN(openat64, (int folder, const char *path, int flags, ...), flags,
    (folder, path, flags, more))
CALL_OPEN(fcntl, (int file, int what, ...), what, (file, what, more))
CALL_OPEN(fcntl64, (int file, int what, ...), what, (file, what, more))
CALL_OPEN(ioctl, (int file, unsigned long what, ...), what, (file, what, more))

CALL_IN_PARTS(ssize_t, read, (int file, void *bytes, size_t size), size, (file, bytes, size))
CALL_IN_PARTS(ssize_t, write, (int file, const void *bytes, size_t size), size,
    (file, bytes, size))
CALL_IN_PARTS(ssize_t, pread, (int file, void *bytes, size_t size, off_t at), size,
    (file, bytes, size, at))
CALL_IN_PARTS(ssize_t, pread64, (int file, void *bytes, size_t size, off64_t at), size,
    (file, bytes, size, at))
CALL_IN_PARTS(ssize_t, pwrite, (int file, const void *bytes, size_t size, off_t at), size,
    (file, bytes, size, at))
CALL_IN_PARTS(ssize_t, pwrite64, (int file, const void *bytes, size_t size, off64_t at), size,
    (file, bytes, size, at))
CALL_IN_PARTS(ssize_t, send, (int file, const void *bytes, size_t size, int flags), size,
    (file, bytes, size, flags))
CALL_IN_PARTS(ssize_t, recv, (int file, void *bytes, size_t size, int flags), size,
    (file, bytes, size, flags))

/* The first piece alone goes. */
ssize_t
sendmsg(int file, const struct msghdr *message, int flags)
{
    static void *real_sendmsg;
    struct msghdr part = *message;
    int result = decide("sendmsg", NULL);
    if (result > 0) {
        return -1;
    }
    part.msg_iovlen = result == PART ? 1 : part.msg_iovlen;
    return REAL(ssize_t(*)(int, const struct msghdr *, int), sendmsg)(file, &part, flags);
}

ssize_t
writev(int file, const struct iovec *pieces, int count)
{
    static void *real_writev;
    int result = decide("writev", NULL);
    if (result > 0) {
        return -1;
    }
    return REAL(ssize_t(*)(int, const struct iovec *, int), writev)(
        file, pieces, result == PART ? 1 : count);
}

CALL(ssize_t, -1, recvmsg, (int file, struct msghdr *message, int flags), (file, message, flags))
CALL(ssize_t, -1, readlink, (const char *path, char *text, size_t size), (path, text, size))
CALL(ssize_t, -1, getrandom, (void *bytes, size_t size, unsigned flags), (bytes, size, flags))

CALL(int, -1, fsync, (int file), (file))
CALL(int, -1, fdatasync, (int file), (file))
CALL(int, -1, rename, (const char *from, const char *to), (from, to))
CALL(int, -1, unlink, (const char *path), (path))
CALL(int, -1, mkdir, (const char *path, unsigned mode), (path, mode))
CALL(int, -1, access, (const char *path, int mode), (path, mode))
CALL(int, -1, flock, (int file, int what), (file, what))
CALL(int, -1, fchmod, (int file, unsigned mode), (file, mode))
CALL(int, -1, fchown, (int file, unsigned user, unsigned group), (file, user, group))
CALL(int, -1, ftruncate, (int file, off_t size), (file, size))
CALL(int, -1, ftruncate64, (int file, off64_t size), (file, size))
CALL(int, -1, fallocate, (int file, int mode, off_t at, off_t size), (file, mode, at, size))
CALL(int, -1, fallocate64, (int file, int mode, off64_t at, off64_t size), (file, mode, at, size))
CALL(int, errno, posix_fallocate, (int file, off_t at, off_t size), (file, at, size))
CALL(int, errno, posix_fallocate64, (int file, off64_t at, off64_t size), (file, at, size))
CALL(int, -1, stat, (const char *path, struct stat *out), (path, out))
CALL(int, -1, lstat, (const char *path, struct stat *out), (path, out))
CALL(int, -1, fstat, (int file, struct stat *out), (file, out))
CALL(int, -1, stat64, (const char *path, struct stat64 *out), (path, out))
CALL(int, -1, lstat64, (const char *path, struct stat64 *out), (path, out))
CALL(int, -1, fstat64, (int file, struct stat64 *out), (file, out))
CALL(int, -1, statvfs, (const char *path, struct statvfs *out), (path, out))
CALL(int, -1, statvfs64, (const char *path, struct statvfs *out), (path, out))
CALL(int, -1, fstatvfs, (int file, struct statvfs *out), (file, out))
CALL(void *, MAP_FAILED, mmap, (void *at, size_t size, int may, int flags, int file, off_t from),
    (at, size, may, flags, file, from))
CALL(void *, MAP_FAILED, mmap64,
    (void *at, size_t size, int may, int flags, int file, off64_t from),
    (at, size, may, flags, file, from))
CALL(FILE *, NULL, fopen, (const char *path, const char *mode), (path, mode))
CALL(FILE *, NULL, fopen64, (const char *path, const char *mode), (path, mode))
CALL(void *, NULL, opendir, (const char *path), (path))
CALL(int, EOF, fflush, (FILE *file), (file))

CALL(int, -1, socket, (int family, int type, int protocol), (family, type, protocol))
CALL(int, -1, bind, (int file, const struct sockaddr *address, socklen_t size),
    (file, address, size))
CALL(int, -1, connect, (int file, const struct sockaddr *address, socklen_t size),
    (file, address, size))
CALL(int, -1, listen, (int file, int backlog), (file, backlog))
CALL(int, -1, accept, (int file, struct sockaddr *address, socklen_t *size),
    (file, address, size))
CALL(int, -1, accept4, (int file, struct sockaddr *address, socklen_t *size, int flags),
    (file, address, size, flags))
CALL(int, -1, setsockopt, (int file, int level, int name, const void *value, socklen_t size),
    (file, level, name, value, size))
CALL(int, -1, getsockopt, (int file, int level, int name, void *value, socklen_t *size),
    (file, level, name, value, size))
CALL(int, -1, getsockname, (int file, struct sockaddr *address, socklen_t *size),
    (file, address, size))
CALL(int, -1, getpeername, (int file, struct sockaddr *address, socklen_t *size),
    (file, address, size))
CALL(int, -1, epoll_create1, (int flags), (flags))
CALL(int, -1, epoll_ctl, (int poll, int what, int file, struct epoll_event *event),
    (poll, what, file, event))
CALL(int, -1, epoll_wait, (int poll, struct epoll_event *events, int count, int ms),
    (poll, events, count, ms))
CALL(int, -1, epoll_pwait,
    (int poll, struct epoll_event *events, int count, int ms, const void *mask),
    (poll, events, count, ms, mask))
CALL(int, -1, poll, (struct pollfd *files, nfds_t count, int ms), (files, count, ms))
CALL(int, -1, eventfd, (unsigned value, int flags), (value, flags))
CALL(int, -1, pipe, (int files[2]), (files))
CALL(int, -1, pipe2, (int files[2], int flags), (files, flags))
CALL(int, -1, getrlimit, (int what, struct rlimit *out), (what, out))
CALL(int, -1, setrlimit, (int what, const struct rlimit *value), (what, value))
CALL(int, -1, getrlimit64, (int what, struct rlimit *out), (what, out))
CALL(int, -1, setrlimit64, (int what, const struct rlimit *value), (what, value))
CALL(int, errno, pthread_create,
    (pthread_t *thread, const pthread_attr_t *how_made, void *(*run)(void *), void *context),
    (thread, how_made, run, context))

#endif
