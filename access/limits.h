/*
 * limits.h: the limits of tokens and keys.
 */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

/* Bytes of a token as text; one of ours has about 400.  A longer one is refused without reading. */
#define AC_TOKEN_SIZE_MAX 2048

/* The largest time to a token's end, from now and from its issue.  So a lost token soon expires. */
#define AC_LIFETIME_S_MAX (24 * 3600)

/* An issuer's clock may be ahead of ours by this much.  `exp` has no such tolerance. */
#define AC_CLOCK_SKEW_S 60

/* Keys that are accepted at a time: the one in use, and during a change its successor. */
#define AC_KEYS_MAX 2

/* Bytes of a key's file. */
#define AC_KEY_FILE_SIZE_MAX 4096

/* Bytes of the texts of claims and keys, with the terminator. */
#define AC_SUBJECT_SIZE 65
#define AC_PATTERN_SIZE 64
#define AC_ID_SIZE 65 /* a token's jti, a key's kid */

/* Bytes of an issuer or an audience, with the terminator; audiences of a token. */
#define AC_NAME_SIZE 129
#define AC_AUDIENCES_MAX 4

/*
 * Entries and bytes of the file of revoked tokens.  It needs the tokens of a day only, because a
 * token expires after a day.  A larger file is refused, and the last valid one stays in force.
 */
#define AC_REVOKED_MAX 10000
#define AC_REVOKED_FILE_SIZE_MAX (1024 * 1024)
#define AC_REVOKED_LINE_SIZE 128
#define AC_REVOKED_ERROR_SIZE 160

/* The largest numbers of a quota: counts, rates [1/s], bytes [1/s]. */
#define AC_QUOTA_COUNT_MAX 4096
#define AC_QUOTA_RATE_MAX 100000
#define AC_QUOTA_BYTES_MIN 1024
#define AC_QUOTA_BYTES_MAX 1000000000
#define AC_QUOTA_ERROR_SIZE 256

/* The largest caps of a token; they equal the daemon's own limits. */
#define AC_FORCE_MAX 1e6           /* N */
#define AC_TORQUE_MAX 1e6          /* N m */
#define AC_MESSAGE_RATE_MAX 100000 /* 1/s */

#endif
