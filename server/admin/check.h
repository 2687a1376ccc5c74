/*
 * check.h: POST /v1/check: is a scene stable as it begins; with a certificate.
 *
 * The proof is exact and may take seconds, so it is found on a thread of the host's pool, where the
 * scene is read too; the request waits, everything else goes on.  A certificate is what
 * `cairn check` prints (docs/certificates.md).
 *
 * Threads: the network thread begins and answers; between them the pool's thread owns the check.
 */
#ifndef SERVER_ADMIN_CHECK_H
#define SERVER_ADMIN_CHECK_H

#include "server/admin/admin.h"

/*
 * Answers later by the admin's reply; false with *error filled: too many, or no memory.  May take
 * the source's bytes.
 */
bool sv_check_begin(struct sv_admin *admin, uint32_t token, struct wire_source *source,
    struct wire_error *error);

#endif
