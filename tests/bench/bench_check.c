/*
 * bench_check.c: prints a table of the CPU time of `cairn check`: of the verdict (with its proof in
 * memory), of writing the certificate and of verifying it, and the certificate's size.
 *
 *     bench_check [bricks ...]      50 100 200 500 1000 unless some are given
 *
 * Walls have bricks of 1 m side by side, with every second row 43 cm beyond the others.  In walls
 * that fall, the last brick of such a row is 55 cm further out.
 */
#include "prove/write.h"
#include "verify/verify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BRICKS_MAX 2000

static struct cn_body_def body[BRICKS_MAX + 1];
static struct cn_shape_def shape[BRICKS_MAX + 1];
static struct cn_material_def material;
static struct cn_world_def def;

static void
add(enum cn_shape_kind kind, double x, double y)
{
    int i = def.body_count++;
    cn_body_def_init(&body[i]);
    body[i].type = kind == CN_SHAPE_PLANE ? CN_STATIC : CN_DYNAMIC;
    body[i].position = cn_vec3_make(x, y, 0.0);
    body[i].shapes = &shape[i];
    body[i].shape_count = 1;
    shape[i] = (struct cn_shape_def){.kind = kind};
    if (kind == CN_SHAPE_PLANE) {
        shape[i].plane.normal = cn_vec3_make(0.0, 1.0, 0.0);
    } else {
        shape[i].box.size = cn_vec3_make(1.0, 0.5, 0.5);
    }
}

static void
build(int bricks, bool spatial, bool rough, bool falls)
{
    int columns = (int)sqrt(bricks / 1.5);
    cn_world_def_init(&def);
    cn_material_def_init(&material);
    material.static_friction = rough ? 0.5 : 0.0;
    def.settings.dimension = spatial ? CN_SPATIAL : CN_PLANAR;
    def.settings.gravity = cn_vec3_make(0.0, -9.81, 0.0);
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = 0;
    add(CN_SHAPE_PLANE, 0.0, 0.0);
    for (int place = 0; def.body_count <= bricks; place++) {
        int row = place / columns, column = place % columns;
        double x = column + (row % 2 == 0 ? 0.0 : 0.43);
        bool is_out = falls && row % 2 == 1 && column == columns - 1;
        add(CN_SHAPE_BOX, is_out ? x + 0.55 : x, 0.25 + 0.5 * row);
    }
}

static double
since(clock_t start)
{
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

static bool
measure(int bricks, bool spatial, bool rough, bool falls)
{
    struct pv_choice choice = {.side_contacts = true, .friction = true};
    struct pv_answer answer;
    struct cn_defect defect;
    struct vf_finding finding;
    struct wire_json json;
    build(bricks, spatial, rough, falls);
    clock_t start = clock();
    if (pv_answer_init(&answer, &def, &choice, &defect) != CN_OK) {
        fprintf(stderr, "bench_check: %s %s\n", defect.path, defect.text);
        return false;
    }
    double verdict_duration = since(start);
    wire_json_init(&json, true);
    start = clock();
    pv_write(&json, &answer);
    double write_duration = since(start);
    start = clock();
    bool good = vf_verify(&def, json.data, json.size, &finding);
    printf("| %d | %s | %s | %s%s | %d | %.2f | %.2f | %.2f | %.2f |\n", bricks,
        spatial ? "space" : "plane", rough ? "rough" : "smooth", pv_verdict_name(answer.verdict),
        good ? "" : " NOT PROVED", answer.arrangement.contact_count, verdict_duration,
        verdict_duration + write_duration, since(start), (double)json.size / 1e6);
    fflush(stdout);
    wire_json_finish(&json);
    pv_answer_finish(&answer);
    return good;
}

int
main(int argc, char **argv)
{
    static const int usual[] = {50, 100, 200, 500, 1000};
    int count = argc > 1 ? argc - 1 : (int)(sizeof(usual) / sizeof(usual[0]));
    bool good = true;
    puts("| bricks | in | contacts are | verdict | contacts | verdict [s] | certificate [s] | "
         "verified [s] | size [MB] |");
    puts("|---|---|---|---|---|---|---|---|---|");
    for (int k = 0; k < count; k++) {
        int bricks = argc > 1 ? atoi(argv[k + 1]) : usual[k];
        if (bricks < 6 || bricks > BRICKS_MAX) {
            fprintf(stderr, "bench_check: %d bricks; 6 to %d are built\n", bricks, BRICKS_MAX);
            return 2;
        }
        for (int kind = 0; kind < 8; kind++) {
            good = measure(bricks, kind >= 4, (kind & 2) != 0, kind % 2 == 1) && good;
        }
    }
    return good ? 0 : 1;
}
