#include "server/net/lws/lws_wsi.h"

#include "engine/base/assert.h"
#include "server/net/lws/lws_guard.h"
#include "server/net/lws/lws_read.h"
#include "server/net/lws/lws_send.h"

#include <stdlib.h>

static void
enlist_connection(struct sv_connection **list, struct sv_connection *connection)
{
    connection->previous = NULL;
    connection->next = *list;
    if (connection->next != NULL) {
        connection->next->previous = connection;
    }
    *list = connection;
}

static void
delist_connection(struct sv_connection **list, struct sv_connection *connection)
{
    CN_ASSERT((connection->previous != NULL ? connection->previous->next : *list) == connection);
    if (connection->previous != NULL) {
        connection->previous->next = connection->next;
    } else {
        *list = connection->next;
    }
    if (connection->next != NULL) {
        connection->next->previous = connection->previous;
    }
}

void
sv_lws_promote(struct sv_connection *connection)
{
    CN_ASSERT(!connection->is_promoted);
    delist_connection(&connection->server->waiting, connection);
    enlist_connection(&connection->server->sockets, connection);
    connection->is_promoted = true;
}

struct sv_connection *
sv_lws_connection(struct lws *wsi)
{
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection != NULL) {
        return connection;
    }
    struct sv_lws *server = lws_context_user(lws_get_context(wsi));
    connection = calloc(1, sizeof(*connection));
    if (connection == NULL) {
        return NULL;
    }
    connection->server = server;
    connection->wsi = wsi;
    connection->deadline_ns =
        sv_clock_now_ns(&server->options.clock) + SV_HANDSHAKE_DURATION_NS;
    enlist_connection(&server->waiting, connection);
    server->connection_count++;
    SV_COUNT(server->options.metrics, connections, 1);
    lws_set_opaque_user_data(wsi, connection);
    sv_lws_guard_made(connection);
    sv_lws_prepare(connection);
    if (!sv_lws_read_begin(connection)) {
        sv_lws_forget(wsi);
        return NULL;
    }
    return connection;
}

void
sv_lws_forget(struct lws *wsi)
{
    struct sv_connection *connection = lws_get_opaque_user_data(wsi);
    if (connection == NULL) {
        return;
    }
    struct sv_lws *server = connection->server;
    CN_ASSERT(server->connection_count > 0 && connection->wsi == wsi);
    delist_connection(connection->is_promoted ? &server->sockets : &server->waiting, connection);
    sv_lws_unkill(connection);
    sv_lws_read_end(connection);
    if (connection->intake.is_lingering) {
        CN_ASSERT(server->lingering_count > 0);
        server->lingering_count--;
    }
    sv_lws_guard_gone(connection);
    server->connection_count--;
    SV_UNCOUNT(server->options.metrics, connections, 1);
    lws_set_opaque_user_data(wsi, NULL);
    sv_lws_end_exchange(connection);
    free(connection->message);
    free(connection);
}
