/* bench_print.c: results as a table, JSON or CSV. */
#include "clients/cli/bench.h"

#include <inttypes.h>

#define DEGREE (180.0 / 3.14159265358979323846)

static const char *
dimension_name(const struct bench_scene *scene)
{
    return scene->dimension == CN_PLANAR ? "planar" : "spatial";
}

static void
print_table(FILE *out, const struct bench_result *r, bool first)
{
    char name[64];
    if (first) {
        fputs("                                                        ms a step\n"
              "scene                    bodies  joints touching     mean   median      min      p99"
              "  image kB  state\n",
            out);
    }
    snprintf(name, sizeof(name), "%s/%s", dimension_name(r->scene), r->scene->name);
    fprintf(out, "%-24s%7d %7d %8d %8.3f %8.3f %8.3f %8.3f %9.0f  %016" PRIx64 "%s\n", name,
        r->body_count, r->joint_count, r->touching_count, r->mean_ms, r->median_ms, r->min_ms,
        r->p99_ms, 1e-3 * (double)r->image_size, r->hash, r->is_finite ? "" : " NOT FINITE");
    if (r->scene->measured) {
        fprintf(out,
            "  stands: penetration %.1f mm, sag %.0f mm, drift %.0f mm, tilt %.2f degrees\n",
            1e3 * r->stand.penetration, 1e3 * r->stand.sag, 1e3 * r->stand.drift,
            DEGREE * r->stand.tilt);
    }
}

static void
print_json(FILE *out, const struct bench_result *r)
{
    fprintf(out,
        "{\"scene\": \"%s\", \"dimension\": \"%s\", \"stepper\": \"%s\", \"solver\": \"%s\", "
        "\"steps\": %d, \"runs\": %d, \"bodies\": %d, \"shapes\": %d, \"joints\": %d, "
        "\"touching\": %d, \"meanMs\": %.6f, \"medianMs\": %.6f, \"minMs\": %.6f, "
        "\"p99Ms\": %.6f, \"cpuMs\": %.6f, \"createMs\": %.6f, \"imageBytes\": %zu, "
        "\"state\": \"%016" PRIx64 "\", \"finite\": %s",
        r->scene->name, dimension_name(r->scene), r->stepper, r->solver, r->step_count,
        r->run_count, r->body_count, r->shape_count, r->joint_count, r->touching_count, r->mean_ms,
        r->median_ms, r->min_ms, r->p99_ms, r->cpu_ms, r->create_ms, r->image_size, r->hash,
        r->is_finite ? "true" : "false");
    if (r->scene->measured) {
        fprintf(out,
            ", \"penetrationMm\": %.4f, \"sagMm\": %.4f, \"driftMm\": %.4f, "
            "\"tiltDegrees\": %.5f",
            1e3 * r->stand.penetration, 1e3 * r->stand.sag, 1e3 * r->stand.drift,
            DEGREE * r->stand.tilt);
    }
    fputs("}\n", out);
}

static void
print_csv(FILE *out, const struct bench_result *r, bool first)
{
    if (first) {
        fputs("dimension,scene,stepper,solver,steps,runs,bodies,shapes,joints,touching,meanMs,"
              "medianMs,minMs,p99Ms,cpuMs,createMs,imageBytes,state,finite,penetrationMm,sagMm,"
              "driftMm,tiltDegrees\n",
            out);
    }
    fprintf(out,
        "%s,%s,%s,%s,%d,%d,%d,%d,%d,%d,%.6f,%.6f,%.6f,%.6f,%.6f,%.6f,%zu,%016" PRIx64 ",%d",
        dimension_name(r->scene), r->scene->name, r->stepper, r->solver, r->step_count,
        r->run_count, r->body_count, r->shape_count, r->joint_count, r->touching_count, r->mean_ms,
        r->median_ms, r->min_ms, r->p99_ms, r->cpu_ms, r->create_ms, r->image_size, r->hash,
        r->is_finite ? 1 : 0);
    if (r->scene->measured) {
        fprintf(out, ",%.4f,%.4f,%.4f,%.5f\n", 1e3 * r->stand.penetration, 1e3 * r->stand.sag,
            1e3 * r->stand.drift, DEGREE * r->stand.tilt);
    } else {
        fputs(",,,,\n", out);
    }
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
