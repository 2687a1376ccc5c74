#include "clients/c/address.h"

#include "engine/base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PORT_TLS 443

static const struct {
    const char *text;
    bool is_tls;
} schemes[] = {{"ws://", false}, {"http://", false}, {"wss://", true}, {"https://", true}};

static const char *
skip_scheme(const char *text, struct cnc_address *address)
{
    for (size_t i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++) {
        size_t size = strlen(schemes[i].text);
        if (strncmp(text, schemes[i].text, size) == 0) {
            address->is_tls = schemes[i].is_tls;
            return text + size;
        }
    }
    return text;
}

/* Reads an address in brackets, a name or an IPv4 address.  NULL if it is absent or too long. */
static const char *
read_host(const char *text, struct cnc_address *address)
{
    bool has_brackets = text[0] == '[';
    text += has_brackets ? 1 : 0;
    size_t size = strcspn(text, has_brackets ? "]" : ":/");
    if (size == 0 || size >= sizeof(address->host) || (has_brackets && text[size] != ']') ||
        memchr(text, ' ', size) != NULL || memchr(text, '@', size) != NULL) {
        return NULL;
    }
    memcpy(address->host, text, size);
    address->host[size] = '\0';
    return text + size + (has_brackets ? 1 : 0);
}

bool
cnc_address_parse(const char *text, struct cnc_address *address, char *error, size_t error_size)
{
    memset(address, 0, sizeof(*address));
    const char *rest = read_host(skip_scheme(text, address), address);
    bool is_good = rest != NULL;
    address->port = address->is_tls ? PORT_TLS : CNC_PORT_DEFAULT;
    if (is_good && rest[0] == ':') {
        char *end;
        long port = strtol(rest + 1, &end, 10);
        is_good = rest[1] >= '0' && rest[1] <= '9' && port > 0 && port < 65536;
        address->port = is_good ? (int)port : 0;
        rest = end;
    }
    if (!is_good || (strcmp(rest, "") != 0 && strcmp(rest, "/") != 0)) {
        snprintf(error, error_size,
            "%s is no daemon's address; HOST:PORT is accepted, such as 127.0.0.1:7878, or "
            "wss://HOST",
            cn_quote(text).text);
        return false;
    }
    return true;
}

void
cnc_address_print(const struct cnc_address *address, char *out, size_t out_size)
{
    bool is_v6 = strchr(address->host, ':') != NULL;
    snprintf(out, out_size, is_v6 ? "[%s]:%d" : "%s:%d", address->host, address->port);
}
