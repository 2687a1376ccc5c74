/*
 * pipeline_sleep.c: bodies leave the pipeline when they fall asleep, and come back when they wake.
 *
 * A shape is awake when its body moves and does not sleep; a pair is in pair[] when one of its
 * shapes is awake.  Other pairs leave pair[].  Pairs that touch store the persistent data of their
 * manifolds in the table of sleeping contacts (step/pipeline/asleep.h), other pairs are forgotten.
 * A shape that wakes is renewed in the trees, so the next find gives all its pairs.  Pairs with an
 * entry in the table take their contact out of it (merge in pipeline_pairs.c).
 *
 * Bodies wake before bodies are handed to the solver, because a body that is hit must respond in
 * the same tick.  So pairs of an awake body and a sleeping one (half asleep) go through the
 * narrowphase first, alone.  Waking may bring new such pairs, so this is repeated until no body
 * wakes.  Every round wakes a body, and a tick rarely needs more than two.
 */
#include "engine/step/pipeline/pipeline_inside.h"

#include "engine/base/assert.h"
#include "engine/model/life.h"

#include <string.h>

#define WATCH_GRAIN 256 /* bodies that one worker watches at once */

#define SEEN INT32_MIN /* as a solver body: it will be listed at once */

static bool
is_awake(const struct cn_pipeline *p, int32_t shape)
{
    int32_t body = p->shape_body[shape];
    return body >= 0 && p->solver_body[body] != CN_IMPULSE_FIXED;
}

static bool
is_asleep(const struct cn_pipeline *p, int32_t shape)
{
    int32_t body = p->shape_body[shape];
    return body >= 0 && cn_sleep_asleep(p->model, body);
}

bool
cn_pipeline_rests(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b)
{
    return !is_awake(p, shape_a) && !is_awake(p, shape_b);
}

uint32_t
cn_pipeline_half_asleep(const struct cn_pipeline *p, int32_t shape_a, int32_t shape_b)
{
    return is_asleep(p, shape_a) || is_asleep(p, shape_b) ? CN_TOUCH_HALF : 0U;
}

bool
cn_pipeline_moves(const struct cn_model *model, int body)
{
    const struct cn_body *b = &model->body[body];
    return b->mass_inverse > 0.0 || (b->type == CN_KINEMATIC && !b->quarantined);
}

/* ---- the list of bodies that are awake ---- */

static void
name_body(struct cn_pipeline *p, int body)
{
    CN_ASSERT(body >= 0 && body < p->room.body_max && p->awake_count < p->room.body_max);
    bool pushed = p->model->body[body].mass_inverse > 0.0;
    p->solver_body[body] = pushed ? p->awake_count : cn_impulse_kinematic(p->awake_count);
    p->awake[p->awake_count++] = body;
}

/* Removes bodies from the list that sleep or do not move any more. */
static void
unlist(struct cn_pipeline *p)
{
    int count = p->awake_count;
    p->awake_count = 0;
    for (int k = 0; k < count; k++) {
        int body = p->awake[k];
        p->solver_body[body] = CN_IMPULSE_FIXED;
        if (cn_pipeline_moves(p->model, body) && !cn_sleep_asleep(p->model, body)) {
            p->awake[k] = p->awake[p->awake_count]; /* a removed body is kept behind the list */
            name_body(p, body);
        }
    }
    CN_ASSERT(p->awake_count <= count);
}

static void
sift_down(int32_t *heap, int root, int count)
{
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
        child += child + 1 < count && heap[child + 1] > heap[child] ? 1 : 0;
        if (heap[root] >= heap[child]) {
            return;
        }
        int32_t swapped = heap[root];
        heap[root] = heap[child];
        heap[child] = swapped;
        root = child;
    }
}

static void
sort_bodies(int32_t *bodies, int count)
{
    for (int root = count / 2 - 1; root >= 0; root--) {
        sift_down(bodies, root, count);
    }
    for (int last = count - 1; last > 0; last--) {
        int32_t top = bodies[0];
        bodies[0] = bodies[last];
        bodies[last] = top;
        sift_down(bodies, 0, last);
    }
}

/* All pairs of a body that woke must be found again, and its sleeping contacts come back. */
static void
renew_body(struct cn_pipeline *p, int body)
{
    const struct cn_body *b = &p->model->body[body];
    for (int k = 0; k < b->shape_count; k++) {
        cn_proximity_renew(p->proximity, b->shape_first + k);
    }
    if (p->back_count == p->room.body_max) {
        p->back_count = -1; /* too many to list */
    } else if (p->back_count >= 0) {
        p->back[p->back_count++] = body;
    }
}

/* Leaves in woken[] the bodies that are awake and not yet listed, each once. */
static void
sift_woken(struct cn_pipeline *p)
{
    struct cn_model *model = p->model;
    int count = 0;
    for (int i = 0; i < model->woken_count; i++) {
        int body = model->woken[i];
        if (p->solver_body[body] == CN_IMPULSE_FIXED && cn_pipeline_moves(model, body) &&
            !cn_sleep_asleep(model, body)) {
            p->solver_body[body] = SEEN;
            model->woken[count++] = body;
        }
    }
    model->woken_count = count;
}

/* Adds the bodies that woke to the list, and has the pairs of their shapes found again. */
static void
list_woken(struct cn_pipeline *p)
{
    struct cn_model *model = p->model;
    sift_woken(p);
    sort_bodies(model->woken, model->woken_count);
    CN_ASSERT(p->awake_count + model->woken_count <= p->room.body_max);
    /* From the end, so that both are merged in place. */
    int old = p->awake_count - 1, place = p->awake_count + model->woken_count - 1;
    for (int woken = model->woken_count - 1; woken >= 0; place--) {
        bool later = old >= 0 && p->awake[old] > model->woken[woken];
        p->awake[place] = later ? p->awake[old--] : model->woken[woken--];
    }
    for (int i = 0; i < model->woken_count; i++) {
        renew_body(p, model->woken[i]);
    }
    int count = p->awake_count + model->woken_count;
    model->woken_count = 0;
    p->awake_count = 0;
    for (int k = 0; k < count; k++) {
        CN_ASSERT(k == 0 || p->awake[k - 1] < p->awake[k]);
        name_body(p, p->awake[k]);
    }
}

/* ---- pairs that sleep ---- */

static void
keep_contact(struct cn_pipeline *p, const struct cn_touch *pair)
{
    CN_ASSERT(pair->manifold >= 0 && pair->manifold < p->front_count);
    union cn_kept kept;
    const unsigned char *from = p->manifold[p->front];
    const void *manifold = from + (size_t)pair->manifold * p->ops->manifold_size;
    uint16_t ended = (pair->flags & CN_TOUCH_ENDED) != 0 ? 1 : 0;
    if (p->model->settings.dimension == CN_PLANAR) {
        cn_kept2_pack(&kept.planar, manifold);
        kept.planar.ended = ended;
    } else {
        cn_kept3_pack(&kept.spatial, manifold);
        kept.spatial.ended = ended;
    }
    cn_asleep_put(&p->asleep, cn_touch_key(pair), &kept);
}

/*
 * Moves pairs between sleeping bodies to the table of sleeping contacts; sets the flags of others.
 */
static void
part_pairs(struct cn_pipeline *p)
{
    int count = 0, gone = 0;
    p->half_count = 0;
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_touch *pair = &p->pair[i];
        if (cn_pipeline_rests(p, pair->a, pair->b)) {
            if (pair->manifold >= 0) {
                keep_contact(p, pair);
            }
            continue;
        }
        uint32_t half = cn_pipeline_half_asleep(p, pair->a, pair->b);
        pair->flags = (pair->flags & ~CN_TOUCH_HALF) | half;
        p->half_count += half != 0 ? 1 : 0;
        gone += (pair->flags & CN_TOUCH_GONE) != 0 ? 1 : 0;
        p->pair[count++] = *pair;
    }
    CN_ASSERT(gone <= count && p->half_count <= count);
    p->pair_count = count;
    p->gone_count = gone;
}

int
cn_pipeline_left_behind(const struct cn_pipeline *p, uint64_t *key)
{
    const struct cn_asleep *asleep = &p->asleep;
    int count = 0;
    for (int i = 0; i < p->back_count && asleep->entry_count > 0; i++) {
        const struct cn_body *b = &p->model->body[p->back[i]];
        for (int shape = b->shape_first; shape < b->shape_first + b->shape_count; shape++) {
            for (int32_t end = cn_asleep_first(asleep, shape); end >= 0;
                 end = cn_asleep_next(asleep, end), count++) {
                if (key != NULL) {
                    key[count] = asleep->key[end / 2];
                }
            }
        }
    }
    for (int i = 0; i < asleep->entry_count && p->back_count < 0; i++) {
        if (!cn_pipeline_rests(
                p, cn_asleep_a(asleep->key[i]), cn_asleep_b(asleep->key[i]))) {
            if (key != NULL) {
                key[count] = asleep->key[i];
            }
            count++;
        }
    }
    return count;
}

void
cn_pipeline_bring_back(struct cn_pipeline *p, struct cn_touch *pair)
{
    union cn_kept kept;
    pair->manifold = -1;
    if (!cn_asleep_take(&p->asleep, cn_touch_key(pair), &kept)) {
        return;
    }
    CN_ASSERT(p->front_count < p->room.pair_max);
    unsigned char *to = p->manifold[p->front];
    void *manifold = to + (size_t)p->front_count * p->ops->manifold_size;
    uint16_t ended;
    if (p->model->settings.dimension == CN_PLANAR) {
        cn_kept2_unpack(&kept.planar, manifold);
        ended = kept.planar.ended;
    } else {
        cn_kept3_unpack(&kept.spatial, manifold);
        ended = kept.spatial.ended;
    }
    pair->flags |= ended != 0 ? CN_TOUCH_ENDED : 0U;
    pair->manifold = p->front_count++;
}

/* ---- waking ---- */

void
cn_pipeline_list_all(struct cn_pipeline *p)
{
    struct cn_model *model = p->model;
    p->awake_count = 0;
    for (int body = 0; body < model->body_count; body++) {
        bool listed = p->solver_body[body] != CN_IMPULSE_FIXED;
        p->solver_body[body] = CN_IMPULSE_FIXED;
        if (cn_pipeline_moves(model, body) && !cn_sleep_asleep(model, body)) {
            name_body(p, body);
            if (!listed) {
                renew_body(p, body);
            }
        }
    }
    CN_ASSERT(p->awake_count <= model->body_count);
    model->woken_count = 0;
    part_pairs(p);
}

void
cn_pipeline_list(struct cn_pipeline *p)
{
    if (p->model->woken_count < 0) {
        cn_pipeline_list_all(p);
        return;
    }
    unlist(p);
    list_woken(p);
    part_pairs(p);
}

/* Whether an awake body pushes the bodies that it touches. */
static bool
pushes(const struct cn_pipeline *p, int body)
{
    const struct cn_motion *motion = &p->model->motion[body];
    return p->solver_body[body] >= 0 || !cn_sleep_stands(motion);
}

/* Wakes the sleeping body of a pair when the other one touches it. */
static void
wake_touched(struct cn_pipeline *p, const struct cn_touch *pair)
{
    int a = p->shape_body[pair->a], b = p->shape_body[pair->b];
    int asleep = cn_sleep_asleep(p->model, a) ? a : b, other = asleep == a ? b : a;
    CN_ASSERT(a >= 0 && b >= 0 && a != b);
    CN_ASSERT(cn_sleep_asleep(p->model, asleep)); /* the pair is half asleep */
    bool touches = (pair->flags & (CN_TOUCH_NOW | CN_TOUCH_SENSOR)) == CN_TOUCH_NOW;
    if (touches && pushes(p, other)) {
        cn_model_rouse(p->model, asleep);
    }
}

/* Wakes the bodies that joints connect to one. */
static void
wake_partners(struct cn_model *model, int body)
{
    for (int32_t end = model->joints_of[body].first; end >= 0; end = cn_joint_next(model, end)) {
        const struct cn_joint *joint = &model->joint[end / 2];
        int other = end % 2 == 0 ? joint->body_b : joint->body_a;
        if (other >= 0) {
            cn_model_rouse(model, other);
        }
    }
}

/*
 * Wakes sleeping bodies that a joint connects to an awake one: they were put to sleep alone, or a
 * motor began.
 */
static void
wake_tied(struct cn_pipeline *p)
{
    for (int k = 0; k < p->awake_count && p->model->joint_live > 0; k++) {
        if (pushes(p, p->awake[k])) {
            wake_partners(p->model, p->awake[k]);
        }
    }
}

bool
cn_pipeline_wake(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    struct cn_model *model = p->model;
    if (model->asleep_count == 0) {
        return false;
    }
    cn_sleep_wake_held(model);
    wake_tied(p);
    for (int i = 0; i < p->pair_count && p->half_count > 0; i++) {
        struct cn_touch *pair = &p->pair[i];
        if ((pair->flags & CN_TOUCH_HALF) == 0) {
            continue;
        }
        if (cn_pipeline_half_asleep(p, pair->a, pair->b) == 0) {
            pair->flags &= ~CN_TOUCH_HALF;
            p->half_count--;
            continue;
        }
        p->ops->collide(t, i, i + 1);
        wake_touched(p, pair);
    }
    if (model->woken_count == 0) {
        return false;
    }
    for (int i = 0; i < model->woken_count; i++) { /* the list grows */
        wake_partners(model, model->woken[i]);
    }
    list_woken(p);
    return true;
}

/* ---- bodies that will change ---- */

/* Adds the other body of a contact to a list of at most body_max; returns their number. */
static int
add_other(const struct cn_pipeline *p, int32_t shape, int32_t *list, int count)
{
    int body = p->model->shape[shape].body;
    if (body < 0 || (count > 0 && list[count - 1] == body)) {
        return count;
    }
    if (count == p->room.body_max) { /* then some are listed twice */
        int kept = 0;
        sort_bodies(list, count);
        for (int i = 0; i < count; i++) {
            if (kept == 0 || list[kept - 1] != list[i]) {
                list[kept++] = list[i];
            }
        }
        count = kept;
    }
    if (count < p->room.body_max) {
        list[count++] = body;
    }
    return count;
}

/*
 * Lists the bodies that touch a body, ascending, some perhaps twice.  The body itself may be in the
 * list.
 */
static int
list_touching(const struct cn_pipeline *p, int body, int32_t *list)
{
    const struct cn_model *model = p->model;
    const struct cn_body *b = &model->body[body];
    int count = 0;
    for (int shape = b->shape_first; shape < b->shape_first + b->shape_count; shape++) {
        for (int32_t end = cn_asleep_first(&p->asleep, shape); end >= 0;
             end = cn_asleep_next(&p->asleep, end)) {
            uint64_t key = p->asleep.key[end / 2];
            count = add_other(p, end % 2 == 0 ? cn_asleep_b(key) : cn_asleep_a(key), list, count);
        }
    }
    /* Contacts of awake bodies; after an image was read all contacts are here. */
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_touch *pair = &p->pair[i];
        bool is_a = model->shape[pair->a].body == body, is_b = model->shape[pair->b].body == body;
        if (pair->manifold >= 0 && is_a != is_b) {
            count = add_other(p, is_a ? pair->b : pair->a, list, count);
        }
    }
    sort_bodies(list, count);
    return count;
}

void
cn_pipeline_disturb(struct cn_pipeline *p, int body)
{
    CN_ASSERT(body >= 0 && body < p->model->body_count);
    int count = list_touching(p, body, p->sleep.parent);
    CN_ASSERT(count <= p->room.body_max);
    for (int i = 0; i < count; i++) {
        cn_model_wake(p->model, p->sleep.parent[i]);
    }
}

/* ---- falling asleep ---- */

/* Joins bodies that touch, or that a joint connects. */
static void
join_islands(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    const struct cn_model *model = p->model;
    for (int i = 0; i < t->contact_count; i++) {
        cn_sleep_join(&p->sleep, t->ends[i].body_a, t->ends[i].body_b);
    }
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (!joint->absent && joint->body_a >= 0 && joint->body_b >= 0) {
            cn_sleep_join(
                &p->sleep, p->solver_body[joint->body_a], p->solver_body[joint->body_b]);
        }
    }
}

static void
watch_task(void *context, int first, int end, int worker)
{
    const struct cn_pipeline_tick *t = context;
    struct cn_model *model = t->p->model;
    double threshold = cn_sleep_threshold(model);
    (void)worker;
    for (int k = first; k < end; k++) {
        cn_sleep_watch(model, t->p->awake[k], threshold, t->duration);
    }
}

void
cn_pipeline_doze(struct cn_pipeline_tick *t)
{
    struct cn_pipeline *p = t->p;
    struct cn_model *model = p->model;
    p->moved_count = p->awake_count;
    if (!model->settings.sleep) {
        return;
    }
    cn_task_run(t->crew, watch_task, t, p->awake_count, WATCH_GRAIN);
    if (cn_sleep_begin(&p->sleep, model, p->awake, p->awake_count)) {
        join_islands(t);
        if (cn_sleep_end(&p->sleep, model, p->awake, p->awake_count) > 0) {
            unlist(p);
            part_pairs(p);
        }
    }
    CN_ASSERT(p->awake_count <= p->moved_count);
}
