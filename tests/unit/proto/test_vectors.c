/*
 * test_vectors.c: proto/vectors/ is what the encoder says, to the byte.
 *
 * Each file is a stream of a made-up world: messages and the state that each leads to.  Decoders in
 * other languages are held to the same files.
 *
 * usage: test_vectors          checks
 *        test_vectors --write  writes them anew
 */
#include "proto/delta.h"
#include "tests/support/server/wire_walk.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_SIZE (1 << 18)

enum baselines { BOTH, FIRST_ONLY, NONE };

struct vector {
    const char *name, *about;
    bool is_spatial;
    int slot_count, message_count;
    uint32_t skip_max; /* the most ticks left out between two messages */
    uint32_t lag_max;  /* how many messages older than needed the baselines may be, at most */
    enum baselines baselines;
    struct walk_chances chances;
    int32_t reach;    /* quanta: bodies come in within it, and go out a tenth farther; 0: all */
    uint32_t withheld; /* chance in 65536 that a body keeps its last encoded state */
};

static const struct vector vectors[] = {
    {"planar", "bodies of a plane that coast and are pushed", false, 6, 8, 0, 0, BOTH,
        {9000, 0, 0, 500, 0, 0}, 0, 0},
    {"spatial", "the same in space", true, 6, 8, 0, 0, BOTH, {9000, 0, 2000, 500, 0, 0}, 0, 0},
    {"escapes-planar", "residuals too wide to be interleaved, up to the ends of 32 bits", false, 5,
        8, 0, 0, BOTH, {9000, 9000, 0, 0, 0, 0}, 0, 0},
    {"escapes-spatial", "the same in space, and turns that leave out another component", true, 5, 8,
        0, 0, BOTH, {9000, 6000, 9000, 0, 0, 0}, 0, 0},
    {"entered-left-planar", "bodies that come and go, and their slots with others in them", false,
        12, 10, 0, 0, BOTH, {6000, 0, 0, 4000, 12000, 12000}, 0, 0},
    {"entered-left-spatial", "the same in space", true, 12, 10, 1, 1, BOTH,
        {6000, 500, 500, 4000, 12000, 12000}, 0, 0},
    {"gaps-planar", "baselines that are uneven and not the newest", false, 6, 12, 9, 2, BOTH,
        {5000, 0, 0, 500, 300, 300}, 0, 0},
    {"gaps-spatial", "the same in space", true, 6, 12, 9, 2, BOTH,
        {5000, 100, 500, 500, 0, 0}, 0, 0},
    {"first-order-planar", "one baseline alone", false, 6, 6, 2, 0, FIRST_ONLY,
        {6000, 0, 0, 0, 0, 0}, 0, 0},
    {"first-order-spatial", "the same in space", true, 6, 6, 2, 0, FIRST_ONLY,
        {6000, 0, 500, 0, 0, 0}, 0, 0},
    {"keyframes-planar", "no baseline", false, 20, 3, 0, 0, NONE,
        {6000, 800, 0, 9000, 9000, 9000}, 0, 0},
    {"keyframes-spatial", "the same in space", true, 20, 3, 0, 0, NONE,
        {6000, 800, 3000, 9000, 9000, 9000}, 0, 0},
    {"nobody", "a world without a body, then with some", false, 3, 6, 0, 0, BOTH,
        {6000, 0, 0, 0, 9000, 30000}, 0, 0},
    {"view-planar", "an area of 800 quanta to each side, which bodies enter and leave at 880",
        false, 30, 12, 3, 0, BOTH, {9000, 0, 0, 0, 500, 500}, 800, 0},
    {"view-spatial", "the same in space", true, 30, 12, 3, 0, BOTH,
        {9000, 0, 500, 500, 500, 500}, 800, 0},
    {"budget-planar", "some bodies stay as they were told last, whatever they do", false, 12, 12, 2,
        0, FIRST_ONLY, {20000, 0, 0, 500, 2000, 2000}, 0, 40000},
    {"budget-spatial", "the same of an area in space", true, 20, 12, 2, 0, FIRST_ONLY,
        {20000, 0, 500, 500, 2000, 2000}, 800, 40000},
};

/* ---- the seen part of the walk ---- */

static void
copy_entry(struct wire_state *to, const struct wire_state *from, int i)
{
    int k = to->count++;
    to->body[k] = from->body[i];
    to->x[k] = from->x[i];
    to->y[k] = from->y[i];
    if (to->is_spatial) {
        to->z[k] = from->z[i];
        to->turn_largest[k] = from->turn_largest[i];
        to->turn_a[k] = from->turn_a[i];
        to->turn_b[k] = from->turn_b[i];
        to->turn_c[k] = from->turn_c[i];
    } else {
        to->angle[k] = from->angle[i];
    }
    to->asleep[k / 8] |= (uint8_t)(wire_state_sleeps(from, i) << k % 8);
    to->asleep_count += wire_state_sleeps(from, i) ? 1 : 0;
}

static int
find_slot(const struct wire_state *state, uint32_t slot)
{
    for (int i = 0; state != NULL && i < state->count; i++) {
        if (state->body[i] == slot) {
            return i;
        }
    }
    return -1;
}

static bool
is_within(const struct wire_state *state, int i, int32_t reach)
{
    return abs(state->x[i]) <= reach && abs(state->y[i]) <= reach &&
        (!state->is_spatial || abs(state->z[i]) <= reach);
}

/*
 * Takes the walk's state.  `before` is the part seen last, or NULL; `is_in` the bodies in the area.
 */
static struct wire_state *
see(const struct vector *vector, struct walk *walk, struct wire_state *state_take,
    const struct wire_state *before, bool is_in[WALK_SLOTS_MAX])
{
    if (vector->reach == 0 && vector->withheld == 0) {
        return state_take;
    }
    struct wire_state *seen = wire_state_create(vector->slot_count, vector->is_spatial);
    assert_non_null(seen);
    wire_state_describe(seen, state_take);
    seen->count = 0;
    for (uint32_t slot = 0; slot < (uint32_t)vector->slot_count; slot++) {
        int now = find_slot(state_take, slot), was = find_slot(before, slot);
        int32_t reach = vector->reach + (is_in[slot] ? vector->reach / 10 : 0);
        is_in[slot] = now >= 0 && (vector->reach == 0 || is_within(state_take, now, reach));
        if (before != NULL && walk_below(walk, 65536) < vector->withheld) {
            if (was >= 0) {
                copy_entry(seen, before, was);
            }
        } else if (is_in[slot]) {
            copy_entry(seen, state_take, now);
        }
    }
    int last = seen->count - 1;
    seen->has_every_body = last < 0 || seen->body[last] == (uint32_t)last;
    seen->view_hash = wire_state_hash(seen);
    wire_state_unref(state_take);
    return seen;
}

/* ---- text ---- */

struct text {
    char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void
say(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int size = vsnprintf(text->at, (size_t)(text->end - text->at), format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && size < text->end - text->at);
    text->at += size;
}

static void
say_column(struct text *text, const char *name, const int32_t *column, int count)
{
    say(text, "      \"%s\": [", name);
    for (int i = 0; i < count; i++) {
        say(text, "%s%" PRId32, i > 0 ? ", " : "", column[i]);
    }
    say(text, "],\n");
}

static void
say_state(struct text *text, const struct wire_state *state)
{
    say(text, "    \"state\": {\n      \"tick\": %" PRIu64, state->tick);
    say(text, ", \"generation\": %" PRIu32, state->generation);
    say(text, ", \"timeUs\": %" PRId64 ",\n", state->time_us);
    say_column(text, "body", (const int32_t *)state->body, state->count);
    say_column(text, "x", state->x, state->count);
    say_column(text, "y", state->y, state->count);
    if (state->is_spatial) {
        say_column(text, "z", state->z, state->count);
        say_column(
            text, "turnLargest", (const int32_t *)state->turn_largest, state->count);
        say_column(text, "turnA", state->turn_a, state->count);
        say_column(text, "turnB", state->turn_b, state->count);
        say_column(text, "turnC", state->turn_c, state->count);
    } else {
        say_column(text, "angle", state->angle, state->count);
    }
    say(text, "      \"asleep\": [");
    const char *comma = "";
    for (int i = 0; i < state->count; i++) {
        if (wire_state_sleeps(state, i)) {
            say(text, "%s%d", comma, i);
            comma = ", ";
        }
    }
    say(text, "],\n      \"viewHash\": %" PRIu32 ", \"stateHash\": \"%016" PRIx64 "\"\n    }",
        state->view_hash, state->state_hash);
}

/* ---- streams ---- */

static void
say_message(struct text *text, const struct wire_encoder *encoder, const struct wire_state *state)
{
    say(text, "  {\n    \"bytes\": \"");
    for (size_t i = 0; i < encoder->size; i++) {
        say(text, "%02x", encoder->bytes[i]);
    }
    say(text, "\",\n");
    say_state(text, state);
    say(text, "\n  }");
}

static void
make(const struct vector *vector, struct text *text)
{
    static struct walk walk;
    static const struct wire_precision precision = {1.0 / 512.0, 1.0 / 1024.0, 1.0 / 256.0};
    walk_begin(&walk, (uint64_t)(vector - vectors) + 1, vector->is_spatial, vector->slot_count);
    walk.chances = vector->chances;
    struct wire_encoder encoder = {0};
    struct wire_decoder decoder = {.is_spatial = vector->is_spatial, .precision = precision};
    struct wire_state *sent[16] = {0}; /* the newest first */
    bool is_in[WALK_SLOTS_MAX] = {false};
    say(text, "{\n\"about\": \"%s\",\n\"dimension\": \"%s\",\n\"messages\": [\n", vector->about,
        vector->is_spatial ? "SPATIAL" : "PLANAR");
    for (int i = 0; i < vector->message_count; i++) {
        for (uint32_t skip = walk_below(&walk, vector->skip_max + 1) + 1; skip > 0; skip--) {
            walk_step(&walk);
        }
        uint32_t lag = walk_below(&walk, vector->lag_max + 1);
        struct wire_state *state =
            see(vector, &walk, walk_state(&walk, &precision), sent[0], is_in);
        state->state_hash = i % 4 == 0 ? UINT64_C(0xfedcba9876543210) + (uint64_t)i : 0;
        assert_true(wire_encode_delta(&encoder, state,
            vector->baselines == NONE ? NULL : sent[lag],
            vector->baselines == BOTH ? sent[lag + 1] : NULL));
        const struct wire_state *back;
        assert_int_equal(
            wire_decode_delta(&decoder, encoder.bytes, encoder.size, &back), WIRE_DELTA_OK);
        assert_true(walk_is_equal(state, back));
        say(text, "%s", i > 0 ? ",\n" : "");
        say_message(text, &encoder, state);
        wire_state_unref(sent[15]);
        memmove(sent + 1, sent, 15 * sizeof(sent[0]));
        sent[0] = state;
    }
    say(text, "\n]\n}\n");
    for (int i = 0; i < 16; i++) {
        wire_state_unref(sent[i]);
    }
    wire_ring_clear(&decoder.ring);
    wire_encoder_finish(&encoder);
}

static bool is_writing;

static void
path_of(const struct vector *vector, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.json", VECTORS_DIR, vector->name);
}

static void
test_vectors(void **unused)
{
    (void)unused;
    static char made[TEXT_SIZE], kept[TEXT_SIZE];
    for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
        char path[512];
        path_of(&vectors[v], path, sizeof(path));
        struct text text = {made, made + sizeof(made)};
        make(&vectors[v], &text);
        size_t size = (size_t)(text.at - made);
        FILE *file = fopen(path, is_writing ? "wb" : "rb");
        assert_non_null(file);
        if (is_writing) {
            assert_int_equal(fwrite(made, 1, size, file), size);
        } else {
            assert_int_equal(fread(kept, 1, sizeof(kept), file), size);
            assert_memory_equal(made, kept, size);
        }
        assert_int_equal(fclose(file), 0);
    }
}

int
main(int argc, char **argv)
{
    is_writing = argc == 2 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
