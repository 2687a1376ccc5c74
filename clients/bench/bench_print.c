/* bench_print.c: results as a table, JSON or CSV. */
#include "clients/bench/bench.h"

#include "engine/base/assert.h"

#include <inttypes.h>
#include <stdarg.h>

#define DEGREE (180.0 / 3.14159265358979323846)

static const char *
dimension_name(const struct bench_scene *scene)
{
    return scene->dimension == CN_PLANAR ? "planar" : "spatial";
}

static const struct {
    const char *name, *text;
} phases[] = {
#define X(NAME, name, text) {name, text},
    CN_PHASE_TABLE(X)
#undef X
};

static void
print_phases(FILE *out, const struct bench_result *r)
{
    double sum = 0.0;
    for (int i = 0; i < CN_PHASE_COUNT; i++) {
        sum += r->phase_ms[i];
    }
    if (!(sum > 0.0)) {
        return;
    }
    fputs("    ms by phase:", out);
    for (int i = 0; i < CN_PHASE_COUNT; i++) {
        if (r->phase_ms[i] >= 0.005 * sum) {
            fprintf(out, " %s %.3f (%.0f%%)", phases[i].name, r->phase_ms[i],
                100.0 * r->phase_ms[i] / sum);
        }
    }
    fputc('\n', out);
}

static void
print_depths(FILE *out, const struct bench_depths *d, int step_count)
{
    fprintf(out,
        "    meshes: %d lost, %d rest; depth %.1f mm, in the last second %.1f, of what rests %.1f; "
        "at most %d manifolds, %.0f samples a step, %.2f m/s at the end\n",
        d->lost, d->resting, 1e3 * d->any, 1e3 * d->end, 1e3 * d->settled, d->manifolds,
        (double)d->samples / step_count, d->speed);
}

static void
print_moment(FILE *out, const char *what, double time_s)
{
    if (time_s > 0.0) {
        fprintf(out, ", %s %.1f s", what, time_s);
    }
}

static void
print_table(FILE *out, const struct bench_result *r, bool first)
{
    char name[64];
    if (first) {
        fputs("                               pairs of shapes    contact               ms a step"
              "                      kB of\n"
              "scene                    bodies    near touching  points colours    mean  median"
              "     min     p99   world   image state\n",
            out);
    }
    snprintf(name, sizeof(name), "%s/%s", dimension_name(r->scene), r->scene->name);
    fprintf(out,
        "%-23s %7d %7d %8d %7d %3d+%-3d %7.3f %7.3f %7.3f %7.3f %7.0f %7.0f %016" PRIx64 "%s\n",
        name, r->body_count, r->counts.pair_count, r->counts.touching_count, r->contact_count,
        r->counts.color_count, r->counts.overflow_count, r->mean_ms, r->median_ms, r->min_ms,
        r->p99_ms, 1e-3 * (double)r->counts.size, 1e-3 * (double)r->image_size, r->hash,
        r->is_finite ? "" : " NOT FINITE");
    print_phases(out, r);
    if (r->scene->measured) {
        fprintf(out,
            "    stands: penetration %.1f mm, sag %.0f mm, drift %.0f mm, tilt %.2f degrees, "
            "energy %.1e J",
            1e3 * r->stand.penetration, 1e3 * r->stand.sag, 1e3 * r->stand.drift,
            DEGREE * r->stand.tilt, r->stand.energy);
        print_moment(out, "fell after", r->stand.fell);
        print_moment(out, "sleeps since", r->stand.slept);
        fputc('\n', out);
    }
    if (bench_has_meshes(r->scene)) {
        print_depths(out, &r->depths, r->step_count);
    }
    if (bench_has_rings(r->scene)) {
        fprintf(out, "    rings: %d pairs linked, %d through a pole\n", r->rings.linked,
            r->rings.through);
    }
}

/* One table makes JSON and CSV: names and values in the same order. */
#define FIELDS_MAX 64
struct field {
    const char *name;
    bool text; /* quoted in JSON */
    char value[40];
};

struct fields {
    struct field field[FIELDS_MAX];
    int count;
};

__attribute__((format(printf, 4, 5))) static void
put(struct fields *fields, const char *name, bool text, const char *format, ...)
{
    CN_ASSERT(fields->count < FIELDS_MAX);
    struct field *field = &fields->field[fields->count++];
    va_list list;
    field->name = name;
    field->text = text;
    va_start(list, format);
    vsnprintf(field->value, sizeof(field->value), format, list);
    va_end(list);
}

#define PUT_INT(name, number) put(fields, name, false, "%d", (int)(number))
#define PUT_SIZE(name, number) put(fields, name, false, "%zu", (size_t)(number))
#define PUT_REAL(name, number) put(fields, name, false, "%.6f", (number))
#define PUT_TEXT(name, string) put(fields, name, true, "%s", (string))

static void
collect_fields(struct fields *fields, const struct bench_result *r)
{
    static char phase_names[CN_PHASE_COUNT][32];
    bool measured = r->scene->measured;
    PUT_TEXT("dimension", dimension_name(r->scene));
    PUT_TEXT("scene", r->scene->name);
    PUT_TEXT("stepper", r->stepper);
    PUT_TEXT("solver", r->solver);
    PUT_TEXT("simd", r->simd);
    PUT_INT("workers", r->worker_count);
    PUT_INT("substeps", r->substep_count);
    PUT_INT("steps", r->step_count);
    PUT_INT("runs", r->run_count);
    PUT_INT("bodies", r->body_count);
    PUT_INT("shapes", r->shape_count);
    PUT_INT("joints", r->joint_count);
    PUT_INT("awake", r->counts.awake_count);
    PUT_INT("pairs", r->counts.pair_count);
    PUT_INT("touching", r->counts.touching_count);
    PUT_INT("points", r->contact_count);
    PUT_INT("colors", r->counts.color_count);
    PUT_INT("overflow", r->counts.overflow_count);
    PUT_REAL("meanMs", r->mean_ms);
    PUT_REAL("medianMs", r->median_ms);
    PUT_REAL("minMs", r->min_ms);
    PUT_REAL("p99Ms", r->p99_ms);
    PUT_REAL("cpuMs", r->cpu_ms);
    PUT_REAL("createMs", r->create_ms);
    for (int i = 0; i < CN_PHASE_COUNT; i++) {
        snprintf(phase_names[i], sizeof(phase_names[i]), "%sMs", phases[i].name);
        PUT_REAL(phase_names[i], r->phase_ms[i]);
    }
    PUT_SIZE("worldBytes", r->counts.size);
    PUT_SIZE("imageBytes", r->image_size);
    put(fields, "state", true, "%016" PRIx64, r->hash);
    PUT_TEXT("finite", r->is_finite ? "yes" : "no");
    const struct bench_depths *d = &r->depths; /* zeros where nobody looked */
    PUT_INT("linked", r->rings.linked);
    PUT_INT("through", r->rings.through);
    PUT_INT("lost", d->lost);
    PUT_REAL("depthMm", 1e3 * d->any);
    PUT_INT("settled", d->resting);
    PUT_REAL("depthEndMm", 1e3 * d->end);
    PUT_REAL("depthSettledMm", 1e3 * d->settled);
    PUT_INT("manifolds", d->manifolds);
    PUT_REAL("samples", (double)d->samples / r->step_count);
    PUT_REAL("penetrationMm", measured ? 1e3 * r->stand.penetration : 0.0);
    PUT_REAL("sagMm", measured ? 1e3 * r->stand.sag : 0.0);
    PUT_REAL("driftMm", measured ? 1e3 * r->stand.drift : 0.0);
    PUT_REAL("tiltDegrees", measured ? DEGREE * r->stand.tilt : 0.0);
    PUT_REAL("energyMicroJ", measured ? 1e6 * r->stand.energy : 0.0);
    PUT_REAL("fellSeconds", measured ? r->stand.fell : 0.0);
    PUT_REAL("sleptSeconds", measured ? r->stand.slept : 0.0);
}

static void
print_json(FILE *out, const struct bench_result *r)
{
    struct fields fields = {.count = 0};
    collect_fields(&fields, r);
    for (int i = 0; i < fields.count; i++) {
        const struct field *field = &fields.field[i];
        const char *quote = field->text ? "\"" : "";
        fprintf(out, "%s\"%s\": %s%s%s", i == 0 ? "{" : ", ", field->name, quote, field->value,
            quote);
    }
    fputs("}\n", out);
}

static void
print_csv(FILE *out, const struct bench_result *r, bool first)
{
    struct fields fields = {.count = 0};
    collect_fields(&fields, r);
    for (int i = 0; first && i < fields.count; i++) {
        fprintf(out, "%s%s", i == 0 ? "" : ",", fields.field[i].name);
    }
    fputs(first ? "\n" : "", out);
    for (int i = 0; i < fields.count; i++) {
        fprintf(out, "%s%s", i == 0 ? "" : ",", fields.field[i].value);
    }
    fputc('\n', out);
}

void
bench_print(FILE *out, enum bench_format format, const struct bench_result *result, bool first)
{
    switch (format) {
    case BENCH_TABLE:
        print_table(out, result, first);
        break;
    case BENCH_JSON:
        print_json(out, result);
        break;
    case BENCH_CSV:
        print_csv(out, result, first);
        break;
    }
    fflush(out);
}
