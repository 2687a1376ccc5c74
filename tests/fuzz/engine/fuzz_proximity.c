/*
 * fuzz_proximity.c: shapes are added, moved, renewed and removed in any order; the result is
 * compared with a test of all pairs.
 *
 * Every input is valid: three bytes are one operation on one shape, and determine its box.
 */
#include "engine/collide/query/proximity.h"

#include "engine/base/assert.h"

#include <stdlib.h>
#include <string.h>

#define SHAPES 150
#define PAIRS (SHAPES * SHAPES)

static struct cn_proximity *proximity;
static bool in[SHAPES], fixed[SHAPES], kept[SHAPES][SHAPES];
static cn_aabb tight[SHAPES];
static struct cn_pair pairs[PAIRS];
static void *memory;

static void
start(void)
{
    static size_t size;
    struct cn_arena arena;
    if (memory == NULL) {
        cn_arena_init_measure(&arena);
        cn_proximity_make(&arena, SHAPES);
        size = arena.used;
        memory = aligned_alloc(64, (size + 63) / 64 * 64);
        CN_ASSERT(memory != NULL);
    }
    cn_arena_init(&arena, memory, size);
    proximity = cn_proximity_make(&arena, SHAPES);
    memset(in, 0, sizeof in);
    memset(fixed, 0, sizeof fixed);
    memset(kept, 0, sizeof kept);
}

static bool
odd_or_near(const void *context, int32_t a, int32_t b)
{
    (void)context;
    return a % 3 != 0 || b - a < 20;
}

static void
forget(int shape)
{
    for (int k = 0; k < SHAPES; k++) {
        kept[shape][k] = kept[k][shape] = false;
    }
}

static void
find(int room)
{
    for (int a = 0; a < SHAPES; a++) {
        for (int b = a + 1; b < SHAPES; b++) {
            kept[a][b] = kept[a][b] && cn_proximity_overlaps(proximity, a, b);
        }
    }
    int count = cn_proximity_find(proximity, odd_or_near, NULL, pairs, room);
    if (count > room) {
        count = cn_proximity_find(proximity, odd_or_near, NULL, pairs, PAIRS);
    }
    for (int i = 0; i < count; i++) {
        int a = pairs[i].a, b = pairs[i].b;
        CN_ASSERT(a < b && !kept[a][b]);
        CN_ASSERT(i == 0 || pairs[i - 1].a < a || (pairs[i - 1].a == a && pairs[i - 1].b < b));
        kept[a][b] = true;
    }
    for (int a = 0; a < SHAPES; a++) {
        for (int b = a + 1; b < SHAPES; b++) {
            bool both = in[a] && in[b] && !(fixed[a] && fixed[b]);
            bool overlap = both && cn_proximity_overlaps(proximity, a, b);
            CN_ASSERT(kept[a][b] == (overlap && odd_or_near(NULL, a, b)));
            CN_ASSERT(!both || overlap || !cn_aabb_overlap(&tight[a], &tight[b]));
        }
    }
}

static void
put(int shape, unsigned where, unsigned act)
{
    static const double scale[4] = {1.0, 1.0, 1e8, 1e30};
    double unit = scale[act >> 6 & 3U];
    double x = unit * (where % 16), y = unit * (where / 16 % 16), w = 0.3 * (act >> 2 & 3U);
    bool now_fixed = (act & 0x10U) != 0;
    if (!in[shape] || fixed[shape] != now_fixed) {
        forget(shape);
    }
    in[shape] = true;
    fixed[shape] = now_fixed;
    tight[shape] = (cn_aabb){{x - w, y, (act & 0x20U) != 0 ? -1e30 : 0.0}, {x + w, y + w, 0.0}};
    cn_proximity_put(proximity, shape, &tight[shape], 0.25 * (act & 1U), now_fixed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    start();
    for (size_t i = 0; i + 2 < size; i += 3) {
        int shape = data[i] % SHAPES;
        unsigned where = data[i + 1], act = data[i + 2];
        if (data[i] >= 250) {
            find(data[i + 1]);
        } else if (data[i] >= 240) { /* many at once */
            for (int k = 0; k < SHAPES; k += 1 + data[i] % 4) {
                put(k, (where + (unsigned)k * 37U) % 256U, act);
            }
        } else if ((act & 2U) == 0) {
            put(shape, where, act);
        } else if ((act & 4U) == 0) {
            cn_proximity_remove(proximity, shape);
            in[shape] = fixed[shape] = false;
            forget(shape);
        } else if (in[shape]) {
            cn_proximity_renew(proximity, shape);
            forget(shape);
        }
    }
    find(PAIRS);
    return 0;
}
