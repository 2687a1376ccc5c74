/*
 * address.h: parses the address of a daemon.
 *
 * HOST, HOST:PORT, [::1]:PORT, or one of these behind ws://, wss://, http:// or https://, with an
 * optional / at the end.  The port is 7878, behind wss:// and https:// 443, unless it is given.
 */
#ifndef CLIENTS_C_ADDRESS_H
#define CLIENTS_C_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

#define CNC_HOST_SIZE 256
#define CNC_PORT_DEFAULT 7878

struct cnc_address {
    char host[CNC_HOST_SIZE]; /* without brackets */
    int port;
    bool is_tls;
};

/* False with *error filled. */
bool cnc_address_parse(
    const char *text, struct cnc_address *address, char *error, size_t error_size);

/* Prints "host:port", with brackets if the host is an IPv6 address. */
void cnc_address_print(const struct cnc_address *address, char *out, size_t out_size);

#endif
