/*
 * limits.h: the limits of tokens and keys.
 */
#ifndef ACCESS_LIMITS_H
#define ACCESS_LIMITS_H

/* A token as text. One of ours has about 400 bytes. At the wall: refused, unread. */
#define AC_TOKEN_SIZE_MAX 2048

/* From now to a token's end, and from its making: longer is refused, so that a lost one dies. */
#define AC_LIFETIME_S_MAX (24 * 3600)

/* By how much an issuer's clock may be ahead of ours; `exp` has no such allowance. */
#define AC_CLOCK_SKEW_S 60

/* Keys in force: the one in use, and the one that comes or goes. */
#define AC_KEYS_MAX 2

/* A key's file. */
#define AC_KEY_FILE_SIZE_MAX 4096

/* Texts of claims and keys, terminators included. */
#define AC_SUBJECT_SIZE 65
#define AC_PATTERN_SIZE 64
#define AC_ID_SIZE 65 /* a token's jti, a key's kid */

/* An issuer or an audience, terminator included; and how many audiences a token may have. */
#define AC_NAME_SIZE 129
#define AC_AUDIENCES_MAX 4

/*
 * Revoked tokens that are known at once, and their file: a day's worth of tokens, as each is good
 * for a day at most.  At the wall: the file is refused, and the one before it holds.
 */
#define AC_REVOKED_MAX 10000
#define AC_REVOKED_FILE_SIZE_MAX (1024 * 1024)
#define AC_REVOKED_LINE_SIZE 128
#define AC_REVOKED_ERROR_SIZE 160

/* Bounds of the numbers of a quota: counts, rates [1/s], bytes [1/s]. */
#define AC_QUOTA_COUNT_MAX 4096
#define AC_QUOTA_RATE_MAX 100000
#define AC_QUOTA_BYTES_MIN 1024
#define AC_QUOTA_BYTES_MAX 1000000000
#define AC_QUOTA_ERROR_SIZE 256

/* Largest caps that a token may carry: what the daemon accepts of anybody. */
#define AC_FORCE_MAX 1e6           /* N */
#define AC_TORQUE_MAX 1e6          /* N m */
#define AC_MESSAGE_RATE_MAX 100000 /* 1/s */

#endif
