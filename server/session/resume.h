/*
 * resume.h: the token by which a client takes its session up again on another connection.
 *
 *     4 bytes   the seat, where the session is looked for
 *     8 bytes   the session's number; both little end first
 *    16 bytes   a secret, which alone makes the token good
 *
 * A session gets another secret with every Welcome, so that a token serves once.
 */
#ifndef SERVER_SESSION_RESUME_H
#define SERVER_SESSION_RESUME_H

#include "proto/wire.h"

#define SV_RESUME_SECRET_SIZE 16

struct sv_resume {
    uint32_t seat;
    uint64_t session;
    uint8_t secret[SV_RESUME_SECRET_SIZE];
};

void sv_resume_write(const struct sv_resume *resume, uint8_t token[WIRE_RESUME_SIZE]);
void sv_resume_read(const uint8_t token[WIRE_RESUME_SIZE], struct sv_resume *resume);

/* Compares secrets in a time that does not depend on where they differ; zeros fit nothing. */
bool sv_resume_fits(const uint8_t *secret, const uint8_t *other);

#endif
