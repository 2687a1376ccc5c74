/*
 * fuzz_prove.c: the verifier accepts the certificate of every arrangement, and accepts no bytes
 * with another result.
 *
 * The input builds rows of bricks, discs and capsules that do not overlap, on a floor or a slope,
 * with or without friction.  In space there are also balls, and hulls: bricks, frustums, octahedra
 * on a corner, turned about the vertical.  Many of them touch, some at a corner and some by 1e-9.
 * They have gravity scales, and one has a constant force.  The rest of the input changes bytes of
 * the certificate, or replaces it.  If it is still accepted, it must have the same verdict and
 * margin.
 */
#include "engine/base/assert.h"
#include "prove/write.h"
#include "verify/verify.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 4
#define PER_ROW_MAX 4
#define BODIES_MAX (1 + ROWS_MAX * PER_ROW_MAX)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct input {
    const uint8_t *data;
    size_t size;
};

static struct cn_body_def body[BODIES_MAX];
static struct cn_shape_def shape[BODIES_MAX];
static cn_vec3 corner[BODIES_MAX][8];
static struct cn_material_def material;
static struct cn_constant_force_def force;
static struct cn_world_def def;

static unsigned
take(struct input *in)
{
    if (in->size == 0) {
        return 0;
    }
    in->size--;
    return *in->data++;
}

static double
along(struct input *in)
{
    static const double fine[4] = {0.0, 1e-9, 1.0 / 3.0, 0.01};
    unsigned byte = take(in);
    return (byte & 15) / 16.0 + fine[byte >> 6];
}

enum form { BRICK, DISC, LOG, HULL, FRUSTUM, OCTAHEDRON, FORM_COUNT };

/* Fills the corners of a hull of the size of a brick. */
static void
fill_hull(struct cn_shape_def *of, cn_vec3 *p, enum form form, double top)
{
    int count = form == OCTAHEDRON ? 6 : 8;
    for (int i = 0; i < count; i++) {
        double side = (i & 1) != 0 ? 1.0 : -1.0, end = (i & 4) != 0 ? 1.0 : -1.0;
        bool is_top = (i & 2) != 0;
        double part = form == FRUSTUM && is_top ? top : 1.0;
        p[i] = cn_vec3_make(0.5 * part * side, is_top ? 0.25 : -0.25, 0.5 * part * end);
        if (form == OCTAHEDRON) { /* on one of its corners */
            p[i] = cn_vec3_make(i / 2 == 0 ? 0.5 * side : 0.0, i / 2 == 1 ? 0.25 * side : 0.0,
                i / 2 == 2 ? 0.5 * side : 0.0);
        }
    }
    *of = (struct cn_shape_def){
        .kind = CN_SHAPE_HULL, .hull = {.vertices = p, .vertex_count = count}};
}

/* Adds a body of height 0.5 and of width 1, a disc of width 0.5. */
static void
add_body(double x, double y, double z, enum form form, double top, double yaw)
{
    int i = def.body_count++;
    bool is_spatial = def.settings.dimension == CN_SPATIAL;
    cn_body_def_init(&body[i]);
    body[i].position = cn_vec3_make(x, y, z);
    shape[i] = (struct cn_shape_def){.kind = is_spatial ? CN_SHAPE_SPHERE : CN_SHAPE_CIRCLE};
    if (form == BRICK) {
        shape[i].kind = CN_SHAPE_BOX;
        shape[i].box.size = cn_vec3_make(1.0, 0.5, 1.0);
    } else if (form == DISC && is_spatial) {
        shape[i].sphere.radius = 0.25;
    } else if (form == DISC) {
        shape[i].circle.radius = 0.25;
    } else if (form == LOG) {
        shape[i].kind = CN_SHAPE_CAPSULE;
        shape[i].capsule.radius = 0.25;
        shape[i].capsule.length = 0.5;
        shape[i].angle = is_spatial ? 0.0 : 1.5707963267948966;
        shape[i].orientation = (cn_quat){sqrt(0.5), 0.0, 0.0, is_spatial ? sqrt(0.5) : 0.0};
    } else {
        fill_hull(&shape[i], corner[i], form, top);
    }
    if (yaw != 0.0) {
        body[i].orientation = (cn_quat){cos(0.5 * yaw), 0.0, sin(0.5 * yaw), 0.0};
    }
    body[i].shapes = &shape[i];
    body[i].shape_count = 1;
}

/* Adds the next body of a row, which begins at *x, and moves *x to its end. */
static void
add_next(struct input *in, int row, double *x)
{
    unsigned byte = take(in);
    bool is_spatial = def.settings.dimension == CN_SPATIAL;
    enum form form = (enum form)(take(in) % (is_spatial ? FORM_COUNT : LOG + 1));
    *x += (byte & 1) != 0 ? 0.0 : along(in);
    double z = is_spatial && (byte & 2) != 0 ? along(in) / 2.0 : 0.0;
    double top = form == FRUSTUM ? 0.25 + 0.5 * along(in) : 1.0;
    double yaw = is_spatial && (byte & 4) != 0 ? along(in) : 0.0;
    double half = form == DISC ? 0.25 : yaw != 0.0 ? 0.75 : 0.5;
    add_body(*x + half, 0.25 + 0.5 * row, z, form, top, yaw);
    *x += 2.0 * half;
}

static void
build(struct input *in)
{
    unsigned kind = take(in);
    cn_world_def_init(&def);
    cn_material_def_init(&material);
    material.static_friction = (kind & 3) == 1 ? 0.3 : (kind & 3) == 2 ? 0.9 : 0.0;
    def.settings.dimension = (kind & 8) != 0 ? CN_SPATIAL : CN_PLANAR;
    def.settings.gravity = cn_vec3_make((kind & 4) != 0 ? 1.0 : 0.0, -9.81, 0.0);
    def.materials = &material;
    def.material_count = 1;
    def.bodies = body;
    def.body_count = 0;
    cn_body_def_init(&body[0]);
    body[0].type = CN_STATIC;
    shape[0] = (struct cn_shape_def){.kind = CN_SHAPE_PLANE, .plane = {.normal = {0, 1, 0}}};
    body[0].shapes = &shape[0];
    body[0].shape_count = 1;
    def.body_count = 1;
    int rows = (int)(take(in) % (ROWS_MAX + 1));
    for (int row = 0; row < rows; row++) {
        int count = 1 + (int)(take(in) % PER_ROW_MAX);
        double x = -2.0;
        for (int i = 0; i < count; i++) {
            add_next(in, row, &x);
        }
    }
    if ((kind & 16) != 0 && def.body_count > 1) { /* one is pushed, another pulled otherwise */
        int pushed = 1 + (int)take(in) % (def.body_count - 1);
        force = (struct cn_constant_force_def){.body = pushed, .has_at = (kind & 32) != 0};
        force.force = cn_vec3_make(along(in) - 0.5, along(in), 0.0);
        force.at = cn_vec3_make(along(in) - 0.5, 0.25, 0.0);
        force.torque.z = along(in) - 0.5;
        def.constant_forces = &force;
        def.constant_force_count = 1;
        body[1 + (int)take(in) % (def.body_count - 1)].gravity_scale = 2.0 * along(in);
    }
}

static void
damage(struct input *in, const char *certificate, bool by_bounds)
{
    static const char bytes[] = "0123456789-/\"[]{},:.e ";
    struct vf_finding finding;
    size_t length = strlen(certificate);
    if (in->size > 0 && (in->data[0] & 7) == 0) {
        CN_ASSERT(!vf_verify(&def, (const char *)in->data + 1, in->size - 1, &finding));
        return;
    }
    take(in);
    char *copy = malloc(length + 1);
    CN_ASSERT(copy != NULL);
    memcpy(copy, certificate, length + 1);
    while (in->size >= 3) {
        size_t at = take(in);
        at = (at << 8 | take(in)) * 7919u % length;
        copy[at] = bytes[take(in) % (sizeof(bytes) - 1)];
    }
    /*
     * The finding of a valid certificate is a text: verdict, claim and margin.  A damaged copy that
     * is still valid must prove the same.
     */
    struct vf_finding first;
    CN_ASSERT(vf_verify(&def, certificate, length, &first));
    size_t told = by_bounds ? strcspn(first.text, ";") : sizeof(first.text); /* wider bounds hold */
    CN_ASSERT(!vf_verify(&def, copy, length, &finding) ||
              strncmp(finding.text, first.text, told) == 0);
    free(copy);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {data, size};
    build(&in);
    struct pv_choice choice = {
        .side_contacts = (take(&in) & 1) == 0, .friction = true, .start = true};
    struct pv_answer answer;
    struct cn_defect defect;
    if (pv_answer_init(&answer, &def, &choice, &defect) != CN_OK) {
        CN_ASSERT(defect.status == CN_GEOMETRY); /* several share a gap of 1e-9 */
        return 0;
    }
    CN_ASSERT(answer.verdict != PV_UNKNOWN || answer.kind == PV_BOUNDS); /* near the edge */
    struct wire_json json;
    wire_json_init(&json, false);
    pv_write(&json, &answer);
    char *text = wire_json_take(&json);
    struct vf_finding finding;
    CN_ASSERT(text != NULL && vf_verify(&def, text, strlen(text), &finding));
    damage(&in, text, answer.kind == PV_BOUNDS);
    free(text);
    pv_answer_finish(&answer);
    return 0;
}
