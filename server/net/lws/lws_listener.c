#include "server/net/lws/lws_listener.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <unistd.h>

void
sv_listeners_stop(struct sv_lws *server)
{
    for (int i = 0; i < server->listener_count; i++) {
        struct sv_listener *listener = server->listeners[i];
        if (listener->fd >= 0) {
            uv_close((uv_handle_t *)&listener->poll, NULL);
            close(listener->fd);
            listener->fd = -1;
            if (listener->is_path) {
                unlink(listener->address);
            }
        }
    }
}

void
sv_listeners_free(struct sv_lws *server)
{
    for (int i = 0; i < server->listener_count; i++) {
        CN_ASSERT(server->listeners[i]->fd < 0);
        free(server->listeners[i]);
    }
    server->listener_count = 0;
}
