/*
 * recording.h: recordings over HTTP: GET and POST /v1/worlds/{name}/recording.
 *
 * Both run on the host's pool, and only the request waits.  GET writes the world's stored past as a
 * recording.  POST replays a recording, compares it, and makes a new world from its end.  The
 * recording must come as one body of type SV_RECORDING_TYPE, which a page of another site cannot
 * send unasked.
 *
 * Threads: the network thread begins and answers; in between the pool's thread owns the job.
 */
#ifndef SERVER_ADMIN_RECORDING_H
#define SERVER_ADMIN_RECORDING_H

#include "server/admin/admin.h"

#define SV_RECORDING_TYPE "application/x-cairn-recording"

/* The admin's reply sends the recording later.  False with *error: too many, no memory, no past. */
bool sv_recording_begin(struct sv_admin *admin, const struct sv_asker *asker,
    const struct sv_host_world *world, struct wire_error *error);

/* Makes a world with that id from the recording in the request's body. */
bool sv_recording_import(struct sv_admin *admin, const struct sv_http_request *request,
    const struct sv_asker *asker, const char *id, struct wire_error *error);

#endif
