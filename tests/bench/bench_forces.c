/*
 * bench_forces.c: bytes of contacts on the wire, beside those of bodies: as ContactFrames, and as
 * ContactDeltas at several rates.
 *
 * A world is stepped for fifteen seconds.  Bodies are encoded as deltas of second order with every
 * tick, and contacts like those of a client that misses no message.  A dragged world has stood for
 * four seconds before; a free one is counted from its first tick.
 *
 * usage: bench_forces [SCENE.yaml ...]
 */
#include "proto/contact_delta.h"
#include "proto/delta.h"
#include "proto/scene.h"
#include "proto/snapshot_codec.h"
#include "tests/bench/cubes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_RATE 60
#define REST_TICKS 240 /* before a body of a resting scene is dragged */
#define TICKS 900
#define FRAME_SIZE_MAX ((size_t)16 << 20)
#define DRAG 60.0 /* m/s^2 */

static const int rates_hz[] = {60, 20, 10};
#define RATE_COUNT (sizeof(rates_hz) / sizeof(rates_hz[0]))

/* One client's stream of contacts. */
struct stream {
    struct wire_contact_encoder encoder;
    struct wire_contacts *base;
    double bytes;
    int count;
};

struct run {
    struct wire_encoder encoder;
    struct wire_state *states[2]; /* the newest first */
    struct wire_contacts *contacts;
    struct stream streams[RATE_COUNT];
    double body_bytes, frame_bytes;
    uint64_t frame_hash;
    int ticks;
    double contact_sum;
};

static void
fail(const char *what)
{
    fprintf(stderr, "bench_forces: %s\n", what);
    exit(3);
}

static void
show_contacts(struct stream *stream, struct wire_contacts *now, bool is_counted)
{
    if (now == stream->base) {
        return;
    }
    if (!wire_encode_contact_delta(&stream->encoder, now, stream->base)) {
        fail("no memory");
    }
    wire_contacts_unref(stream->base);
    stream->base = wire_contacts_ref(now);
    stream->bytes += is_counted ? (double)stream->encoder.size : 0.0;
    stream->count += is_counted ? 1 : 0;
}

/* A frame is sent if it differs from the one before. */
static double
frame_size(struct run *run, const struct cn_world *world)
{
    static uint8_t bytes[FRAME_SIZE_MAX];
    size_t size = wire_encode_contacts(world, bytes, sizeof(bytes));
    if (size > sizeof(bytes)) {
        fail("a frame is too large");
    }
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 10; i < size; i++) { /* without the tick */
        hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    bool is_other = hash != run->frame_hash;
    run->frame_hash = hash;
    return is_other ? (double)size : 0.0;
}

static void
show(struct run *run, const struct cn_world *world, const struct wire_precision *precision,
    int tick, bool is_counted)
{
    struct wire_state *state = wire_state_take(world, 1, precision, run->states[0]);
    struct wire_contacts *contacts = wire_contacts_take(world, 1, 1, precision, run->contacts);
    if (state == NULL || contacts == NULL ||
        !wire_encode_delta(&run->encoder, state, run->states[0], run->states[1])) {
        fail("no memory");
    }
    wire_contacts_unref(run->contacts);
    run->contacts = contacts;
    wire_state_unref(run->states[1]);
    run->states[1] = run->states[0];
    run->states[0] = state;
    for (size_t i = 0; i < RATE_COUNT; i++) {
        if (tick % (TICK_RATE / rates_hz[i]) == 0) {
            show_contacts(&run->streams[i], contacts, is_counted);
        }
    }
    double frame = frame_size(run, world);
    if (is_counted) {
        run->ticks++;
        run->body_bytes += (double)run->encoder.size;
        run->frame_bytes += frame;
        run->contact_sum += contacts->count;
    }
}

static void
print(const struct run *run, const char *name)
{
    double seconds = (double)run->ticks / TICK_RATE, body = run->body_bytes / seconds * 1e-3;
    printf("%-22s %6.0f contacts  bodies %8.2f kB/s  frames %8.1f kB/s  deltas", name,
        run->contact_sum / run->ticks, body, run->frame_bytes / seconds * 1e-3);
    for (size_t i = 0; i < RATE_COUNT; i++) {
        double rate = run->streams[i].bytes / seconds * 1e-3;
        printf("  %d Hz %7.2f kB/s, %.2f", rates_hz[i], rate, rate / body);
    }
    printf("\n");
}

static void
finish(struct run *run)
{
    for (size_t i = 0; i < RATE_COUNT; i++) {
        wire_contact_encoder_finish(&run->streams[i].encoder);
        wire_contacts_unref(run->streams[i].base);
    }
    wire_contacts_unref(run->contacts);
    wire_state_unref(run->states[0]);
    wire_state_unref(run->states[1]);
    wire_encoder_finish(&run->encoder);
}

/* ---- worlds ---- */

/* Pulls a body to and fro, half a second each. */
static void
drag(struct cn_world *world, int body, int tick)
{
    struct cn_body_view view;
    cn_world_body_view(world, body, &view);
    double way = tick / (TICK_RATE / 2) % 2 == 0 ? 1.0 : -1.0;
    struct cn_command command = {.kind = CN_COMMAND_HOLD_FORCE};
    command.hold_force = (struct cn_hold_force){
        .holder = {.source = 1, .until_tick = cn_world_tick(world) + 1},
        .body = body,
        .frame = CN_FRAME_WORLD,
        .force = cn_vec3_make(way * DRAG * view.mass, 0.0, 0.0),
    };
    if (cn_world_command_apply(world, &command, NULL) != CN_OK) {
        fail("a force was refused");
    }
}

static void
step(struct cn_world *world)
{
    while (cn_world_step(world, INT32_MAX) == CN_STEP_MORE) {
    }
}

/* The last body that moves: the highest one of most scenes. */
static int
last_body(const struct cn_world *world)
{
    int last = -1;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        last = view.type == CN_DYNAMIC ? i : last;
    }
    return last;
}

static void
run_dragged(struct cn_world *world, const struct wire_precision *precision, const char *name)
{
    struct run run = {0};
    int body = last_body(world);
    if (body < 0) {
        fail("no body moves");
    }
    for (int t = 0; t < REST_TICKS + TICKS; t++) {
        if (t >= REST_TICKS) {
            drag(world, body, t - REST_TICKS);
        }
        step(world);
        show(&run, world, precision, t, t >= REST_TICKS);
    }
    print(&run, name);
    finish(&run);
}

/* From the first tick on, without a hand. */
static void
run_free(struct cn_world *world, const struct wire_precision *precision, const char *name)
{
    struct run run = {0};
    for (int t = 0; t < TICKS; t++) {
        step(world);
        show(&run, world, precision, t, true);
    }
    print(&run, name);
    finish(&run);
}

static void
run_cubes(const struct wire_precision *precision, bool is_pushed)
{
    static struct cubes cubes;
    if (!cubes_init(&cubes)) {
        exit(3);
    }
    if (is_pushed) {
        struct run run = {0};
        for (int t = 0; t < TICKS; t++) {
            cubes_step(&cubes);
            show(&run, cubes.world, precision, t, t >= TICK_RATE);
        }
        print(&run, "cubes, field");
        finish(&run);
    } else {
        run_dragged(cubes.world, precision, "cubes, dragged");
    }
    cubes_finish(&cubes);
}

static void
run_file(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(text, 1, sizeof(text), file) : 0;
    if (file == NULL || size == 0 || size == sizeof(text)) {
        fail(path);
    }
    fclose(file);
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    for (int is_free = 0; is_free < 2; is_free++) {
        struct wire_text_error error;
        struct cn_world *world = NULL;
        struct wire_scene *scene = wire_scene_parse(text, size, &error);
        if (scene == NULL || cn_world_create(wire_scene_world_def(scene), &error.defect, &world) !=
                CN_OK) {
            fail(error.defect.text);
        }
        struct wire_precision precision = wire_scene_precision(scene);
        char name[64];
        snprintf(name, sizeof(name), "%.*s, %s", (int)strcspn(base, "."), base,
            is_free ? "free" : "dragged");
        (is_free ? run_free : run_dragged)(world, &precision, name);
        cn_world_destroy(world);
        wire_scene_destroy(scene);
    }
}

int
main(int argument_count, char **arguments)
{
    const struct wire_precision precision = {1.0 / 512.0, 1.0 / 65536.0, sqrt(2.0) / 512.0};
    run_cubes(&precision, false);
    run_cubes(&precision, true);
    for (int i = 1; i < argument_count; i++) {
        run_file(arguments[i]);
    }
    return 0;
}
