#include "server/net/hosts.h"
#include "engine/base/assert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool
sv_hosts_init(struct sv_hosts *hosts)
{
    hosts->names = calloc(SV_HOSTS_MAX, SV_HOST_SIZE);
    hosts->origins = calloc(2 * SV_HOSTS_MAX, SV_HOST_SIZE);
    hosts->name_count = hosts->origin_count = 0;
    hosts->is_tls = false;
    return hosts->names != NULL && hosts->origins != NULL;
}

void
sv_hosts_finish(struct sv_hosts *hosts)
{
    free(hosts->names);
    free(hosts->origins);
    hosts->names = hosts->origins = NULL;
}

/* Adds a host; one that does not fit is left out and so is not accepted. */
static void
add_host(
    char (*list)[SV_HOST_SIZE], int *count, int count_max, const char *scheme, const char *value)
{
    CN_ASSERT(0 <= *count && *count <= count_max);
    if (*count < count_max && strlen(scheme) + strlen(value) < SV_HOST_SIZE) {
        snprintf(list[(*count)++], SV_HOST_SIZE, "%s%s", scheme, value);
    }
}

void
sv_hosts_add_origin(struct sv_hosts *hosts, const char *origin)
{
    add_host(hosts->origins, &hosts->origin_count, 2 * SV_HOSTS_MAX, "", origin);
}

void
sv_hosts_add_host(struct sv_hosts *hosts, const char *host)
{
    add_host(hosts->names, &hosts->name_count, SV_HOSTS_MAX, "", host);
    if (!hosts->is_tls) {
        add_host(hosts->origins, &hosts->origin_count, 2 * SV_HOSTS_MAX, "http://", host);
    }
    add_host(hosts->origins, &hosts->origin_count, 2 * SV_HOSTS_MAX, "https://", host);
}

/* Adds "addr:port", and also "addr" if the port is the scheme's default. */
static void
add_name(struct sv_hosts *hosts, const char *name, int port)
{
    char host[SV_HOST_SIZE + 16];
    snprintf(host, sizeof(host), "%s:%d", name, port);
    sv_hosts_add_host(hosts, host);
    if (port == (hosts->is_tls ? 443 : 80)) {
        sv_hosts_add_host(hosts, name);
    }
}

void
sv_hosts_add_listener(struct sv_hosts *hosts, const char *address, int port)
{
    char name[SV_HOST_SIZE];
    bool is_v6 = strchr(address, ':') != NULL;
    bool is_any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    snprintf(name, sizeof(name), is_v6 ? "[%s]" : "%s", address);
    add_name(hosts, name, port);
    if (is_any) {
        add_name(hosts, is_v6 ? "[::1]" : "127.0.0.1", port);
    }
    if (is_any || strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0) {
        add_name(hosts, "localhost", port);
    }
}

static bool
has_host(char (*list)[SV_HOST_SIZE], int count, const char *value)
{
    for (int i = 0; i < count; i++) {
        if (strcasecmp(list[i], value) == 0) {
            return true;
        }
    }
    return false;
}

bool
sv_hosts_has_host(const struct sv_hosts *hosts, const char *host)
{
    return host != NULL && host[0] != '\0' && has_host(hosts->names, hosts->name_count, host);
}

bool
sv_hosts_has_origin(const struct sv_hosts *hosts, const char *origin)
{
    return origin == NULL || origin[0] == '\0' ||
        has_host(hosts->origins, hosts->origin_count, origin);
}
