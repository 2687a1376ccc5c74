/*
 * history.c: frames, rows, starters and graves: how they are written and read.
 *
 * Invariants: 1. size is the sum of the sizes of frames and graves.  2. A body has at most one row
 * in a frame; rows are added only to the frame of the present tick.  3. Graves are listed in the
 * order of death.
 *
 * More than 600 lines: all of it works on the same private structures, so that a cut would make
 * them known to a second file.
 */
#include "engine/world/history.h"

#include "engine/base/assert.h"
#include "engine/base/limits.h"
#include "engine/math/scalar.h"
#include "engine/world/world_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_UP (1.0 + 0x1p-22) /* so that the float is at least the double */

#define PLANAR_NUMBERS 3  /* x, y, angle */
#define SPATIAL_NUMBERS 7 /* x, y, z, w, x, y, z */

/* A row has PLANAR_NUMBERS or SPATIAL_NUMBERS, and a tail: 32 or 64 bytes. */
union cell {
    double number;
    struct {
        int32_t body;
        float reach; /* largest distance of a point from the centre of mass; HUGE: a plane */
    } tail;
};

struct starter {
    uint64_t before; /* 1 + the frame of the body's row before; 0: it has none */
    int32_t row;
};

struct frame {
    union cell *row;
    struct starter *starter;
    int row_count, row_max, starter_count, starter_max;
};

/* The data of a slot. */
struct life {
    uint64_t last;       /* 1 + the frame of its last row, or the tick in which its body was made */
    uint64_t born;       /* the first tick that ended with its body as it is; 0: always */
    struct grave *grave; /* of the slot's earlier bodies, the last one */
};

struct grave {
    struct grave *next;  /* in order of death */
    struct grave *older; /* of the same slot */
    uint64_t born, died; /* the first and last tick that ended with the body */
    struct cn_made *made; /* the memory that its shapes borrow; NULL: the world owns it */
    size_t size;
    int32_t body, shape_first, shape_count;
    struct cn_shape shape[];
};

struct cn_history {
    int tick_max;
    int number_count, cell_count; /* of a row */
    uint64_t first, start, tick;  /* tick is the present one, whose frame is open */
    struct frame *frame;          /* tick_max + 1 frames: that of tick k at k % (tick_max + 1) */
    union cell *now;              /* for each slot the last pose that the history knows */
    struct life *life;
    int body_max;
    size_t size;                  /* bytes of frames and graves */
    struct grave *first_grave, *last_grave;
};

static struct frame *
frame_of(const struct cn_history *h, uint64_t tick)
{
    return &h->frame[tick % (uint64_t)(h->tick_max + 1)];
}

static cn_pose
read_pose(const union cell *row, bool planar)
{
    struct cn_motion motion = {.position = {row[0].number, row[1].number, 0.0}};
    if (planar) {
        motion.angle = row[2].number;
    } else {
        motion.position.z = row[2].number;
        memcpy(&motion.orientation, &row[3], 4 * sizeof(double));
    }
    return cn_motion_pose(&motion, planar ? CN_PLANAR : CN_SPATIAL);
}

static bool
is_planar(const struct cn_history *h)
{
    return h->number_count == PLANAR_NUMBERS;
}

/* ---- frames ---- */

static size_t
frame_size(const struct cn_history *h, const struct frame *frame)
{
    return (size_t)frame->row_max * (size_t)h->cell_count * sizeof(union cell) +
           (size_t)frame->starter_max * sizeof(struct starter);
}

static void
drop_frame(struct cn_history *h, struct frame *frame)
{
    CN_ASSERT(h->size >= frame_size(h, frame)); /* invariant 1 */
    h->size -= frame_size(h, frame);
    free(frame->row);
    free(frame->starter);
    *frame = (struct frame){.row = NULL};
}

/* Frees the graves of bodies that existed in no remembered tick. */
static void
drop_graves(struct cn_history *h)
{
    while (h->first_grave != NULL && h->first_grave->died < h->first) {
        struct grave *grave = h->first_grave;
        if (h->life[grave->body].grave == grave) {
            h->life[grave->body].grave = NULL;
        }
        h->first_grave = grave->next;
        CN_ASSERT(h->size >= grave->size); /* invariant 1 */
        h->size -= grave->size;
        free(grave->made);
        free(grave);
    }
    h->last_grave = h->first_grave != NULL ? h->last_grave : NULL;
}

/* Forgets everything.  The history begins again at the end of the next tick. */
static void
forget_all(struct cn_history *h)
{
    for (int i = 0; i <= h->tick_max; i++) {
        drop_frame(h, &h->frame[i]);
    }
    h->first = h->tick + 1;
    drop_graves(h);
}

/*
 * Forgets the oldest ticks until there is room for `size` more bytes; false: there is not enough.
 */
static bool
has_room(struct cn_history *h, size_t size)
{
    while (h->size + size > CN_REWIND_SIZE_MAX && h->first < h->tick) {
        drop_frame(h, frame_of(h, h->first++));
        drop_graves(h);
    }
    return h->size + size <= CN_REWIND_SIZE_MAX;
}

static bool
fit_rows(struct cn_history *h, struct frame *frame, int max)
{
    CN_ASSERT(max > frame->row_max && frame->row_count <= frame->row_max);
    size_t row_size = (size_t)h->cell_count * sizeof(union cell);
    if (!has_room(h, (size_t)(max - frame->row_max) * row_size)) {
        return false;
    }
    union cell *larger = realloc(frame->row, (size_t)max * row_size);
    if (larger == NULL) {
        return false;
    }
    h->size += (size_t)(max - frame->row_max) * row_size;
    frame->row = larger;
    frame->row_max = max;
    return true;
}

static bool
fit_starters(struct cn_history *h, struct frame *frame, int max)
{
    CN_ASSERT(max > frame->starter_max);
    size_t more = (size_t)(max - frame->starter_max) * sizeof(struct starter);
    if (!has_room(h, more)) {
        return false;
    }
    struct starter *larger = realloc(frame->starter, (size_t)max * sizeof(struct starter));
    if (larger == NULL) {
        return false;
    }
    h->size += more;
    frame->starter = larger;
    frame->starter_max = max;
    return true;
}

/* Empties the frame of the present tick; its memory is kept where its size suits the usual tick. */
static void
open_frame(struct cn_history *h, int usual)
{
    struct frame *frame = frame_of(h, h->tick);
    if (frame->row_max < usual || frame->row_max > 4 * usual + 16) {
        drop_frame(h, frame);
        if (usual > 0 && !fit_rows(h, frame, usual + usual / 8 + 1)) {
            drop_frame(h, frame); /* the first row will allocate again */
        }
    }
    if (frame->starter_max > 4 * frame->starter_count + 16) {
        h->size -= (size_t)frame->starter_max * sizeof(struct starter);
        free(frame->starter);
        frame->starter = NULL;
        frame->starter_max = 0;
    }
    frame->row_count = frame->starter_count = 0;
}

/*
 * Records the body's present pose in the frame of the present tick, because the body has moved
 * since or is about to change.
 */
static void
push_row(struct cn_history *h, int body)
{
    CN_ASSERT(0 <= body && body < h->body_max);
    struct life *life = &h->life[body];
    struct frame *frame = frame_of(h, h->tick);
    uint64_t before = life->last;
    if (before == h->tick + 1 || h->first > h->tick) {
        return; /* the body has a row, or did not exist at that tick, or everything was forgotten */
    }
    bool starts = before != h->tick;
    if ((frame->row_count == frame->row_max && !fit_rows(h, frame, 2 * frame->row_max + 8)) ||
        (starts && frame->starter_count == frame->starter_max &&
            !fit_starters(h, frame, 2 * frame->starter_max + 4))) {
        forget_all(h);
        return;
    }
    if (starts) {
        frame->starter[frame->starter_count++] = (struct starter){before, frame->row_count};
    }
    CN_ASSERT(frame->row_count < frame->row_max && before <= h->tick); /* invariant 2 */
    memcpy(frame->row + (size_t)frame->row_count * (size_t)h->cell_count,
        h->now + (size_t)body * (size_t)h->cell_count,
        (size_t)h->cell_count * sizeof(union cell));
    frame->row_count++;
    life->last = h->tick + 1;
}

/* ---- rows ---- */

static void
write_pose(const struct cn_motion *motion, union cell *row, bool planar)
{
    row[0].number = motion->position.x;
    row[1].number = motion->position.y;
    if (planar) {
        row[2].number = motion->angle;
    } else {
        row[2].number = motion->position.z;
        memcpy(&row[3], &motion->orientation, 4 * sizeof(double));
    }
}
_Static_assert(sizeof(cn_quat) == 4 * sizeof(double), "a row has all of it");

static bool
is_there(const struct cn_motion *motion, const union cell *row, bool planar)
{
    const double *third = planar ? &motion->angle : &motion->position.z;
    return memcmp(&motion->position, row, 2 * sizeof(double)) == 0 &&
           memcmp(third, &row[2], sizeof(double)) == 0 &&
           (planar || memcmp(&motion->orientation, &row[3], 4 * sizeof(double)) == 0);
}

static void
write_row(struct cn_history *h, const struct cn_model *model, int slot)
{
    CN_ASSERT(0 <= slot && slot < h->body_max);
    const struct cn_body *body = &model->body[slot];
    union cell *row = h->now + (size_t)slot * (size_t)h->cell_count;
    double reach = 0.0;
    for (int k = 0; k < body->shape_count; k++) {
        const struct cn_shape *shape = &model->shape[body->shape_first + k];
        reach = shape->kind == CN_SHAPE_PLANE ? HUGE_VAL : cn_max(reach, shape->reach);
    }
    write_pose(&model->motion[slot], row, is_planar(h));
    row[h->number_count].tail.body = slot;
    row[h->number_count].tail.reach = (float)(reach * ROUND_UP);
}

/* ---- making it ---- */

/* Makes room for all slots of the model; without memory returns false and changes nothing. */
static bool
fit_slots(struct cn_history *h, const struct cn_model *model)
{
    if (model->body_max <= h->body_max) {
        return true;
    }
    size_t max = (size_t)model->body_max, row_size = (size_t)h->cell_count * sizeof(union cell);
    union cell *now = realloc(h->now, max * row_size);
    h->now = now != NULL ? now : h->now;
    struct life *life = realloc(h->life, max * sizeof(*life));
    h->life = life != NULL ? life : h->life;
    if (now == NULL || life == NULL) {
        return false;
    }
    memset(life + h->body_max, 0, (max - (size_t)h->body_max) * sizeof(*life));
    h->body_max = model->body_max;
    return true;
}

void
cn_history_destroy(struct cn_history *history)
{
    if (history == NULL) {
        return;
    }
    for (int i = 0; i <= history->tick_max && history->frame != NULL; i++) {
        drop_frame(history, &history->frame[i]);
    }
    history->first = UINT64_MAX;
    drop_graves(history);
    free(history->frame);
    free(history->now);
    free(history->life);
    free(history);
}

static void
end_history(struct cn_world *world)
{
    cn_history_destroy(world->history);
    world->history = NULL;
}

void
cn_history_restart(struct cn_world *world)
{
    struct cn_history *h = world->history;
    if (h == NULL) {
        return;
    }
    forget_all(h);
    h->first = UINT64_MAX;
    drop_graves(h);
    if (!fit_slots(h, &world->model)) {
        end_history(world);
        return;
    }
    memset(h->life, 0, (size_t)h->body_max * sizeof(h->life[0]));
    h->first = h->start = h->tick = world->model.clock.tick;
    for (int i = 0; i < world->model.body_count; i++) {
        write_row(h, &world->model, i);
    }
    if (world->model.clock.mid_tick) { /* the end of the tick before is not known */
        h->first = h->start = h->tick + 1;
    }
}

bool
cn_history_begin(struct cn_world *world, int tick_max)
{
    CN_ASSERT(tick_max >= 0 && tick_max <= CN_REWIND_TICKS_MAX);
    end_history(world);
    if (tick_max == 0) {
        return true;
    }
    struct cn_history *h = calloc(1, sizeof(*h));
    if (h == NULL) {
        return false;
    }
    world->history = h;
    h->number_count = world->model.settings.dimension == CN_PLANAR ? PLANAR_NUMBERS
                                                                   : SPATIAL_NUMBERS;
    h->cell_count = h->number_count + 1;
    h->tick_max = tick_max;
    h->frame = calloc((size_t)tick_max + 1, sizeof(h->frame[0]));
    if (h->frame == NULL) {
        end_history(world);
        return false;
    }
    cn_history_restart(world);
    return world->history != NULL;
}

/* ---- ticks ---- */

static void
follow_body(struct cn_history *h, const struct cn_model *model, int body, bool planar)
{
    CN_ASSERT(0 <= body && body < h->body_max);
    union cell *row = h->now + (size_t)body * (size_t)h->cell_count;
    if (!is_there(&model->motion[body], row, planar)) {
        push_row(h, body);
        write_pose(&model->motion[body], row, planar);
    }
}

void
cn_history_tick(struct cn_world *world)
{
    struct cn_history *h = world->history;
    const struct cn_model *model = &world->model;
    if (h == NULL) {
        return;
    }
    bool planar = is_planar(h);
    if (world->production != NULL) {
        const struct cn_pipeline *p = &world->production->pipeline;
        for (int k = 0; k < p->moved_count; k++) {
            follow_body(h, model, p->awake[k], planar);
        }
    } else {
        for (int i = 0; i < model->body_count; i++) {
            follow_body(h, model, i, planar);
        }
    }
    int usual = frame_of(h, h->tick)->row_count;
    CN_ASSERT(h->first <= h->tick + 1 && h->tick + 1 == model->clock.tick); /* invariant 2 */
    h->tick++;
    uint64_t max = (uint64_t)h->tick_max;
    if (h->tick > max && h->first < h->tick - max) {
        h->first = h->tick - max;
        drop_graves(h);
    }
    open_frame(h, usual);
}

/* ---- commands ---- */

/* Begins the life of a new body, or of a body with new filters; no tick has ended with it yet. */
static void
begin_life(struct cn_history *h, const struct cn_model *model, int body)
{
    write_row(h, model, body);
    h->life[body].last = h->life[body].born = h->tick + 1;
}

void
cn_history_made(struct cn_world *world, int body)
{
    struct cn_history *h = world->history;
    if (h == NULL) {
        return;
    }
    if (!fit_slots(h, &world->model)) {
        end_history(world);
        return;
    }
    begin_life(h, &world->model, body);
}

void
cn_history_placed(struct cn_world *world, int body)
{
    if (world->history != NULL) {
        follow_body(world->history, &world->model, body, is_planar(world->history));
    }
}

/*
 * Saves the slot's body as a grave, for queries of the ticks that ended with it; NULL: not saved.
 */
static struct grave *
bury_body(struct cn_world *world, int slot)
{
    struct cn_history *h = world->history;
    const struct cn_body *body = &world->model.body[slot];
    struct life *life = &h->life[slot];
    if (life->born > h->tick || h->first > h->tick) {
        return NULL;
    }
    size_t shapes = (size_t)body->shape_count * sizeof(struct cn_shape);
    struct grave *grave = NULL;
    if (has_room(h, sizeof(*grave) + shapes)) {
        grave = malloc(sizeof(*grave) + shapes);
    }
    if (grave == NULL) {
        forget_all(h);
        return NULL;
    }
    *grave = (struct grave){.older = life->grave, .born = life->born, .died = h->tick,
        .size = sizeof(*grave) + shapes, .body = slot, .shape_first = body->shape_first,
        .shape_count = body->shape_count};
    if (shapes > 0) {
        memcpy(grave->shape, &world->model.shape[body->shape_first], shapes);
    }
    CN_ASSERT(h->last_grave == NULL || h->last_grave->died <= grave->died); /* invariant 3 */
    h->size += grave->size;
    *(h->last_grave != NULL ? &h->last_grave->next : &h->first_grave) = grave;
    h->last_grave = life->grave = grave;
    push_row(h, slot);
    return h->last_grave == grave ? grave : NULL; /* push_row() may have dropped the grave */
}

void
cn_history_removes(struct cn_world *world, int body)
{
    struct cn_history *h = world->history;
    struct grave *grave = h != NULL ? bury_body(world, body) : NULL;
    if (h != NULL && grave == NULL) {
        grave = h->life[body].grave; /* made by an earlier change of filters in this tick */
    }
    if (grave != NULL && grave->died == h->tick && grave->made == NULL) {
        grave->made = world->made[body];
        world->made[body] = NULL;
    }
}

void
cn_history_alters(struct cn_world *world, int body)
{
    if (world->history != NULL) {
        bury_body(world, body);
        begin_life(world->history, &world->model, body);
    }
}

/* ---- reading ---- */

uint64_t
cn_history_first(const struct cn_history *history)
{
    return history->first;
}

uint64_t
cn_history_start(const struct cn_history *history)
{
    return history->start;
}

int
cn_history_tick_max(const struct cn_history *history)
{
    return history->tick_max;
}

size_t
cn_history_size(const struct cn_history *history)
{
    return history == NULL ? 0
                           : sizeof(*history) + history->size +
                                 (size_t)(history->tick_max + 1) * sizeof(history->frame[0]) +
                                 (size_t)history->body_max *
                                     ((size_t)history->cell_count * sizeof(union cell) +
                                         sizeof(struct life));
}

/* ---- queries ---- */

bool
cn_history_is_same(const struct cn_history *history, int body, uint64_t tick)
{
    return history->life[body].last <= tick;
}

cn_pose
cn_history_pose(const struct cn_world *world, int body)
{
    const struct cn_history *h = world->history;
    return read_pose(h->now + (size_t)body * (size_t)h->cell_count, is_planar(h));
}

cn_vec3
cn_history_position(const struct cn_history *history, int body)
{
    const union cell *row = history->now + (size_t)body * (size_t)history->cell_count;
    return (cn_vec3){row[0].number, row[1].number, is_planar(history) ? 0.0 : row[2].number};
}

struct meeting {
    const struct cn_world *world;
    uint64_t tick;
    const struct cn_history_way *way;
    double inverse; /* of the squared length of the path [1/m^2]; 0: it has no length */
    cn_history_visit *visit;
    void *context;
};

/* Whether the ball comes near the ball of the row.  Rounding can not turn a hit into a miss. */
static bool
is_near(const struct meeting *m, const union cell *row, float reach, bool planar)
{
    const struct cn_history_way *way = m->way;
    double x = row[0].number - way->from.x, y = row[1].number - way->from.y;
    double z = (planar ? 0.0 : row[2].number) - way->from.z;
    double t = (x * way->along.x + y * way->along.y + z * way->along.z) * m->inverse;
    t = t < 0.0 ? 0.0 : t > *way->fraction ? *way->fraction : t;
    double size = fabs(x) + fabs(y) + fabs(z);
    double slack = 1e-8 +
        1e-13 * (size + fabs(way->from.x) + fabs(way->from.y) + fabs(way->from.z));
    x -= t * way->along.x;
    y -= t * way->along.y;
    z -= t * way->along.z;
    double near = (double)reach + way->radius + slack;
    return x * x + y * y + z * z <= near * near;
}

/* Calls visit for the slot's body as it was: the present body, or one that has been removed. */
static void
show_body(const struct meeting *m, int slot, const union cell *row, bool planar)
{
    const struct cn_history *h = m->world->history;
    const struct cn_model *model = &m->world->model;
    const struct life *life = &h->life[slot];
    struct cn_past_body past = {.body = slot, .pose = read_pose(row, planar)};
    if (life->born <= m->tick && !model->body[slot].absent) {
        past.shape_first = model->body[slot].shape_first;
        past.shape_count = model->body[slot].shape_count;
        past.shape = &model->shape[past.shape_first];
    } else {
        const struct grave *grave = life->grave;
        while (grave != NULL && grave->born > m->tick) {
            grave = grave->older;
        }
        CN_ASSERT(grave != NULL && grave->died >= m->tick);
        past.shape_first = grave->shape_first;
        past.shape_count = grave->shape_count;
        past.shape = grave->shape;
    }
    m->visit(m->context, &past);
}

static void
look_at(const struct meeting *m, const union cell *row, int tail, bool planar)
{
    if (is_near(m, row, row[tail].tail.reach, planar)) {
        show_body(m, row[tail].tail.body, row, planar);
    }
}

void
cn_history_meet(const struct cn_world *world, uint64_t tick, const struct cn_history_way *way,
    cn_history_visit *visit, void *context)
{
    const struct cn_history *h = world->history;
    CN_ASSERT(h != NULL && tick >= h->first && tick <= h->tick);
    double square = cn_vec3_dot(way->along, way->along);
    struct meeting m = {world, tick, way, square > 0.0 ? 1.0 / square : 0.0, visit, context};
    bool planar = is_planar(h);
    const struct frame *frame = frame_of(h, tick);
    for (int i = 0; i < frame->row_count; i++) {
        look_at(&m, frame->row + (size_t)i * (size_t)h->cell_count, h->number_count, planar);
    }
    for (uint64_t later = tick + 1; later <= h->tick; later++) {
        frame = frame_of(h, later);
        for (int i = 0; i < frame->starter_count; i++) {
            const struct starter *starter = &frame->starter[i];
            if (starter->before <= tick) {
                look_at(&m, frame->row + (size_t)starter->row * (size_t)h->cell_count,
                    h->number_count, planar);
            }
        }
    }
}
