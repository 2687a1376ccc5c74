/*
 * revoked.h: revoked tokens: the signature is valid, and they have not expired.
 *
 * The list is a text with one entry a line; a line that begins with '#' is a comment:
 *
 *     jti ID                  the token with that id
 *     jti ID until SECONDS    the same until that Unix time, when the token has expired anyway
 *     sub NAME                every token of that sub, old or new; NAME is the rest of the line
 *
 * Ownership: a list owns its entries.  Threads: it belongs to the thread that made it.
 */
#ifndef ACCESS_REVOKED_H
#define ACCESS_REVOKED_H

#include "access/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ac_revoked;

/* Reads a list from the text of its file.  NULL with *error filled: a bad line, or too many. */
struct ac_revoked *ac_revoked_read(
    const char *text, size_t size, char error[AC_REVOKED_ERROR_SIZE]);
void ac_revoked_destroy(struct ac_revoked *revoked); /* takes NULL */

int ac_revoked_count(const struct ac_revoked *revoked);

/* Whether the token with this id and subject is revoked at `now_s` [Unix s].  NULL: no list. */
bool ac_revoked_has(
    const struct ac_revoked *revoked, const char *id, const char *subject, int64_t now_s);

#endif
