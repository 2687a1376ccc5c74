/*
 * hosts.h: which Host and Origin headers are answered.
 *
 * A page on another site can make a browser send requests to this machine.  It can not choose
 * their Origin, and not their Host unless it has a name that leads here (DNS rebinding), so both
 * are compared with exact lists: every listener's own address, "localhost" for loopback, and what
 * the operator adds.  A request without Origin is not a page's and is let in; without Host it is
 * refused.
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
    bool is_tls; /* an own origin is https alone */
};

/* False when there is no memory. */
bool sv_hosts_init(struct sv_hosts *hosts);
void sv_hosts_finish(struct sv_hosts *hosts);

/* A listener's numeric address and port, and what a browser on this machine may call it. */
void sv_hosts_add_listener(struct sv_hosts *hosts, const char *address, int port);

/*
 * Exact values from the options.  A host is let in as origin too, with https and, where this daemon
 * has no TLS of its own, with http: a proxy in front may speak either.
 */
void sv_hosts_add_host(struct sv_hosts *hosts, const char *host);
void sv_hosts_add_origin(struct sv_hosts *hosts, const char *origin);

/* Case does not matter; NULL and "" are refused. */
bool sv_hosts_has_host(const struct sv_hosts *hosts, const char *host);

/* NULL and "", no Origin at all, are let in. */
bool sv_hosts_has_origin(const struct sv_hosts *hosts, const char *origin);

#endif
