/*
 * The table of worlds against a model that keeps every call and searches the calls from the
 * beginning: which commits are needed, and by which world.  Also manifests as bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/worlds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORLDS 40
#define RECORDS_MAX 4000
#define MANIFESTS_MAX 400
#define ROUNDS 60000

struct model_world {
    bool is_there, has_charter;
    char charter[32];
    int record_count, manifest_count;
    uint64_t record_bytes, last_number;
    uint64_t needed; /* the first commit that a recovery needs; 0: none */
    struct {
        uint64_t number, commit;
    } records[RECORDS_MAX];
    struct sv_manifest manifests[MANIFESTS_MAX];
};

struct rig {
    struct sv_worlds worlds;
    struct model_world model[WORLDS + 1];
    uint64_t random, commit;
};

static uint64_t
draw(struct rig *rig, uint64_t end)
{
    rig->random = rig->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (rig->random >> 33) % end;
}

/*
 * The model's answer, computed from the records in the journal after the second-newest checkpoint.
 */
static uint64_t
needed_from(const struct model_world *model)
{
    const struct sv_manifest *older = &model->manifests[model->manifest_count - 2];
    for (int i = 0; i < model->record_count; i++) {
        if (model->records[i].number > older->trail.number) {
            return older->commit;
        }
    }
    return 0;
}

static void
saw_record(struct rig *rig, uint64_t world, struct sv_world_entry *entry)
{
    struct model_world *model = &rig->model[world];
    if (model->record_count == RECORDS_MAX) {
        return;
    }
    size_t size = 64 + draw(rig, 100);
    rig->commit += draw(rig, 2);
    model->last_number++;
    sv_worlds_saw(entry, model->last_number, rig->commit, size);
    model->record_bytes += size;
    model->records[model->record_count].number = model->last_number;
    model->records[model->record_count++].commit = rig->commit;
    model->needed = model->needed == 0 ? rig->commit : model->needed;
}

/*
 * Adds a checkpoint at the world's newest record; if that record has one, it replaces the old one.
 * Now and then an older checkpoint is thinned out.
 */
static void
add_checkpoint(struct rig *rig, uint64_t world, struct sv_world_entry *entry)
{
    struct model_world *model = &rig->model[world];
    const struct sv_manifest manifest = {.trail = {.world = world, .number = model->last_number},
        .tick = draw(rig, 1000), .commit = rig->commit, .file_size = draw(rig, 1000)};
    int count = 0;
    bool is_again = model->manifest_count > 0 &&
        model->manifests[model->manifest_count - 1].trail.number == model->last_number;
    if (model->manifest_count == MANIFESTS_MAX) {
        return;
    }
    struct sv_manifest *list = sv_worlds_with(entry, &manifest, &count);
    assert_non_null(list);
    model->manifest_count -= is_again ? 1 : 0;
    model->manifests[model->manifest_count++] = manifest;
    assert_int_equal(count, model->manifest_count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(list[i].trail.number, model->manifests[i].trail.number);
        assert_int_equal(list[i].tick, model->manifests[i].tick);
        assert_int_equal(list[i].commit, model->manifests[i].commit);
        assert_int_equal(list[i].file_size, model->manifests[i].file_size);
    }
    if (count > 2 && draw(rig, 4) == 0) { /* an older one is thinned out */
        int gone = (int)draw(rig, (uint64_t)count - 2);
        size_t behind = (size_t)(count - gone - 1);
        memmove(list + gone, list + gone + 1, behind * sizeof(*list));
        memmove(model->manifests + gone, model->manifests + gone + 1, behind * sizeof(*list));
        count = --model->manifest_count;
    }
    sv_worlds_checkpoints(entry, list, count);
    model->needed = count >= 2 ? needed_from(model) : model->needed;
}

static void
assert_entry(struct rig *rig, uint64_t world)
{
    const struct model_world *model = &rig->model[world];
    const struct sv_world_entry *entry = sv_worlds_find(&rig->worlds, world);
    assert_int_equal(entry != NULL, model->is_there);
    if (entry == NULL) {
        return;
    }
    assert_int_equal(entry->world, world);
    assert_int_equal(entry->charter != NULL, model->has_charter);
    if (model->has_charter) {
        assert_int_equal(entry->charter_size, strlen(model->charter));
        assert_memory_equal(entry->charter, model->charter, entry->charter_size);
    }
    assert_int_equal(entry->record_bytes, model->record_bytes);
    assert_int_equal(entry->last_number, model->last_number);
    assert_int_equal(entry->manifest_count, model->manifest_count);
    assert_int_equal(entry->first_commit, model->needed);
}

static void
assert_table(struct rig *rig)
{
    uint64_t floor = UINT64_MAX, past = UINT64_MAX, stale[WORLDS], below = draw(rig, 50);
    uint64_t expected[WORLDS];
    int count = 0, stale_count = 0, most = (int)draw(rig, 4);
    below = below < rig->commit ? rig->commit - below : below;
    for (uint64_t world = 1; world <= WORLDS; world++) {
        const struct model_world *model = &rig->model[world];
        assert_entry(rig, world);
        count += model->is_there ? 1 : 0;
        if (!model->is_there || !model->has_charter) {
            continue;
        }
        if (model->needed != 0) {
            floor = model->needed < floor ? model->needed : floor;
            if (model->needed < below && stale_count < most) {
                expected[stale_count++] = world;
            }
        }
        if (model->manifest_count > 0 && model->manifests[0].commit < past) {
            past = model->manifests[0].commit;
        }
    }
    assert_int_equal(rig->worlds.count, count);
    for (int i = 1; i < count; i++) {
        assert_true(rig->worlds.entries[i - 1].world < rig->worlds.entries[i].world);
    }
    assert_true(sv_worlds_floor(&rig->worlds) == floor);
    assert_true(sv_worlds_past_floor(&rig->worlds) == (past < floor ? past : floor));
    assert_int_equal(sv_worlds_stale(&rig->worlds, below, stale, most), stale_count);
    for (int i = 0; i < stale_count; i++) {
        assert_int_equal(stale[i], expected[i]);
    }
}

static void
step_model(struct rig *rig)
{
    uint64_t world = 1 + draw(rig, WORLDS);
    struct model_world *model = &rig->model[world];
    struct sv_world_entry *entry = sv_worlds_find(&rig->worlds, world);
    switch (draw(rig, 16)) {
    case 0:
        entry = sv_worlds_make(&rig->worlds, world);
        assert_non_null(entry);
        model->is_there = true;
        break;
    case 1:
        if (draw(rig, 4) == 0) {
            sv_worlds_remove(&rig->worlds, world);
            memset(model, 0, sizeof(*model));
        }
        break;
    case 2:
        if (entry != NULL) {
            snprintf(model->charter, sizeof(model->charter), "%*d", (int)draw(rig, 20), 7);
            model->has_charter = true;
            assert_true(sv_worlds_charter(
                entry, (const unsigned char *)model->charter, strlen(model->charter)));
        }
        break;
    case 3:
    case 4:
        if (entry != NULL) {
            add_checkpoint(rig, world, entry);
        }
        break;
    default:
        if (entry != NULL) {
            saw_record(rig, world, entry);
        }
        break;
    }
}

static void
test_random_worlds(void **state)
{
    struct rig *rig = calloc(1, sizeof(*rig));
    assert_non_null(rig);
    (void)state;
    rig->random = 5;
    rig->commit = 1;
    assert_true(sv_worlds_floor(&rig->worlds) == UINT64_MAX);
    for (int i = 0; i < ROUNDS; i++) {
        step_model(rig);
        if (i % 8 == 0) {
            assert_table(rig);
        }
    }
    sv_worlds_finish(&rig->worlds);
    assert_int_equal(rig->worlds.count, 0);
    assert_null(rig->worlds.entries);
    free(rig);
}

/*
 * As the store does at its opening: the checkpoints come first, then the records that are still in
 * the journal.
 */
static void
test_opening(void **state)
{
    (void)state;
    for (uint64_t last = 5; last <= 12; last++) {
        struct sv_worlds worlds = {0};
        struct sv_world_entry *entry = sv_worlds_make(&worlds, 3);
        assert_non_null(entry);
        for (uint64_t number = 5; number <= 9; number += 4) {
            const struct sv_manifest manifest = {
                .trail = {.world = 3, .number = number}, .commit = 10 * number};
            int count;
            struct sv_manifest *list = sv_worlds_with(entry, &manifest, &count);
            assert_non_null(list);
            sv_worlds_checkpoints(entry, list, count);
        }
        assert_true(sv_worlds_charter(entry, (const unsigned char *)"it", 2));
        assert_int_equal(entry->first_commit, 0); /* a world at rest keeps no commit */
        assert_true(sv_worlds_floor(&worlds) == UINT64_MAX);
        assert_int_equal(sv_worlds_past_floor(&worlds), 50);
        for (uint64_t number = 6; number <= last; number++) {
            sv_worlds_saw(entry, number, 100 + number, 1);
        }
        assert_true(sv_worlds_floor(&worlds) == (last > 5 ? 106 : UINT64_MAX));
        sv_worlds_finish(&worlds);
    }
}

/* The index lists each commit with records of the world once, in ascending order. */
static void
test_index(void **state)
{
    struct sv_worlds worlds = {0};
    (void)state;
    struct sv_world_entry *entry = sv_worlds_make(&worlds, 3);
    assert_non_null(entry);
    for (uint64_t commit = 1; commit <= 1000; commit++) {
        for (uint64_t again = 0; again <= commit % 3; again++) {
            assert_true(sv_worlds_index(entry, 5 * commit));
        }
        assert_int_equal(entry->commit_count, commit);
    }
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(entry->commits[i], 5 * (i + 1));
    }
    sv_worlds_finish(&worlds);
}

/* Every field of a manifest is read back into its own place. */
static void
test_manifests(void **state)
{
    struct rig rig = {.random = 9};
    unsigned char bytes[SV_MANIFEST_SIZE + 1] = {0};
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const struct sv_manifest made = {
            .trail = {.world = 1 + draw(&rig, 1u << 31), .epoch = draw(&rig, 1u << 31) << 20,
                .number = draw(&rig, 1u << 31), .chain = (uint32_t)draw(&rig, 1u << 31),
                .physics = (uint32_t)draw(&rig, 1u << 31)},
            .tick = draw(&rig, 1u << 31) << 30, .commit = draw(&rig, 1u << 31) << 30,
            .file_size = draw(&rig, 1u << 31) << 30, .age_ms = draw(&rig, 1u << 31) << 30,
            .stepped_ms = draw(&rig, 1u << 31) << 30,
            .record_bytes = draw(&rig, 1u << 31) << 30};
        struct sv_manifest read, old = made;
        struct sv_row row = {.kind = SV_ROW_CHECKPOINT, .world = made.trail.world,
            .number = made.trail.number, .bytes = bytes};
        sv_manifest_encode(bytes, &made);
        for (size_t size = 0; size <= SV_MANIFEST_SIZE + 1; size++) {
            row.size = size;
            memset(&read, 0xa5, sizeof(read));
            bool is_good = sv_manifest_decode(&row, &read);
            assert_int_equal(is_good, size == SV_MANIFEST_SIZE || size == SV_MANIFEST_SIZE_OLD);
            if (is_good) {
                old.age_ms = size == SV_MANIFEST_SIZE_OLD ? 0 : made.age_ms;
                old.stepped_ms = size == SV_MANIFEST_SIZE_OLD ? 0 : made.stepped_ms;
                old.record_bytes = size == SV_MANIFEST_SIZE_OLD ? 0 : made.record_bytes;
                assert_memory_equal(&read, &old, sizeof(read));
            }
        }
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_worlds),
        cmocka_unit_test(test_opening),
        cmocka_unit_test(test_index),
        cmocka_unit_test(test_manifests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
