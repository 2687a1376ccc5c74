"""known.py: what libraries do when a call of theirs fails, and we can not help."""

# (who makes the call, the call or None for any, what happens)
KNOWN = [
    ("libuv", "write", "an eventfd that can not be written: libuv aborts (it never happens)"),
    ("libuv", "read", "its own pipe or eventfd that can not be read: libuv aborts"),
    ("libuv", "epoll_ctl", "a socket that can not be watched: libuv aborts"),
    ("libwebsockets < sv_lws_init", "realloc", "no memory for its table of files: it crashes"),
]


def known_reason(stack, name):
    """What is known of a call with this stack, or None."""
    for part, call, reason in KNOWN:
        if stack.startswith(part) and call in (None, name):
            return reason
    return None
