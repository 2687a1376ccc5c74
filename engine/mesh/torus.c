#include "engine/mesh/torus.h"

#include "engine/base/assert.h"
#include "engine/math/trig.h"

#include <string.h>

static const double turn = 6.283185307179586476925;

void
cn_torus_make(const struct cn_torus *torus, cn_vec3 *vertex, int32_t (*triangle)[3])
{
    CN_ASSERT(torus->major_count >= CN_TORUS_COUNT_MIN && torus->minor_count >= CN_TORUS_COUNT_MIN);
    CN_ASSERT(torus->major >= torus->minor && torus->minor > 0.0);
    int n = torus->major_count, m = torus->minor_count;
    for (int i = 0; i < n; i++) {
        double sine, cosine;
        cn_sin_cos(turn * i / n, &sine, &cosine);
        for (int j = 0; j < m; j++) {
            double up, out;
            cn_sin_cos(turn * j / m, &up, &out);
            out = torus->major + torus->minor * out;
            vertex[i * m + j] = (cn_vec3){out * cosine, out * sine, torus->minor * up};
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int a = i * m + j, b = (i + 1) % n * m + j;
            int c = (i + 1) % n * m + (j + 1) % m, d = i * m + (j + 1) % m;
            const int32_t corner[2][3] = {{a, b, c}, {a, c, d}};
            memcpy(triangle[2 * (i * m + j)], corner, sizeof(corner));
        }
    }
}
