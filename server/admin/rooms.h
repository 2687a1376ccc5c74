/*
 * rooms.h: the routes of rooms.
 *
 * A request for a seat, a lock and a removal are answered when their change is durable.
 */
#ifndef SERVER_ADMIN_ROOMS_H
#define SERVER_ADMIN_ROOMS_H

#include "server/admin/admin.h"
#include "server/room/rooms.h"

bool sv_list_rooms(struct sv_call *call);
bool sv_list_room_templates(struct sv_call *call);
bool sv_get_room(struct sv_call *call);
bool sv_ask_room(struct sv_call *call);
bool sv_lock_room(struct sv_call *call);
bool sv_remove_room(struct sv_call *call);

/* The function `answer` of struct sv_rooms; context is the struct sv_admin. */
void sv_admin_room_answered(void *context, const struct sv_room_answer *answer);

#endif
