/*
 * A store over several runs of the process, compared with a model.  Worlds are made, recorded,
 * loaded with other scenes, written as checkpoints and ended at random.  The journal is so small
 * that it is pruned all the time.  The store is closed, or the process dies.  At each opening every
 * world has all durable data, also from the checkpoint before its newest one.  An ended world
 * leaves no data.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/store_inside.h"
#include "tests/support/server/store_folder.h"

#include <inttypes.h>

#define WORLDS 100
#define WINDOW 8 /* worlds at a time */
#define RECORDS_MAX 1500
#define LIVES 40
#define STEPS 220
#define HISTORY_SIZE (UINT64_C(96) * 1024)

struct model_world {
    bool is_there, is_ended;
    struct sv_trail trail;
    uint64_t ticket, end_ticket; /* of its charter, and of its end */
    uint64_t tickets[RECORDS_MAX]; /* of record n at n - 1; 0: durable in an earlier life */
    int scenes[RECORDS_MAX + 1];  /* that the world has after record n */
    int scene;
};

struct rig {
    struct store_folder folder;
    struct sv_disk_real disk;
    struct sv_store *store;
    uint64_t now_ns, random;
    uint64_t base; /* the lowest number that is still in use */
    struct model_world model[WORLDS + 1];
    int checkpoints, older, ends, pruned;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

static void
open_rig(struct rig *rig)
{
    struct sv_fault fault;
    struct sv_store_config config = store_folder_config(&rig->folder, &rig->disk);
    config.history_size = HISTORY_SIZE;
    config.clock = sv_clock_simulated(&rig->now_ns);
    rig->store = sv_store_open(&config, &fault);
    if (rig->store == NULL) {
        fail_msg("%s", fault.text);
    }
}

static struct sv_lane *
lane_of(struct rig *rig)
{
    return sv_store_lane(rig->store, 0);
}

/* The entries of a record, with a size and bytes that depend only on its world and number. */
static size_t
entries_of(uint64_t world, uint64_t number, unsigned char entries[512])
{
    size_t size = 20 + (world * 131 + number * 37) % 400;
    for (size_t i = 0; i < size; i++) {
        entries[i] = (unsigned char)(world * 7 + number * 3 + i);
    }
    return size;
}

static size_t
scene_of(uint64_t world, int scene, char text[64])
{
    return (size_t)snprintf(text, 64, "scene %d of world %" PRIu64, scene, world);
}

static void
put_scene(struct rig *rig, uint64_t world, uint64_t number, int scene)
{
    char text[64];
    unsigned char content[SV_CONTENT_SIZE];
    size_t size = scene_of(world, scene, text);
    sv_content_hash(content, text, size);
    assert_true(sv_lane_put_scene(lane_of(rig), world, number, content,
                    (unsigned char *)strdup(text), size) != 0);
}

static void
make_world(struct rig *rig, uint64_t world)
{
    struct model_world *model = &rig->model[world];
    *model = (struct model_world){.is_there = true};
    model->trail = sv_store_trail(rig->store, world, 9);
    put_scene(rig, world, SV_USE_ALWAYS, 0);
    model->ticket = sv_lane_put_charter(lane_of(rig), world, (unsigned char *)strdup("it"), 2);
    assert_true(model->ticket != 0);
}

static void
append_record(struct rig *rig, struct model_world *model)
{
    unsigned char entries[512];
    uint64_t number = model->trail.number + 1;
    if (number >= RECORDS_MAX) {
        return;
    }
    size_t size = entries_of(model->trail.world, number, entries);
    uint64_t ticket =
        sv_lane_append(lane_of(rig), &model->trail, 10 * number, 0, 0, entries, size);
    if (ticket != 0) {
        model->tickets[number - 1] = ticket;
        model->scenes[number] = model->scene;
    }
}

/* The world uses another scene from its next record on. */
static void
load_scene(struct rig *rig, struct model_world *model)
{
    uint64_t number = model->trail.number + 1;
    if (number < RECORDS_MAX && sv_lane_room(lane_of(rig)) > 2000) {
        model->scene++;
        put_scene(rig, model->trail.world, number, model->scene);
        append_record(rig, model);
    }
}

static void
write_checkpoint(struct rig *rig, const struct model_world *model)
{
    char text[64];
    struct sv_checkpoint *made =
        sv_checkpoint_create(model->trail, 10 * model->trail.number, model->trail.number);
    assert_non_null(made);
    size_t size = scene_of(model->trail.world, model->scene, text);
    sv_content_hash(made->content, text, size);
    sv_checkpoint_add(made, 1, (unsigned char *)strdup(text), size);
    if (sv_lane_checkpoint(lane_of(rig), made) == 0) {
        sv_checkpoint_destroy(made);
    } else {
        rig->checkpoints++;
    }
}

static void
end_world(struct rig *rig, struct model_world *model)
{
    model->end_ticket = sv_lane_put_charter(lane_of(rig), model->trail.world, NULL, 0);
    if (model->end_ticket != 0) {
        model->is_ended = true;
        rig->ends++;
    }
}

static bool
is_live_world(const struct model_world *model)
{
    return model->is_there && !model->is_ended;
}

/* One random act of the workers or of the store's threads. */
static void
step_rig(struct rig *rig)
{
    while (rig->base < WORLDS - WINDOW && rig->base < sv_store_world_next(rig->store) &&
        !is_live_world(&rig->model[rig->base])) {
        rig->base++;
    }
    uint64_t world = rig->base + draw(rig, WINDOW);
    struct model_world *model = &rig->model[world];
    bool is_live = is_live_world(model);
    uint64_t what = draw(rig, 100);
    if (what < 4) {
        if (!model->is_there && world >= sv_store_world_next(rig->store)) {
            make_world(rig, world);
        }
    } else if (what < 55) {
        if (is_live) {
            append_record(rig, model);
        }
    } else if (what < 62) {
        if (is_live) {
            load_scene(rig, model);
        }
    } else if (what < 74) {
        if (is_live) {
            write_checkpoint(rig, model);
        }
    } else if (what < 75) {
        if (is_live && draw(rig, 2) == 0) {
            end_world(rig, model);
        }
    } else if (what < 86) {
        sv_store_keep_one(rig->store);
    } else {
        rig->now_ns += SV_STORE_PERIOD_NS;
        sv_store_run_journal(rig->store);
        if (draw(rig, 3) == 0) {
            sv_store_run_keeper(rig->store);
        }
    }
}

static void
assert_scene(struct rig *rig, uint64_t world, int scene)
{
    char text[64];
    unsigned char content[SV_CONTENT_SIZE], *bytes = NULL;
    struct sv_fault fault;
    size_t size = scene_of(world, scene, text), found;
    sv_content_hash(content, text, size);
    if (!sv_store_scene(rig->store, content, &bytes, &found, &fault)) {
        fail_msg("%s: %s", text, fault.text);
    }
    assert_int_equal(found, size);
    assert_memory_equal(bytes, text, size);
    free(bytes);
}

/* Recovers a world from its checkpoint, or from the beginning, to its last record. */
static struct sv_trail
recover_world(struct rig *rig, struct model_world *model, uint64_t *began)
{
    struct sv_fault fault;
    const struct sv_checkpoint *checkpoint;
    struct sv_record record;
    enum sv_recovery_step step;
    uint64_t world = model->trail.world, number = 0;
    struct sv_recovery *recovery = sv_recovery_begin(rig->store, world, &checkpoint, &fault);
    if (recovery == NULL) {
        fail_msg("%s", fault.text);
        return (struct sv_trail){0};
    }
    if (checkpoint != NULL) {
        size_t size;
        char text[64];
        number = checkpoint->trail.number;
        assert_int_equal(checkpoint->tick, 10 * number);
        assert_int_equal(checkpoint->state_hash, number);
        size_t expected = scene_of(world, model->scenes[number], text);
        assert_memory_equal(sv_checkpoint_find(checkpoint, 1, &size), text, expected);
        assert_scene(rig, world, model->scenes[number]);
    }
    *began = number;
    while ((step = sv_recovery_next(recovery, &record, &fault)) == SV_RECOVERY_RECORD) {
        unsigned char entries[512];
        number++;
        size_t size = entries_of(world, number, entries);
        assert_int_equal(record.number, number);
        assert_int_equal(record.tick, 10 * number);
        assert_int_equal(record.physics, 9);
        assert_int_equal(record.entries_size, size);
        assert_memory_equal(record.entries, entries, size);
        assert_scene(rig, world, model->scenes[number]);
    }
    if (step != SV_RECOVERY_END) {
        fail_msg("%s", fault.text);
    }
    struct sv_trail trail = sv_recovery_trail(recovery);
    sv_recovery_end(recovery);
    assert_int_equal(trail.number, number);
    assert_int_equal(trail.epoch, rig->store->gate.epoch);
    return trail;
}

static bool
find_any(void *context, const struct sv_row *row)
{
    const uint64_t *world = context;
    if (row->world == *world) {
        fail_msg("a row of kind %d is left of world %" PRIu64, (int)row->kind, *world);
    }
    return true;
}

/* The world has no rows and no files. */
static void
assert_nothing_left(struct rig *rig, uint64_t world)
{
    static const enum sv_row_kind kinds[] = {
        SV_ROW_CHARTER, SV_ROW_CHECKPOINT, SV_ROW_USE, SV_ROW_CRASH};
    struct sv_fault fault;
    char prefix[64];
    for (int i = 0; i < 4; i++) {
        assert_true(rig->store->journal.scan(
            rig->store->journal.context, kinds[i], 0, NULL, find_any, &world, &fault));
    }
    size_t size = (size_t)snprintf(prefix, sizeof(prefix), "world-%" PRIu64 "-", world);
    DIR *folder = opendir(rig->folder.path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (strncmp(entry->d_name, prefix, size) == 0) {
            fail_msg("%s is left of an ended world", entry->d_name);
        }
    }
    closedir(folder);
}

/* All durable records exist after a recovery; records that were only appended may exist. */
static void
assert_world(struct rig *rig, uint64_t world, uint64_t durable)
{
    struct model_world *model = &rig->model[world];
    const struct sv_world_entry *entry = sv_worlds_find(&rig->store->worlds, world);
    bool has_charter = entry != NULL && entry->charter != NULL;
    if (model->is_there && model->ticket <= durable &&
        !(model->is_ended && model->end_ticket <= durable)) {
        assert_true(has_charter || model->is_ended);
    }
    if (!has_charter) {
        assert_true(!model->is_there || model->ticket > durable || model->is_ended);
        assert_nothing_left(rig, world);
        *model = (struct model_world){0};
        return;
    }
    assert_false(model->is_ended && model->end_ticket <= durable);
    uint64_t last = 0, began, older;
    for (uint64_t n = 1; n <= model->trail.number; n++) {
        last = model->tickets[n - 1] <= durable ? n : last;
    }
    struct sv_trail trail = recover_world(rig, model, &began);
    assert_in_range(trail.number, last, model->trail.number);
    assert_scene(rig, world, 0);
    uint64_t newest = entry->manifest_count >= 2
                          ? entry->manifest[entry->manifest_count - 1].trail.number
                          : UINT64_MAX;
    if (began == newest) {
        char name[128];
        snprintf(name, sizeof(name), "world-%" PRIu64 "-%" PRIu64 ".ckpt", world, began);
        store_flip(&rig->folder, name, 90, 3);
        struct sv_trail same = recover_world(rig, model, &older);
        store_flip(&rig->folder, name, 90, 3);
        assert_int_equal(same.number, trail.number);
        assert_int_equal(same.chain, trail.chain);
        assert_true(older < began);
        rig->older++;
    }
    model->trail = trail;
    model->trail.physics = 9;
    model->is_ended = false;
    model->ticket = model->end_ticket = 0;
    model->scene = model->scenes[trail.number];
    memset(model->tickets, 0, sizeof(model->tickets));
}

/* A life, which ends in order or by a kill.  Then all worlds are recovered and checked. */
static void
live_once(struct rig *rig)
{
    struct sv_fault fault;
    uint64_t durable = UINT64_MAX;
    for (int i = 0; i < STEPS; i++) {
        step_rig(rig);
    }
    uint64_t first = rig->store->head.first_commit;
    rig->pruned += first > 1 ? 1 : 0;
    if (draw(rig, 2) == 0) {
        assert_true(sv_store_close(rig->store, &fault));
    } else {
        durable = sv_lane_durable(lane_of(rig));
        sv_lane_stepping(lane_of(rig), rig->base + draw(rig, WINDOW), draw(rig, 3));
        sv_store_abandon(rig->store);
    }
    open_rig(rig);
    for (uint64_t world = 1; world <= WORLDS; world++) {
        assert_world(rig, world, durable);
    }
}

static void
test_lives(void **state)
{
    (void)state;
    int checkpoints = 0, older = 0, ends = 0, pruned = 0;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        struct rig *rig = calloc(1, sizeof(*rig));
        assert_non_null(rig);
        rig->now_ns = rig->base = 1;
        rig->random = seed;
        store_folder_make(&rig->folder);
        open_rig(rig);
        for (int life = 0; life < LIVES; life++) {
            live_once(rig);
        }
        struct sv_fault fault;
        assert_true(sv_store_close(rig->store, &fault));
        store_folder_remove(&rig->folder);
        checkpoints += rig->checkpoints;
        older += rig->older;
        ends += rig->ends;
        pruned += rig->pruned;
        free(rig);
    }
    print_message("%d checkpoints, %d recoveries from an older one, %d ends of worlds, %d lives "
                  "with a pruned journal\n", checkpoints, older, ends, pruned);
    assert_true(checkpoints > 500 && older > 100 && ends > 50 && pruned > 50);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
