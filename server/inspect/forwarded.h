/*
 * forwarded.h: proxies that are named in the configuration, and the client that they forward.
 *
 * A proxy is configured as WHERE=HOW, where HOW is the way in which it names its clients:
 *
 *     10.0.0.0/8=v2                version 2 of the PROXY protocol, before everything else
 *     192.0.2.7=forwarded          the header Forwarded (RFC 7239)
 *     2001:db8::/32=x-forwarded-for
 *     /run/cairn/web.sock=forwarded   every connection of the Unix socket that listens there
 *
 * Only this way counts for the proxy; the first configured proxy that matches decides.  From other
 * peers the headers are ignored.
 *
 * If a request has passed several proxies, their list is read from its end, where the nearest proxy
 * adds its entry.  Hops that are configured proxies are skipped, and the first other hop is the
 * client. Earlier entries may be forged.
 *
 * Source: RFC 7239 (Forwarded), 4, 5.2 and 6.
 */
#ifndef SERVER_INSPECT_FORWARDED_H
#define SERVER_INSPECT_FORWARDED_H

#include "server/base/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum sv_proxy_kind {
    SV_PROXY_NONE, /* not a proxy: the peer is the client */
    SV_PROXY_V2,
    SV_PROXY_FORWARDED,
    SV_PROXY_X_FORWARDED_FOR,
};

struct sv_proxy {
    enum sv_proxy_kind kind;
    const char *path;    /* of a Unix socket, borrowed; NULL: an address */
    uint8_t address[16]; /* an IPv4 address is within ::ffff:0:0/96 */
    unsigned prefix;     /* bits of the address that are compared */
};

struct sv_proxies {
    struct sv_proxy list[SV_PROXIES_MAX];
    int count;
};

#define SV_PROXY_ERROR_SIZE 160

/* Adds WHERE=HOW; a path is borrowed from the text.  False with *error filled. */
bool sv_proxies_add(
    struct sv_proxies *proxies, const char *text, char error[SV_PROXY_ERROR_SIZE]);

/* The kind of proxy at that address, or at the socket `path`. */
enum sv_proxy_kind sv_proxies_find(
    const struct sv_proxies *proxies, const struct sockaddr *address);
enum sv_proxy_kind sv_proxies_find_path(const struct sv_proxies *proxies, const char *path);

/* A client behind a proxy: an address, or a name that the proxy made up, such as "unknown". */
struct sv_forwarded {
    struct sockaddr_storage address; /* AF_UNSPEC: only the name is known */
    char name[SV_FORWARDED_NAME_SIZE]; /* as written: for logs, and to distinguish names */
};

enum sv_forwarded_verdict {
    SV_FORWARDED_NONE, /* the list is empty */
    SV_FORWARDED_GOOD,
    SV_FORWARDED_BAD,  /* not a list of this kind, or more than SV_FORWARDED_HOPS_MAX hops */
};

/* `value` is that of the header; if it occurs several times, all values joined with commas. */
enum sv_forwarded_verdict sv_forwarded_read(const struct sv_proxies *proxies,
    enum sv_proxy_kind kind, const char *value, size_t size, struct sv_forwarded *client);

#endif
