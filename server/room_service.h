/*
 * room_service.h: the rooms of the daemon, with the files that its configuration names for them.
 *
 * Threads: the network thread; the webhook's thread is inside.
 */
#ifndef SERVER_ROOM_SERVICE_H
#define SERVER_ROOM_SERVICE_H

#include "server/admin/rooms.h"
#include "server/base/config.h"
#include "server/base/disk.h"
#include "server/net/gateway.h"
#include "server/room/webhook.h"

struct sv_room_service {
    struct sv_rooms rooms;
    struct sv_webhook webhook;
    const struct sv_config *config;
    const struct sv_disk *disk;
    struct sv_log *log;
};

/* After the gateway and the admin are made; connects them with the rooms. */
void sv_room_service_init(struct sv_room_service *service, struct sv_gateway *gateway,
    struct sv_admin *admin, const struct sv_config *config, const struct sv_disk *disk);

/* Reads templates and the secret; scenes are loaded before.  False after logging the reason. */
bool sv_room_service_read(struct sv_room_service *service);

/*
 * Brings rooms back, after the worlds, and starts the webhook's thread, which calls `news`.
 * Returns 0, or an exit status after logging the reason.
 */
int sv_room_service_start(struct sv_room_service *service, struct sv_store *store, int lane,
    void (*news)(void *context), void *news_context);

/* Ends the webhook's thread at once; events that were not confirmed are sent after a restart. */
void sv_room_service_stop(struct sv_room_service *service);
void sv_room_service_finish(struct sv_room_service *service);

/* Whether the files are good, for --check-config.  Scenes of templates are checked as well. */
bool sv_room_service_check(
    const struct sv_config *config, const struct sv_disk *disk, struct sv_log *log);

#endif
