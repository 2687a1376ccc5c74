/*
 * lists.h: the routes that list solvers, steppers and shapes.
 */
#ifndef SERVER_ADMIN_LISTS_H
#define SERVER_ADMIN_LISTS_H

#include "server/admin/admin.h"

bool sv_list_solvers(struct sv_call *call);
bool sv_list_steppers(struct sv_call *call);
bool sv_list_shapes(struct sv_call *call);

#endif
