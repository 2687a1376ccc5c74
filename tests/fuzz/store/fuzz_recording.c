/*
 * fuzz_recording.c: recordings from any bytes and by construction, which are also replayed.
 *
 * Any bytes: a recording that opens can be read to its end, with every scene that it names.
 *
 * By construction: a recording has a valid scene, and records with the input's bytes as entries or
 * with commands made from them.  It opens whole.  With one changed bit it is refused, or cut before
 * that bit.  It is also imported as by a daemon, which ends with a seed or with a reason.
 */
#include "server/past/recordings.h"
#include "tests/support/server/recording_rig.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define RECORDS_MAX 12
#define TICKS_MAX 24

static void
walk(const unsigned char *bytes, size_t size)
{
    struct sv_fault fault;
    struct sv_record record;
    struct sv_recording *recording = sv_recording_open(bytes, size, "fuzz", &fault);
    if (recording == NULL) {
        CN_ASSERT(fault.kind != SV_FAULT_NONE && fault.text[0] != '\0');
        return;
    }
    const struct sv_recording_facts *facts = sv_recording_facts(recording);
    unsigned char *scene;
    size_t scene_size;
    bool has_scene =
        sv_recording_scene(recording, facts->start.content, &scene, &scene_size, &fault);
    CN_ASSERT(has_scene && facts->good_size <= size);
    free(scene);
    for (int round = 0; round < 2; round++) {
        uint64_t count = 0;
        while (sv_recording_next(recording, &record) == SV_RECOVERY_RECORD) {
            size_t prints;
            (void)sv_recording_bodies(recording, &prints);
            count++;
        }
        CN_ASSERT(count == facts->record_count);
        sv_recording_rewind(recording);
    }
    sv_recording_close(recording);
}

/* An entry of the input's bytes: a push, an order, or the bytes themselves. */
static void
add_entry(struct dd_entries *entries, const uint8_t *data, size_t size)
{
    double numbers[4] = {0};
    memcpy(numbers, data, size < sizeof(numbers) ? size : sizeof(numbers));
    struct dd_entry entry = {.kind = DD_ENTRY_COMMAND};
    switch (data[0] % 6) {
    case 0:
        entry.command.kind = CN_COMMAND_SET_VELOCITY;
        entry.command.set_velocity.body = data[0] / 6 % 3;
        entry.command.set_velocity.velocity = (cn_vec3){numbers[0], numbers[1], 0.0};
        break;
    case 1:
        entry.command.kind = CN_COMMAND_HOLD_FORCE;
        entry.command.hold_force = (struct cn_hold_force){.holder = {.source = 1 + data[0] % 5u,
                                                             .slot = 1,
                                                             .until_tick = UINT64_MAX},
            .body = data[0] / 6 % 3,
            .force = {numbers[0], numbers[1], numbers[2]}};
        break;
    case 2:
        entry = (struct dd_entry){.kind = DD_ENTRY_RESET};
        break;
    case 3:
        entry = (struct dd_entry){
            .kind = DD_ENTRY_SETTLED, .settled = {1 + data[0] % 3u, data[size - 1]}};
        break;
    case 4:
        entry = (struct dd_entry){.kind = DD_ENTRY_CHANGE,
            .matter = {.is_done = data[0] / 6 % 2 == 0, .bytes = data, .size = size}};
        break;
    default:
        CN_ASSERT(dd_entries_add_bytes(entries, data, size));
        return;
    }
    CN_ASSERT(dd_entries_add(entries, &entry));
}

static void
construct(struct recording_bytes *out, const uint8_t *data, size_t size)
{
    struct wire_text_error error;
    struct sv_recorder recorder = {.put = recording_put, .context = out};
    struct sv_recording_start start = {.physics = cn_physics_version(), .name = "pair"};
    struct wire_scene *scene = wire_scene_parse(recording_scene, strlen(recording_scene), &error);
    size_t scene_size, used = 1;
    CN_ASSERT(scene != NULL);
    uint8_t *bytes = wire_scene_pack(scene, &scene_size);
    CN_ASSERT(bytes != NULL);
    sv_content_hash(start.content, bytes, scene_size);
    bool is_good = sv_recorder_begin(&recorder, &start) &&
        sv_recorder_scene(&recorder, start.content, bytes, scene_size);
    uint64_t tick = 0;
    for (int i = 0; i < RECORDS_MAX && used + 2 < size && is_good; i++) {
        struct dd_entries entries = {0};
        size_t part = 1 + data[used] % 48u;
        part = part < size - used - 1 ? part : size - used - 1;
        tick += data[used] / 48u;
        add_entry(&entries, data + used + 1, part);
        is_good = sv_recorder_record(
            &recorder, tick < TICKS_MAX ? tick : TICKS_MAX, 0, 0, entries.bytes, entries.size);
        dd_entries_finish(&entries);
        used += 1 + part;
    }
    CN_ASSERT(is_good && sv_recorder_end(&recorder));
    free(bytes);
    wire_scene_destroy(scene);
}

static void
import(const struct recording_bytes *file)
{
    static struct sv_metrics metrics;
    static atomic_bool is_stopping;
    struct wire_error error = {.text = ""};
    const struct sv_import how = {.bytes = (const char *)file->bytes,
        .size = file->size,
        .clock = sv_clock_real(),
        .duration_max_ns = UINT64_C(5000000000),
        .is_stopping = &is_stopping,
        .metrics = &metrics};
    struct sv_seed *seed = sv_recordings_import(&how, &error);
    CN_ASSERT(seed != NULL || error.text[0] != '\0');
    sv_seed_destroy(seed);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recording_bytes file = {0};
    struct sv_fault fault;
    walk(data, size);
    if (size < 4) {
        return 0;
    }
    construct(&file, data, size);
    walk(file.bytes, file.size);
    import(&file);
    size_t at = (data[0] | (size_t)data[1] << 8 | (size_t)data[2] << 16) % file.size;
    file.bytes[at] ^= (unsigned char)(1u << data[3] % 8u);
    struct sv_recording *recording =
        sv_recording_open(file.bytes, file.size, "fuzz", &fault);
    CN_ASSERT(recording == NULL ||
        (sv_recording_facts(recording)->is_cut &&
            sv_recording_facts(recording)->good_size <= at + SV_RECORDING_FRAME_SIZE));
    sv_recording_close(recording);
    free(file.bytes);
    return 0;
}
