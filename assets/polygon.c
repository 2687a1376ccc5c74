#include "assets/polygon.h"

#include "assets/surface.h"
#include "engine/base/assert.h"

#include <string.h>

struct flat {
    double x, y;
};

/*
 * Projects the polygon onto a plane in which it runs counter-clockwise: the axis that it faces most
 * is dropped.
 */
static void
flatten(const cn_vec3 *vertex, const int32_t *corner, int count, struct flat *flat)
{
    cn_vec3 normal = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        cn_vec3 a = cn_vec3_sub(vertex[corner[i]], vertex[corner[0]]);
        cn_vec3 b = cn_vec3_sub(vertex[corner[(i + 1) % count]], vertex[corner[0]]);
        normal = cn_vec3_add(normal, cn_vec3_cross(a, b));
    }
    double x = fabs(normal.x), y = fabs(normal.y), z = fabs(normal.z);
    for (int i = 0; i < count; i++) {
        cn_vec3 v = vertex[corner[i]];
        if (x >= y && x >= z) {
            flat[i] = normal.x >= 0.0 ? (struct flat){v.y, v.z} : (struct flat){v.z, v.y};
        } else if (y >= z) {
            flat[i] = normal.y >= 0.0 ? (struct flat){v.z, v.x} : (struct flat){v.x, v.z};
        } else {
            flat[i] = normal.z >= 0.0 ? (struct flat){v.x, v.y} : (struct flat){v.y, v.x};
        }
    }
}

static double
turn(struct flat a, struct flat b, struct flat c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static bool
is_within(struct flat p, struct flat a, struct flat b, struct flat c)
{
    return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
}

static bool
is_same(struct flat a, struct flat b)
{
    return a.x == b.x && a.y == b.y;
}

/* Finds the remaining corner whose ear is cut next. */
static int
find_ear(const struct flat *flat, const int *left, int count)
{
    int best = 0;
    double most = -HUGE_VAL;
    for (int i = 0; i < count; i++) {
        struct flat a = flat[left[(i + count - 1) % count]], b = flat[left[i]];
        struct flat c = flat[left[(i + 1) % count]];
        double turned = turn(a, b, c);
        if (turned > most) {
            most = turned;
            best = i;
        }
        bool is_ear = turned > 0.0;
        for (int k = 0; is_ear && k < count; k++) {
            struct flat p = flat[left[k]];
            bool own = is_same(p, a) || is_same(p, b) || is_same(p, c);
            is_ear = own || !is_within(p, a, b, c);
        }
        if (is_ear) {
            return i;
        }
    }
    return best;
}

void
as_polygon_part(
    const cn_vec3 *vertex, const int32_t *corner, int count, int32_t (*triangle)[3])
{
    struct flat flat[AS_POLYGON_MAX];
    int left[AS_POLYGON_MAX];
    CN_ASSERT(count >= 3 && count <= AS_POLYGON_MAX);
    flatten(vertex, corner, count, flat);
    for (int i = 0; i < count; i++) {
        left[i] = i;
    }
    for (int rest = count; rest >= 3; rest--, triangle++) {
        int ear = rest == 3 ? 1 : find_ear(flat, left, rest);
        CN_ASSERT(0 <= ear && ear < rest);
        (*triangle)[0] = left[(ear + rest - 1) % rest];
        (*triangle)[1] = left[ear];
        (*triangle)[2] = left[(ear + 1) % rest];
        memmove(left + ear, left + ear + 1, (size_t)(rest - ear - 1) * sizeof(*left));
    }
}
