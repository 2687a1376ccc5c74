"""known.py: known failures of libraries that we cannot prevent, and faults that were repaired."""

# (who makes the call, the call or None for any, what happens)
KNOWN = [
    ("libuv", "write", "an eventfd that can not be written: libuv aborts (it never happens)"),
    ("libuv", "read", "its own pipe or eventfd that can not be read: libuv aborts"),
    ("libuv", "epoll_ctl", "a socket that can not be watched: libuv aborts"),
    ("ld-linux-x86-64 < libc < libuv", "calloc", "no memory for a thread of its pool: libuv aborts"),
    ("libuv < libc < libuv < sv_pool_uv_begin", "pthread_create",
     "no thread for its pool: libuv aborts"),
    ("libuv < libwebsockets < sv_lws_init", "realloc",
     "no memory for its table of files: libuv aborts"),
    ("libuv < start_loop", "realloc", "no memory for its table of files: libuv aborts"),
    ("libuv < libc < libuv < start_loop", "pipe2", "no pipe for signals: libuv aborts"),
    ("libwebsockets < sv_lws_init", "realloc", "no memory for its table of files: it crashes"),
    ("libwebsockets < sv_lws_init", "fcntl", "no random numbers: it crashes on its way out"),
    ("libwebsockets < sv_lws_init", "eventfd", "no way to wake its loop: it does not come down"),
    ("libwebsockets < sv_lws_listen", "realloc", "no memory for a host of its own: it crashes"),
    ("libsqlite3 < scan", "fcntl64",
     "a lock of SQLite's log that can not be let go stays: what is read later waits for it, ten"
     " seconds each, and worlds that it is part of are not run before the next start"),
    ("write_stderr < sv_log < open_tcp", "write", "the line is lost that tells us the port"),
]

# (scenario, who makes the call, the call): repaired faults, tried in every run.
MENDED = [
    ("worlds", "create_world <", "calloc"),
    ("worlds", "sv_wake < sv_host_send < sv_host_create_world < create_worlds", "write"),
    ("sessions", "libwebsockets < libuv < run", "fcntl"),
    ("sessions", "libcrypto < print_acceptance", "malloc"),
    ("recovery", "make_room <", "realloc"),
    ("meshes", "cn_mesh_thickness <", "malloc"),
]


def is_mended(scenario, stack, name):
    return any(scenario == of and name == call and stack.startswith(part)
               for of, part, call in MENDED)


def known_reason(stack, name):
    """The known reason for a failure of a call with this stack, or None."""
    for part, call, reason in KNOWN:
        if stack.startswith(part) and call in (None, name):
            return reason
    return None
