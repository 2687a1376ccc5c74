/* history_meet.c: answers queries about past poses of bodies. */
#include "engine/world/history.h"
#include "engine/world/history_inside.h"

#include "engine/base/assert.h"
#include "engine/world/world_inside.h"

#include <math.h>

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
show(const struct meeting *m, int slot, const union cell *row, bool planar)
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
        show(m, row[tail].tail.body, row, planar);
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
