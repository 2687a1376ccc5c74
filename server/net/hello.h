/*
 * hello.h: what the token of a Hello makes of a session, its first one or one that renews it.
 */
#ifndef SERVER_NET_HELLO_H
#define SERVER_NET_HELLO_H

#include "server/net/gateway.h"

/*
 * Gives the session the rights of the token.  False with *error filled and *close_code for who is
 * new; who renews goes on as before.
 */
bool sv_hello_let_in(struct sv_seat *seat, const struct wire_hello *hello,
    struct wire_error *error, uint16_t *close_code);

#endif
