/*
 * hosts.h: which Host and Origin headers are answered.
 *
 * A page on another site can make a browser send requests to this machine.  It cannot choose their
 * Origin, nor their Host unless it has a name that resolves to this machine (DNS rebinding).  So
 * both are compared with exact lists: every listener's own address, "localhost" for loopback, and
 * the names that the operator adds.  A request without Origin does not come from a page and is
 * accepted; one without Host is refused.
 */
#ifndef SERVER_NET_HOSTS_H
#define SERVER_NET_HOSTS_H

#include <stdbool.h>
#include <stddef.h>

#define SV_HOSTS_MAX 640 /* two for a listener, one for an option's value */
#define SV_HOST_SIZE 256

struct sv_hosts {
    char (*names)[SV_HOST_SIZE]; /* values of Host, lower case */
    char (*origins)[SV_HOST_SIZE];
    int name_count, origin_count;
    bool is_tls; /* only https counts as an own origin */
};

/* False without memory. */
bool sv_hosts_init(struct sv_hosts *hosts);
void sv_hosts_finish(struct sv_hosts *hosts);

/*
 * Adds a listener's numeric address and port, and the names by which a local browser may call it.
 */
void sv_hosts_add_listener(struct sv_hosts *hosts, const char *address, int port);

/*
 * Add exact values from the options.  A host is also accepted as an origin with https.  If this
 * daemon has no TLS, it is accepted with http too, because a proxy in front may use either.
 */
void sv_hosts_add_host(struct sv_hosts *hosts, const char *host);
void sv_hosts_add_origin(struct sv_hosts *hosts, const char *origin);

/* Ignores case; refuses NULL and "". */
bool sv_hosts_has_host(const struct sv_hosts *hosts, const char *host);

/* Accepts NULL and "", which mean no Origin. */
bool sv_hosts_has_origin(const struct sv_hosts *hosts, const char *origin);

#endif
