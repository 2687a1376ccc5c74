/*
 * world_orders.h: carries out controls of a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_ORDERS_H
#define SERVER_WORLD_ACT_WORLD_ORDERS_H

#include "server/world/data/world.h"

/* Makes a change, or a reset.  False with *error filled. */
bool sv_world_make_change(
    struct sv_world *world, struct wire_change *change, struct wire_error *error);
bool sv_world_make_reset(struct sv_world *world, struct wire_error *error);

/*
 * Sets or removes attributes: all, or none with *error filled; its path begins with "changes[i].".
 */
bool sv_world_set_attributes(struct sv_world *world, const struct cn_attribute *attributes,
    int count, struct wire_error *error);

/* Carries out an order, and answers its asker. */
void sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order);

/* Answers orders for single steps that are done. */
void sv_world_answer_steps(struct sv_world *world);

#endif
