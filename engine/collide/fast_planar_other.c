/* fast_planar_other.c: what has no quick function goes through the exact narrowphase. */
#include "engine/collide/fast_planar_pair.h"
#include "engine/collide/manifold.h"

/* How far two contacts are from each other along a surface [m]. */
static double
along_of(const struct cn_contact *contact, cn_vec3 normal, cn_vec3 from)
{
    cn_vec3 d = cn_vec3_sub(contact->point, from);
    return normal.x * d.y - normal.y * d.x;
}

/* Of the contacts that share a normal with the deepest: it, and the one furthest from it. */
static int
reduce(const struct cn_manifold *exact, int chosen[2])
{
    int deepest = 0;
    for (int i = 1; i < exact->contact_count; i++) {
        deepest = exact->contact[i].gap < exact->contact[deepest].gap ? i : deepest;
    }
    const struct cn_contact *first = &exact->contact[deepest];
    double furthest = 0.0;
    chosen[0] = chosen[1] = deepest;
    for (int i = 0; i < exact->contact_count; i++) {
        const struct cn_contact *other = &exact->contact[i];
        double along = fabs(along_of(other, first->normal, first->point));
        if (along > furthest && cn_vec3_dot(other->normal, first->normal) > 0.99) {
            furthest = along;
            chosen[1] = i;
        }
    }
    return chosen[1] == chosen[0] ? 1 : 2;
}

void
cn_fast_pair2_other(const struct cn_fast_placed2 *a, const struct cn_fast_placed2 *b, float margin,
    struct cn_manifold2 *manifold)
{
    cn_pose pose_a = cn_fast_placed2_pose(a), pose_b = cn_fast_placed2_pose(b);
    struct cn_manifold exact;
    exact.contact_count = 0;
    exact.separation = 0.0;
    cn_collide(a->piece->shape, &pose_a, b->piece->shape, &pose_b, (double)margin, &exact);
    if (exact.contact_count == 0) {
        return;
    }
    int chosen[2];
    int count = reduce(&exact, chosen);
    const struct cn_contact *first = &exact.contact[chosen[0]];
    manifold->normal_x = (float)first->normal.x;
    manifold->normal_y = (float)first->normal.y;
    for (int k = 0; k < count; k++) {
        const struct cn_contact *c = &exact.contact[chosen[k]];
        manifold->point[k] = (struct cn_point2){
            .anchor_ax = (float)(c->point.x - pose_a.position.x),
            .anchor_ay = (float)(c->point.y - pose_a.position.y),
            .anchor_bx = (float)(c->point.x - pose_b.position.x),
            .anchor_by = (float)(c->point.y - pose_b.position.y),
            .separation = (float)c->gap,
            .feature = (c->feature * 40503U >> 4 & 0x7fffU) | 0x8000U,
        };
    }
    manifold->point_count = count;
}
