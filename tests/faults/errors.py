"""errors.py: the errors of each call that shim.c replaces."""
import errno

NO_MEMORY = [errno.ENOMEM]
PART = -1  # a part of the requested bytes

MEMORY = {name: NO_MEMORY for name in
          ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc")}

_FILE = [errno.EIO]
_FILE_WRITTEN = [errno.EIO, errno.ENOSPC]
_FILES = [errno.EMFILE, errno.EACCES]
_PEER = [errno.ECONNRESET]

SYSTEM = {
    **dict.fromkeys(("open", "open64", "openat", "openat64"), [*_FILES, errno.EIO]),
    **dict.fromkeys(("fcntl", "fcntl64"), [errno.EIO]),
    "ioctl": [errno.ENOTTY],
    **dict.fromkeys(("read", "pread", "pread64"), _FILE),
    **dict.fromkeys(("write", "pwrite", "pwrite64"), _FILE_WRITTEN),
    **dict.fromkeys(("send", "sendmsg", "writev"), [errno.EPIPE, errno.ENOBUFS]),
    **dict.fromkeys(("recv", "recvmsg"), _PEER),
    "readlink": _FILE,
    **dict.fromkeys(("fsync", "fdatasync"), _FILE_WRITTEN),
    **dict.fromkeys(("rename", "unlink", "mkdir"), _FILE_WRITTEN),
    "access": [errno.EACCES],
    "flock": [errno.ENOLCK],
    **dict.fromkeys(("fchmod", "fchown"), [errno.EPERM]),
    **dict.fromkeys(("ftruncate", "ftruncate64"), _FILE_WRITTEN),
    **dict.fromkeys(("fallocate", "fallocate64", "posix_fallocate", "posix_fallocate64"),
                    [errno.ENOSPC, errno.EOPNOTSUPP]),
    **dict.fromkeys(("stat", "lstat", "fstat", "stat64", "lstat64", "fstat64"), [errno.EIO]),
    **dict.fromkeys(("statvfs", "statvfs64", "fstatvfs"), _FILE),
    **dict.fromkeys(("mmap", "mmap64"), NO_MEMORY),
    **dict.fromkeys(("fopen", "fopen64", "opendir"), _FILES),
    "fflush": [errno.ENOSPC],
    "socket": [errno.EMFILE],
    "bind": [errno.EADDRINUSE],
    "connect": [errno.ECONNREFUSED],
    "listen": [errno.EADDRINUSE],
    **dict.fromkeys(("accept", "accept4"), [errno.EMFILE, errno.ECONNABORTED]),
    **dict.fromkeys(("setsockopt", "getsockopt"), [errno.ENOBUFS]),
    **dict.fromkeys(("getsockname", "getpeername"), [errno.ENOBUFS]),
    "epoll_create1": [errno.EMFILE],
    "epoll_ctl": [errno.ENOMEM],
    "eventfd": [errno.EMFILE],
    **dict.fromkeys(("pipe", "pipe2"), [errno.EMFILE]),
    **dict.fromkeys(("getrlimit", "setrlimit", "getrlimit64", "setrlimit64"), [errno.EPERM]),
    "pthread_create": [errno.EAGAIN],
}

# Errors that a program must hide: an interrupted call, and one that did only a part.
_INTERRUPTED = [errno.EINTR]
_PARTS = [errno.EINTR, PART]
QUIET = {
    **dict.fromkeys(("read", "pread", "pread64", "write", "pwrite", "pwrite64", "send", "recv",
                     "sendmsg", "writev"), _PARTS),
    **dict.fromkeys(("open", "open64", "openat", "openat64", "accept", "accept4", "recvmsg",
                     "epoll_wait", "epoll_pwait", "poll", "getrandom", "ftruncate",
                     "ftruncate64", "fallocate", "fallocate64"), _INTERRUPTED),
}


def text(how):
    return "PART" if how == PART else errno.errorcode[how]
