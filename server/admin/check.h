/*
 * check.h: POST /v1/check and /v1/check/start: whether a scene is stable as it begins, with proof.
 *
 * The proof is exact and may take seconds.  So the scene is read and proved on a thread of the
 * host's pool, and only the request waits.  A certificate is what `cairn check` prints
 * (docs/certificates.md).
 *
 * Threads: the network thread begins and answers; in between the pool's thread owns the check.
 */
#ifndef SERVER_ADMIN_CHECK_H
#define SERVER_ADMIN_CHECK_H

#include "server/admin/admin.h"

/*
 * Begins a check; the admin's reply sends the answer later.  with_start: also find the first
 * accelerations of an unstable scene, if it is small enough.  False with *error filled: too many
 * checks, or no memory.  May take the source's bytes.
 */
bool sv_check_begin(struct sv_admin *admin, const struct sv_asker *asker,
    struct wire_source *source, bool with_start, struct wire_error *error);

#endif
