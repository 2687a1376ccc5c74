/*
 * lws_request.h: checks the head of a request or of a handshake.
 */
#ifndef SERVER_NET_LWS_LWS_REQUEST_H
#define SERVER_NET_LWS_LWS_REQUEST_H

#include "server/net/lws/lws_connection.h"

/* Bytes for one head in libwebsockets, which needs eight more for each unknown line. */
#define SV_LWS_HEADERS_SIZE_MAX (SV_HEAD_SIZE_MAX + 16 * SV_HEAD_FIELDS_MAX)

/* The listener by which it came: its own, as libwebsockets changes vhosts by the Host header. */
enum sv_door sv_lws_door(struct lws *wsi);

/* Headers, "" when absent or too long. */
void sv_lws_header(struct lws *wsi, enum lws_token_indexes token, char *out, size_t out_size);

/* False with *error filled if Host or Origin is not accepted. */
bool sv_lws_check_origin(struct lws *wsi, const struct sv_lws *server, struct wire_error *error);

/* Copies the arguments of the address, "a=1&b=2"; "&" if they do not fit. */
void sv_lws_query(struct lws *wsi, char *out, size_t out_size);

/* Whether the query contains a token. */
bool sv_lws_has_token_in_address(struct lws *wsi);

/* Whether a list of subprotocols, separated by commas and blanks, contains ours. */
#define SV_LWS_PROTOCOLS_SIZE 128 /* lws closes the connection for a longer list */
bool sv_lws_speaks_ours(const char *list);

/* 0, or the HTTP status with which the WebSocket handshake is refused. */
int sv_lws_check_handshake(struct lws *wsi, const struct sv_lws *server);

#endif
