/*
 * bench_wire.c: bytes and processor time for sending 901 cubes.
 *
 * The trajectory was recorded once (cubes.h).  It is stored beside this file as deltas of a finer
 * precision, each message after its size in four bytes.  Here it is quantised to 1/512 m and nine
 * bits, and encoded at 60 Hz and lower rates.  Times are medians of processor time for a tick;
 * `quantise` is measured in the live world.
 *
 * usage: bench_wire INPUT                   the table
 *        bench_wire INPUT --stream FILE     also writes the deltas, for other decoders
 *        bench_wire INPUT --record          makes INPUT again, from the engine
 */
#define _POSIX_C_SOURCE 200809L
#include "proto/delta.h"
#include "proto/delta_predict.h"
#include "proto/pack.h"
#include "proto/quant.h"
#include "proto/snapshot_codec.h"
#include "tests/bench/cubes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TICKS 660
#define TICKS_SKIPPED 60
#define FIELDS 17
#define MESSAGE_SIZE_MAX (1 << 16)

static struct wire_precision
fine(void)
{
    return (struct wire_precision){1.0 / 4096.0, 1.0 / 65536.0, 1.0 / 4096.0};
}

static struct wire_precision
coarse(void)
{
    return (struct wire_precision){1.0 / 512.0, 1.0 / 65536.0, sqrt(2.0) / 512.0};
}

static double
now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* ---- times ---- */

struct times {
    double us[TICKS];
    int count;
};

static int
compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double
median(struct times *times)
{
    qsort(times->us, (size_t)times->count, sizeof(times->us[0]), compare);
    return times->count > 0 ? times->us[times->count / 2] : 0.0;
}

/* ---- files ---- */

static void
put_message(FILE *file, const struct wire_encoder *encoder)
{
    uint8_t size[4];
    wire_put_fixed32(size, (uint32_t)encoder->size);
    if (fwrite(size, 1, 4, file) != 4 ||
        fwrite(encoder->bytes, 1, encoder->size, file) != encoder->size) {
        fprintf(stderr, "bench_wire: can not write\n");
        exit(3);
    }
}

static size_t
get_message(FILE *file, uint8_t *bytes)
{
    uint8_t head[4];
    if (fread(head, 1, 4, file) != 4) {
        return 0;
    }
    struct wire_reader reader = {.at = head, .end = head + 4};
    size_t size = (size_t)wire_get_fixed(&reader, 4);
    return size <= MESSAGE_SIZE_MAX && fread(bytes, 1, size, file) == size ? size : 0;
}

static FILE *
open_file(const char *path, const char *mode)
{
    FILE *file = fopen(path, mode);
    if (file == NULL) {
        fprintf(stderr, "bench_wire: can not open %s\n", path);
        exit(3);
    }
    return file;
}

static int
record(const char *path)
{
    FILE *file = open_file(path, "wb");
    struct cubes cubes;
    bool is_made = cubes_init(&cubes);
    struct wire_state *state[3] = {0};
    struct wire_encoder encoder = {0};
    struct wire_precision precision = fine();
    for (int tick = 0; is_made && tick < TICKS; tick++) {
        cubes_step(&cubes);
        wire_state_unref(state[2]);
        state[2] = state[1];
        state[1] = state[0];
        state[0] = wire_state_take(cubes.world, 1, &precision, state[1]);
        if (state[0] == NULL || !wire_encode_delta(&encoder, state[0], state[1], state[2])) {
            return 3;
        }
        put_message(file, &encoder);
    }
    for (int i = 0; i < 3; i++) {
        wire_state_unref(state[i]);
    }
    wire_encoder_finish(&encoder);
    cubes_finish(&cubes);
    return fclose(file) == 0 && is_made ? 0 : 3;
}

/* ---- the recorded states, coarser ---- */

static struct wire_state *states[TICKS];

/* A finely quantised rotation as a quaternion. */
static cn_quat
turn_of(const struct wire_state *state, int entry)
{
    const int32_t rest[3] = {state->turn_a[entry], state->turn_b[entry], state->turn_c[entry]};
    double component[4], sum = 0.0;
    for (uint32_t i = 0, k = 0; i < 4; i++) {
        bool is_left_out = i == state->turn_largest[entry];
        component[i] = is_left_out ? 0.0 : rest[k++] * state->precision.turn;
        sum += component[i] * component[i];
    }
    component[state->turn_largest[entry]] = sqrt(fmax(0.0, 1.0 - sum));
    return (cn_quat){component[0], component[1], component[2], component[3]};
}

static struct wire_state *
coarsen(const struct wire_state *from, const struct wire_state *before)
{
    struct wire_state *state = wire_state_create(from->count, true);
    struct wire_precision to = coarse();
    state->tick = from->tick;
    state->generation = 1;
    state->time_us = from->time_us;
    state->precision = to;
    memcpy(state->asleep, from->asleep, ((size_t)from->count + 7) / 8);
    state->asleep_count = from->asleep_count;
    for (int i = 0; i < from->count; i++) {
        state->body[i] = from->body[i];
        state->x[i] = wire_quantise(from->x[i] * from->precision.position, to.position);
        state->y[i] = wire_quantise(from->y[i] * from->precision.position, to.position);
        state->z[i] = wire_quantise(from->z[i] * from->precision.position, to.position);
        struct wire_turn turn = wire_turn_quantise_after(turn_of(from, i), 1.0 / to.turn,
            before != NULL ? before->turn_largest[i] : WIRE_TURN_NONE);
        state->turn_largest[i] = turn.largest;
        state->turn_a[i] = turn.rest[0];
        state->turn_b[i] = turn.rest[1];
        state->turn_c[i] = turn.rest[2];
    }
    state->view_hash = wire_state_hash(state);
    return state;
}

static void
load(const char *path)
{
    static uint8_t bytes[MESSAGE_SIZE_MAX];
    FILE *file = open_file(path, "rb");
    struct wire_decoder decoder = {.is_spatial = true, .precision = fine()};
    for (int i = 0; i < TICKS; i++) {
        const struct wire_state *state;
        size_t size = get_message(file, bytes);
        if (wire_decode_delta(&decoder, bytes, size, &state) != WIRE_DELTA_OK ||
            state->count != CUBES_COUNT) {
            fprintf(stderr, "bench_wire: message %d of %s is no delta of the cubes\n", i, path);
            exit(3);
        }
        states[i] = coarsen(state, i > 0 ? states[i - 1] : NULL);
    }
    fclose(file);
    wire_ring_clear(&decoder.ring);
}

static bool
is_at(const struct wire_state *a, const struct wire_state *b, int i)
{
    return a->x[i] == b->x[i] && a->y[i] == b->y[i] && a->z[i] == b->z[i] &&
           a->turn_largest[i] == b->turn_largest[i] && a->turn_a[i] == b->turn_a[i] &&
           a->turn_b[i] == b->turn_b[i] && a->turn_c[i] == b->turn_c[i];
}

static int
changed_count(const struct wire_state *now, const struct wire_state *before)
{
    int count = 0;
    for (int i = 0; i < now->count; i++) {
        count += !is_at(now, before, i);
    }
    return count;
}

/* ---- encoding ---- */

struct run {
    struct wire_encoder encoder;
    struct wire_decoder decoder;
    struct times encode, decode;
    double bytes, changed, of_field[FIELDS];
    int count, mismatches;
    size_t largest;
};

static void
count_fields(struct run *run)
{
    struct wire_reader reader = {
        .at = run->encoder.bytes, .end = run->encoder.bytes + run->encoder.size};
    wire_get_varint(&reader);
    wire_get_varint(&reader);
    run->of_field[0] += (double)(reader.at - run->encoder.bytes);
    while (!wire_reader_is_done(&reader)) {
        const uint8_t *begin = reader.at;
        uint32_t tag = wire_get_uint32(&reader);
        wire_skip(&reader, tag & 7);
        run->of_field[tag >> 3] += (double)(reader.at - begin);
    }
}

static void
send(struct run *run, int tick, int first, int second)
{
    struct wire_state *now = states[tick];
    double begin = now_us();
    if (!wire_encode_delta(&run->encoder, now, first < 0 ? NULL : states[first],
            second < 0 ? NULL : states[second])) {
        exit(3);
    }
    double encoded = now_us();
    const struct wire_state *back;
    enum wire_delta_result result =
        wire_decode_delta(&run->decoder, run->encoder.bytes, run->encoder.size, &back);
    double decoded = now_us();
    int wrong = result == WIRE_DELTA_OK ? changed_count(back, now) : now->count;
    if (tick < TICKS_SKIPPED) {
        run->mismatches += wrong;
        return;
    }
    run->encode.us[run->encode.count++] = encoded - begin;
    run->decode.us[run->decode.count++] = decoded - encoded;
    run->mismatches += wrong;
    run->bytes += (double)run->encoder.size;
    run->largest = run->largest > run->encoder.size ? run->largest : run->encoder.size;
    run->changed += first < 0 ? now->count : changed_count(now, states[first]);
    run->count++;
    count_fields(run);
}

enum order { KEYFRAMES, FIRST_ORDER, SECOND_ORDER };

static void
run_stream(const char *name, int every, enum order order, FILE *file, bool is_told)
{
    static struct run run;
    run = (struct run){.decoder = {.is_spatial = true, .precision = coarse()}};
    for (int tick = 0; tick < TICKS; tick += every) {
        bool has_first = order != KEYFRAMES && tick >= every;
        bool has_second = order == SECOND_ORDER && tick >= 2 * every;
        send(&run, tick, has_first ? tick - every : -1, has_second ? tick - 2 * every : -1);
        if (file != NULL) {
            put_message(file, &run.encoder);
        }
    }
    printf("%-24s %8.1f %7.1f %9.2f %9zu %10.1f %7.1f %7.1f %6d\n", name, run.changed / run.count,
        run.bytes / run.count, run.bytes / run.changed, run.largest,
        run.bytes / run.count * 8.0 * 60.0 / every / 1000.0, median(&run.encode),
        median(&run.decode), run.mismatches);
    static const char *const field[FIELDS] = {"wrapper", "tick", "generation", "first", "second",
        "time_us", "left", "entered", "changed", "position", "turn", "place", "facing", "escape",
        "sleep", "view_hash", "state_hash"};
    for (int i = 0; is_told && i < FIELDS; i++) {
        if (run.of_field[i] > 0.0) {
            printf("    %-12s %6.1f B\n", field[i], run.of_field[i] / run.count);
        }
    }
    wire_ring_clear(&run.decoder.ring);
    wire_encoder_finish(&run.encoder);
}

/* ---- the live world ---- */

static void
run_live(void)
{
    static struct times take, hash, view, snapshot;
    static uint8_t bytes[MESSAGE_SIZE_MAX];
    struct cubes cubes;
    bool is_made = cubes_init(&cubes);
    struct wire_state *before = NULL;
    struct wire_precision precision = coarse();
    double quantised = 0.0;
    for (int tick = 0; is_made && tick < 240; tick++) {
        cubes_step(&cubes);
        double begin = now_us();
        struct wire_state *state = wire_state_take(cubes.world, 1, &precision, before);
        take.us[take.count++] = now_us() - begin;
        begin = now_us();
        state->state_hash = cn_world_hash(cubes.world);
        hash.us[hash.count++] = now_us() - begin;
        begin = now_us();
        uint32_t view_hash = wire_state_hash(state);
        view.us[view.count++] = now_us() - begin;
        begin = now_us();
        quantised += (double)wire_encode_snapshot(state, bytes, sizeof(bytes));
        snapshot.us[snapshot.count++] = now_us() - begin;
        if (view_hash != state->view_hash) {
            exit(3);
        }
        wire_state_unref(before);
        before = state;
    }
    printf("\nquantise %.1f us (of it the view's hash %.1f us); hash of the exact state %.1f us\n",
        median(&take), median(&view), median(&hash));
    printf("mode QUANTISED: %.0f B a snapshot, %.1f us\n", quantised / snapshot.count,
        median(&snapshot));
    wire_state_unref(before);
    cubes_finish(&cubes);
}

int
main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: bench_wire INPUT [--stream FILE | --record]\n");
        return 2;
    }
    if (argc == 3 && strcmp(argv[2], "--record") == 0) {
        return record(argv[1]);
    }
    load(argv[1]);
    FILE *file = argc == 4 && strcmp(argv[2], "--stream") == 0 ? open_file(argv[3], "wb") : NULL;
    printf("%-24s %8s %7s %9s %9s %10s %7s %7s %6s\n", "stream", "changed", "B", "B/changed",
        "B at most", "kbit/s", "encode", "decode", "wrong");
    run_stream("60 Hz", 1, SECOND_ORDER, file, true);
    run_stream("60 Hz, first order", 1, FIRST_ORDER, NULL, false);
    run_stream("30 Hz", 2, SECOND_ORDER, NULL, false);
    run_stream("20 Hz", 3, SECOND_ORDER, NULL, false);
    run_stream("10 Hz", 6, SECOND_ORDER, NULL, false);
    run_stream("keyframes", 60, KEYFRAMES, NULL, true);
    run_live();
    for (int i = 0; i < TICKS; i++) {
        wire_state_unref(states[i]);
    }
    return file != NULL && fclose(file) != 0 ? 3 : 0;
}
