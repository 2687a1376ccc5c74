/*
 * lists.h: the routes that list worlds, solvers, steppers and shapes, and arguments of lists.
 */
#ifndef SERVER_ADMIN_LISTS_H
#define SERVER_ADMIN_LISTS_H

#include "server/admin/admin.h"

/*
 * All worlds that the sender may see, in the order in which they were made.  With `limit` it is a
 * page of so many; `after` is the `next` of the page before.
 */
bool sv_list_worlds(struct sv_call *call);
bool sv_list_solvers(struct sv_call *call);
bool sv_list_steppers(struct sv_call *call);
bool sv_list_shapes(struct sv_call *call);

/* Fills *error about the argument with this name; returns false. */
bool sv_refuse_argument(struct wire_error *error, const char *name, const char *text);

/* False if the text is not a number from 0 to `most`. */
bool sv_read_number(const char *text, uint64_t most, uint64_t *number);

#endif
