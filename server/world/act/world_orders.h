/*
 * world_orders.h: carries out controls of a world.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_ACT_WORLD_ORDERS_H
#define SERVER_WORLD_ACT_WORLD_ORDERS_H

#include "server/world/data/world.h"

/* Carries out an order, and answers its asker. */
void sv_world_obey(struct sv_world *world, const struct sv_asker *asker, struct sv_order *order);

/* Answers orders for single steps that are done. */
void sv_world_answer_steps(struct sv_world *world);

#endif
