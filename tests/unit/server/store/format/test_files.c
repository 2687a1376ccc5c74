/*
 * Checkpoints and watermarks as files on a simulated disk: a read gives the whole file, the one
 * before or an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka wants the four above first. */
#include <cmocka.h>

#include "server/store/format/checkpoint.h"
#include "server/store/format/watermark.h"
#include "tests/support/live_blocks.h"

#include <stdlib.h>
#include <string.h>

#define FOLDER "data"

static struct sv_checkpoint *
make(uint64_t number, size_t size)
{
    const struct sv_trail trail = {
        .world = 3, .epoch = 2, .number = number, .chain = 0xabcdef01, .physics = 4};
    struct sv_checkpoint *checkpoint = sv_checkpoint_create(trail, 600, 0x55);
    unsigned char *image = malloc(size + 1), *state = malloc(5);
    assert_non_null(checkpoint);
    assert_non_null(image);
    assert_non_null(state);
    for (size_t i = 0; i < size; i++) {
        image[i] = (unsigned char)(i * 31 + number);
    }
    memcpy(state, "state", 5);
    sv_checkpoint_add(checkpoint, 1, image, size);
    sv_checkpoint_add(checkpoint, 2, state, 5);
    return checkpoint;
}

static void
assert_is(const struct sv_checkpoint *checkpoint, uint64_t number, size_t size)
{
    size_t found;
    assert_int_equal(checkpoint->trail.world, 3);
    assert_int_equal(checkpoint->trail.epoch, 2);
    assert_int_equal(checkpoint->trail.number, number);
    assert_int_equal(checkpoint->trail.chain, 0xabcdef01);
    assert_int_equal(checkpoint->trail.physics, 4);
    assert_int_equal(checkpoint->tick, 600);
    assert_int_equal(checkpoint->state_hash, 0x55);
    const unsigned char *image = sv_checkpoint_find(checkpoint, 1, &found);
    assert_int_equal(found, size);
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(image[i], (unsigned char)(i * 31 + number));
    }
    assert_memory_equal(sv_checkpoint_find(checkpoint, 2, &found), "state", 5);
    assert_null(sv_checkpoint_find(checkpoint, 3, &found));
}

/* An image of one block, of many blocks, at a block's edge, and an empty one. */
static void
test_written_and_read(void **state)
{
    static const size_t sizes[] = {0, 1, 1000, 65531, 65536, 65537, 400000};
    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct sv_disk_sim sim = {0};
        struct sv_disk disk = sv_disk_simulated(&sim);
        struct sv_fault fault;
        struct sv_checkpoint *made = make(9, sizes[i]), *read;
        uint64_t size;
        size_t stored;
        assert_true(sv_checkpoint_write(&disk, FOLDER, made, &size, &fault));
        sv_checkpoint_destroy(made);
        assert_non_null(sv_disk_sim_bytes(&sim, FOLDER "/world-3-9.ckpt", &stored));
        assert_int_equal(stored, size);
        /*
         * the head of 64, two sections of 16, four per block, four for the head's check, the data
         */
        size_t body = sizes[i] + 5;
        assert_int_equal(size, 64 + 32 + (body + 65535) / 65536 * 4 + 4 + body);
        sv_disk_sim_crash(&sim, i); /* the file is durable */
        assert_true(sv_checkpoint_read(&disk, FOLDER "/world-3-9.ckpt", &read, &fault));
        assert_is(read, 9, sizes[i]);
        sv_checkpoint_destroy(read);
        sv_disk_sim_finish(&sim);
    }
}

static void
test_every_flipped_bit_is_found(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    struct sv_checkpoint *made = make(9, 700), *read;
    uint64_t size;
    size_t stored;
    (void)state;
    assert_true(sv_checkpoint_write(&disk, FOLDER, made, &size, &fault));
    sv_checkpoint_destroy(made);
    unsigned char *bytes = sv_disk_sim_bytes(&sim, FOLDER "/world-3-9.ckpt", &stored);
    for (size_t bit = 0; bit < 8 * stored; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
        assert_false(sv_checkpoint_read(&disk, FOLDER "/world-3-9.ckpt", &read, &fault));
        assert_true(fault.kind == SV_FAULT_CRC || fault.kind == SV_FAULT_SCHEMA);
        assert_non_null(strstr(fault.text, "world-3-9.ckpt"));
        bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
    }
    for (size_t less = 0; less < stored; less++) {
        assert_false(sv_checkpoint_decode(bytes, less, "cut", &read, &fault));
    }
    sv_disk_sim_finish(&sim);
}

/*
 * A disk call fails, and the power is cut there. The older file stays; the newer one is whole or
 * missing.
 */
static void
test_each_call_fails(void **state)
{
    (void)state;
    for (uint64_t call = 1, count = 1;;
        count = count == 1 ? UINT64_MAX : 1, call += count == 1 ? 1 : 0) {
        struct sv_disk_sim sim = {0};
        struct sv_disk disk = sv_disk_simulated(&sim);
        struct sv_fault fault;
        struct sv_checkpoint *older = make(8, 2000), *newer = make(9, 3000), *read;
        uint64_t size;
        assert_true(sv_checkpoint_write(&disk, FOLDER, older, &size, &fault));
        sv_checkpoint_destroy(older);
        uint64_t before = sim.call_count;
        sim.fail_first = before + call;
        sim.fail_count = count; /* this call only, or this one and all later ones */
        sim.fail_result = SV_DISK_FULL;
        bool is_written = sv_checkpoint_write(&disk, FOLDER, newer, &size, &fault);
        sv_checkpoint_destroy(newer);
        bool has_failed = sim.call_count >= sim.fail_first;
        assert_true(is_written == !has_failed);
        if (has_failed && sim.fail_count == 1) { /* the unfinished file is removed */
            size_t half;
            assert_null(sv_disk_sim_bytes(&sim, FOLDER "/world-3-9.ckpt.tmp", &half));
        }
        assert_true(is_written || fault.kind == SV_FAULT_FULL);
        sim.fail_first = 0;
        sv_disk_sim_crash(&sim, call);
        assert_true(sv_checkpoint_read(&disk, FOLDER "/world-3-8.ckpt", &read, &fault));
        assert_is(read, 8, 2000);
        sv_checkpoint_destroy(read);
        if (sv_checkpoint_read(&disk, FOLDER "/world-3-9.ckpt", &read, &fault)) {
            assert_is(read, 9, 3000);
            sv_checkpoint_destroy(read);
        } else {
            assert_false(is_written);
            assert_int_equal(fault.kind, SV_FAULT_MISSING); /* never half a file in its place */
        }
        sv_disk_sim_finish(&sim);
        if (!has_failed) {
            assert_int_equal(call, 8); /* open, head, two sections, flush, rename, folder */
            break;
        }
    }
}

static void
test_watermark(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    struct sv_watermark mark, read;
    (void)state;
    assert_true(sv_watermark_read(&disk, FOLDER, &mark, &fault));
    assert_int_equal(mark.sequence, 0);
    for (uint64_t i = 1; i <= 9; i++) {
        mark = (struct sv_watermark){
            .sequence = mark.sequence, .commit = 100 * i, .epoch = 2, .chain = 7};
        mark.is_closed = i == 9;
        assert_true(sv_watermark_write(&disk, FOLDER, &mark, &fault));
        sv_disk_sim_crash(&sim, i);
        assert_true(sv_watermark_read(&disk, FOLDER, &read, &fault));
        assert_int_equal(read.commit, 100 * i);
        assert_int_equal(read.sequence, i);
        assert_int_equal(read.epoch, 2);
        assert_int_equal(read.chain, 7);
        assert_int_equal(read.is_closed, i == 9);
    }

    /* A write that fails leaves the mark of the other slot readable. */
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint64_t before = mark.commit;
        sim.fail_first = sim.call_count + 3; /* open, write; the flush fails */
        sim.fail_count = 1;
        sim.fail_result = SV_DISK_FAILED;
        struct sv_watermark next = mark;
        next.commit += 1;
        assert_false(sv_watermark_write(&disk, FOLDER, &next, &fault));
        assert_int_equal(fault.kind, SV_FAULT_IO);
        sv_disk_sim_crash(&sim, seed);
        assert_true(sv_watermark_read(&disk, FOLDER, &mark, &fault));
        assert_true(mark.commit == before || mark.commit == before + 1);
    }

    /* A read skips one damaged slot. With two damaged slots it fails and names the file. */
    size_t size;
    unsigned char *bytes = sv_disk_sim_bytes(&sim, FOLDER "/watermark", &size);
    assert_int_equal(size, SV_WATERMARK_SIZE);
    size_t newer = (mark.sequence % 2) * SV_WATERMARK_SLOT_SIZE;
    for (size_t at = 0; at < SV_WATERMARK_SLOT_SIZE; at++) {
        bytes[newer + at] ^= 16;
        assert_true(sv_watermark_read(&disk, FOLDER, &read, &fault));
        assert_int_equal(read.sequence, mark.sequence - 1);
        bytes[newer + at] ^= 16;
    }
    bytes[20] ^= 1;
    bytes[SV_WATERMARK_SLOT_SIZE + 20] ^= 1;
    assert_false(sv_watermark_read(&disk, FOLDER, &read, &fault));
    assert_int_equal(fault.kind, SV_FAULT_CRC);
    assert_non_null(strstr(fault.text, "watermark"));
    sv_disk_sim_finish(&sim);
}

/* The very first write may fail, too; then the folder may hold no mark. */
static void
test_first_mark_is_cut(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct sv_disk_sim sim = {.fail_first = 3, .fail_count = 1, .fail_result = SV_DISK_FAILED};
        struct sv_disk disk = sv_disk_simulated(&sim);
        struct sv_fault fault;
        struct sv_watermark mark = {.commit = 5, .epoch = 1};
        assert_false(sv_watermark_write(&disk, FOLDER, &mark, &fault));
        sv_disk_sim_crash(&sim, seed);
        assert_true(sv_watermark_read(&disk, FOLDER, &mark, &fault));
        assert_true(mark.sequence == 0 || mark.commit == 5);
        sv_disk_sim_finish(&sim);
    }
}

/* A file is accepted only if its trail is the one that the journal states. */
static void
test_of_another_trail(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    uint64_t size;
    (void)state;
    long blocks = live_blocks();
    struct sv_checkpoint *made = make(8, 1000), *found = NULL;
    assert_true(sv_checkpoint_write(&disk, FOLDER, made, &size, &fault));
    struct sv_trail trail = made->trail;
    sv_checkpoint_destroy(made);
    assert_true(sv_checkpoint_read_of(&disk, FOLDER, &trail, &found, &fault));
    assert_is(found, 8, 1000);
    sv_checkpoint_destroy(found);
    for (int bit = 0; bit < 32; bit++) { /* the same world and record number, but another chain */
        struct sv_trail other = trail;
        other.chain ^= UINT32_C(1) << bit;
        found = NULL;
        assert_false(sv_checkpoint_read_of(&disk, FOLDER, &other, &found, &fault));
        assert_int_equal(fault.kind, SV_FAULT_CHAIN);
        assert_null(found);
    }
    static const struct {
        uint64_t world, number;
    } others[] = {{3, 9}, {4, 8}, {2, 8}, {3, 7}};
    for (int i = 0; i < 4; i++) { /* the file is renamed to the name of another checkpoint */
        char from[SV_CHECKPOINT_PATH_SIZE], to[SV_CHECKPOINT_PATH_SIZE];
        struct sv_trail other = trail;
        other.world = others[i].world;
        other.number = others[i].number;
        assert_true(sv_checkpoint_path(from, FOLDER, &trail));
        assert_true(sv_checkpoint_path(to, FOLDER, &other));
        assert_int_equal(disk.rename(disk.context, from, to), SV_DISK_OK);
        assert_false(sv_checkpoint_read_of(&disk, FOLDER, &other, &found, &fault));
        assert_int_equal(fault.kind, SV_FAULT_CHAIN);
        assert_false(sv_checkpoint_read_of(&disk, FOLDER, &trail, &found, &fault));
        assert_int_equal(fault.kind, SV_FAULT_MISSING);
        assert_int_equal(disk.rename(disk.context, to, from), SV_DISK_OK);
    }
    sv_disk_sim_finish(&sim);
    assert_int_equal(live_blocks(), blocks); /* a refused file leaves no memory behind, either */
}

/* A checkpoint with each allowed number of sections, some empty, as a file and in memory. */
static void
test_sections(void **state)
{
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    (void)state;
    for (int count = 1; count <= SV_CHECKPOINT_SECTIONS_MAX; count++) {
        const struct sv_trail trail = {.world = 1, .number = (uint64_t)count, .chain = 5};
        struct sv_checkpoint *made = sv_checkpoint_create(trail, 6, 7), *found = NULL;
        char path[SV_CHECKPOINT_PATH_SIZE];
        uint64_t size;
        size_t encoded_size, file_size;
        assert_non_null(made);
        for (int i = 0; i < count; i++) {
            size_t section = (size_t)i % 3 * 40000; /* some sections cross blocks */
            unsigned char *bytes = malloc(section + 1);
            assert_non_null(bytes);
            memset(bytes, 'a' + i, section);
            sv_checkpoint_add(made, (uint32_t)(10 + i), bytes, section);
        }
        assert_true(sv_checkpoint_write(&disk, FOLDER, made, &size, &fault));
        assert_true(sv_checkpoint_path(path, FOLDER, &trail));
        unsigned char *encoded = sv_checkpoint_encode(made, &encoded_size);
        assert_non_null(encoded);
        encoded = realloc(encoded, encoded_size + 1); /* one surplus byte at the end */
        assert_non_null(encoded);
        encoded[encoded_size] = 0;
        assert_false(sv_checkpoint_decode(encoded, encoded_size + 1, "it", &found, &fault));
        const unsigned char *file = sv_disk_sim_bytes(&sim, path, &file_size);
        assert_int_equal(size, file_size);
        assert_int_equal(encoded_size, file_size);
        assert_memory_equal(encoded, file, file_size);
        for (size_t less = 1; less < 100 && less < file_size; less++) {
            assert_false(
                sv_checkpoint_decode(encoded, file_size - less, "it", &found, &fault));
        }
        assert_true(sv_checkpoint_decode(encoded, file_size, "it", &found, &fault));
        assert_int_equal(found->section_count, count);
        for (int i = 0; i < count; i++) {
            size_t section;
            const unsigned char *bytes =
                sv_checkpoint_find(found, (uint32_t)(10 + i), &section);
            assert_int_equal(section, (size_t)i % 3 * 40000);
            for (size_t k = 0; k < section; k++) {
                assert_int_equal(bytes[k], 'a' + i);
            }
        }
        free(encoded);
        sv_checkpoint_destroy(made);
        sv_checkpoint_destroy(found);
    }
    sv_disk_sim_finish(&sim);
}

/* Files whose sizes are close to the size of a read's first request, or twice that. */
static void
test_large_files(void **state)
{
    static const size_t sizes[] = {
        (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (2 << 20) - 1, 2 << 20, (2 << 20) + 1};
    struct sv_disk_sim sim = {0};
    struct sv_disk disk = sv_disk_simulated(&sim);
    struct sv_fault fault;
    (void)state;
    for (int i = 0; i < 6; i++) {
        size_t body = sizes[i] - 1000;
        uint64_t size = 0;
        for (int attempt = 0; attempt < 2; attempt++) { /* the first measures the overhead */
            struct sv_checkpoint *made = make(1, body), *found = NULL;
            assert_true(sv_checkpoint_write(&disk, FOLDER, made, &size, &fault));
            assert_true(sv_checkpoint_read_of(&disk, FOLDER, &made->trail, &found, &fault));
            assert_is(found, 1, body);
            sv_checkpoint_destroy(found);
            sv_checkpoint_destroy(made);
            body = body + sizes[i] - (size_t)size;
        }
        assert_int_equal(size, sizes[i]);
    }
    sv_disk_sim_finish(&sim);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_written_and_read),
        cmocka_unit_test(test_every_flipped_bit_is_found),
        cmocka_unit_test(test_each_call_fails),
        cmocka_unit_test(test_of_another_trail),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_large_files),
        cmocka_unit_test(test_watermark),
        cmocka_unit_test(test_first_mark_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
