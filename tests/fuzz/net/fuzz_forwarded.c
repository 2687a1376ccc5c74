/*
 * fuzz_forwarded.c: lists of hops with a known client, and corrupted lists; names of proxies.
 *
 * A list has hops that anybody may have written, then the client, then configured proxies.  The
 * client must be found.  In a corrupted list, a found client must be in the list, and must not be a
 * proxy unless all hops are proxies.
 */
#include "engine/base/assert.h"
#include "server/inspect/forwarded.h"
#include "tests/fuzz/take.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LIST_SIZE 4096

static const char *const clients[] = {"198.51.100.7", "[2001:db8:ffff::1]", "_hidden", "unknown",
    "127.0.0.1", "198.51.100.7:4711", "[::1]:_x", "_a:80"};
static const char *const hops[] = {"10.0.0.1", "10.255.255.255:80", "[2001:db8::5]:443",
    "192.0.2.7"};

static struct sv_proxies proxies;

static void
name_proxies(void)
{
    char error[SV_PROXY_ERROR_SIZE];
    CN_ASSERT(sv_proxies_add(&proxies, "10.0.0.0/8=forwarded", error) &&
        sv_proxies_add(&proxies, "2001:db8::/33=x-forwarded-for", error) &&
        sv_proxies_add(&proxies, "192.0.2.7=v2", error));
}

static void
add_hop(struct take *in, enum sv_proxy_kind kind, const char *node, char *list)
{
    size_t size = strlen(list);
    unsigned how = take_byte(in);
    const char *comma = size == 0 ? "" : how % 2 == 0 ? "," : " , \t";
    bool is_quoted = strpbrk(node, "[:") != NULL || how % 4 == 1;
    const char *quote = is_quoted ? "\"" : "";
    if (kind == SV_PROXY_X_FORWARDED_FOR) {
        snprintf(list + size, LIST_SIZE - size, "%s%s", comma, node);
    } else if (how % 3 == 0) {
        snprintf(list + size, LIST_SIZE - size, "%sproto=https;for=%s%s%s; by=\"_x y\"", comma,
            quote, node, quote);
    } else {
        snprintf(list + size, LIST_SIZE - size, "%sFor=%s%s%s", comma, quote, node, quote);
    }
}

/* Whether the node that was found is this one. */
static bool
is_client(const struct sv_forwarded *found, const char *node)
{
    return strcmp(found->name, node) == 0;
}

static void
check_found(const struct sv_forwarded *found, const char *list, size_t size)
{
    CN_ASSERT(found->name[0] != '\0');
    CN_ASSERT(memmem(list, size, found->name, strlen(found->name)) != NULL ||
        strcmp(found->name, "unknown") == 0);
    bool has_address = found->address.ss_family != AF_UNSPEC;
    CN_ASSERT(has_address ||
        found->name[0] == '_' || (found->name[0] | 0x20) == 'u');
}

/* Any text names no proxy, or one that is found again by its own address. */
static void
try_name(struct take *in)
{
    static const char *const some[] = {"10.0.0.1=v2", "::/0=v2", "0.0.0.0/0=forwarded",
        "/a=x-forwarded-for", "2001:db8::/129=v2"};
    char text[64], address[64], error[SV_PROXY_ERROR_SIZE] = "";
    struct sv_proxies named = {.count = 0};
    take_text(in, some, 5, text, sizeof(text));
    if (!sv_proxies_add(&named, text, error)) {
        CN_ASSERT(error[0] != '\0' && named.count == 0);
        return;
    }
    CN_ASSERT(named.count == 1 && strrchr(text, '=') != NULL);
    size_t size = strcspn(text, "/=");
    memcpy(address, text, size);
    address[size] = '\0';
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    if (inet_pton(AF_INET, address, &v4.sin_addr) == 1) {
        CN_ASSERT(
            sv_proxies_find(&named, (const struct sockaddr *)&v4) == named.list[0].kind);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct take in = {data, data + size};
    char list[LIST_SIZE] = "";
    struct sv_forwarded found;
    if (proxies.count == 0) {
        name_proxies();
    }
    try_name(&in);
    enum sv_proxy_kind kind =
        take_byte(&in) % 2 == 0 ? SV_PROXY_FORWARDED : SV_PROXY_X_FORWARDED_FOR;
    unsigned before = take_byte(&in) % 4, after = take_byte(&in) % 4;
    for (unsigned i = 0; i < before; i++) {
        add_hop(&in, kind, clients[take_byte(&in) % 8], list);
    }
    const char *client = clients[take_byte(&in) % 8];
    add_hop(&in, kind, client, list);
    for (unsigned i = 0; i < after; i++) {
        add_hop(&in, kind, hops[take_byte(&in) % 4], list);
    }
    size_t list_size = strlen(list);
    CN_ASSERT(sv_forwarded_read(&proxies, kind, list, list_size, &found) == SV_FORWARDED_GOOD);
    CN_ASSERT(is_client(&found, client));
    for (unsigned count = take_byte(&in) % 5; count > 0; count--) {
        list[(take_byte(&in) * 256U + take_byte(&in)) % list_size] = (char)take_byte(&in);
    }
    list_size -= take_byte(&in) < 64 ? take_byte(&in) % list_size : 0;
    if (sv_forwarded_read(&proxies, kind, list, list_size, &found) == SV_FORWARDED_GOOD) {
        check_found(&found, list, list_size);
    }
    return 0;
}
