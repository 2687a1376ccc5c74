/*
 * port.h: why a listener can not be had, for people.
 */
#ifndef SERVER_NET_PORT_H
#define SERVER_NET_PORT_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether a numeric address and port can be listened on just now; false with *error filled: in use
 * (by which process, where that can be seen), not this machine's, not allowed.
 */
bool sv_port_check(const char *address, int port, char *error, size_t error_size);

/* The process that listens on the port, by Linux' tables of sockets; 0 where it can not be seen. */
long sv_port_holder(int port);

#endif
