/*
 * proxy_header.h: version 2 of the PROXY protocol, which tells from where a proxy's client comes.
 *
 *     signature (12) | version 2, command | family, protocol | size (2) | addresses | TLVs
 *
 * LOCAL is the proxy's own connection, a health check.  PROXY over TCP has the client's address.
 * Other families have none that can be counted; UDP is refused.  TLVs are skipped, but they have to
 * fill the header, and a checksum among them has to be right.
 *
 * Departures: version 1, which is text, is refused by name: one form less to be fooled by.
 *
 * Source: W. Tarreau, The PROXY protocol, versions 1 & 2, 2020, sections 2.2 to 2.2.3.
 */
#ifndef SERVER_INSPECT_PROXY_HEADER_H
#define SERVER_INSPECT_PROXY_HEADER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define SV_PROXY_PREFIX_SIZE 16 /* bytes before the addresses; they give the size of the rest */

enum sv_proxy_verdict {
    SV_PROXY_MORE, /* the header is incomplete */
    SV_PROXY_GOOD,
    SV_PROXY_BAD,
};

struct sv_proxy_header {
    size_t size;   /* of the whole header, known once SV_PROXY_PREFIX_SIZE bytes are valid */
    bool is_local; /* the connection is from the proxy itself */
    struct sockaddr_storage client; /* AF_UNSPEC if the header has no address */
    const char *reason; /* why it is bad: static text */
};

/* `bytes` are the first bytes of a connection; bytes after the header are ignored. */
enum sv_proxy_verdict sv_proxy_header_read(
    const uint8_t *bytes, size_t size, struct sv_proxy_header *header);

#endif
