#include "server/inspect/forwarded.h"
#include "engine/base/assert.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define REFUSE(...) (snprintf(error, SV_PROXY_ERROR_SIZE, __VA_ARGS__), false)

static const uint8_t v4_prefix[12] = {[10] = 0xff, [11] = 0xff};

/* ---- proxies ---- */

static const struct {
    const char *name;
    enum sv_proxy_kind kind;
} kinds[] = {
    {"v2", SV_PROXY_V2},
    {"forwarded", SV_PROXY_FORWARDED},
    {"x-forwarded-for", SV_PROXY_X_FORWARDED_FOR},
};

/* Fills 16 bytes; returns the number of bits before the address itself (96 for IPv4), or -1. */
static int
parse_address(const char *text, uint8_t out[16])
{
    if (inet_pton(AF_INET, text, out + 12) == 1) {
        memcpy(out, v4_prefix, sizeof(v4_prefix));
        return 96;
    }
    return inet_pton(AF_INET6, text, out) == 1 ? 0 : -1;
}

/* Parses "ADDR" or "ADDR/BITS". */
static bool
parse_network(const char *text, struct sv_proxy *proxy)
{
    char address[INET6_ADDRSTRLEN];
    size_t size = strcspn(text, "/");
    if (size >= sizeof(address)) {
        return false;
    }
    memcpy(address, text, size);
    address[size] = '\0';
    int before = parse_address(address, proxy->address);
    if (before < 0) {
        return false;
    }
    proxy->prefix = 128;
    if (text[size] == '/') {
        const char *bits = text + size + 1;
        size_t digits = strspn(bits, "0123456789");
        unsigned long number = digits > 0 && digits < 4 ? strtoul(bits, NULL, 10) : 999;
        if (bits[digits] != '\0' || number > 128U - (unsigned)before) {
            return false;
        }
        proxy->prefix = (unsigned)number + (unsigned)before;
        CN_ASSERT(proxy->prefix <= 128);
    }
    return true;
}

static bool
is_within(const struct sv_proxy *proxy, const uint8_t address[16])
{
    CN_ASSERT(proxy->prefix <= 128);
    unsigned whole = proxy->prefix / 8, bits = proxy->prefix % 8;
    return memcmp(proxy->address, address, whole) == 0 &&
        (bits == 0 || (proxy->address[whole] ^ address[whole]) >> (8 - bits) == 0);
}

bool
sv_proxies_add(struct sv_proxies *proxies, const char *text, char error[SV_PROXY_ERROR_SIZE])
{
    char where[SV_PROXY_ERROR_SIZE];
    struct sv_proxy proxy = {.kind = SV_PROXY_NONE};
    const char *how = strrchr(text, '=');
    size_t size = how != NULL ? (size_t)(how - text) : 0;
    for (size_t i = 0; how != NULL && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(how + 1, kinds[i].name) == 0) {
            proxy.kind = kinds[i].kind;
        }
    }
    if (proxy.kind == SV_PROXY_NONE || size >= sizeof(where)) {
        return REFUSE("proxy is \"%.64s\"; accepted is WHERE=HOW, where HOW is v2, forwarded or "
                      "x-forwarded-for",
            text);
    }
    memcpy(where, text, size);
    where[size] = '\0';
    if (where[0] == '/') {
        proxy.path = text;
        proxy.prefix = (unsigned)size;
    } else if (!parse_network(where, &proxy)) {
        return REFUSE("proxy is from \"%.64s\"; accepted are an address, ADDR/BITS and the /PATH "
                      "of a socket",
            where);
    }
    if (proxies->count == SV_PROXIES_MAX) {
        return REFUSE("more than %d proxies are named", SV_PROXIES_MAX);
    }
    CN_ASSERT(proxies->count < SV_PROXIES_MAX);
    proxies->list[proxies->count++] = proxy;
    return true;
}

static bool
read_bytes(const struct sockaddr *address, uint8_t out[16])
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, address, sizeof(v4));
        memcpy(out, v4_prefix, sizeof(v4_prefix));
        memcpy(out + 12, &v4.sin_addr, 4);
        return true;
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;
        memcpy(&v6, address, sizeof(v6));
        memcpy(out, &v6.sin6_addr, 16);
        return true;
    }
    return false;
}

enum sv_proxy_kind
sv_proxies_find(const struct sv_proxies *proxies, const struct sockaddr *address)
{
    uint8_t bytes[16];
    if (!read_bytes(address, bytes)) {
        return SV_PROXY_NONE;
    }
    for (int i = 0; i < proxies->count; i++) {
        if (proxies->list[i].path == NULL && is_within(&proxies->list[i], bytes)) {
            return proxies->list[i].kind;
        }
    }
    return SV_PROXY_NONE;
}

enum sv_proxy_kind
sv_proxies_find_path(const struct sv_proxies *proxies, const char *path)
{
    for (int i = 0; i < proxies->count; i++) {
        const struct sv_proxy *proxy = &proxies->list[i];
        if (proxy->path != NULL && strlen(path) == proxy->prefix &&
            memcmp(proxy->path, path, proxy->prefix) == 0) {
            return proxy->kind;
        }
    }
    return SV_PROXY_NONE;
}

/* ---- a list of hops ---- */

struct hops {
    struct {
        const char *text;
        size_t size;
    } list[SV_FORWARDED_HOPS_MAX];
    int count;
};

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool
is_token_char(char c)
{
    bool is_letter = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    return is_letter || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Reads the value of a parameter, without quotes; a backslash is refused, as no node needs one. */
static bool
read_value(const char *text, size_t size, size_t *at, const char **value, size_t *value_size)
{
    bool is_quoted = *at < size && text[*at] == '"';
    *at += is_quoted;
    *value = text + *at;
    *value_size = 0;
    while (*at < size && (is_quoted ? text[*at] != '"' : is_token_char(text[*at]))) {
        if (text[*at] == '\\' || text[*at] < ' ') {
            return false;
        }
        ++*at;
        ++*value_size;
    }
    if (!is_quoted) {
        return *value_size > 0;
    }
    return (*at)++ < size;
}

static void
skip_blanks(const char *text, size_t size, size_t *at)
{
    while (*at < size && is_blank(text[*at])) {
        ++*at;
    }
}

/* Reads one hop of a Forwarded, "for=...;by=...", up to its comma or the end. */
static bool
read_forwarded_hop(const char *text, size_t size, size_t *at, struct hops *hops)
{
    CN_ASSERT(hops->count < SV_FORWARDED_HOPS_MAX);
    const char *node = NULL;
    size_t node_size = 0;
    while (*at < size && text[*at] != ',') {
        size_t name = *at;
        while (*at < size && is_token_char(text[*at])) {
            ++*at;
        }
        size_t name_size = *at - name, value_size;
        const char *value;
        if (name_size == 0 || *at == size || text[(*at)++] != '=' ||
            !read_value(text, size, at, &value, &value_size)) {
            return false;
        }
        if (name_size == 3 && strncasecmp(text + name, "for", 3) == 0) {
            if (node != NULL) {
                return false; /* a parameter may occur only once in a hop */
            }
            node = value;
            node_size = value_size;
        }
        skip_blanks(text, size, at);
        if (*at < size && text[*at] == ';') {
            ++*at;
            skip_blanks(text, size, at);
        } else if (*at < size && text[*at] != ',') {
            return false;
        }
    }
    hops->list[hops->count].text = node != NULL ? node : "unknown";
    hops->list[hops->count++].size = node != NULL ? node_size : strlen("unknown");
    return true;
}

/* Reads one hop of an X-Forwarded-For, which is only an address. */
static bool
read_plain_hop(const char *text, size_t size, size_t *at, struct hops *hops)
{
    CN_ASSERT(hops->count < SV_FORWARDED_HOPS_MAX);
    size_t from = *at, end;
    while (*at < size && text[*at] != ',') {
        ++*at;
    }
    for (end = *at; end > from && is_blank(text[end - 1]);) {
        end--;
    }
    hops->list[hops->count].text = text + from;
    hops->list[hops->count++].size = end - from;
    return true;
}

static bool
read_hops(enum sv_proxy_kind kind, const char *text, size_t size, struct hops *hops)
{
    size_t at = 0;
    hops->count = 0;
    for (;;) {
        skip_blanks(text, size, &at);
        if (at == size) {
            return true;
        }
        if (text[at] == ',') { /* skips empty elements of the list */
            at++;
            continue;
        }
        bool is_good = hops->count < SV_FORWARDED_HOPS_MAX &&
            (kind == SV_PROXY_FORWARDED ? read_forwarded_hop(text, size, &at, hops)
                                        : read_plain_hop(text, size, &at, hops));
        if (!is_good) {
            return false;
        }
    }
}

/* ---- a node ---- */

static bool
is_port(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (text[0] == '_') { /* a name that the proxy made up */
        return text[1] != '\0';
    }
    return digits > 0 && digits < 6 && text[digits] == '\0';
}

/* Whether the name is "unknown", or "_" and letters, digits, '.', '_', '-'; a port may follow. */
static bool
is_made_up(const char *name)
{
    if (strncasecmp(name, "unknown", 7) == 0 && (name[7] == '\0' || name[7] == ':')) {
        return name[7] == '\0' || is_port(name + 8);
    }
    size_t size = strspn(name,
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");
    return name[0] == '_' && size > 1 &&
        (name[size] == '\0' || (name[size] == ':' && is_port(name + size + 1)));
}

/*
 * Parses "192.0.2.1", "192.0.2.1:80", "[2001:db8::1]" or "[2001:db8::1]:80"; with `is_bare_taken`
 * also IPv6 without brackets.
 */
static bool
parse_node(const char *name, bool is_bare_taken, struct sockaddr_storage *out)
{
    char text[SV_FORWARDED_NAME_SIZE];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool is_bracketed = name[0] == '[';
    const char *end = is_bracketed ? strchr(name, ']') : strchr(name, ':');
    if (is_bare_taken && inet_pton(AF_INET6, name, &v6.sin6_addr) == 1) {
        memcpy(out, &v6, sizeof(v6));
        return true;
    }
    if (is_bracketed && end == NULL) {
        return false;
    }
    const char *port = end == NULL ? "" : end + is_bracketed;
    if (port[0] != '\0' && (port[0] != ':' || !is_port(port + 1))) {
        return false;
    }
    strcpy(text, name + is_bracketed);
    text[end == NULL ? strlen(text) : (size_t)(end - name) - is_bracketed] = '\0';
    if (is_bracketed && inet_pton(AF_INET6, text, &v6.sin6_addr) == 1) {
        memcpy(out, &v6, sizeof(v6));
        return true;
    }
    if (!is_bracketed && inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(out, &v4, sizeof(v4));
        return true;
    }
    return false;
}

enum sv_forwarded_verdict
sv_forwarded_read(const struct sv_proxies *proxies, enum sv_proxy_kind kind, const char *value,
    size_t size, struct sv_forwarded *client)
{
    struct hops hops;
    memset(client, 0, sizeof(*client));
    if (!read_hops(kind, value, size, &hops)) {
        return SV_FORWARDED_BAD;
    }
    for (int i = hops.count - 1; i >= 0; i--) {
        size_t length = hops.list[i].size;
        if (length == 0 || length >= sizeof(client->name)) {
            return SV_FORWARDED_BAD;
        }
        memset(client, 0, sizeof(*client));
        memcpy(client->name, hops.list[i].text, length);
        if (strlen(client->name) != length) {
            return SV_FORWARDED_BAD;
        }
        if (is_made_up(client->name)) {
            return SV_FORWARDED_GOOD;
        }
        bool is_plain = kind == SV_PROXY_X_FORWARDED_FOR;
        if (!parse_node(client->name, is_plain, &client->address)) {
            return SV_FORWARDED_BAD;
        }
        if (sv_proxies_find(proxies, (const struct sockaddr *)&client->address) ==
            SV_PROXY_NONE) {
            return SV_FORWARDED_GOOD;
        }
    }
    return hops.count > 0 ? SV_FORWARDED_GOOD : SV_FORWARDED_NONE;
}
