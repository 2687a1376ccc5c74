/*
 * pipeline_gather.c: lists the contacts of pairs that touch, in the order of the pairs.
 *
 * Workers share the pairs in pieces.  The first pass counts the pairs of each piece that touch, so
 * that the second pass knows where the contacts of each piece begin.  Some pairs that touch have no
 * contact to be solved; then the gaps are closed.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <string.h>

#define GRAIN CN_PIPELINE_PAIR_GRAIN

struct piece {
    int32_t touching, gone, forces;
    int32_t first, count; /* contacts */
    bool bounces;         /* one of them has restitution */
};

struct gathering {
    struct cn_pipeline_tick *t;
    struct piece *piece;
};

/* The coefficients of a contact of two materials; the last pair of materials is cached. */
struct mix {
    int material_a, material_b;
    float friction, restitution, rolling, spinning;
    bool still;
    const struct cn_material_pair *own; /* the values that the pair of materials has; NULL: none */
};

/* The velocity of A's surface against B's, besides that of the bodies: it carries B. */
static void
surface(const struct cn_pipeline *p, const struct cn_shape *a, const struct cn_shape *b,
    float velocity[3])
{
    const struct cn_model *model = p->model;
    cn_vec3 of_a = model->material[a->material].surface_velocity;
    cn_vec3 of_b = model->material[b->material].surface_velocity;
    if (model->settings.dimension == CN_PLANAR) {
        velocity[0] = (float)(of_a.x + of_b.x); /* each along its own tangent */
        return;
    }
    cn_mat33 turn_a = cn_quat_to_mat33(model->motion[a->body].orientation);
    cn_mat33 turn_b = cn_quat_to_mat33(model->motion[b->body].orientation);
    cn_vec3 v =
        cn_vec3_sub(cn_mat33_apply(&turn_a, of_a), cn_mat33_apply(&turn_b, of_b));
    velocity[0] = (float)v.x;
    velocity[1] = (float)v.y;
    velocity[2] = (float)v.z;
}

/* The same where a pair of materials has its own: the surface of its material a moves. */
static void
own_surface(const struct cn_pipeline *p, const struct cn_material_pair *own,
    const struct cn_shape *a, const struct cn_shape *b, float velocity[3])
{
    const struct cn_model *model = p->model;
    cn_vec3 v = own->surface_velocity;
    if (model->settings.dimension == CN_PLANAR) {
        velocity[0] = (float)v.x;
        return;
    }
    CN_ASSERT(a->material != b->material);
    bool of_a = a->material == own->a;
    cn_mat33 turn = cn_quat_to_mat33(model->motion[of_a ? a->body : b->body].orientation);
    v = cn_vec3_scale(cn_mat33_apply(&turn, v), of_a ? 1.0 : -1.0);
    velocity[0] = (float)v.x;
    velocity[1] = (float)v.y;
    velocity[2] = (float)v.z;
}

static bool
is_still(const struct cn_material *material)
{
    cn_vec3 v = material->surface_velocity;
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static void
mix_materials(const struct cn_pipeline *p, const struct cn_touch *pair, struct mix *mix)
{
    const struct cn_model *model = p->model;
    int a = p->hot[pair->a].material, b = p->hot[pair->b].material;
    if (mix->material_a == a && mix->material_b == b) {
        return;
    }
    const struct cn_material *of_a = &model->material[a], *of_b = &model->material[b];
    const struct cn_material_pair *own = cn_model_pair(model, pair->a, pair->b);
    double sliding, resting;
    cn_model_friction(model, pair->a, pair->b, &sliding, &resting);
    double rolling = cn_max(of_a->rolling_friction, of_b->rolling_friction);
    double spinning = cn_max(of_a->spinning_friction, of_b->spinning_friction);
    cn_material_pair_moments(own, &rolling, &spinning);
    *mix = (struct mix){
        .material_a = a,
        .material_b = b,
        .friction = (float)sliding,
        .restitution = (float)cn_model_restitution(model, pair->a, pair->b),
        .rolling = (float)rolling,
        .spinning = (float)spinning,
        .still = is_still(of_a) && is_still(of_b),
        .own = own != NULL && (own->has & CN_PAIR_SURFACE) != 0 ? own : NULL,
    };
}

/*
 * The length that scales rolling and spinning friction [m].  It is the radius of the rounding, or
 * half of a mesh's thickness.  Level geometry does not roll.
 */
static double
rolling_radius(const struct cn_model *model, const struct cn_shape *shape)
{
    if (shape->mesh == NULL) {
        return shape->radius;
    }
    return model->body[shape->body].type == CN_DYNAMIC ? 0.5 * shape->width : 0.0;
}

static void
make_contact(const struct cn_pipeline *p, int index, struct cn_color_pair ends, struct mix *mix,
    struct cn_impulse_contact *contact)
{
    const struct cn_touch *pair = &p->pair[index];
    mix_materials(p, pair, mix);
    *contact = (struct cn_impulse_contact){
        .body_a = ends.body_a,
        .body_b = ends.body_b,
        .manifold = index,
        .friction = mix->friction,
        .restitution = mix->restitution,
        .firm = (pair->flags & CN_TOUCH_PIECES) != 0 ? 1 : 0,
    };
    if (mix->rolling > 0.0F || mix->spinning > 0.0F) {
        const struct cn_shape *a = &p->model->shape[pair->a], *b = &p->model->shape[pair->b];
        float radius = (float)cn_max(
            rolling_radius(p->model, a), rolling_radius(p->model, b));
        contact->rolling = mix->rolling * radius;
        contact->spinning = mix->spinning * radius;
    }
    if (mix->own != NULL) {
        own_surface(p, mix->own, &p->model->shape[pair->a], &p->model->shape[pair->b],
            contact->surface);
    } else if (!mix->still) {
        surface(p, &p->model->shape[pair->a], &p->model->shape[pair->b], contact->surface);
    }
}

static void
count_task(void *context, int first, int end, int worker)
{
    const struct gathering *g = context;
    const struct cn_touch *pair = g->t->p->pair;
    (void)worker;
    for (int start = first; start < end; start += GRAIN) {
        int touching = 0, gone = 0, forces = 0;
        for (int i = start; i < cn_pipeline_piece_end(start, end); i++) {
            touching += (pair[i].flags & CN_TOUCH_NOW) != 0 ? 1 : 0;
            gone += (pair[i].flags & CN_TOUCH_GONE) != 0 ? 1 : 0;
            uint32_t told = pair[i].flags & (CN_TOUCH_NOW | CN_TOUCH_FORCES);
            forces += told == (CN_TOUCH_NOW | CN_TOUCH_FORCES) ? 1 : 0;
        }
        g->piece[start / GRAIN] =
            (struct piece){.touching = touching, .gone = gone, .forces = forces};
    }
}

/* Lists the contacts of pairs that touch, unless neither body is moved by impulses. */
static void
list_task(void *context, int first, int end, int worker)
{
    const struct gathering *g = context;
    struct cn_pipeline_tick *t = g->t;
    const struct cn_pipeline *p = t->p;
    (void)worker;
    for (int start = first; start < end; start += GRAIN) {
        struct piece *piece = &g->piece[start / GRAIN];
        struct mix mix = {.material_a = -1};
        int at = piece->first;
        for (int i = start; i < cn_pipeline_piece_end(start, end); i++) {
            const struct cn_touch *pair = &p->pair[i];
            if ((pair->flags & (CN_TOUCH_NOW | CN_TOUCH_SENSOR)) != CN_TOUCH_NOW) {
                continue;
            }
            struct cn_color_pair ends = {p->solver_body[p->shape_body[pair->a]],
                p->solver_body[p->shape_body[pair->b]]};
            CN_ASSERT(ends.body_a < p->awake_count && ends.body_b < p->awake_count);
            if (ends.body_a >= 0 || ends.body_b >= 0) {
                make_contact(p, i, ends, &mix, &t->contact[at]);
                t->ends[at++] = ends;
                piece->bounces |= mix.restitution != 0.0F;
            }
        }
        piece->count = at - piece->first;
        CN_ASSERT(piece->count <= piece->touching);
    }
}

/* Moves the contacts of the pieces together. */
static void
close_gaps(struct cn_pipeline_tick *t, const struct piece *piece, int piece_count)
{
    t->contact_count = 0;
    t->bounces = false;
    for (int i = 0; i < piece_count; i++) {
        t->bounces = t->bounces || piece[i].bounces;
        size_t count = (size_t)piece[i].count;
        int from = piece[i].first, to = t->contact_count;
        if (from != to) {
            memmove(&t->ends[to], &t->ends[from], count * sizeof(t->ends[0]));
            memmove(&t->contact[to], &t->contact[from], count * sizeof(t->contact[0]));
        }
        t->contact_count += piece[i].count;
    }
}

bool
cn_pipeline_gather(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    int piece_count = (p->pair_count + GRAIN - 1) / GRAIN;
    struct gathering g = {t, CN_PIPELINE_TAKE(t, struct piece, piece_count)};
    t->turned = CN_PIPELINE_TAKE(t, bool, piece_count);
    if (t->turned == NULL) {
        return false;
    }
    cn_task_run(t->crew, count_task, &g, p->pair_count, GRAIN);
    int touching = 0, gone = 0, forces = 0;
    for (int i = 0; i < piece_count; i++) {
        g.piece[i].first = touching;
        touching += g.piece[i].touching;
        gone += g.piece[i].gone;
        forces += g.piece[i].forces;
    }
    p->force_count = forces;
    p->gone_count = gone;
    p->touching_count = touching;
    if (p->model->settings.sleep &&
        p->asleep.entry_max - p->asleep.entry_count < touching) {
        p->sleep_needed = p->asleep.entry_count + touching;
        return false;
    }
    t->ends = CN_PIPELINE_TAKE(t, struct cn_color_pair, touching);
    t->contact = CN_PIPELINE_TAKE(t, struct cn_impulse_contact, touching);
    if (t->contact == NULL) {
        return false;
    }
    cn_task_run(t->crew, list_task, &g, p->pair_count, GRAIN);
    close_gaps(t, g.piece, piece_count);
    return true;
}
