/*
 * bench_field.c: CPU time and memory of baking distance fields, and the time of looking them up.
 *
 * usage: bench_field [lookups | TRIANGLES RESOLUTION [sparse]]
 *
 * Without arguments, tables of both as triangles and cells grow.  A bake is the median of three;
 * lookups are of points within two cells of the surface in the order of the surface, 10 million.
 * Nothing here passes or fails.
 */
#include "engine/base/assert.h"
#include "engine/base/rng.h"
#include "engine/mesh/field_bake.h"
#include "engine/mesh/torus.h"
#include "tests/support/field_look/field_looks.h"
#include "tests/support/mesh/bumpy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POINTS 4096

static double
cpu_s(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static struct cn_mesh *
make(bool ring, int triangles, int resolution, bool sparse)
{
    struct cn_mesh_def def = {.resolution = resolution, .sparse = sparse};
    int across = 2;
    while (ring ? 16 * across * across / 5 < triangles : 2 * across * across < triangles) {
        across++;
    }
    int around = ring ? 8 * across / 5 : across;
    size_t count = (size_t)(around * across + 2);
    cn_vec3 *vertex = malloc(count * sizeof(*vertex));
    int32_t(*triangle)[3] = malloc(2 * count * sizeof(*triangle));
    CN_ASSERT(vertex != NULL && triangle != NULL);
    if (ring) {
        struct cn_torus torus = {1.0, 0.3, around, across};
        cn_torus_make(&torus, vertex, triangle);
        def.vertex_count = around * across;
        def.triangle_count = 2 * def.vertex_count;
    } else {
        bumpy_make(around, across, 0.3, vertex, triangle);
        def.vertex_count = BUMPY_VERTICES(around, across);
        def.triangle_count = BUMPY_TRIANGLES(around, across);
    }
    def.vertex = vertex;
    def.triangle = (const int32_t(*)[3])triangle;
    struct cn_mesh *mesh = NULL;
    struct cn_defect defect;
    if (cn_mesh_make(&def, &mesh, &defect) != CN_OK) {
        fprintf(stderr, "%s %s\n", defect.path, defect.text);
        exit(1);
    }
    free(vertex);
    free(triangle);
    return mesh;
}

static int
ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void
bake(bool ring, int triangles, int resolution, bool sparse)
{
    struct cn_mesh *mesh = make(ring, triangles, resolution, sparse);
    double took[3];
    for (int i = 0; i < 3; i++) {
        struct cn_field field = {0};
        void *memory = NULL;
        struct cn_defect defect;
        double start = cpu_s();
        enum cn_status status =
            cn_field_bake(mesh, resolution, sparse, &field, &memory, &defect);
        took[i] = cpu_s() - start;
        CN_ASSERT(status == CN_OK);
        free(memory);
    }
    qsort(took, 3, sizeof(*took), ascending);
    const struct cn_field *field = &mesh->field;
    double nodes = (double)field->count[0] * field->count[1] * field->count[2];
    printf("%-5s %9d %5d %3d x %3d x %3d  %-7s %9.1f %9.1f %9.0f\n", ring ? "ring" : "ball",
        mesh->triangle_count, resolution, field->count[0], field->count[1], field->count[2],
        sparse ? "sparse" : "uniform", 1e3 * took[1], 1e9 * took[1] / nodes,
        (double)cn_field_size(field) / 1024.0);
    fflush(stdout);
    cn_mesh_drop(mesh);
}

/* Points about the surface, triangle after triangle, as the samples of a patch are. */
static void
fill(const struct cn_mesh *mesh, float (*point)[POINTS])
{
    struct cn_rng rng = {1};
    double reach = 2.0 * mesh->field.spacing;
    for (int i = 0; i < POINTS; i++) {
        const int32_t *corner =
            mesh->triangle[(int)((int64_t)i * mesh->triangle_count / POINTS)];
        cn_vec3 p = mesh->vertex[corner[i % 3]];
        point[0][i] = (float)(p.x + cn_rng_uniform(&rng, -reach, reach));
        point[1][i] = (float)(p.y + cn_rng_uniform(&rng, -reach, reach));
        point[2][i] = (float)(p.z + cn_rng_uniform(&rng, -reach, reach));
    }
}

static double
look_double(const struct cn_field *field, float (*point)[POINTS], int rounds)
{
    double sum = 0.0, start = cpu_s();
    for (int r = 0; r < rounds; r++) {
        for (int i = 0; i < POINTS; i++) {
            cn_vec3 p = {(double)point[0][i], (double)point[1][i], (double)point[2][i]}, normal;
            sum += cn_field_sample(field, p, &normal) + normal.x;
        }
    }
    double took = cpu_s() - start;
    CN_ASSERT(isfinite(sum));
    return took;
}

static void
look(bool ring, int triangles, int resolution, bool sparse)
{
    static _Alignas(64) float point[3][POINTS], out[4][POINTS];
    const struct field_look_kind kinds[] = FIELD_LOOKS;
    struct cn_mesh *mesh = make(ring, triangles, resolution, sparse);
    int rounds = 500;
    fill(mesh, point);
    printf("%-5s %5d  %-7s %7.0f kB", ring ? "ring" : "ball", resolution,
        sparse ? "sparse" : "uniform", (double)cn_field_size(&mesh->field) / 1024.0);
    for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        if (!kinds[k].runs) {
            continue;
        }
        double start = cpu_s();
        for (int r = 0; r < rounds; r++) {
            kinds[k].with->look(&mesh->field, POINTS, point[0], out[0]);
        }
        printf("  %s %.1f", kinds[k].name, 1e9 * (cpu_s() - start) / ((double)rounds * POINTS));
    }
    printf("  double %.1f\n",
        1e9 * look_double(&mesh->field, point, rounds / 10) / ((double)(rounds / 10) * POINTS));
    cn_mesh_drop(mesh);
}

static void
look_all(void)
{
    printf("nanoseconds a lookup\n");
    for (int sparse = 0; sparse < 2; sparse++) {
        look(true, 320, 40, sparse != 0);
        look(false, 10000, 64, sparse != 0);
        look(false, 10000, 128, sparse != 0);
    }
}

int
main(int argc, char **argv)
{
    if (argc > 2) {
        bake(false, atoi(argv[1]), atoi(argv[2]), argc > 3);
        return 0;
    }
    if (argc > 1) {
        look_all();
        return 0;
    }
    printf("      triangles cells nodes                         ms   ns/node        kB\n");
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int triangles = 320; triangles <= 100000; triangles *= 6) {
            bake(false, triangles, 64, sparse);
        }
        for (int resolution = 16; resolution <= 128; resolution *= 2) {
            bake(false, 10000, resolution, sparse);
        }
        bake(true, 320, 40, sparse);
    }
    look_all();
    return 0;
}
