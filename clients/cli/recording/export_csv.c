/*
 * export_csv.c: three tables: OUT-bodies.csv, OUT-contacts.csv and OUT-energy.csv (csv.h).
 */
#include "clients/cli/csv.h"
#include "clients/cli/recording/export.h"

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
put_vector(FILE *out, cn_vec3 value, bool planar)
{
    const double values[] = {value.x, value.y, value.z};
    cli_csv_numbers(out, values, planar ? 2 : 3);
}

static void
put_headers(struct cli_export *export, const struct cn_world *world, bool planar)
{
    cli_csv_body_header(export->tables[BODIES], world);
    fputs(",kinetic\n", export->tables[BODIES]);
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
        double kinetic = cli_kinetic_energy(&view, planar);
        cli_csv_body(out, moment->scene, moment->world, &view, i);
        cli_csv_numbers(out, &kinetic, 1);
        fputc('\n', out);
    }
}

static void
put_body(FILE *out, const struct cli_moment *moment, int body)
{
    fputc(',', out);
    cli_csv_text(out, body >= 0 ? wire_scene_body_name(moment->scene, body) : "");
}

static void
put_contacts(FILE *out, const struct cli_moment *moment, bool planar)
{
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(moment->world, &contacts);
    for (int i = 0; i < count; i++) {
        const struct cn_contact_view *contact = &contacts[i];
        cli_csv_moment(out, moment->world);
        put_body(out, moment, contact->body_a);
        put_body(out, moment, contact->body_b);
        put_vector(out, contact->point, planar);
        put_vector(out, contact->normal, planar);
        cli_csv_numbers(out, &contact->gap, 1);
        cli_csv_numbers(out, &contact->force, 1);
        put_vector(out, contact->friction, planar);
        cli_csv_numbers(out, &contact->impulse, 1);
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
        put_headers(export, moment->world, planar);
        export->has_headers = true;
    }
    put_bodies(export->tables[BODIES], moment, planar);
    put_contacts(export->tables[CONTACTS], moment, planar);
    cli_csv_moment(export->tables[ENERGY], moment->world);
    cli_csv_numbers(export->tables[ENERGY], values, 3);
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
