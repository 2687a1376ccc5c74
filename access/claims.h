/*
 * claims.h: the claims of a token (token.h), and their JSON.
 */
#ifndef ACCESS_CLAIMS_H
#define ACCESS_CLAIMS_H

#include "access/key.h"
#include "access/quota.h"

/*
 * Enumerator, number on the wire, name, description.  A role has all rights of the one before.  The
 * last one is apart: it has the rights of an observer, and decides about a world.
 */
#define AC_ROLE_TABLE(X)                                                                           \
    X(OBSERVER, 2, "observer", "sees worlds")                                                      \
    X(PLAYER, 1, "player", "sees worlds and pushes bodies")                                        \
    X(INSTRUCTOR, 3, "instructor", "plays, and controls the world that is joined")                 \
    X(OPERATOR, 4, "operator", "may do everything")                                                \
    X(LOGIC, 5, "logic", "sees worlds and decides about the one that is joined")

#define X(NAME, number, name, text) AC_ROLE_##NAME = number,
enum ac_role { AC_ROLE_NONE = 0, AC_ROLE_TABLE(X) };
#undef X
#define AC_ROLE_COUNT 6 /* with NONE */

/* 0: only the daemon's own cap. */
struct ac_limits {
    double force;      /* N, of one input */
    double torque;     /* N m */
    unsigned messages; /* 1/s */
};

struct ac_claims {
    char subject[AC_SUBJECT_SIZE];
    char world[AC_PATTERN_SIZE];
    char id[AC_ID_SIZE];
    enum ac_role role;
    struct ac_limits limits;
    struct ac_quota quota;
    char tenant[AC_SUBJECT_SIZE]; /* "": absent */
    char issuer[AC_NAME_SIZE];    /* "": absent */
    char audience[AC_AUDIENCES_MAX][AC_NAME_SIZE];
    int audience_count;
    int64_t expires_s, not_before_s, issued_s; /* Unix seconds; 0: absent, never for expires_s */
    uint8_t key[AC_PUBLIC_SIZE]; /* the key that signed it, if that was verified */
};

/* NONE if no role has that name; NULL if no role has that number. */
enum ac_role ac_role_find(const char *name);
const char *ac_role_name(enum ac_role role);

/* The claim that would be refused at `now_s`; NULL: all are valid, as ac_token_mint requires. */
const char *ac_claims_check(const struct ac_claims *claims, int64_t now_s);

/* ---- JSON, for token.c ---- */

/* Reads a header.  False if it differs from token.h's.  *kid is "" if the header has none. */
bool ac_header_read(const char *text, size_t size, char kid[AC_ID_SIZE]);

/* Reads a payload.  Returns NULL, or the name of a claim that cannot be used (static text). */
const char *ac_claims_read(const char *text, size_t size, struct ac_claims *claims);

/* Texts for signing; the caller frees them.  NULL without memory. */
char *ac_header_print(const char *kid);
char *ac_claims_print(const struct ac_claims *claims);

#endif
