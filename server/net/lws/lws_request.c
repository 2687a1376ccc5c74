#include "server/net/lws/lws_request.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum sv_door
sv_lws_door(struct lws *wsi)
{
    const struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    return connection != NULL ? connection->listener->door : SV_DOOR_PUBLIC;
}

void
sv_lws_header(struct lws *wsi, enum lws_token_indexes token, char *out, size_t out_size)
{
    if (lws_hdr_copy(wsi, out, (int)out_size, token) < 0) {
        out[0] = '\0';
    }
}

bool
sv_lws_check_origin(struct lws *wsi, const struct sv_lws *server, struct wire_error *error)
{
    char text[SV_HOST_SIZE], quoted[64];
    if (sv_lws_door(wsi) == SV_DOOR_UNIX) {
        return true; /* browsers and other machines cannot connect here */
    }
    sv_lws_header(wsi, WSI_TOKEN_HOST, text, sizeof(text));
    if (!sv_hosts_has_host(&server->hosts, text)) {
        wire_error_set(error, "HOST", "",
            "the Host header is \"%s\", which is not this daemon's; see --allow-host",
            sv_log_quote(quoted, sizeof(quoted), text));
        return false;
    }
    int length = lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN);
    sv_lws_header(wsi, WSI_TOKEN_ORIGIN, text, sizeof(text));
    bool is_readable = length == 0 || text[0] != '\0';
    if (!is_readable || !sv_hosts_has_origin(&server->hosts, text)) {
        wire_error_set(error, "ORIGIN", "",
            "pages of \"%s\" are not let in; see --allow-origin",
            sv_log_quote(quoted, sizeof(quoted), text));
        return false;
    }
    return true;
}

void
sv_lws_query(struct lws *wsi, char *out, size_t out_size)
{
    char argument[SV_LWS_HEADERS_SIZE_MAX + 1];
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0;
         lws_hdr_copy_fragment(wsi, argument, sizeof(argument), WSI_TOKEN_HTTP_URI_ARGS, i) != -1;
         i++) {
        int size = snprintf(
            out + used, out_size - used, "%s%s", i > 0 ? "&" : "", argument);
        if (size < 0 || (size_t)size >= out_size - used) {
            snprintf(out, out_size, "&");
            return;
        }
        used += (size_t)size;
    }
}

bool
sv_lws_has_token_in_address(struct lws *wsi)
{
    static const char *const names[] = {"token=", "access_token=", "jwt="};
    char argument[SV_LWS_HEADERS_SIZE_MAX + 1];
    for (int i = 0;
         lws_hdr_copy_fragment(wsi, argument, sizeof(argument), WSI_TOKEN_HTTP_URI_ARGS, i) != -1;
         i++) {
        for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
            if (strncasecmp(argument, names[k], strlen(names[k])) == 0) {
                return true;
            }
        }
    }
    return false;
}

bool
sv_lws_speaks_ours(const char *list)
{
    static const char ours[] = "cairn.v1";
    while (*list != '\0') {
        list += strspn(list, ", \t");
        size_t length = strcspn(list, ", \t");
        if (length == sizeof(ours) - 1 && memcmp(list, ours, length) == 0) {
            return true;
        }
        list += length;
    }
    return false;
}

/*
 * 0, or the status with which the handshake is refused.  Called twice: before the upgrade, where an
 * answer can still be sent, and when lws is about to accept, where the connection can only be
 * closed.
 */
int
sv_lws_check_handshake(struct lws *wsi, const struct sv_lws *server)
{
    char path[SV_PATH_SIZE], version[8], protocol[SV_LWS_PROTOCOLS_SIZE];
    struct wire_error error;
    sv_lws_header(wsi, WSI_TOKEN_GET_URI, path, sizeof(path));
    sv_lws_header(wsi, WSI_TOKEN_VERSION, version, sizeof(version));
    sv_lws_header(wsi, WSI_TOKEN_PROTOCOL, protocol, sizeof(protocol));
    if (!sv_lws_check_origin(wsi, server, &error)) {
        return 403;
    }
    if (sv_lws_has_token_in_address(wsi)) {
        return 400;
    }
    enum sv_door door = sv_lws_door(wsi);
    bool is_for_sockets = door == SV_DOOR_WHOLE || door == SV_DOOR_PUBLIC;
    if (strcmp(path, "/v1/ws") != 0 || !is_for_sockets) {
        return 404;
    }
    if (strcmp(version, "13") != 0) {
        return 426;
    }
    if (!sv_lws_speaks_ours(protocol)) {
        return 400;
    }
    const struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    bool has_room = connection != NULL && !connection->is_excess;
    return server->is_stopping || !has_room ? 503 : 0;
}
