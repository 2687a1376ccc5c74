/*
 * test_contact_vectors.c: proto/vectors/contacts/ is what the encoder of ContactDeltas says, to the
 * byte.
 *
 * Each file is a stream of made-up contacts: messages, and the entries that each leads to, as
 * [a, b, rank, anchor, point, normal, gap, force, forceScale, torque, torqueScale, impulse] with
 * three numbers for each vector.  Decoders in other languages are held to the same files.
 *
 * usage: test_contact_vectors          checks
 *        test_contact_vectors --write  writes them anew
 */
#include "proto/contact_delta.h"
#include "tests/support/server/contact_walk.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_SIZE (1 << 17)
#define POSITION_SCALE (1.0 / 512.0)

struct vector {
    const char *name, *about;
    bool is_spatial;
    int limit, message_count;
    uint32_t lag_max; /* how many messages older than needed the baseline may be, at most */
    struct contact_chances chances;
};

static const struct vector vectors[] = {
    {"planar", "contacts of a plane that begin, change and end", false, 8, 8, 0,
        {40000, 0, 9000, 6000}},
    {"spatial", "the same in space", true, 8, 8, 0, {40000, 0, 9000, 6000}},
    {"escapes", "numbers that are too wide for a code, up to the ends of 32 bits", true, 6, 8, 0,
        {50000, 12000, 9000, 3000}},
    {"gaps", "baselines that are not the newest", true, 8, 12, 5, {30000, 500, 9000, 6000}},
    {"keyframes", "no baseline", true, 16, 3, UINT32_MAX, {60000, 500, 30000, 9000}},
};

struct text {
    char *at, *end;
};

__attribute__((format(printf, 2, 3))) static void
say(struct text *text, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int size = vsnprintf(text->at, (size_t)(text->end - text->at), format, list);
    va_end(list);
    assert_true(size >= 0 && size < text->end - text->at);
    text->at += size;
}

static void
say_entry(struct text *text, const struct wire_contact *entry)
{
    const int32_t *p = entry->point, *n = entry->normal, *f = entry->force, *t = entry->torque;
    say(text,
        "[%" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %d, %d, %d, %d, %d, %d, %d, "
        "%d, %d, %d, %d, %d, %d, %d, %d, %d]",
        entry->a, entry->b, entry->rank, entry->anchor, p[0], p[1], p[2], n[0], n[1], n[2],
        entry->gap, f[0], f[1], f[2], entry->force_scale, t[0], t[1], t[2], entry->torque_scale,
        entry->impulse);
}

static void
say_message(struct text *text, const struct wire_contact_encoder *encoder,
    const struct wire_contacts *contacts)
{
    const struct wire_contact_report *report = &contacts->report;
    say(text, "  {\n    \"bytes\": \"");
    for (size_t i = 0; i < encoder->size; i++) {
        say(text, "%02x", encoder->bytes[i]);
    }
    say(text, "\",\n    \"tick\": %" PRIu64 ", \"number\": %" PRIu32 ", \"hash\": %" PRIu32 ",\n",
        contacts->tick, contacts->number, contacts->hash);
    say(text,
        "    \"report\": {\"residual\": %d, \"outcome\": %" PRIu32 ", \"solver\": \"%s\", "
        "\"iterations\": %" PRIu32 ", \"rows\": %" PRIu32 "},\n    \"entries\": [",
        report->is_judged ? report->residual + 1 : 0, report->outcome, report->solver,
        report->iteration_count, report->row_count);
    for (int i = 0; i < contacts->count; i++) {
        say(text, "%s      ", i > 0 ? ",\n" : "\n");
        say_entry(text, &contacts->contacts[i]);
    }
    say(text, "]\n  }");
}

static void
make(const struct vector *vector, struct text *text)
{
    static struct contact_walk walk;
    contact_walk_begin(
        &walk, (uint64_t)(vector - vectors) + 1, vector->is_spatial, vector->limit);
    walk.chances = vector->chances;
    struct wire_contact_encoder encoder = {0};
    struct wire_contact_decoder decoder = {
        .is_spatial = vector->is_spatial, .position_scale = POSITION_SCALE};
    say(text, "{\n\"about\": \"%s\",\n\"dimension\": \"%s\",\n\"messages\": [\n", vector->about,
        vector->is_spatial ? "SPATIAL" : "PLANAR");
    for (int i = 0; i < vector->message_count; i++) {
        contact_walk_step(&walk);
        struct wire_contacts *now = contact_walk_take(&walk, POSITION_SCALE);
        bool has_base = vector->lag_max != UINT32_MAX;
        uint32_t lag = has_base ? contact_walk_below(&walk, vector->lag_max + 1) : 0;
        assert_true(
            wire_encode_contact_delta(&encoder, now, has_base ? decoder.kept[lag] : NULL));
        const struct wire_contacts *back;
        assert_int_equal(wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
            WIRE_DELTA_OK);
        assert_true(wire_contacts_are_equal(now, back));
        say(text, "%s", i > 0 ? ",\n" : "");
        say_message(text, &encoder, now);
        wire_contacts_unref(now);
    }
    say(text, "\n]\n}\n");
    wire_contact_decoder_clear(&decoder);
    wire_contact_encoder_finish(&encoder);
}

static bool is_writing;

static void
test_vectors(void **unused)
{
    (void)unused;
    static char made[TEXT_SIZE], kept[TEXT_SIZE];
    for (size_t v = 0; v < sizeof(vectors) / sizeof(vectors[0]); v++) {
        char path[512];
        snprintf(path, sizeof(path), "%s/contacts/%s.json", VECTORS_DIR, vectors[v].name);
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

/* Made-up contacts there and back, with numbers of every size. */
static void
test_there_and_back(void **unused)
{
    (void)unused;
    static struct contact_walk walk;
    for (uint64_t seed = 0; seed < 200; seed++) {
        contact_walk_begin(&walk, seed, seed % 2 == 0, (int)(seed % CONTACT_WALK_MAX));
        walk.chances = (struct contact_chances){(uint32_t)seed * 300,
            seed % 3 == 0 ? (uint32_t)seed * 300 : 0, 9000, (uint32_t)seed * 100};
        struct wire_contact_encoder encoder = {0};
        struct wire_contact_decoder decoder = {
            .is_spatial = walk.is_spatial, .position_scale = POSITION_SCALE};
        for (int i = 0; i < 30; i++) {
            contact_walk_step(&walk);
            struct wire_contacts *now = contact_walk_take(&walk, POSITION_SCALE);
            const struct wire_contacts *back;
            assert_true(wire_encode_contact_delta(
                &encoder, now, decoder.kept[contact_walk_below(&walk, 4)]));
            assert_int_equal(
                wire_decode_contact_delta(&decoder, encoder.bytes, encoder.size, &back),
                WIRE_DELTA_OK);
            assert_true(wire_contacts_are_equal(now, back));
            wire_contacts_unref(now);
        }
        wire_contact_decoder_clear(&decoder);
        wire_contact_encoder_finish(&encoder);
    }
}

int
main(int argc, char **argv)
{
    is_writing = argc == 2 && strcmp(argv[1], "--write") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
