/*
 * kept.h: the stored part of a session that can be resumed, even after a restart of the daemon.
 *
 * A session that asked for it (Hello.keep) is written into the log of the world that it joins, so
 * that its client can resume it after a restart.
 *
 *     secret(serial) = BLAKE2b-128(key, session u64, serial u32), little-endian
 *
 * Each Welcome contains a resume token with the next serial's secret (server/session/resume.h).
 * The log may lack the last serials after a restart, so a token of a later serial is valid, too.
 */
#ifndef DEED_KEPT_H
#define DEED_KEPT_H

#include "proto/wire.h"

#define DD_KEPT_KEY_SIZE 16
#define DD_KEPT_SUBJECT_SIZE 65 /* bytes of a token's `sub`, with the terminator */

struct dd_kept {
    uint64_t session;
    uint32_t serial; /* of the last resume token that was certainly sent */
    uint32_t role;   /* an enum ac_role */
    uint8_t key[DD_KEPT_KEY_SIZE];
    char name[WIRE_PERSON_SIZE];
    char subject[DD_KEPT_SUBJECT_SIZE]; /* the session's bearer; "" without tokens */
};

#endif
