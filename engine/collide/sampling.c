#include "engine/collide/sampling.h"

#include "engine/collide/sampling_near.h"
#include "engine/math/scalar.h"

#include <math.h>
#include <stddef.h>

#define LIKE_NORMALS 0.8      /* the cosine between normals that are alike */
#define POINTS_PER_EDGE 16    /* of boxes, hulls and capsules, at most */
#define EDGE_SPACING 0.25     /* of a mesh's thickness: how far apart those are */
#define FEATURE_OF_B 0x800000 /* of a contact's feature: whose point it is */
#define LENGTH_MIN 1e-12      /* m: shorter has no direction */

/* The pose of a frame in another's: that of b seen from a. */
static cn_pose
relative(const cn_pose *a, const cn_pose *b)
{
    cn_mat33 back = cn_mat33_transpose(&a->rotation);
    return (cn_pose){cn_pose_invert(a, b->position), cn_mat33_multiply(&back, &b->rotation)};
}

static cn_pose
compose(const cn_pose *outer, const cn_pose *inner)
{
    return (cn_pose){cn_pose_apply(outer, inner->position),
        cn_mat33_multiply(&outer->rotation, &inner->rotation)};
}

/* ---- distances, in the body's frame ---- */

static double
mesh_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    const struct cn_placed_mesh *placed = shape->mesh;
    cn_vec3 local = cn_pose_invert(&placed->pose, p), n;
    double phi = cn_field_sample(&placed->mesh->field, local, &n);
    if (placed->mesh->sharp) {
        n = cn_mesh_normal(placed->mesh, local);
    }
    *normal = cn_pose_turn(&placed->pose, n);
    return phi;
}

/* Of a core of one vertex or two. */
static double
round_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    const cn_vec3 *v = shape->core.vertex;
    cn_vec3 nearest = v[0];
    if (shape->core.vertex_count == 2) {
        cn_vec3 along = cn_vec3_sub(v[1], v[0]);
        double square = cn_vec3_dot(along, along);
        double part = square > 0.0 ? cn_vec3_dot(cn_vec3_sub(p, v[0]), along) / square : 0.0;
        nearest = cn_vec3_add_scaled(v[0], cn_clamp(part, 0.0, 1.0), along);
    }
    cn_vec3 way = cn_vec3_sub(p, nearest);
    double length = cn_vec3_length(way);
    *normal = length > LENGTH_MIN ? cn_vec3_scale(way, 1.0 / length) : (cn_vec3){0.0, 1.0, 0.0};
    return length - shape->radius;
}

static double
faces_distance(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    double largest = -HUGE_VAL;
    for (int i = 0; i < shape->core.face_count; i++) {
        const struct cn_face *face = &shape->core.face[i];
        double distance = cn_vec3_dot(face->normal, p) - face->offset;
        if (distance > largest) {
            largest = distance;
            *normal = face->normal;
        }
    }
    return largest - shape->radius;
}

static double
distance_of(const struct cn_shape *shape, cn_vec3 p, cn_vec3 *normal)
{
    if (shape->kind == CN_SHAPE_MESH) {
        return mesh_distance(shape, p, normal);
    }
    return shape->core.face_count > 0 ? faces_distance(shape, p, normal)
                                      : round_distance(shape, p, normal);
}

/* Whether a ball is beyond one side of the box around a mesh. */
static bool
is_beside(const cn_aabb *box, cn_vec3 center, double room)
{
    return center.x + room < box->low.x || center.x - room > box->high.x ||
           center.y + room < box->low.y || center.y - room > box->high.y ||
           center.z + room < box->low.z || center.z - room > box->high.z;
}

/* Whether nothing within a ball comes within `margin` of a shape's surface or its inside. */
static bool
is_clear(const struct cn_shape *shape, cn_vec3 center, double radius, double margin)
{
    cn_vec3 unused;
    if (shape->kind != CN_SHAPE_MESH) {
        return distance_of(shape, center, &unused) > radius + margin;
    }
    const struct cn_placed_mesh *placed = shape->mesh;
    cn_vec3 local = cn_pose_invert(&placed->pose, center);
    if (is_beside(&placed->mesh->bounds, local, radius + margin)) {
        return true;
    }
    return cn_field_bound(&placed->mesh->field, local) > radius + margin &&
           !cn_field_is_inside(&placed->mesh->field, local);
}

/* ---- points ---- */

/* What the points of one shape are looked up by. */
struct look {
    const struct cn_shape *other;
    bool of_a;
    double radius; /* of the points' rounding [m] */
    double margin;
    struct cn_samples *samples;
};

static void
keep(struct cn_samples *samples, const struct cn_sample *sample)
{
    if (samples->count < CN_SAMPLES_MAX) {
        samples->sample[samples->count++] = *sample;
        return;
    }
    int shallowest = 0;
    for (int i = 1; i < samples->count; i++) {
        if (samples->sample[i].gap > samples->sample[shallowest].gap) {
            shallowest = i;
        }
    }
    samples->lost++;
    if (sample->gap < samples->sample[shallowest].gap) {
        samples->sample[shallowest] = *sample;
    }
}

/* Takes a point, in the frame of the other's body, with its distance. */
static void
look_closely(const struct look *look, cn_vec3 p, int32_t feature)
{
    struct cn_sample sample = {.of_a = look->of_a, .feature = feature, .core = p};
    sample.gap = distance_of(look->other, p, &sample.normal) - look->radius;
    if (sample.gap <= look->margin) {
        keep(look->samples, &sample);
    }
}

/* Takes a point that may be far away. */
static void
look_at(const struct look *look, cn_vec3 p, int32_t feature)
{
    if (look->other->kind == CN_SHAPE_MESH) { /* most are further, and need no normal */
        const struct cn_placed_mesh *placed = look->other->mesh;
        cn_vec3 local = cn_pose_invert(&placed->pose, p);
        double most = look->margin + look->radius;
        if (is_beside(&placed->mesh->bounds, local, most) ||
            cn_field_distance(&placed->mesh->field, local) > most) {
            return;
        }
    }
    look_closely(look, p, feature);
}

static void
look_at_mesh(const struct look *look, const struct cn_mesh *mesh, const cn_pose *pose)
{
    for (int i = 0; i < mesh->patch_count; i++) {
        const struct cn_mesh_patch *patch = &mesh->patch[i];
        cn_vec3 center = {(double)patch->center[0], (double)patch->center[1],
            (double)patch->center[2]};
        center = cn_pose_apply(pose, center);
        if (is_clear(look->other, center, (double)patch->radius, look->margin)) {
            continue;
        }
        for (int k = patch->sample_first; k < patch->sample_first + patch->sample_count; k++) {
            const float *at = mesh->sample[k].at;
            cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
            look_at(look, cn_pose_apply(pose, p), k);
        }
    }
}

static void
look_along(const struct look *look, cn_vec3 from, cn_vec3 to, double spacing, int32_t feature)
{
    cn_vec3 along = cn_vec3_sub(to, from);
    double parts = ceil(cn_vec3_length(along) / spacing);
    int count = parts < POINTS_PER_EDGE ? (int)parts : POINTS_PER_EDGE;
    for (int i = 1; i < count; i++) {
        look_at(look, cn_vec3_add_scaled(from, (double)i / count, along), feature + i);
    }
}

static void
look_at_core(const struct look *look, const struct cn_shape *shape, const cn_pose *pose,
    double spacing)
{
    const struct cn_polytope *core = &shape->core;
    for (int i = 0; i < core->vertex_count; i++) {
        look_at(look, cn_pose_apply(pose, core->vertex[i]), i);
    }
    for (int i = 0; i < core->edge_count; i++) {
        look_along(look, cn_pose_apply(pose, core->vertex[core->edge[i].tail]),
            cn_pose_apply(pose, core->vertex[core->edge[i].head]), spacing,
            core->vertex_count + POINTS_PER_EDGE * i);
    }
}

static double
spacing_of(const struct cn_shape *a, const struct cn_shape *b)
{
    const struct cn_shape *mesh = a->kind == CN_SHAPE_MESH ? a : b;
    return EDGE_SPACING * mesh->mesh->mesh->thickness;
}

/* Two meshes: of each the looks of its points, and the pose of its frame in the other's body. */
struct both {
    struct look look[2];
    const struct cn_mesh *mesh[2];
    cn_pose pose[2];
};

static void
take_sample(void *context, bool second, int sample)
{
    const struct both *both = context;
    const float *at = both->mesh[second]->sample[sample].at;
    cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
    look_closely(&both->look[second], cn_pose_apply(&both->pose[second], p), sample);
}

static void
find_of_meshes(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples)
{
    const struct cn_placed_mesh *first = a->mesh, *second = b->mesh;
    cn_pose a_in_b = relative(pose_b, pose_a), b_in_a = relative(pose_a, pose_b);
    struct both both = {
        .look = {{.other = b, .of_a = true, .margin = margin, .samples = samples},
            {.other = a, .of_a = false, .margin = margin, .samples = samples}},
        .mesh = {first->mesh, second->mesh},
        .pose = {compose(&a_in_b, &first->pose), compose(&b_in_a, &second->pose)},
    };
    cn_pose first_in_second = relative(&second->pose, &both.pose[0]);
    cn_pose second_in_first = relative(&first->pose, &both.pose[1]);
    cn_sampling_near(kernel, first->mesh, &first_in_second, second->mesh, &second_in_first,
        margin, take_sample, &both);
}

void
cn_sampling_find(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples)
{
    samples->count = samples->lost = 0;
    if (a->kind == CN_SHAPE_MESH && b->kind == CN_SHAPE_MESH) {
        find_of_meshes(kernel, a, pose_a, b, pose_b, margin, samples);
        return;
    }
    for (int side = 0; side < 2; side++) {
        bool of_a = side == 0;
        const struct cn_shape *own = of_a ? a : b, *other = of_a ? b : a;
        cn_pose pose = of_a ? relative(pose_b, pose_a) : relative(pose_a, pose_b);
        struct look look = {.other = other, .of_a = of_a, .margin = margin, .samples = samples};
        if (own->kind == CN_SHAPE_MESH) {
            cn_pose of_mesh = compose(&pose, &own->mesh->pose);
            look_at_mesh(&look, own->mesh->mesh, &of_mesh);
        } else if (own->core.vertex_count > 0) {
            look.radius = own->radius;
            look_at_core(&look, own, &pose, spacing_of(a, b));
        }
    }
}

/* ---- what becomes of them ---- */

void
cn_sampling_thin(struct cn_samples *samples, double *gap, double spacing)
{
    bool gone[CN_SAMPLES_MAX];
    int16_t order[CN_SAMPLES_MAX], chosen[CN_SAMPLES_MAX];
    double near = spacing * spacing;
    int chosen_count = 0;
    for (int i = 0; i < samples->count; i++) { /* the deepest first; equal ones as they came */
        int place = i;
        for (; place > 0 && gap[order[place - 1]] > gap[i]; place--) {
            order[place] = order[place - 1];
        }
        order[place] = (int16_t)i;
    }
    for (int i = 0; i < samples->count; i++) {
        const struct cn_sample *own = &samples->sample[order[i]];
        gone[order[i]] = false;
        for (int k = 0; k < chosen_count && !gone[order[i]]; k++) {
            const struct cn_sample *other = &samples->sample[chosen[k]];
            cn_vec3 way = cn_vec3_sub(own->ahead_point, other->ahead_point);
            gone[order[i]] = cn_vec3_dot(way, way) < near &&
                             cn_vec3_dot(own->ahead_normal, other->ahead_normal) > LIKE_NORMALS;
        }
        if (!gone[order[i]]) {
            chosen[chosen_count++] = order[i];
        }
    }
    int kept = 0;
    for (int i = 0; i < samples->count; i++) {
        if (!gone[i]) {
            gap[kept] = gap[i];
            samples->sample[kept++] = samples->sample[i];
        }
    }
    samples->count = kept;
}

double
cn_sampling_gap(struct cn_sample *sample, const struct cn_shape *a, const cn_pose *pose_a,
    const struct cn_shape *b, const cn_pose *pose_b, const cn_pose *found_a,
    const cn_pose *found_b)
{
    /* Where the point was found, then with its own body to where that is now. */
    const cn_pose *from = sample->of_a ? found_b : found_a, *own = sample->of_a ? found_a : found_b;
    const cn_pose *to = sample->of_a ? pose_a : pose_b, *other = sample->of_a ? pose_b : pose_a;
    cn_vec3 local = cn_pose_invert(own, cn_pose_apply(from, sample->core));
    cn_vec3 p = cn_pose_invert(other, cn_pose_apply(to, local)), n;
    const struct cn_shape *point_of = sample->of_a ? a : b;
    double radius = point_of->kind == CN_SHAPE_MESH ? 0.0 : point_of->radius;
    double gap = distance_of(sample->of_a ? b : a, p, &n) - radius;
    n = cn_pose_turn(other, n);
    sample->ahead_normal = sample->of_a ? cn_vec3_negate(n) : n;
    sample->ahead_point = cn_pose_apply(other, p);
    return gap;
}

void
cn_sampling_contact(const struct cn_sample *sample, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b,
    struct cn_contact *contact)
{
    bool of_a = sample->of_a;
    const cn_pose *own = of_a ? pose_a : pose_b, *other = of_a ? pose_b : pose_a;
    double radius_a = a->kind == CN_SHAPE_MESH ? 0.0 : a->radius;
    double radius_b = b->kind == CN_SHAPE_MESH ? 0.0 : b->radius;
    double to_core = sample->gap + radius_a + radius_b;
    cn_vec3 core = cn_pose_invert(own, cn_pose_apply(other, sample->core));
    cn_vec3 foot = cn_vec3_add_scaled(sample->core, -to_core, sample->normal);
    *contact = (struct cn_contact){
        .feature = (uint32_t)sample->feature | (of_a ? 0U : FEATURE_OF_B),
        .kind = of_a ? CN_CONTACT_FACE_B : CN_CONTACT_FACE_A,
        .anchor_a = of_a ? core : foot,
        .anchor_b = of_a ? foot : core,
        .face_normal = of_a ? cn_vec3_negate(sample->normal) : sample->normal,
        .radius = radius_a + radius_b,
        .radius_a = radius_a,
        .face_core = NULL,
    };
    cn_contact_place(contact, pose_a, pose_b);
}
