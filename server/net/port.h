/*
 * port.h: why a daemon cannot listen at an address, in words.
 */
#ifndef SERVER_NET_PORT_H
#define SERVER_NET_PORT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a numeric address and port can be listened on now.  False with *error filled: in use (and
 * by which process, if that can be seen), not an address of this machine, not allowed.
 */
bool sv_port_check(const char *address, int port, char *error, size_t error_size);

/* The process that listens on the port, from Linux' tables of sockets; 0 if it cannot be seen. */
long sv_port_holder(int port);

#endif
