#include "server/world/state/world_deeds.h"

#include "deed/apply.h"
#include "engine/base/assert.h"
#include "server/base/limits.h"
#include "server/snapshot/framing.h"
#include "server/world/state/world_clock.h"
#include "server/world/state/world_member_table.h"
#include "server/world/state/world_record.h"
#include "server/world/state/world_say.h"

#include <inttypes.h>

/* ---- members ---- */

static bool
wants_deeds(const struct sv_member *member)
{
    return member->mode == WIRE_MODE_DEEDS;
}

void
sv_world_count_deeds(struct sv_world *world, const struct sv_member *member, int by)
{
    bool is_plain = !member->contacts && !member->energy && !member->actions;
    bool is_quiet = member->is_quiet || (wants_deeds(member) && is_plain);
    world->deeds.member_count += wants_deeds(member) ? by : 0;
    world->deeds.quiet_count += is_quiet ? by : 0;
    CN_ASSERT(world->deeds.quiet_count >= 0 && world->deeds.member_count >= 0);
    CN_ASSERT(world->deeds.quiet_count <= world->member_count);
}

bool
sv_world_wants_frames(const struct sv_world *world)
{
    CN_ASSERT(world->deeds.quiet_count <= world->member_count);
    bool is_due = cn_world_tick(world->engine) % SV_DEEDS_TICKS == 0 ||
        cn_world_attribute_version(world->engine) != world->shown_attributes;
    return world->member_count > world->deeds.quiet_count ||
        (world->deeds.member_count > 0 && is_due);
}

void
sv_world_renew_images(struct sv_world *world)
{
    for (int i = 0; i < world->member_count; i++) {
        struct sv_member *member = &world->members[i];
        member->is_image_due = member->is_image_due || wants_deeds(member);
    }
    dd_entries_clear(&world->deeds.pending, 0);
}

/* ---- deeds ---- */

static size_t
encode_deeds(const void *context, uint8_t *out, size_t out_size)
{
    return wire_encode_deeds(context, out, out_size);
}

/* Reports one Deeds; where it cannot be made every member gets an image instead. */
static void
report_deeds(struct sv_world *world, const struct wire_deeds *deeds)
{
    struct sv_report report = {.kind = SV_REPORT_DEEDS, .mailbox = world->mailbox,
        .generation = world->generation};
    report.message_take =
        sv_env_has_room(world->env) ? sv_frame_message(encode_deeds, deeds) : NULL;
    if (report.message_take == NULL) {
        sv_world_renew_images(world);
        return;
    }
    sv_world_report(world, &report);
}

/* Sends the pending deeds as those of a generation. */
static void
say_pending(struct sv_world *world, uint32_t generation)
{
    struct dd_entries *pending = &world->deeds.pending;
    CN_ASSERT(!cn_world_is_mid_tick(world->engine)); /* they act on the present tick */
    const struct wire_deeds deeds = {.tick = cn_world_tick(world->engine),
        .generation = generation, .deeds = pending->bytes, .deeds_size = pending->size};
    if (pending->size > 0) {
        report_deeds(world, &deeds);
        dd_entries_clear(pending, SV_ENTRIES_READY);
    }
}

void
sv_world_say_deeds(struct sv_world *world)
{
    say_pending(world, world->generation);
}

void
sv_world_note_deed(struct sv_world *world, const struct dd_entry *entry, uint32_t generation)
{
    bool is_large = entry->kind == DD_ENTRY_CHANGE_OF ||
        (entry->kind == DD_ENTRY_CHANGE && entry->matter.size > DD_ENTRY_INLINE_SIZE_MAX);
    if (world->deeds.member_count == 0 || !(is_large || dd_is_deed(entry->kind))) {
        return;
    }
    if (is_large || !dd_entries_add(&world->deeds.pending, entry)) {
        sv_world_renew_images(world);
    } else if (generation != world->generation) {
        say_pending(world, generation);
    }
}

static void
remember_hash(struct sv_deeds *deeds, uint64_t tick, uint64_t hash)
{
    unsigned place = deeds->told_count++ % SV_HASHES_TOLD;
    deeds->told[place].tick = tick;
    deeds->told[place].hash = hash;
}

void
sv_world_say_deeds_tick(struct sv_world *world)
{
    CN_ASSERT(world->deeds.pending.size == 0); /* they were sent before the step */
    const uint64_t tick = cn_world_tick(world->engine);
    const bool has_hash = tick % SV_DEEDS_HASH_TICKS == 0;
    if (world->deeds.member_count == 0 || (tick % SV_DEEDS_TICKS != 0 && !has_hash)) {
        return;
    }
    const struct wire_deeds deeds = {.tick = tick, .generation = world->generation,
        .has_hash = has_hash, .hash = has_hash ? cn_world_hash(world->engine) : 0};
    if (has_hash) {
        remember_hash(&world->deeds, tick, deeds.hash);
    }
    report_deeds(world, &deeds);
}

/* ---- images ---- */

/* When the member may get its image: not sooner than SV_IMAGE_NS after the last one. */
static uint64_t
image_due_ns(const struct sv_member *member)
{
    return member->image_ns == 0 ? 0 : member->image_ns + SV_IMAGE_NS;
}

uint64_t
sv_world_say_images(struct sv_world *world, uint64_t now_ns)
{
    uint64_t wanted_ns = UINT64_MAX;
    if (world->deeds.member_count == 0 || sv_world_is_mid_tick(world)) {
        return wanted_ns;
    }
    sv_world_say_deeds(world); /* the image has them: only the others need them */
    for (int i = 0; i < world->member_count; i++) {
        struct sv_member *member = &world->members[i];
        uint64_t due_ns = image_due_ns(member);
        bool is_due = member->is_image_due && !member->is_away;
        if (is_due && due_ns <= now_ns && sv_env_has_room(world->env)) {
            const struct sv_asker asker = {.session = member->session, .seat = member->seat};
            member->is_image_due = !sv_world_say_image(world, &asker);
            member->image_ns = now_ns;
            SV_COUNT(world->env->metrics, images, 1);
        } else if (is_due && due_ns < wanted_ns) {
            wanted_ns = due_ns;
        }
    }
    return wanted_ns;
}

void
sv_world_note_desync(
    struct sv_world *world, const struct sv_asker *asker, const struct wire_desync *desync)
{
    struct sv_member *member = sv_world_member_of(world, asker);
    if (member == NULL || !wants_deeds(member)) {
        return;
    }
    uint64_t here = 0;
    for (int i = 0; i < SV_HASHES_TOLD; i++) {
        here = world->deeds.told[i].tick == desync->tick ? world->deeds.told[i].hash : here;
    }
    SV_COUNT(world->env->metrics, desyncs, 1);
    sv_log(world->env->log, SV_LOG_WARN,
        "%s: the engine of session %" PRIu64 " differs at tick %" PRIu64 ": its hash is %016" PRIx64
        ", the world's %016" PRIx64 "; it gets an image",
        world->mailbox->id, member->session, desync->tick, desync->hash, here);
    member->is_image_due = true;
}
