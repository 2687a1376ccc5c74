/*
 * reference.c: what the native engine does with a scene, as files for an engine elsewhere.
 *
 * usage: reference SCENE TICKS FOLDER
 *
 * Writes into FOLDER, each named after the scene:
 *
 *     NAME.scene   the packed Scene
 *     NAME.image   the state after half of the ticks
 *     NAME.json    physics version, stepper, solver, tick of the image, the inputs (tick, session,
 *                  ClientMessage in hexadecimal; an empty one: the session leaves), the hash of
 *                  every tick, and the scene at the image in hexadecimal, if rules have made or
 *                  removed bodies before
 *
 * A session pushes the first dynamic body, drags it, lets it go and leaves.
 */
#include "assets/folder.h"
#include "deed/rules/follow.h"
#include "engine/cairn.h"
#include "proto/codec.h"
#include "proto/peer.h"
#include "proto/scene.h"
#include "proto/scene_live.h"

#include <cairn/v1/scene.pb-c.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SESSION 7
#define TEXT_MAX ((size_t)64 << 20)
#define MESSAGE_MAX 512

static void
stop(const char *file, const char *what)
{
    fprintf(stderr, "reference: %s: %s\n", file, what);
    exit(2);
}

static FILE *
create(const char *folder, const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        stop(path, "can not be written");
    }
    return file;
}

static void
write_file(
    const char *folder, const char *name, const char *ending, const void *bytes, size_t size)
{
    FILE *file = create(folder, name, ending);
    if (fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        stop(name, "can not be written");
    }
}

static struct wire_scene *
read_scene(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(TEXT_MAX);
    struct as_folder folder;
    if (file == NULL || text == NULL || !as_folder_open_of(&folder, path)) {
        stop(path, "can not be read");
    }
    size_t size = fread(text, 1, TEXT_MAX, file);
    fclose(file);
    struct wire_mesh_tools tools = {.folder = &folder};
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_parse_with(text, size, &tools, &error);
    if (scene == NULL) {
        stop(path, error.defect.text);
    }
    as_folder_close(&folder);
    free(text);
    return scene;
}

static void
write_scene(const struct wire_scene *scene, const char *folder, const char *name)
{
    const Cairn__V1__Scene *message = wire_scene_message(scene);
    size_t size = cairn__v1__scene__get_packed_size(message);
    uint8_t *bytes = malloc(size);
    if (bytes == NULL) {
        stop(name, "no memory");
    }
    write_file(folder, name, "scene", bytes, cairn__v1__scene__pack(message, bytes));
    free(bytes);
}

static void
write_image(const struct cn_world *world, const char *folder, const char *name)
{
    size_t size = cn_world_image_size(world);
    void *bytes = malloc(size);
    if (bytes == NULL) {
        stop(name, "no memory");
    }
    write_file(folder, name, "image", bytes, cn_world_image_write(world, bytes, size));
    free(bytes);
}

/* ---- inputs ---- */

/* The first body that can be pushed; -1 if no body can. */
static int
find_dynamic(const struct cn_world *world, double *mass)
{
    struct cn_body_view view;
    for (int i = 0; i < cn_world_body_count(world); i++) {
        cn_world_body_state(world, i, &view);
        if (view.type == CN_DYNAMIC && !view.absent) {
            *mass = view.mass;
            return i;
        }
    }
    return -1;
}

/* The session's command in this tick; false if it has none. */
static bool
choose(uint64_t tick, uint64_t ticks, int body, double mass, struct wire_input *input)
{
    double weight = 10.0 * mass;
    *input = (struct wire_input){.seq = tick + 1, .hold_ticks = (uint32_t)ticks / 8};
    if (tick == ticks / 8) {
        input->command = (struct cn_command){.kind = CN_COMMAND_HOLD_FORCE,
            .hold_force = {.holder = {.slot = 1}, .body = body,
                .force = {0.7 * weight, 1.5 * weight, 0.0}}};
    } else if (tick == ticks / 4) {
        input->command = (struct cn_command){.kind = CN_COMMAND_HOLD_DRAG,
            .hold_drag = {.holder = {.slot = 2}, .body = body, .target = {1.0, 2.0, 0.0},
                .stiffness = 20.0 * mass, .damping = 4.0 * mass}};
        input->hold_ticks = 0;
    } else if (tick == ticks / 2 + 3) {
        input->command = (struct cn_command){.kind = CN_COMMAND_RELEASE, .release = {.slot = 2}};
    } else {
        return false;
    }
    return true;
}

static void
put_input(FILE *json, uint64_t tick, const uint8_t *bytes, size_t size, bool *is_first)
{
    fprintf(json, "%s\n    {\"tick\": %" PRIu64 ", \"session\": %d, \"message\": \"",
        *is_first ? "" : ",", tick, SESSION);
    for (size_t i = 0; i < size; i++) {
        fprintf(json, "%02x", bytes[i]);
    }
    fputs("\"}", json);
    *is_first = false;
}

static void
apply(struct cn_world *world, const struct cn_command *command, const char *name)
{
    struct cn_defect defect;
    if (cn_world_command_apply(world, command, &defect) != CN_OK) {
        stop(name, defect.text);
    }
}

/*
 * Decodes the message and applies its command, so that a reference does not have values that the
 * wire does not carry.
 */
static void
apply_message(struct cn_world *world, const uint8_t *bytes, size_t size, const char *name)
{
    struct wire_client_message message;
    struct wire_error error;
    if (wire_client_decode(bytes, size, &message, &error) != WIRE_DECODE_OK) {
        stop(name, error.text);
    }
    struct cn_command command = message.input.command;
    cn_command_set_source(&command, SESSION, cn_world_tick(world), message.input.hold_ticks);
    apply(world, &command, name);
    wire_client_message_finish(&message);
}

static void
act(struct cn_world *world, uint64_t ticks, const char *name, FILE *json, bool *is_first)
{
    uint64_t tick = cn_world_tick(world);
    double mass = 0.0;
    int body = find_dynamic(world, &mass);
    if (body < 0) {
        return;
    }
    struct wire_client_message message = {.kind = WIRE_CLIENT_INPUT};
    if (choose(tick, ticks, body, mass, &message.input)) {
        uint8_t bytes[MESSAGE_MAX];
        size_t size = wire_client_encode(&message, bytes, sizeof(bytes));
        put_input(json, tick, bytes, size, is_first);
        apply_message(world, bytes, size, name);
    }
    if (tick == 3 * ticks / 4) {
        struct cn_command leave = {
            .kind = CN_COMMAND_RELEASE_SOURCE, .release_source = {.source = SESSION}};
        apply(world, &leave, name);
        put_input(json, tick, NULL, 0, is_first);
    }
}

/* ---- the run ---- */

/* The scene at the image as hexadecimal; empty: it is the scene of the start. */
static char *
write_shown(const struct dd_follower *follower, const char *name)
{
    size_t size = 0;
    uint8_t *bytes =
        follower->shown != follower->scene ? wire_scene_pack(follower->shown, &size) : NULL;
    char *text = calloc(2 * size + 1, 1);
    if (text == NULL) {
        stop(name, "no memory");
    }
    for (size_t i = 0; i < size; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    free(bytes);
    return text;
}

static void
run(struct dd_follower *follower, uint64_t ticks, const char *folder, const char *name)
{
    struct cn_world *world = follower->engine;
    struct dd_rules rules = {0};
    char *shown = NULL;
    uint64_t *hash = calloc(ticks + 1, sizeof(*hash));
    FILE *json = create(folder, name, "json");
    if (hash == NULL) {
        stop(name, "no memory");
    }
    bool is_first = true;
    const struct cn_settings *settings = cn_world_settings(world);
    fprintf(json, "{\"physics\": %" PRIu32 ", \"stepper\": \"%s\", \"solver\": \"%s\", "
        "\"imageTick\": %" PRIu64 ",\n\"inputs\": [",
        cn_physics_version(), settings->stepper, settings->solver, ticks / 2);
    for (uint64_t tick = 0; tick < ticks; tick++) {
        hash[tick] = cn_world_hash(world);
        if (tick == ticks / 2) {
            write_image(world, folder, name);
            shown = write_shown(follower, name);
        }
        act(world, ticks, name, json, &is_first);
        if (dd_follower_step(follower, &rules, CN_WORK_UNLIMITED) != CN_STEP_DONE) {
            stop(name, "no memory");
        }
    }
    hash[ticks] = cn_world_hash(world);
    fputs("],\n\"hashes\": [", json);
    for (uint64_t tick = 0; tick <= ticks; tick++) {
        fprintf(json, "%s\"%016" PRIx64 "\"", tick > 0 ? ", " : "", hash[tick]);
    }
    fprintf(json, "],\n\"shown\": \"%s\"}\n", shown != NULL ? shown : "");
    free(shown);
    dd_rules_finish(&rules);
    if (fclose(json) != 0) {
        stop(name, "can not be written");
    }
    free(hash);
}

int
main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: reference SCENE TICKS FOLDER\n", stderr);
        return 2;
    }
    char name[256];
    const char *slash = strrchr(argv[1], '/');
    snprintf(name, sizeof(name), "%s", slash != NULL ? slash + 1 : argv[1]);
    name[strcspn(name, ".")] = '\0';
    struct wire_scene *scene = read_scene(argv[1]);
    struct dd_follower follower = {.scene = scene, .shown = scene};
    struct cn_defect defect;
    if (cn_world_create(wire_scene_world_def(scene), &defect, &follower.engine) != CN_OK) {
        stop(argv[1], defect.text);
    }
    write_scene(scene, argv[3], name);
    run(&follower, strtoull(argv[2], NULL, 10), argv[3], name);
    dd_follower_finish(&follower);
    return 0;
}
