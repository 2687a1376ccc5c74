/*
 * recording.h: recordings over HTTP: GET and POST /v1/worlds/{name}/recording.
 *
 * Both are done on the host's pool, and the request waits: a recording is written of what is kept
 * of the world; one that is sent is done again, compared, and its end is a new world.  It has to
 * come whole, and as SV_RECORDING_TYPE, which no page of another site can send unasked.
 *
 * Threads: the network thread begins and answers; between them the pool's thread owns the job.
 */
#ifndef SERVER_ADMIN_RECORDING_H
#define SERVER_ADMIN_RECORDING_H

#include "server/admin/admin.h"

#define SV_RECORDING_TYPE "application/x-cairn-recording"

/* Answers later by the admin's reply; false with *error filled: too many, no memory, no past. */
bool sv_recording_begin(struct sv_admin *admin, const struct sv_http_request *request,
    const struct sv_host_world *world, struct wire_error *error);

/* The body as a world of that id. */
bool sv_recording_import(struct sv_admin *admin, const struct sv_http_request *request,
    const char *id, struct wire_error *error);

#endif
