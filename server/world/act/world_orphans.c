/*
 * world_orphans.c: held inputs of sessions from before the daemon's restart.
 *
 * A crash ends every connection, but no client has asked for that, so acknowledged inputs continue.
 * After a restart the world has orphans: sessions that hold inputs or have settled some, but are
 * not members (any more).  Their inputs end by these rules:
 *
 * 1. An input with an end (holdTicks) acts until its end.
 * 2. An input without one, such as a key that was down, acts for one tick more.  Its effect up to
 *    the restart has been shown; but nobody can release it now.
 * 3. SV_GRACE_NS of the world's time after the restart all of them end.
 *
 * Time is the world's: in a paused world inputs wait, as they did before the crash.  An orphan that
 * holds nothing (any more) has left.
 *
 * Threads: its world's worker.
 */
#include "server/world/act/world_orphans.h"

#include "server/base/limits.h"
#include "server/world/act/world_entries.h"
#include "server/world/act/world_lease.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_sessions.h"

void
sv_world_begin_orphans(struct sv_world *world)
{
    world->persist.has_orphans = true;
    world->persist.orphan_tick = cn_world_tick(world->engine);
}

static bool
is_orphan(struct sv_world *world, uint64_t session)
{
    return sv_world_member(world, session) == NULL;
}

static bool
is_holding(const struct sv_world *world, uint64_t session)
{
    const struct cn_held *held;
    int count = cn_world_held(world->engine, &held);
    for (int i = 0; i < count; i++) {
        if (held[i].holder.source == session) {
            return true;
        }
    }
    return false;
}

/* Whether the orphan's input ends now. */
static bool
is_over(const struct sv_world *world, const struct cn_held *held)
{
    uint64_t tick = cn_world_tick(world->engine), since = world->persist.orphan_tick;
    double grace_s = (double)SV_GRACE_NS / (double)SV_NS_PER_S;
    bool is_endless = held->holder.until_tick == 0;
    return (is_endless && tick > since) ||
        (double)(tick - since) >= grace_s * cn_world_tick_rate(world->engine);
}

/*
 * Ends orphans' inputs that are over.  False when there is no room for more of them in this record.
 */
static bool
end_inputs(struct sv_world *world)
{
    const struct cn_held *held;
    int i = 0;
    while (i < cn_world_held(world->engine, &held)) {
        if (!is_orphan(world, held[i].holder.source) || !is_over(world, &held[i])) {
            i++;
        } else if (!sv_world_has_entry_room(world)) {
            return false;
        } else {
            sv_world_let_go(world, &held[i].holder);
        }
    }
    return true;
}

/* Removes a session that no longer holds anything. */
static void
end_session(struct sv_world *world, uint64_t session)
{
    struct wire_error ignored;
    struct dd_entry left = {.kind = DD_ENTRY_LEFT, .settled = {.session = session}};
    if (!is_holding(world, session) && sv_world_has_entry_room(world)) {
        (void)sv_world_do(world, &left, NULL, &ignored);
        sv_world_leases_changed(world);
    }
}

void
sv_world_end_orphans(struct sv_world *world)
{
    if (!world->persist.has_orphans || !end_inputs(world)) {
        return;
    }
    uint64_t session = 0, left = 0;
    while ((session = sv_world_session_after(world, session)) != UINT64_MAX) {
        if (is_orphan(world, session)) {
            end_session(world, session);
        }
    }
    for (session = 0; (session = sv_world_session_after(world, session)) != UINT64_MAX;) {
        left += is_orphan(world, session) ? 1 : 0;
    }
    world->persist.has_orphans = left > 0;
}
