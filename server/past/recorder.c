#include "server/past/recorder.h"

#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "engine/base/little_endian.h"
#include "engine/state/image.h"
#include "server/past/replay.h"
#include "deed/entry.h"
#include "server/world/state/world_restore.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool
fetch_recorded(void *context, const unsigned char content[SV_CONTENT_SIZE],
    unsigned char **bytes_give, size_t *size, struct sv_fault *fault)
{
    return sv_recording_scene(context, content, bytes_give, size, fault);
}

static enum sv_recovery_step
next_recorded(void *context, struct sv_record *record, struct sv_fault *fault)
{
    fault->kind = SV_FAULT_NONE;
    return sv_recording_next(context, record);
}

struct sv_past
sv_recording_past(struct sv_recording *recording)
{
    struct sv_past past = {.context = recording,
        .checkpoint = sv_recording_checkpoint(recording),
        .fetch = fetch_recorded,
        .next = next_recorded};
    memcpy(past.content, sv_recording_facts(recording)->start.content, SV_CONTENT_SIZE);
    return past;
}

/* ---- writing ---- */

static bool
can_not_write(struct sv_fault *fault)
{
    return sv_fault_set(fault, SV_FAULT_IO, "the recording can not be written");
}

static bool
no_memory(struct sv_fault *fault)
{
    return sv_fault_set(fault, SV_FAULT_MEMORY, "the recording");
}

/*
 * Writes a scene or another part that is named by its content hash, unless it was written before.
 */
static bool
put_content(struct sv_past_recorder *recorder, const unsigned char content[SV_CONTENT_SIZE],
    struct sv_fault *fault)
{
    unsigned char *bytes;
    size_t size;
    for (int i = 0; i < recorder->content_count; i++) {
        if (memcmp(recorder->contents[i], content, SV_CONTENT_SIZE) == 0) {
            return true;
        }
    }
    if (recorder->content_count == SV_RECORDING_SCENES_MAX) {
        return sv_fault_set(fault, SV_FAULT_FULL, "a recording has room for %d scenes",
            SV_RECORDING_SCENES_MAX);
    }
    if (recorder->content_count == recorder->content_capacity) {
        int capacity = 2 * recorder->content_count + 4;
        unsigned char(*contents)[SV_CONTENT_SIZE] =
            realloc(recorder->contents, (size_t)capacity * SV_CONTENT_SIZE);
        if (contents == NULL) {
            return no_memory(fault);
        }
        recorder->contents = contents;
        recorder->content_capacity = capacity;
    }
    if (!recorder->past->fetch(recorder->past->context, content, &bytes, &size, fault)) {
        return false;
    }
    bool is_put = sv_recorder_scene(&recorder->file, content, bytes, size);
    free(bytes);
    CN_ASSERT(recorder->content_count < recorder->content_capacity);
    memcpy(recorder->contents[recorder->content_count++], content, SV_CONTENT_SIZE);
    return is_put || can_not_write(fault);
}

bool
sv_past_recorder_begin(struct sv_past_recorder *recorder, const struct sv_past *past,
    const char *name, bool has_prints, bool (*put)(void *context, const void *bytes, size_t size),
    void *context, struct sv_fault *fault)
{
    struct sv_recording_start start = {
        .physics = past->physics != 0 ? past->physics : cn_physics_version(),
        .has_bodies = has_prints};
    *recorder = (struct sv_past_recorder){.file = {.put = put, .context = context},
        .past = past,
        .has_prints = has_prints};
    snprintf(start.name, sizeof(start.name), "%s", name);
    memcpy(start.content, past->content, SV_CONTENT_SIZE);
    if (past->checkpoint != NULL) {
        start.physics = past->checkpoint->trail.physics;
        if (!sv_host_part_content(past->checkpoint, start.content)) {
            return sv_fault_set(
                fault, SV_FAULT_SCHEMA, "the checkpoint is of another version");
        }
    }
    if (!sv_recorder_begin(&recorder->file, &start)) {
        return can_not_write(fault);
    }
    if (!put_content(recorder, start.content, fault)) {
        return false;
    }
    return past->checkpoint == NULL ||
        sv_recorder_checkpoint(&recorder->file, past->checkpoint) || can_not_write(fault);
}

bool
sv_past_recorder_record(
    struct sv_past_recorder *recorder, const struct sv_record *record, struct sv_fault *fault)
{
    struct dd_entry entry;
    size_t at = 0;
    if (record->physics != recorder->file.trail.physics) {
        return sv_fault_set(fault, SV_FAULT_SCHEMA,
            "a record at tick %llu is of physics %u, and those before of %u: a recording is of one "
            "version",
            (unsigned long long)record->tick, (unsigned)record->physics,
            (unsigned)recorder->file.trail.physics);
    }
    while (at < record->entries_size) {
        if (!dd_entry_read(record->entries, record->entries_size, &at, &entry)) {
            return sv_fault_set(fault, SV_FAULT_CRC, "a record at tick %llu holds no log entry",
                (unsigned long long)record->tick);
        }
        bool has_content = entry.kind == DD_ENTRY_LOAD || entry.kind == DD_ENTRY_CHANGE_OF ||
            entry.kind == DD_ENTRY_SEED;
        if (has_content && !put_content(recorder, entry.matter.content, fault)) {
            return false;
        }
    }
    return sv_recorder_record(&recorder->file, record->tick, record->state_hash, record->flags,
               record->entries, record->entries_size) ||
        can_not_write(fault);
}

bool
sv_past_recorder_end(struct sv_past_recorder *recorder, struct sv_fault *fault)
{
    return sv_recorder_end(&recorder->file) || can_not_write(fault);
}

void
sv_past_recorder_finish(struct sv_past_recorder *recorder)
{
    free(recorder->contents);
}

bool
sv_recorder_mark_world(struct sv_recorder *recorder, const struct cn_world *world, bool has_prints)
{
    CN_ASSERT(!cn_world_is_mid_tick(world));
    uint64_t tick = cn_world_tick(world);
    int count = cn_world_body_count(world);
    if (!sv_recorder_record(recorder, tick, cn_world_hash(world), SV_RECORD_HASH, NULL, 0)) {
        return false;
    }
    if (!has_prints) {
        return true;
    }
    uint32_t *prints = calloc((size_t)count + 1, sizeof(*prints));
    for (int i = 0; prints != NULL && i < count; i++) {
        prints[i] = sv_body_print(world, i);
    }
    bool is_good = prints != NULL && sv_recorder_bodies(recorder, tick, prints, (size_t)count);
    free(prints);
    return is_good;
}

/* ---- comparing ---- */

static void
hash_vector(struct cn_hash *hash, cn_vec3 value)
{
    cn_hash_double(hash, value.x);
    cn_hash_double(hash, value.y);
    cn_hash_double(hash, value.z);
}

uint32_t
sv_body_print(const struct cn_world *world, int body)
{
    struct cn_hash hash;
    struct cn_body_view view;
    cn_world_body_state(world, body, &view);
    if (view.absent) {
        return 0;
    }
    cn_hash_init(&hash);
    cn_hash_u64(&hash, view.generation);
    hash_vector(&hash, view.position);
    cn_hash_double(&hash, view.angle);
    cn_hash_double(&hash, view.orientation.w);
    hash_vector(&hash,
        (cn_vec3){view.orientation.x, view.orientation.y, view.orientation.z});
    hash_vector(&hash, view.velocity);
    hash_vector(&hash, view.angular_velocity);
    uint32_t print = (uint32_t)(hash.state ^ (hash.state >> 32));
    return print != 0 ? print : 1;
}

int
sv_recording_differ(
    const struct sv_recording *recording, const struct cn_world *world, int *bodies, int most)
{
    size_t count;
    const unsigned char *prints = sv_recording_bodies(recording, &count);
    int found = 0, slots = cn_world_body_count(world);
    int all = (int)count > slots ? (int)count : slots;
    for (int i = 0; prints != NULL && i < all; i++) {
        uint32_t then = i < (int)count ? cn_get_u32(prints + (size_t)4 * (size_t)i) : 0;
        uint32_t now = i < slots ? sv_body_print(world, i) : 0;
        if (then != now) {
            if (found < most) {
                bodies[found] = i;
            }
            found++;
        }
    }
    return found;
}

static int
root_of(int *parent, int body)
{
    CN_ASSERT(body >= 0 && parent[body] >= 0);
    while (parent[body] != body) {
        parent[body] = parent[parent[body]];
        body = parent[body];
    }
    return body;
}

static bool
can_move(const struct cn_world *world, int body)
{
    struct cn_body_view view;
    if (body < 0) {
        return false;
    }
    cn_world_body_state(world, body, &view);
    return !view.absent && view.type == CN_DYNAMIC;
}

static void
connect_bodies(const struct cn_world *world, int *parent, int a, int b)
{
    if (can_move(world, a) && can_move(world, b)) {
        parent[root_of(parent, a)] = root_of(parent, b);
    }
}

int
sv_body_island(const struct cn_world *world, int body, int *bodies, int most)
{
    int count = cn_world_body_count(world), found = 0;
    const struct cn_contact_view *contacts;
    int *parent = calloc((size_t)count + 1, sizeof(*parent));
    if (parent == NULL || body >= count) {
        free(parent);
        return 0;
    }
    for (int i = 0; i < count; i++) {
        parent[i] = i;
    }
    int contact_count = cn_world_contacts(world, &contacts);
    for (int i = 0; i < contact_count; i++) {
        connect_bodies(world, parent, contacts[i].body_a, contacts[i].body_b);
    }
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_state(world, i, &view);
        if (!view.absent) {
            connect_bodies(world, parent, view.body_a, view.body_b);
        }
    }
    for (int i = 0; i < count; i++) {
        if (root_of(parent, i) == root_of(parent, body)) {
            if (found < most) {
                bodies[found] = i;
            }
            found++;
        }
    }
    free(parent);
    return found;
}
