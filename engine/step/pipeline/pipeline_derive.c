/* pipeline_derive.c: derives the pipeline's data from the model, all of it or only the changes. */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/model/life.h"

#define HULL_SPARE 16 /* a part of the hulls' room */
#define CHANGES_FEW 8 /* changed bodies up to which each is searched among all pairs of meshes */

static const struct cn_joint_ends no_ends = {-1, -1};

static struct cn_joint_ends
ends_of(const struct cn_model *model, int slot)
{
    const struct cn_joint *joint = &model->joint[slot];
    return joint->absent ? no_ends : (struct cn_joint_ends){joint->body_a, joint->body_b};
}

static struct cn_shape_hot
hot_of(const struct cn_shape *shape)
{
    return (struct cn_shape_hot){
        .material = shape->material, .width = (float)shape->width, .reach = (float)shape->reach};
}

/*
 * Whether the pieces exist that a pair names.  Of two meshes A's number is that of the manifold,
 * and B's is 0; images may have other names.
 */
static bool
names_pieces(const struct cn_pipeline *p, const struct cn_touch *pair)
{
    int on_a = CN_TOUCH_PIECE_A(pair->flags), on_b = CN_TOUCH_PIECE_B(pair->flags);
    bool both = p->ops->placed_size == 0 && p->piece_count[pair->a] > 1;
    return on_a < p->piece_count[pair->a] && on_b < (both ? 1 : p->piece_count[pair->b]);
}

/*
 * Removes pairs whose shapes are gone or may no longer touch; contacts of fresh bodies begin again.
 */
static void
drop_pairs(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    int kept = 0;
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch pair = p->pair[i];
        CN_ASSERT(pair.a < pair.b && pair.b < p->room.shape_max);
        if (!cn_pipeline_may_touch(model, pair.a, pair.b) || !names_pieces(p, &pair)) {
            continue;
        }
        if (model->body[model->shape[pair.a].body].fresh ||
            model->body[model->shape[pair.b].body].fresh) {
            if (p->forget) {
                continue; /* it is found again, perhaps with pieces, or without */
            }
            pair.manifold = -1;
            pair.flags &= ~CN_TOUCH_KINDS;
            pair.flags |= cn_pipeline_kind(model, pair.a, pair.b);
        }
        p->pair[kept++] = pair;
    }
    p->pair_count = kept;
    for (int i = 0; i < p->asleep.entry_count;) {
        uint64_t key = p->asleep.key[i];
        union cn_kept gone;
        int32_t a = cn_asleep_a(key), b = cn_asleep_b(key);
        if (cn_pipeline_may_touch(model, a, b) && !model->body[model->shape[a].body].fresh &&
            !model->body[model->shape[b].body].fresh) {
            i++;
        } else {
            cn_asleep_take(&p->asleep, key, &gone); /* the last entry moves here */
        }
    }
}

static bool
is_changed(const struct cn_change *change, int count, int32_t body)
{
    for (int i = 0; i < count; i++) {
        if (change[i].kind == CN_CHANGE_BODY && change[i].slot == body) {
            return true;
        }
    }
    return false;
}

/* Clears the known distances of pairs with a changed mesh; after many changes, of all pairs. */
static void
forget_clear(struct cn_pipeline *p, const struct cn_change *change, int count)
{
    for (int i = 0; p->clear != NULL && i < p->wide_count; i++) {
        if (count > CHANGES_FEW || is_changed(change, count, p->shape_body[p->wide[i].a]) ||
            is_changed(change, count, p->shape_body[p->wide[i].b])) {
            p->clear[i] = (struct cn_fast_mesh_clear){0};
        }
    }
}

static void
derive_all(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    CN_ASSERT(model->body_count <= p->room.body_max && model->shape_count <= p->room.shape_max);
    CN_ASSERT(model->joint_count <= p->room.joint_max);
    p->hull_used = 0;
    cn_pipeline_name_pieces(p);
    p->wide_count = p->forget ? 0 : p->wide_count;
    forget_clear(p, NULL, CHANGES_FEW + 1);
    drop_pairs(p);
    for (int i = 0; i < model->shape_count; i++) {
        p->shape_body[i] = model->shape[i].body;
        p->hot[i] = hot_of(&model->shape[i]);
    }
    cn_pipeline_list_all(p);
    for (int i = 0; i < model->shape_count; i++) {
        if (p->forget || model->shape[i].body < 0) {
            cn_proximity_remove(p->proximity, i);
        }
        if (model->shape[i].body >= 0) {
            p->ops->bake(p, i);
        }
    }
    for (int i = 0; i < model->body_count; i++) {
        p->shapes_of[i] = (struct cn_span){model->body[i].shape_first, model->body[i].shape_count};
        p->ops->place(p, i);
        cn_pipeline_put(p, i);
    }
    /* An image may have fewer slots than the world that reads it had. */
    for (int i = model->body_count; i < p->room.body_max; i++) {
        p->shapes_of[i] = (struct cn_span){0, 0};
        p->solver_body[i] = CN_IMPULSE_FIXED;
    }
    for (int i = model->shape_count; i < p->room.shape_max; i++) {
        p->shape_body[i] = -1;
        cn_proximity_remove(p->proximity, i);
    }
    for (int i = 0; i < p->room.joint_max; i++) {
        p->joint_ends[i] = i < model->joint_count ? ends_of(model, i) : no_ends;
    }
    p->stale = p->forget = false;
}

/* ---- changes ---- */

#define TO_BAKE -1 /* in place of a body's first shape: the body was made or changed */

/* Whether every change can be followed by itself. */
static bool
can_follow(const struct cn_pipeline *p, const struct cn_change *change, int count)
{
    const struct cn_model *model = p->model;
    size_t hull = p->hull_used;
    for (int i = 0; i < count; i++) {
        if (change[i].kind != CN_CHANGE_BODY || !change[i].made) {
            continue;
        }
        const struct cn_body *body = &model->body[change[i].slot];
        for (int k = 0; k < body->shape_count; k++) {
            const struct cn_shape *shape = &model->shape[body->shape_first + k];
            hull += p->ops->hull_room(shape);
            if (p->ops->placed_size > 0 && p->ops->pieces(shape) > 1) {
                return false;
            }
        }
    }
    return hull <= p->room.hull_size && model->body_count <= p->room.body_max &&
           model->shape_count <= p->room.shape_max && model->joint_count <= p->room.joint_max;
}

/* Forgets a body's shapes and their sleeping contacts. */
static void
forget_shapes(struct cn_pipeline *p, int slot)
{
    struct cn_span *known = &p->shapes_of[slot];
    CN_ASSERT(known->first + known->count <= p->room.shape_max);
    for (int shape = known->first; shape < known->first + known->count; shape++) {
        cn_proximity_remove(p->proximity, shape);
        p->shape_body[shape] = -1;
        for (int32_t end; (end = cn_asleep_first(&p->asleep, shape)) >= 0;) {
            union cn_kept gone;
            cn_asleep_take(&p->asleep, p->asleep.key[end / 2], &gone);
        }
    }
    known->count = 0;
}

/* Derives the data of an existing body, whose shapes may have changed. */
static void
know_shapes(struct cn_pipeline *p, int slot)
{
    const struct cn_body *body = &p->model->body[slot];
    bool baked = p->shapes_of[slot].first != TO_BAKE;
    CN_ASSERT(body->shape_first + body->shape_count <= p->room.shape_max);
    p->shapes_of[slot] = (struct cn_span){body->shape_first, body->shape_count};
    for (int k = 0; k < body->shape_count; k++) {
        int shape = body->shape_first + k;
        p->shape_body[shape] = slot;
        p->hot[shape] = hot_of(&p->model->shape[shape]);
        if (!baked) {
            p->piece_first[shape] = shape;
            p->piece_count[shape] = p->ops->pieces(&p->model->shape[shape]);
            p->ops->bake(p, shape);
        }
    }
}

/* The first of two passes over the changes: removes what no longer exists. */
static void
leave_body(struct cn_pipeline *p, const struct cn_change *change)
{
    if (change->made || change->removed || p->model->body[change->slot].fresh) {
        forget_shapes(p, change->slot);
    }
    if (change->made || change->removed) {
        p->shapes_of[change->slot].first = TO_BAKE;
    }
}

/* The second pass: adds what exists. */
static void
enter_body(struct cn_pipeline *p, int slot)
{
    CN_ASSERT(slot >= 0 && slot < p->room.body_max);
    const struct cn_body *body = &p->model->body[slot];
    if (body->absent) {
        p->shapes_of[slot] = (struct cn_span){0, 0};
        return;
    }
    if (p->shapes_of[slot].count != body->shape_count) {
        know_shapes(p, slot);
    }
    p->ops->place(p, slot);
    cn_pipeline_put(p, slot);
    if (p->solver_body[slot] == CN_IMPULSE_FIXED && cn_pipeline_moves(p->model, slot)) {
        cn_model_note_awake(p->model, slot);
    }
}

/* Removes sleeping contacts between two bodies that may not touch any more. */
static void
take_contacts(struct cn_pipeline *p, int body_a, int body_b)
{
    struct cn_span shapes = p->shapes_of[body_a];
    for (int shape = shapes.first; shape < shapes.first + shapes.count; shape++) {
        for (int32_t end = cn_asleep_first(&p->asleep, shape); end >= 0;) {
            uint64_t key = p->asleep.key[end / 2];
            int32_t other = end % 2 == 0 ? cn_asleep_b(key) : cn_asleep_a(key);
            union cn_kept gone;
            if (p->shape_body[other] == body_b &&
                !cn_pipeline_may_touch(p->model, shape, other)) {
                cn_asleep_take(&p->asleep, key, &gone); /* other entries may have moved */
                end = cn_asleep_first(&p->asleep, shape);
            } else {
                end = cn_asleep_next(&p->asleep, end);
            }
        }
    }
}

/* Follows a change of a joint: its bodies may touch again, or may not any more. */
static void
follow_joint(struct cn_pipeline *p, int slot)
{
    CN_ASSERT(slot >= 0 && slot < p->room.joint_max);
    struct cn_joint_ends known = p->joint_ends[slot], ends = ends_of(p->model, slot);
    p->joint_ends[slot] = ends;
    if (known.body_a >= 0 && known.body_b >= 0) {
        struct cn_span shapes = p->shapes_of[known.body_b];
        for (int shape = shapes.first; shape < shapes.first + shapes.count; shape++) {
            cn_proximity_renew(p->proximity, shape);
        }
    }
    if (ends.body_a >= 0 && ends.body_b >= 0) {
        take_contacts(p, ends.body_a, ends.body_b);
    }
}

/* Whether the bodies of two shapes exist, have existed since the last tick, and may touch. */
static bool
are_old(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b, bool parted)
{
    int a = p->shape_body[shape_a], b = p->shape_body[shape_b];
    const struct cn_body *body = p->model->body;
    return a >= 0 && b >= 0 && !body[a].fresh && !body[b].fresh &&
           (!parted || cn_pipeline_may_touch(p->model, shape_a, shape_b));
}

/*
 * Removes contacts of bodies that are gone or fresh.  Shapes of fresh bodies are new, and their
 * pairs are found again.
 */
static void
drop_fresh(struct cn_pipeline *p, bool parted)
{
    int kept = 0;
    for (int i = 0; i < p->pair_count; i++) {
        if (are_old(p, p->pair[i].a, p->pair[i].b, parted)) {
            p->pair[kept++] = p->pair[i];
        }
    }
    p->pair_count = kept;
    kept = 0;
    for (int i = 0; i < p->wide_count; i++) {
        if (are_old(p, p->wide[i].a, p->wide[i].b, parted)) {
            cn_pipeline_put_wide(p, kept++, i);
        }
    }
    p->wide_count = kept;
}

static void
follow(struct cn_pipeline *p, const struct cn_change *change, int count)
{
    bool structural = false, parted = false; /* some pairs may touch no more */
    for (int i = 0; i < count; i++) {
        bool body = change[i].kind == CN_CHANGE_BODY;
        parted = parted || !body || p->model->body[change[i].slot].quarantined;
        structural = structural || change[i].made || change[i].removed ||
                     (body && p->model->body[change[i].slot].fresh);
        if (body) {
            leave_body(p, &change[i]);
        }
    }
    for (int i = 0; i < count; i++) {
        if (change[i].kind == CN_CHANGE_BODY) {
            enter_body(p, change[i].slot);
        }
    }
    for (int i = 0; i < count; i++) {
        if (change[i].kind == CN_CHANGE_JOINT) {
            follow_joint(p, change[i].slot);
        }
    }
    if (structural || parted) {
        drop_fresh(p, parted);
    }
    forget_clear(p, change, count);
    cn_pipeline_list(p);
}

/* Follows the changes one by one, if that is possible. */
static bool
try_follow(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    const struct cn_change *change = NULL;
    int count = p->stale ? -1 : cn_model_changes(model, p->version, &change);
    if (count < 0 || !can_follow(p, change, count)) {
        return false;
    }
    if (count > 0) {
        follow(p, change, count);
    } else if (p->rest_version != model->rest_version) {
        cn_pipeline_list(p);
    }
    return true;
}

/*
 * Whether there is room.  The store of hulls may have gaps; if nearly all of it is needed, more
 * room is better.
 */
static bool
has_room(const struct cn_pipeline *p)
{
    struct cn_pipeline_room need = cn_pipeline_room_for(p->model, p->ops);
    return need.body_max <= p->room.body_max && need.shape_max <= p->room.shape_max &&
           need.joint_max <= p->room.joint_max && need.piece_max <= p->room.piece_max &&
           need.hull_size + need.hull_size / HULL_SPARE <= p->room.hull_size;
}

bool
cn_pipeline_derive(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    bool changed = p->stale || p->version != model->structure_version ||
                   p->rest_version != model->rest_version;
    if (changed && p->asleep.entry_max - p->asleep.entry_count < p->pair_count) {
        p->sleep_needed = p->asleep.entry_count + p->pair_count;
        return false;
    }
    if (changed && !try_follow(p)) {
        if (p->version != model->structure_version) {
            if (!has_room(p)) {
                p->body_needed = true;
                return false;
            }
            p->forget = true;
        }
        derive_all(p);
    }
    CN_ASSERT(!p->stale && !p->forget);
    p->version = model->structure_version;
    p->rest_version = model->rest_version;
    return true;
}
