/*
 * hello.h: applies the token of a Hello to a session: at its first Hello, or at one that renews it.
 */
#ifndef SERVER_NET_HELLO_H
#define SERVER_NET_HELLO_H

#include "server/net/seat.h"

/*
 * Gives the session the rights of the token.  False with *error filled; for a new session
 * *close_code is set, and a session that renews its token keeps its present rights.
 */
bool sv_hello_let_in(struct sv_seat *seat, const struct wire_hello *hello,
    struct wire_error *error, uint16_t *close_code);

#endif
