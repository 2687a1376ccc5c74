/*
 * claims.h: the JSON of tokens; for token.c.
 */
#ifndef ACCESS_CLAIMS_H
#define ACCESS_CLAIMS_H

#include "access/token.h"

/* Reads a header; false when it is any other than token.h's. *kid is "" where there is none. */
bool ac_header_read(const char *text, size_t size, char kid[AC_ID_SIZE]);

/* Reads a payload; NULL, or which claim can not be used (static text). */
const char *ac_claims_read(const char *text, size_t size, struct ac_claims *claims);

/* Texts for signing, to be freed with free; NULL without memory. */
char *ac_header_print(const char *kid);
char *ac_claims_print(const struct ac_claims *claims);

#endif
