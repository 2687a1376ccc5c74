/*
 * world_lease_rules.h: inputs that leases forbid, and updates of their table with the bodies.
 *
 * Threads: the worker of its world.
 */
#ifndef SERVER_WORLD_STATE_WORLD_LEASE_RULES_H
#define SERVER_WORLD_STATE_WORLD_LEASE_RULES_H

#include "server/world/data/world.h"

/* Whether the leases allow the session this command; else *error is LEASED. */
bool sv_world_may_push(struct sv_world *world, uint64_t session,
    const struct cn_command *command, struct wire_error *error);

/* Ends leases of removed bodies and actuators. */
void sv_world_leases_sift(struct sv_world *world);

/* Fills *error with LEASED, which names the holder. */
void sv_world_refuse_held(
    struct sv_world *world, struct dd_lease_target target, struct wire_error *error);
void sv_world_leases_clear(struct sv_world *world, bool is_other_scene);

/* Whether there is anything to say in a LeaseState. */
bool sv_world_has_leases(const struct sv_world *world);

/* "body" or "actuator". */
const char *sv_lease_kind_name(enum dd_lease_kind kind);

/* Whether the body or actuator exists. */
bool sv_world_has_target(const struct sv_world *world, struct dd_lease_target target);

/* Whether leases let the source of this held input hold it. */
bool sv_world_may_hold(const struct sv_world *world, const struct cn_held *held);

#endif
