/*
 * claims.h: the JSON of tokens; for token.c.
 */
#ifndef ACCESS_CLAIMS_H
#define ACCESS_CLAIMS_H

#include "access/token.h"

/* Reads a header.  False if it differs from token.h's.  *kid is "" if the header has none. */
bool ac_header_read(const char *text, size_t size, char kid[AC_ID_SIZE]);

/* Reads a payload.  Returns NULL, or the name of a claim that cannot be used (static text). */
const char *ac_claims_read(const char *text, size_t size, struct ac_claims *claims);

/* Texts for signing; the caller frees them.  NULL without memory. */
char *ac_header_print(const char *kid);
char *ac_claims_print(const struct ac_claims *claims);

#endif
