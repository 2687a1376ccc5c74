/*
 * export_csv.c: three tables: OUT-bodies.csv, OUT-contacts.csv and OUT-energy.csv.
 *
 * Numbers are the shortest that read back as the same double.
 */
#include "clients/cli/export.h"

#include "engine/base/name.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum table { BODIES, CONTACTS, ENERGY, TABLE_COUNT };
static const char *const table_names[] = {"bodies", "contacts", "energy"};

struct cli_export {
    FILE *tables[TABLE_COUNT];
    bool has_headers;
};

static void
put_numbers(FILE *out, const double *values, int count)
{
    char number[WIRE_NUMBER_SIZE];
    for (int i = 0; i < count; i++) {
        fprintf(out, ",%s", wire_number_print(number, values[i]));
    }
}

static void
put_vector(FILE *out, cn_vec3 value, bool planar)
{
    const double values[] = {value.x, value.y, value.z};
    put_numbers(out, values, planar ? 2 : 3);
}

/* A name that would be taken apart goes into quotes (RFC 4180). */
static void
put_name(FILE *out, const char *name)
{
    if (strpbrk(name, ",\"\n") == NULL) {
        fprintf(out, ",%s", name);
        return;
    }
    fputs(",\"", out);
    for (; *name != '\0'; name++) {
        fputs(*name == '"' ? "\"\"" : (char[]){*name, '\0'}, out);
    }
    fputc('"', out);
}

static void
put_moment(FILE *out, const struct cli_moment *moment)
{
    char number[WIRE_NUMBER_SIZE];
    fprintf(out, "%" PRIu64 ",%s", cn_world_tick(moment->world),
        wire_number_print(number, cn_world_time(moment->world)));
}

static void
put_headers(struct cli_export *export, bool planar)
{
    fputs(planar ? "tick,time,body,x,y,angle,velocityX,velocityY,angularVelocity,kinetic\n"
                 : "tick,time,body,x,y,z,orientationW,orientationX,orientationY,orientationZ,"
                   "velocityX,velocityY,velocityZ,angularVelocityX,angularVelocityY,"
                   "angularVelocityZ,kinetic\n",
        export->tables[BODIES]);
    fputs(planar ? "tick,time,bodyA,bodyB,x,y,normalX,normalY,gap,force,frictionX,frictionY,"
                   "impulse\n"
                 : "tick,time,bodyA,bodyB,x,y,z,normalX,normalY,normalZ,gap,force,frictionX,"
                   "frictionY,frictionZ,impulse\n",
        export->tables[CONTACTS]);
    fputs("tick,time,kinetic,potential,total,contacts,hash\n", export->tables[ENERGY]);
}

static void
put_bodies(FILE *out, const struct cli_moment *moment, bool planar)
{
    for (int i = 0; i < cn_world_body_count(moment->world); i++) {
        struct cn_body_view view;
        cn_world_body_view(moment->world, i, &view);
        if (view.absent) {
            continue;
        }
        const cn_quat q = view.orientation;
        const double turn[] = {q.w, q.x, q.y, q.z};
        double kinetic = cli_kinetic_energy(&view, planar);
        put_moment(out, moment);
        put_name(out, wire_scene_body_name(moment->scene, i));
        put_vector(out, view.position, planar);
        put_numbers(out, planar ? &view.angle : turn, planar ? 1 : 4);
        put_vector(out, view.velocity, planar);
        put_numbers(out, planar ? &view.angular_velocity.z : &view.angular_velocity.x,
            planar ? 1 : 3);
        put_numbers(out, &kinetic, 1);
        fputc('\n', out);
    }
}

static void
put_body(FILE *out, const struct cli_moment *moment, int body)
{
    put_name(out, body >= 0 ? wire_scene_body_name(moment->scene, body) : "");
}

static void
put_contacts(FILE *out, const struct cli_moment *moment, bool planar)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(moment->world, &contacts);
    for (int i = 0; i < count; i++) {
        const struct cn_contact_view *contact = &contacts[i];
        put_moment(out, moment);
        put_body(out, moment, contact->body_a);
        put_body(out, moment, contact->body_b);
        put_vector(out, contact->point, planar);
        put_vector(out, contact->normal, planar);
        put_numbers(out, &contact->gap, 1);
        put_numbers(out, &contact->force, 1);
        put_vector(out, contact->friction, planar);
        put_numbers(out, &contact->impulse, 1);
        fputc('\n', out);
    }
}

bool
cli_export_csv_show(void *context, const struct cli_moment *moment)
{
    struct cli_export *export = context;
    bool planar = cn_world_settings(moment->world)->dimension == CN_PLANAR;
    struct cn_energy energy = cn_world_energy(moment->world);
    const double values[] = {energy.kinetic, energy.potential, energy.total};
    if (!export->has_headers) {
        put_headers(export, planar);
        export->has_headers = true;
    }
    put_bodies(export->tables[BODIES], moment, planar);
    put_contacts(export->tables[CONTACTS], moment, planar);
    put_moment(export->tables[ENERGY], moment);
    put_numbers(export->tables[ENERGY], values, 3);
    fprintf(export->tables[ENERGY], ",%d,%016" PRIx64 "\n",
        cn_world_contact_count(moment->world), cn_world_hash(moment->world));
    for (int i = 0; i < TABLE_COUNT; i++) {
        if (ferror(export->tables[i])) {
            cli_complain("can not write the %s: %s", table_names[i], strerror(errno));
            return false;
        }
    }
    return true;
}

bool
cli_export_csv_close(struct cli_export *export)
{
    bool is_good = true;
    for (int i = 0; export != NULL && i < TABLE_COUNT; i++) {
        if (export->tables[i] != NULL && fclose(export->tables[i]) != 0 && is_good) {
            cli_complain("can not write the %s: %s", table_names[i], strerror(errno));
            is_good = false;
        }
    }
    free(export);
    return is_good;
}

struct cli_export *
cli_export_csv_open(const char *out)
{
    struct cli_export *export = calloc(1, sizeof(*export));
    for (int i = 0; export != NULL && i < TABLE_COUNT; i++) {
        char path[4096];
        int length = snprintf(path, sizeof(path), "%s-%s.csv", out, table_names[i]);
        export->tables[i] = (size_t)length < sizeof(path) ? fopen(path, "w") : NULL;
        if (export->tables[i] == NULL) {
            cli_complain("can not open %s: %s", cn_quote(path).text, strerror(errno));
            cli_export_csv_close(export);
            return NULL;
        }
    }
    return export;
}
