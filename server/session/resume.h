/*
 * resume.h: the token with which a client resumes its session on another connection.
 *
 *    4 bytes   index of the session's seat
 *    8 bytes   the session's number; both little-endian
 *   16 bytes   a secret, which alone makes the token valid
 *
 * A session gets a new secret with every Welcome, so a token can be used once.  The secret is made
 * from a key of the session and a serial number (deed/kept.h), so that a restarted daemon
 * knows it, too.
 */
#ifndef SERVER_SESSION_RESUME_H
#define SERVER_SESSION_RESUME_H

#include "deed/kept.h"

#define SV_RESUME_SECRET_SIZE 16

struct sv_resume {
    uint32_t seat;
    uint64_t session;
    uint8_t secret[SV_RESUME_SECRET_SIZE];
};

void sv_resume_write(const struct sv_resume *resume, uint8_t token[WIRE_RESUME_SIZE]);
void sv_resume_read(const uint8_t token[WIRE_RESUME_SIZE], struct sv_resume *resume);

/* Computes the secret of a serial.  False: the key is all zeros, which means no key. */
bool sv_resume_secret(const uint8_t key[DD_KEPT_KEY_SIZE], uint64_t session, uint32_t serial,
    uint8_t secret[SV_RESUME_SECRET_SIZE]);

/* Compares secrets in constant time; zeros equal nothing. */
bool sv_resume_fits(const uint8_t *secret, const uint8_t *other);

#endif
