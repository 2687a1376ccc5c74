#include "engine/collide/mesh/sampling.h"

#include "engine/base/assert.h"
#include "engine/collide/mesh/sampling_distance.h"
#include "engine/collide/mesh/sampling_near.h"
#include "engine/math/scalar.h"
#include "engine/mesh/mesh_low.h"

#include <math.h>
#include <stddef.h>

#define LIKE_NORMALS 0.8      /* cosine above which two normals are similar */
#define POINTS_PER_EDGE 16    /* of boxes, hulls and capsules, at most */
#define EDGE_SPACING 0.25     /* of a mesh's thickness: the distance of those points */
#define FEATURE_OF_B 0x800000 /* of a contact's feature: the point is B's */
#define FEATURE_OF_LOW 0x400000 /* the deepest point of a part of an edge */

/* The pose of frame b in frame a. */
static cn_pose
relative_pose(const cn_pose *a, const cn_pose *b)
{
    cn_mat33 back = cn_mat33_transpose(&a->rotation);
    return (cn_pose){cn_pose_invert(a, b->position), cn_mat33_multiply(&back, &b->rotation)};
}

static cn_pose
pose_in(const cn_pose *outer, const cn_pose *inner)
{
    return (cn_pose){cn_pose_apply(outer, inner->position),
        cn_mat33_multiply(&outer->rotation, &inner->rotation)};
}

/* ---- points ---- */

/* The data for looking up the points of one shape in the other. */
struct look {
    const struct cn_shape *other;
    bool of_a;
    double radius; /* of the points' rounding [m] */
    double margin;
    struct cn_samples *samples;
    const struct cn_mesh *mesh; /* of the samples; NULL: points of a convex shape */
    const cn_pose *pose;        /* pose of their frame in the other's body */
    const cn_pose *own;         /* pose of their own body there */
};

static void
keep_sample(struct cn_samples *samples, const struct cn_sample *sample)
{
    if (samples->count < CN_SAMPLES_MAX) {
        samples->sample[samples->count++] = *sample;
        return;
    }
    CN_ASSERT(samples->count == CN_SAMPLES_MAX);
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

/* The shape along which the edges are searched: for meshes the triangles. */
struct in_shape {
    const struct cn_shape *shape;
    int32_t triangle; /* near which the next point may be; -1: unknown */
};

static double
low_distance(void *in_shape, cn_vec3 p, cn_vec3 *slope)
{
    struct in_shape *in = in_shape;
    if (in->shape->kind != CN_SHAPE_MESH) {
        return cn_sampling_distance(in->shape, p, slope);
    }
    const struct cn_placed_mesh *placed = in->shape->mesh;
    struct cn_in_mesh mesh = {placed->mesh, in->triangle};
    double phi = cn_mesh_low_distance(&mesh, cn_pose_invert(&placed->pose, p), slope);
    in->triangle = mesh.triangle;
    *slope = cn_pose_turn(&placed->pose, *slope);
    return phi;
}

/* Searches the deepest point of a part of an edge, whose ends are in the other body's frame. */
static void
look_for_low(const struct look *look, cn_vec3 from, cn_vec3 to, int32_t feature,
    const int32_t end[2])
{
    struct cn_low low;
    struct in_shape in = {look->other, -1};
    double reach = look->margin + look->radius;
    if (cn_low_find(low_distance, &in, from, to, reach, &low)) {
        const struct cn_sample sample = {
            .of_a = look->of_a,
            .feature = FEATURE_OF_LOW | feature,
            .core = low.at,
            .normal = low.normal,
            .gap = low.gap - look->radius,
            .is_low = true,
            .from = cn_pose_invert(look->own, from),
            .to = cn_pose_invert(look->own, to),
            .end = {end[0], end[1]},
        };
        keep_sample(look->samples, &sample);
    }
}

/* Searches beside a sample of a crease; the sample itself may not be near. */
static void
look_beside(const struct look *look, cn_vec3 p, int32_t sample)
{
    struct cn_mesh_part part[2];
    cn_vec3 slope;
    const struct cn_mesh *mesh = look->mesh;
    CN_ASSERT(0 <= sample && sample < mesh->sample_count);
    int edge = -1 - mesh->sample[sample].feature;
    if (edge < 0 || !cn_mesh_is_crease(mesh, edge)) {
        return;
    }
    struct in_shape in = {look->other, -1};
    (void)low_distance(&in, p, &slope);
    slope = cn_pose_turn_back(look->pose, slope);
    int count = cn_mesh_parts(mesh, sample, slope, part);
    for (int i = 0; i < count; i++) {
        int first = mesh->edge[edge].sample_first, at = part[i].part;
        const int32_t end[2] = {at > 0 ? first + at - 1 : -1,
            at < mesh->edge[edge].sample_count ? first + at : -1};
        look_for_low(look, cn_pose_apply(look->pose, part[i].from),
            cn_pose_apply(look->pose, part[i].to), 2 * first + at, end);
    }
}

static double
crease_spacing(const struct look *look)
{
    return look->mesh != NULL ? look->mesh->crease_spacing : 0.0;
}

/* Adds a point, in the frame of the other's body, with its distance. */
static void
look_closely(const struct look *look, cn_vec3 p, int32_t feature)
{
    struct cn_sample sample = {.of_a = look->of_a, .feature = feature, .core = p, .end = {-1, -1}};
    double spacing = crease_spacing(look);
    sample.gap = cn_sampling_distance(look->other, p, &sample.normal) - look->radius;
    if (sample.gap <= look->margin) {
        keep_sample(look->samples, &sample);
    }
    if (spacing > 0.0 && sample.gap <= look->margin + spacing) {
        look_beside(look, p, feature);
    }
}

/* Adds a point if it is near. */
static void
look_at(const struct look *look, cn_vec3 p, int32_t feature)
{
    if (look->other->kind == CN_SHAPE_MESH) { /* most are farther away, and need no normal */
        const struct cn_placed_mesh *placed = look->other->mesh;
        cn_vec3 local = cn_pose_invert(&placed->pose, p);
        double most = look->margin + look->radius + crease_spacing(look);
        if (cn_sampling_is_beside(&placed->mesh->bounds, local, most) ||
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
        if (cn_sampling_is_apart(look->other, center, (double)patch->radius, look->margin)) {
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
    double apart = cn_vec3_length(along) / count, reach = look->margin + look->radius;
    for (int i = 0; i < count; i++) {
        cn_vec3 first = cn_vec3_add_scaled(from, (double)i / count, along);
        cn_vec3 second = cn_vec3_add_scaled(from, (i + 1.0) / count, along);
        cn_vec3 middle = cn_vec3_scale(cn_vec3_add(first, second), 0.5);
        const int32_t end[2] = {
            i > 0 ? feature + i : -1, i + 1 < count ? feature + i + 1 : -1};
        if (i > 0) {
            look_at(look, first, feature + i);
        }
        if (!cn_sampling_is_apart(look->other, middle, 0.5 * apart, reach)) {
            look_for_low(look, first, second, feature + i, end);
        }
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

/* Two meshes: for each the lookup of its points, and the pose of its frame in the other's body. */
struct both {
    struct look look[2];
    cn_pose pose[2], own[2]; /* own: pose of its own body there */
};

static void
take_sample(void *context, bool second, int sample)
{
    const struct both *both = context;
    CN_ASSERT(0 <= sample && sample < both->look[second].mesh->sample_count);
    const float *at = both->look[second].mesh->sample[sample].at;
    cn_vec3 p = {(double)at[0], (double)at[1], (double)at[2]};
    look_closely(&both->look[second], cn_pose_apply(&both->pose[second], p), sample);
}

static void
both_make(struct both *both, const struct cn_shape *a, const cn_pose *pose_a,
    const struct cn_shape *b, const cn_pose *pose_b, double margin, struct cn_samples *samples)
{
    const struct cn_mesh *first = a->mesh->mesh, *second = b->mesh->mesh;
    both->own[0] = relative_pose(pose_b, pose_a);
    both->own[1] = relative_pose(pose_a, pose_b);
    both->pose[0] = pose_in(&both->own[0], &a->mesh->pose);
    both->pose[1] = pose_in(&both->own[1], &b->mesh->pose);
    both->look[0] = (struct look){.other = b, .of_a = true, .margin = margin, .samples = samples,
        .mesh = first, .pose = &both->pose[0], .own = &both->own[0]};
    both->look[1] = (struct look){.other = a, .of_a = false, .margin = margin, .samples = samples,
        .mesh = second, .pose = &both->pose[1], .own = &both->own[1]};
}

/* The frames of the meshes of two shapes, each in the other. */
static void
frames_of(const struct cn_shape *a, const cn_pose *pose_a, const struct cn_shape *b,
    const cn_pose *pose_b, cn_pose in[2])
{
    cn_pose first = pose_in(pose_a, &a->mesh->pose), second = pose_in(pose_b, &b->mesh->pose);
    in[0] = relative_pose(&second, &first);
    in[1].rotation = cn_mat33_transpose(&in[0].rotation);
    in[1].position = cn_vec3_negate(cn_mat33_apply(&in[1].rotation, in[0].position));
}

static void
find_of_meshes(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples)
{
    const struct cn_mesh *first = a->mesh->mesh, *second = b->mesh->mesh;
    struct both both;
    struct cn_sampling_query query = {.kernel = kernel, .mesh = {first, second},
        .limit = margin + cn_max(first->crease_spacing, second->crease_spacing)};
    both_make(&both, a, pose_a, b, pose_b, margin, samples);
    frames_of(a, pose_a, b, pose_b, query.pose);
    query.ahead[0] = query.pose[0];
    query.ahead[1] = query.pose[1];
    cn_sampling_near(&query, take_sample, &both);
}

/* Whether an edge's deepest point replaces the sample: at an end of its part, or the same one. */
static bool
is_stood_for(const struct cn_samples *samples, int i)
{
    const struct cn_sample *own = &samples->sample[i];
    for (int k = 0; k < samples->count; k++) {
        const struct cn_sample *low = &samples->sample[k];
        if (low->is_low && low->of_a == own->of_a &&
            (own->is_low ? k < i && low->feature == own->feature
                         : low->end[0] == own->feature || low->end[1] == own->feature)) {
            return true;
        }
    }
    return false;
}

static void
leave_out_ends(struct cn_samples *samples)
{
    bool gone[CN_SAMPLES_MAX], lows = false;
    int kept = 0;
    for (int i = 0; i < samples->count; i++) {
        lows = lows || samples->sample[i].is_low;
    }
    for (int i = 0; lows && i < samples->count; i++) {
        gone[i] = is_stood_for(samples, i);
    }
    for (int i = 0; lows && i < samples->count; i++) {
        if (!gone[i]) {
            samples->sample[kept++] = samples->sample[i];
        }
    }
    samples->count = lows ? kept : samples->count;
}

void
cn_sampling_find(const struct cn_fast_mesh_kernel *kernel, const struct cn_shape *a,
    const cn_pose *pose_a, const struct cn_shape *b, const cn_pose *pose_b, double margin,
    struct cn_samples *samples)
{
    CN_ASSERT(cn_sampling_is_for(a, b));
    samples->count = samples->lost = 0;
    if (a->kind == CN_SHAPE_MESH && b->kind == CN_SHAPE_MESH) {
        find_of_meshes(kernel, a, pose_a, b, pose_b, margin, samples);
        leave_out_ends(samples);
        return;
    }
    for (int side = 0; side < 2; side++) {
        bool of_a = side == 0;
        const struct cn_shape *own = of_a ? a : b, *other = of_a ? b : a;
        cn_pose pose = of_a ? relative_pose(pose_b, pose_a) : relative_pose(pose_a, pose_b);
        struct look look = {
            .other = other, .of_a = of_a, .margin = margin, .samples = samples, .own = &pose};
        if (own->kind == CN_SHAPE_MESH) {
            cn_pose of_mesh = pose_in(&pose, &own->mesh->pose);
            look.mesh = own->mesh->mesh;
            look.pose = &of_mesh;
            look_at_mesh(&look, own->mesh->mesh, &of_mesh);
        } else if (own->core.vertex_count > 0) {
            look.radius = own->radius;
            look_at_core(&look, own, &pose, spacing_of(a, b));
        }
    }
    leave_out_ends(samples);
}

/* ---- selecting samples ---- */

/*
 * Where points are nearer than `spacing` to each other and have similar normals keeps only the
 * deepest, by the gaps, normals and points of cn_sampling_gap.  The order stays.
 */
static void
thin_samples(struct cn_samples *samples, double *gap, double spacing)
{
    bool gone[CN_SAMPLES_MAX];
    int16_t order[CN_SAMPLES_MAX], chosen[CN_SAMPLES_MAX];
    double near = spacing * spacing;
    int chosen_count = 0;
    for (int i = 0; i < samples->count; i++) { /* the deepest first; equal ones in their order */
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
    /* To the pose where the point was found, then with its own body to the present pose. */
    const cn_pose *from = sample->of_a ? found_b : found_a, *own = sample->of_a ? found_a : found_b;
    const cn_pose *to = sample->of_a ? pose_a : pose_b, *other = sample->of_a ? pose_b : pose_a;
    cn_vec3 local = cn_pose_invert(own, cn_pose_apply(from, sample->core));
    cn_vec3 p = cn_pose_invert(other, cn_pose_apply(to, local)), n;
    const struct cn_shape *point_of = sample->of_a ? a : b;
    double radius = point_of->kind == CN_SHAPE_MESH ? 0.0 : point_of->radius;
    struct in_shape in = {sample->of_a ? b : a, -1};
    struct cn_low low;
    double gap;
    if (sample->is_low &&
        cn_low_find(low_distance, &in, cn_pose_invert(other, cn_pose_apply(to, sample->from)),
            cn_pose_invert(other, cn_pose_apply(to, sample->to)), HUGE_VAL, &low)) {
        p = low.at;
        n = low.normal;
        gap = low.gap - radius;
    } else {
        gap = cn_sampling_distance(in.shape, p, &n) - radius;
    }
    n = cn_pose_turn(other, n);
    sample->ahead_normal = sample->of_a ? cn_vec3_negate(n) : n;
    sample->ahead_point = cn_pose_apply(other, p);
    return gap;
}

/* Whether samples and field contain everything about a shape's contacts. */
static bool
is_smooth(const struct cn_shape *shape)
{
    return shape->kind == CN_SHAPE_MESH && !shape->mesh->mesh->sharp &&
           shape->mesh->mesh->crease_spacing == 0.0;
}

/* For two smooth meshes, by lanes: only the selected samples are looked up exactly. */
static void
choose_of_meshes(const struct cn_fast_mesh_kernel *kernel, const struct cn_meeting_shapes *m,
    const struct cn_sampling_bounds *bounds, struct cn_samples *samples)
{
    struct cn_choice choice[CN_CHOICES_MAX];
    struct cn_sampling_query query = {.kernel = kernel,
        .mesh = {m->a->mesh->mesh, m->b->mesh->mesh},
        .limit = bounds->margin,
        .near = bounds->near,
        .spacing = bounds->spacing};
    frames_of(m->a, m->now_a, m->b, m->now_b, query.pose);
    if (cn_sampling_is_clear(&query)) {
        return;
    }
    frames_of(m->a, m->ahead_a, m->b, m->ahead_b, query.ahead);
    int count = cn_sampling_choose(&query, choice);
    struct both both;
    both_make(&both, m->a, m->now_a, m->b, m->now_b, bounds->margin, samples);
    for (int i = 0; i < count; i++) {
        take_sample(&both, choice[i].second, choice[i].sample);
    }
}

/* Keeps the samples that are near now or ahead, with their gaps ahead. */
static void
keep_near(const struct cn_meeting_shapes *m, double near, struct cn_samples *samples, double *gap)
{
    int kept = 0;
    for (int i = 0; i < samples->count; i++) {
        struct cn_sample *sample = &samples->sample[i];
        gap[kept] = cn_sampling_gap(sample, m->a, m->ahead_a, m->b, m->ahead_b, m->now_a, m->now_b);
        if (cn_min(gap[kept], sample->gap) <= near) {
            samples->sample[kept++] = *sample;
        }
    }
    samples->count = kept;
}

void
cn_sampling_meet(const struct cn_fast_mesh_kernel *kernel, const struct cn_meeting_shapes *m,
    const struct cn_sampling_bounds *bounds, struct cn_samples *samples, double *gap)
{
    CN_ASSERT(cn_sampling_is_for(m->a, m->b));
    bool smooth = is_smooth(m->a) && is_smooth(m->b);
    samples->count = samples->lost = 0;
    if (smooth) {
        choose_of_meshes(kernel, m, bounds, samples);
    } else {
        cn_sampling_find(kernel, m->a, m->now_a, m->b, m->now_b, bounds->margin, samples);
    }
    keep_near(m, bounds->near, samples, gap);
    if (!smooth) {
        thin_samples(samples, gap, bounds->spacing);
    }
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
