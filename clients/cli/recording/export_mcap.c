/* export_mcap.c: a recording as MCAP: messages for Foxglove, and messages with the numbers. */
#include "clients/cli/recording/export.h"
#include "clients/cli/recording/export_scene.h"
#include "clients/cli/recording/mcap.h"

#include "engine/base/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptors ---- */

#define VECTOR ".cairn.recording.Vector"
#define NUMBER(name, number) {name, number, CLI_PACK_DOUBLE, false, NULL}
#define TEXT(name, number) {name, number, CLI_PACK_STRING, false, NULL}
#define ONE(name, number, type) {name, number, CLI_PACK_MESSAGE, false, type}
#define MANY(name, number, type) {name, number, CLI_PACK_MESSAGE, true, type}
#define TICK {"tick", 1, CLI_PACK_UINT64, false, NULL}, NUMBER("time", 2)
#define LAST {NULL, 0, 0, false, NULL}

static const struct cli_pack_field vector_fields[] = {
    NUMBER("x", 1), NUMBER("y", 2), NUMBER("z", 3), LAST};
static const struct cli_pack_field turn_fields[] = {
    NUMBER("x", 1), NUMBER("y", 2), NUMBER("z", 3), NUMBER("w", 4), LAST};
static const struct cli_pack_field body_fields[] = {TEXT("name", 1), ONE("position", 2, VECTOR),
    ONE("orientation", 3, ".cairn.recording.Turn"), NUMBER("angle", 4), ONE("velocity", 5, VECTOR),
    ONE("angular_velocity", 6, VECTOR), NUMBER("kinetic", 7),
    {"asleep", 8, CLI_PACK_BOOL, false, NULL}, LAST};
static const struct cli_pack_field bodies_fields[] = {
    TICK, TEXT("hash", 3), MANY("bodies", 4, ".cairn.recording.Body"), LAST};
static const struct cli_pack_field contact_fields[] = {TEXT("body_a", 1), TEXT("body_b", 2),
    ONE("point", 3, VECTOR), ONE("normal", 4, VECTOR), NUMBER("gap", 5), NUMBER("force", 6),
    ONE("friction", 7, VECTOR), NUMBER("impulse", 8), LAST};
static const struct cli_pack_field contacts_fields[] = {
    TICK, MANY("contacts", 3, ".cairn.recording.Contact"), LAST};
static const struct cli_pack_field energy_fields[] = {
    TICK, NUMBER("kinetic", 3), NUMBER("potential", 4), NUMBER("total", 5), LAST};

static const struct cli_pack_message messages[] = {
    {"Vector", vector_fields, NULL, NULL},
    {"Turn", turn_fields, NULL, NULL},
    {"Body", body_fields, NULL, NULL},
    {"Bodies", bodies_fields, NULL, NULL},
    {"Contact", contact_fields, NULL, NULL},
    {"Contacts", contacts_fields, NULL, NULL},
    {"Energy", energy_fields, NULL, NULL},
    {NULL, NULL, NULL, NULL},
};
static const struct cli_pack_file files[] = {
    {"cairn/recording.proto", "cairn.recording", messages, NULL}, {NULL, NULL, NULL, NULL}};

/* ---- messages ---- */

enum channel { FRAMES, SCENE, BODIES, CONTACTS, ENERGY, CHANNEL_COUNT };
static const char *const channels[CHANNEL_COUNT][2] = {
    {"/tf", "foxglove.FrameTransforms"},
    {"/scene", "foxglove.SceneUpdate"},
    {"/bodies", "cairn.recording.Bodies"},
    {"/contacts", "cairn.recording.Contacts"},
    {"/energy", "cairn.recording.Energy"},
};

struct cli_mcap_export {
    FILE *out;
    const char *path;
    struct cli_mcap mcap;
    struct cli_pack foxglove, own; /* descriptors */
    struct cli_pack message;
    bool has_scene;
    uint32_t generation; /* of the scene that was written last */
};

static void
put_tick(struct cli_pack *out, const struct cn_world *world)
{
    cli_pack_uint(out, 1, cn_world_tick(world));
    cli_pack_double(out, 2, cn_world_time(world));
}

static void
put_bodies(struct cli_pack *out, const struct cli_moment *moment)
{
    char hash[24];
    bool planar = cn_world_settings(moment->world)->dimension == CN_PLANAR;
    snprintf(hash, sizeof(hash), "%016" PRIx64, cn_world_hash(moment->world));
    put_tick(out, moment->world);
    cli_pack_text(out, 3, hash);
    for (int i = 0; i < cn_world_body_count(moment->world); i++) {
        struct cn_body_view view;
        cn_world_body_view(moment->world, i, &view);
        if (view.absent) {
            continue;
        }
        size_t at = cli_pack_begin(out, 4);
        cli_pack_text(out, 1, wire_scene_body_name(moment->scene, i));
        cli_pack_vector(out, 2, view.position);
        cli_pack_turn(out, 3, planar ? cn_quat_about_z(view.angle) : view.orientation);
        cli_pack_double(out, 4, view.angle);
        cli_pack_vector(out, 5, view.velocity);
        cli_pack_vector(out, 6, view.angular_velocity);
        cli_pack_double(out, 7, cli_kinetic_energy(&view, planar));
        cli_pack_uint(out, 8, view.island >= 0 ? 1 : 0);
        cli_pack_end(out, at);
    }
}

static const char *
name_of(const struct cli_moment *moment, int body)
{
    return body >= 0 ? wire_scene_body_name(moment->scene, body) : "";
}

static void
put_contacts(struct cli_pack *out, const struct cli_moment *moment)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(moment->world, &contacts);
    put_tick(out, moment->world);
    for (int i = 0; i < count; i++) {
        size_t at = cli_pack_begin(out, 3);
        cli_pack_text(out, 1, name_of(moment, contacts[i].body_a));
        cli_pack_text(out, 2, name_of(moment, contacts[i].body_b));
        cli_pack_vector(out, 3, contacts[i].point);
        cli_pack_vector(out, 4, contacts[i].normal);
        cli_pack_double(out, 5, contacts[i].gap);
        cli_pack_double(out, 6, contacts[i].force);
        cli_pack_vector(out, 7, contacts[i].friction);
        cli_pack_double(out, 8, contacts[i].impulse);
        cli_pack_end(out, at);
    }
}

static void
put_energy(struct cli_pack *out, const struct cli_moment *moment)
{
    struct cn_energy energy = cn_world_energy(moment->world);
    put_tick(out, moment->world);
    cli_pack_double(out, 3, energy.kinetic);
    cli_pack_double(out, 4, energy.potential);
    cli_pack_double(out, 5, energy.total);
}

static void
put_message(struct cli_mcap_export *export, enum channel channel,
    const struct cli_moment *moment, uint64_t time_ns)
{
    struct cli_pack *out = &export->message;
    out->size = 0;
    switch (channel) {
    case FRAMES:
        cli_export_frames(out, moment, time_ns);
        break;
    case SCENE:
        cli_export_scene(out, moment, time_ns);
        break;
    case BODIES:
        put_bodies(out, moment);
        break;
    case CONTACTS:
        put_contacts(out, moment);
        break;
    case ENERGY:
        put_energy(out, moment);
        break;
    case CHANNEL_COUNT:
        break;
    }
    cli_mcap_message(&export->mcap, (int)channel, time_ns, out);
}

bool
cli_export_mcap_show(void *context, const struct cli_moment *moment)
{
    struct cli_mcap_export *export = context;
    double rate = cn_world_tick_rate(moment->world);
    uint64_t time_ns = (uint64_t)((double)moment->step_count * 1e9 / rate);
    bool has_scene = export->has_scene && export->generation == moment->generation;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        if (i != SCENE || !has_scene) {
            put_message(export, (enum channel)i, moment, time_ns);
        }
    }
    export->has_scene = true;
    export->generation = moment->generation;
    if (export->mcap.has_failed) {
        cli_complain("can not write %s: %s", cn_quote(export->path).text, strerror(errno));
    }
    return !export->mcap.has_failed;
}

struct cli_mcap_export *
cli_export_mcap_open(const char *path)
{
    struct cli_mcap_export *export = calloc(1, sizeof(*export));
    if (export == NULL) {
        cli_complain("no memory");
        return NULL;
    }
    export->path = path;
    export->out = fopen(path, "wb");
    if (export->out == NULL) {
        cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
        free(export);
        return NULL;
    }
    cli_pack_descriptors(&export->foxglove, cli_export_foxglove);
    cli_pack_descriptors(&export->own, files);
    export->mcap.channel_count = CHANNEL_COUNT;
    for (int i = 0; i < CHANNEL_COUNT; i++) {
        export->mcap.channels[i].topic = channels[i][0];
        export->mcap.channels[i].schema = channels[i][1];
        export->mcap.channels[i].descriptors =
            i == FRAMES || i == SCENE ? &export->foxglove : &export->own;
    }
    cli_mcap_begin(&export->mcap, export->out, "cairn " PACKAGE_VERSION);
    return export;
}

bool
cli_export_mcap_close(struct cli_mcap_export *export)
{
    bool is_good = cli_mcap_end(&export->mcap) && !export->foxglove.has_failed &&
        !export->own.has_failed && !export->message.has_failed;
    is_good = fclose(export->out) == 0 && is_good;
    if (!is_good) {
        cli_complain("can not write %s", cn_quote(export->path).text);
    }
    cli_pack_finish(&export->foxglove);
    cli_pack_finish(&export->own);
    cli_pack_finish(&export->message);
    free(export);
    return is_good;
}
