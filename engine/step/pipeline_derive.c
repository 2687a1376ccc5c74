/*
 * pipeline_derive.c: what the pipeline derives from the model, all of it or what changed.
 */
#include "engine/step/pipeline_inside.h"

#include "engine/model/life.h"

/* Pairs of shapes that are gone, or may no longer touch, leave; fresh bodies begin anew. */
static void
drop_pairs(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    int kept = 0;
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch pair = p->pair[i];
        if (!cn_pipeline_may_touch(model, pair.a, pair.b) ||
            CN_TOUCH_PIECE_A(pair.flags) >= p->piece_count[pair.a] ||
            CN_TOUCH_PIECE_B(pair.flags) >= p->piece_count[pair.b]) {
            continue;
        }
        if (model->body[model->shape[pair.a].body].fresh ||
            model->body[model->shape[pair.b].body].fresh) {
            pair.manifold = -1;
            pair.flags &= ~(CN_TOUCH_SENSOR | CN_TOUCH_HITS);
            pair.flags |= cn_pipeline_kind(model, pair.a, pair.b);
        }
        p->pair[kept++] = pair;
    }
    p->pair_count = kept;
    for (int i = 0; i < p->slumber.entry_count;) {
        uint64_t key = p->slumber.key[i];
        union cn_kept gone;
        int32_t a = cn_slumber_a(key), b = cn_slumber_b(key);
        if (cn_pipeline_may_touch(model, a, b) && !model->body[model->shape[a].body].fresh &&
            !model->body[model->shape[b].body].fresh) {
            i++;
        } else {
            cn_slumber_take(&p->slumber, key, &gone); /* the last one comes here */
        }
    }
}

/* Builds anew all that is derived. False: room is lacking. */
static bool
derive_all(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    p->hull_used = 0;
    cn_pipeline_name_pieces(p);
    p->wide_count = p->forget ? 0 : p->wide_count;
    drop_pairs(p);
    for (int i = 0; i < model->shape_count; i++) {
        p->shape_body[i] = model->shape[i].body;
    }
    if (!cn_pipeline_follow_rest(p)) {
        return false;
    }
    for (int i = 0; i < model->shape_count; i++) {
        if (p->forget || model->shape[i].body < 0) {
            cn_proximity_remove(p->proximity, i);
        }
        if (model->shape[i].body >= 0) {
            p->ops->bake(p, i);
        }
    }
    for (int i = 0; i < model->body_count; i++) {
        p->ops->place(p, i);
        cn_pipeline_put(p, i);
    }
    p->version = model->structure_version;
    p->stale = p->forget = false;
    return true;
}

/* ---- what changed ---- */

/* Whether every change is one that can be followed alone; joints are not: they part pairs. */
static bool
can_follow(const struct cn_pipeline *p, const struct cn_change *change, int count)
{
    const struct cn_model *model = p->model;
    size_t hull = p->hull_used;
    for (int i = 0; i < count; i++) {
        if (change[i].kind != CN_CHANGE_BODY) {
            return false;
        }
        const struct cn_body *body = &model->body[change[i].slot];
        for (int k = 0; k < body->shape_count && change[i].made; k++) {
            const struct cn_shape *shape = &model->shape[body->shape_first + k];
            hull += p->ops->hull_room(shape);
            if (p->ops->pieces(shape) > 1) {
                return false;
            }
        }
    }
    return hull <= p->room.hull_size && model->body_count <= p->room.body_max &&
           model->shape_count <= p->room.shape_max;
}

/* A body that is there, and whose shapes may be others than before. */
static void
follow_made(struct cn_pipeline *p, int slot)
{
    const struct cn_body *body = &p->model->body[slot];
    for (int k = 0; k < body->shape_count; k++) {
        int shape = body->shape_first + k;
        cn_proximity_remove(p->proximity, shape);
        p->shape_body[shape] = slot;
        p->piece_first[shape] = shape;
        p->piece_count[shape] = 1;
        p->ops->bake(p, shape);
    }
}

/* Whether the bodies of two shapes are there, and have been since the last tick. */
static bool
are_old(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b)
{
    int a = p->shape_body[shape_a], b = p->shape_body[shape_b];
    const struct cn_body *body = p->model->body;
    return a >= 0 && b >= 0 && !body[a].fresh && !body[b].fresh;
}

/* Contacts of bodies that are gone or fresh leave; their shapes are new and are found again. */
static void
drop_fresh(struct cn_pipeline *p)
{
    int kept = 0;
    for (int i = 0; i < p->pair_count; i++) {
        if (are_old(p, p->pair[i].a, p->pair[i].b)) {
            p->pair[kept++] = p->pair[i];
        }
    }
    p->pair_count = kept;
    kept = 0;
    for (int i = 0; i < p->wide_count; i++) {
        if (are_old(p, p->wide[i].a, p->wide[i].b)) {
            p->wide[kept++] = p->wide[i];
        }
    }
    p->wide_count = kept;
    for (int i = 0; i < p->slumber.entry_count;) {
        uint64_t key = p->slumber.key[i];
        if (are_old(p, cn_slumber_a(key), cn_slumber_b(key))) {
            i++;
        } else {
            union cn_kept gone;
            cn_slumber_take(&p->slumber, key, &gone); /* the last one comes here */
        }
    }
}

/* False: room is lacking. */
static bool
follow(struct cn_pipeline *p, const struct cn_change *change, int count)
{
    const struct cn_model *model = p->model;
    bool structural = false, removed = false;
    for (int i = 0; i < count; i++) {
        structural = structural || change[i].made || change[i].removed ||
                     model->body[change[i].slot].fresh;
        removed = removed || change[i].removed;
    }
    for (int shape = 0; shape < model->shape_count && removed; shape++) {
        if (p->shape_body[shape] >= 0 && model->shape[shape].body != p->shape_body[shape]) {
            cn_proximity_remove(p->proximity, shape);
            p->shape_body[shape] = -1;
        }
    }
    for (int i = 0; i < count; i++) {
        int slot = change[i].slot;
        if (model->body[slot].absent) {
            p->solver_body[slot] = CN_IMPULSE_FIXED;
            continue;
        }
        if (change[i].made) {
            follow_made(p, slot);
        }
        for (int k = 0; k < model->body[slot].shape_count && model->body[slot].fresh; k++) {
            cn_proximity_remove(p->proximity, model->body[slot].shape_first + k);
        }
        p->ops->place(p, slot);
        cn_pipeline_put(p, slot);
    }
    if (structural) {
        drop_fresh(p);
    }
    return !structural || cn_pipeline_follow_rest(p);
}

bool
cn_pipeline_derive(struct cn_pipeline *p)
{
    const struct cn_model *model = p->model;
    const struct cn_change *change = NULL;
    if (!p->stale && p->version != model->structure_version) {
        int count = cn_model_changes(model, p->version, &change);
        if (count >= 0 && can_follow(p, change, count)) {
            if (!follow(p, change, count)) {
                return false;
            }
            p->version = model->structure_version;
        }
    }
    if (p->version != model->structure_version) {
        struct cn_pipeline_room need = cn_pipeline_room_of(model);
        if (need.body_max > p->room.body_max || need.shape_max > p->room.shape_max ||
            need.piece_max > p->room.piece_max || need.hull_size > p->room.hull_size) {
            p->pair_needed = p->room.pair_max;
            return false;
        }
        p->stale = p->forget = true;
    }
    if (p->stale) {
        return derive_all(p);
    }
    return p->rest_version == model->rest_version || cn_pipeline_follow_rest(p);
}
