/*
 * test_recorder.c: recordings are read as they were written, and nothing else is; done again they
 * are the same, and what is not the same is named: tick, body, island.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/world/act/world_life.h"
#include "engine/base/little_endian.h"
#include "tests/support/server/recording_rig.h"

#include <math.h>

struct again {
    struct sv_metrics metrics;
    struct sv_worker worker;
    struct sv_mailbox mailbox;
    struct sv_replay replay;
    struct sv_past past;
    struct sv_recording *recording;
    struct sv_world *world;
};

static void
begin_again(struct again *again, const struct recording_bytes *file)
{
    struct sv_fault fault;
    struct wire_error error;
    bool is_good = false;
    memset(again, 0, sizeof(*again));
    again->mailbox.number = 1;
    again->recording = sv_recording_open(file->bytes, file->size, "pair.cairn", &fault);
    assert_non_null(again->recording);
    assert_true(sv_worker_init(&again->worker, sv_clock_real(), NULL, &again->metrics, true));
    again->past = sv_recording_past(again->recording);
    again->world = sv_replay_begin(
        &again->replay, &again->worker.env, &again->mailbox, &again->past, &is_good, &error);
    assert_non_null(again->world);
    assert_true(is_good);
}

static void
end_again(struct again *again)
{
    sv_world_destroy(again->world);
    sv_worker_finish(&again->worker);
    sv_recording_close(again->recording);
}

/* The head is this, byte by byte; the frames that follow chain on. */
static void
test_layout(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    recording_make(&file, 3, 1, false, 4.0);
    assert_memory_equal(file.bytes, "CAIRNREC\1\0\0\0", 12);
    assert_int_equal(cn_get_u32(file.bytes + 12), cn_physics_version());
    assert_int_equal(cn_get_u32(file.bytes + 16), 0);
    const unsigned char *start = file.bytes + SV_RECORDING_HEAD_SIZE;
    assert_int_equal(cn_get_u32(start), SV_RECORDING_START);
    assert_int_equal(cn_get_u32(start + 4), 32 + 4);
    assert_memory_equal(start + 8, file.bytes + 28, 4);
    assert_memory_equal(start + 16 + 32, "pair", 4);
    const unsigned char *scene = start + 16 + 36;
    assert_int_equal(cn_get_u32(scene), SV_RECORDING_SCENE);
    assert_memory_equal(scene + 8, start + 12, 4);
    assert_memory_equal(scene + 16, start + 16, 32);
    const unsigned char *end = file.bytes + file.size - 32;
    assert_int_equal(cn_get_u32(end), SV_RECORDING_END);
    assert_int_equal(cn_get_u64(end + 16), 4);
    assert_int_equal(cn_get_u64(end + 24), 3);
    free(file.bytes);
}

/* Done again it is the same; after 120 ticks the boxes are where Galilei says, and the push's. */
static void
test_again(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct again again;
    struct cn_body_view view;
    recording_make(&file, 120, 64, false, 4.0);
    begin_again(&again, &file);
    assert_false(sv_recording_facts(again.recording)->is_cut);
    assert_int_equal(sv_recording_facts(again.recording)->last_tick, 64);
    assert_true(sv_replay_all(&again.replay));
    assert_int_equal(cn_world_tick(again.world->engine), 64);
    double rate = cn_world_tick_rate(again.world->engine);
    cn_world_body_view(again.world->engine, 1, &view);
    assert_true(fabs(view.velocity.y + 10.0 * 64.0 / rate) < 1e-4);
    assert_true(view.velocity.x == 0.0);
    cn_world_body_view(again.world->engine, 0, &view);
    assert_true(fabs(view.velocity.x - 4.0 / 2.0 * 59.0 / rate) < 1e-4);
    end_again(&again);
    free(file.bytes);
}

/* Another push than was made: the tick after it is the first that differs, and only in `a`. */
static void
test_first_difference(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct again again;
    enum sv_replay_step step;
    int bodies[4], good = 0;
    recording_make(&file, 20, 1, true, 4.5);
    begin_again(&again, &file);
    while ((step = sv_replay_next(&again.replay)) != SV_REPLAY_FAILED) {
        assert_int_not_equal(step, SV_REPLAY_END);
        good += step == SV_REPLAY_RECORD && (again.replay.record.flags & SV_RECORD_HASH) != 0;
        if (step == SV_REPLAY_RECORD && again.replay.record.entries_size == 0) {
            assert_int_equal(
                sv_recording_differ(again.recording, again.world->engine, bodies, 4), 0);
        }
    }
    assert_int_equal(good, 6);
    assert_int_equal(cn_world_tick(again.world->engine), 6);
    assert_non_null(strstr(again.world->failure, "DIVERGED: tick 6: "));
    assert_int_equal(sv_recording_differ(again.recording, again.world->engine, bodies, 4), 1);
    assert_int_equal(bodies[0], 0);
    assert_int_equal(sv_body_island(again.world->engine, 0, bodies, 4), 1);
    end_again(&again);
    free(file.bytes);
}

/* A mark every 64th tick alone: the first of them after the push. */
static void
test_first_mark(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct again again;
    size_t count;
    recording_make(&file, 192, 64, false, 4.5);
    begin_again(&again, &file);
    assert_false(sv_replay_all(&again.replay));
    assert_int_equal(cn_world_tick(again.world->engine), 64);
    assert_null(sv_recording_bodies(again.recording, &count));
    end_again(&again);
    free(file.bytes);
}

/* Cut anywhere it is refused while its scene is not whole, and else good up to there. */
static void
test_cut(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct sv_fault fault;
    uint64_t records = 0;
    recording_make(&file, 8, 1, true, 4.0);
    size_t first = SV_RECORDING_HEAD_SIZE + 16 + 36;
    first += 16 + cn_get_u32(file.bytes + first + 4);
    for (size_t size = 0; size < file.size; size++) {
        struct sv_recording *recording =
            sv_recording_open(file.bytes, size, "pair.cairn", &fault);
        assert_int_equal(recording != NULL, size >= first);
        if (recording != NULL) {
            const struct sv_recording_facts *facts = sv_recording_facts(recording);
            assert_true(facts->is_cut && facts->good_size <= size);
            assert_true(facts->record_count >= records && facts->record_count <= records + 1);
            records = facts->record_count;
        }
        sv_recording_close(recording);
    }
    assert_int_equal(records, 10);
    free(file.bytes);
}

/* No byte may be another; what stands behind the end is refused, too. */
static void
test_damage(void **state)
{
    (void)state;
    struct recording_bytes file = {0};
    struct sv_fault fault;
    recording_make(&file, 8, 1, true, 4.0);
    for (size_t i = 0; i < file.size; i++) {
        unsigned char was = file.bytes[i];
        file.bytes[i] = (unsigned char)(was ^ (1u << (i % 8)));
        struct sv_recording *recording =
            sv_recording_open(file.bytes, file.size, "pair.cairn", &fault);
        /* A size that reaches beyond the file is the same as a file that has been cut. */
        assert_true(recording == NULL || sv_recording_facts(recording)->is_cut);
        assert_true(recording != NULL || strstr(fault.text, "pair.cairn: byte ") != NULL);
        sv_recording_close(recording);
        file.bytes[i] = was;
    }
    assert_true(recording_put(&file, "", 1));
    assert_null(sv_recording_open(file.bytes, file.size, "pair.cairn", &fault));
    assert_non_null(strstr(fault.text, "something stands behind its end"));
    free(file.bytes);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_first_difference),
        cmocka_unit_test(test_first_mark),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
