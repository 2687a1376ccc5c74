#include "prove/place.h"

#include "engine/base/assert.h"

#include <stdbool.h>

/* m = the rotation of the quaternion (w, v), which may have any length but 0. */
static void
turn_of(mpq_t *m, mpq_t w, const pv_vec *v)
{
    mpq_t square, part;
    mpq_inits(square, part, NULL);
    pv_dot(square, v, v);
    mpq_mul(part, w, w);
    mpq_add(square, square, part);
    CN_ASSERT(mpq_sgn(square) > 0);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            /* 2 (v v' + w [v]) / q.q + (1 - 2 v.v / q.q) on the diagonal */
            mpq_t *e = &m[3 * r + c];
            mpq_mul(*e, v->c[r], v->c[c]);
            int other = 3 - r - c;
            if (r == c) {
                pv_dot(part, v, v);
                mpq_sub(*e, *e, part);
            } else if ((c - r + 3) % 3 == 1) {
                pv_sub_product(*e, w, v->c[other]);
            } else {
                pv_add_product(*e, w, v->c[other]);
            }
            mpq_add(*e, *e, *e);
            mpq_div(*e, *e, square);
            if (r == c) {
                mpq_set_ui(part, 1, 1);
                mpq_add(*e, *e, part);
            }
        }
    }
    mpq_clears(square, part, NULL);
}

void
pv_place_init(struct pv_place *place, int dimension, cn_vec3 position, double angle, cn_quat q)
{
    CN_ASSERT(dimension == 2 || dimension == 3);
    mpq_t w, turn;
    pv_vec v;
    mpq_inits(w, turn, NULL);
    pv_vec_init(&v);
    pv_vec_init(&place->position);
    for (int k = 0; k < 9; k++) {
        mpq_init(place->m[k]);
    }
    pv_number(place->position.c[0], position.x);
    pv_number(place->position.c[1], position.y);
    if (dimension == 2) {
        pv_number(turn, angle);
        pv_turn(w, v.c[2], turn);
    } else {
        pv_number(place->position.c[2], position.z);
        pv_number(w, q.w);
        pv_number(v.c[0], q.x);
        pv_number(v.c[1], q.y);
        pv_number(v.c[2], q.z);
        bool is_none = q.w == 0.0 && q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
        if (is_none) {
            mpq_set_ui(w, 1, 1);
        }
    }
    turn_of(place->m, w, &v);
    mpq_clears(w, turn, NULL);
    pv_vec_clear(&v);
}

void
pv_place_clear(struct pv_place *place)
{
    for (int k = 0; k < 9; k++) {
        mpq_clear(place->m[k]);
    }
    pv_vec_clear(&place->position);
}

void
pv_place_turn(const struct pv_place *place, pv_vec *v)
{
    pv_vec old;
    pv_vec_init(&old);
    pv_vec_set(&old, v);
    for (int k = 0; k < 9; k++) {
        if (k % 3 == 0) {
            mpq_set_ui(v->c[k / 3], 0, 1);
        }
        pv_add_product(v->c[k / 3], place->m[k], old.c[k % 3]);
    }
    pv_vec_clear(&old);
}

void
pv_place_move(const struct pv_place *place, pv_vec *v)
{
    pv_place_turn(place, v);
    for (int k = 0; k < 3; k++) {
        mpq_add(v->c[k], v->c[k], place->position.c[k]);
    }
}

/* out = m t m' */
void
pv_turn_tensor(mpq_t *out, const mpq_t *m, const mpq_t *t)
{
    CN_ASSERT((const mpq_t *)out != m && (const mpq_t *)out != t);
    mpq_t part;
    mpq_init(part);
    for (int k = 0; k < 9; k++) {
        mpq_set_ui(out[k], 0, 1);
        for (int i = 0; i < 9; i++) {
            mpq_mul(part, m[3 * (k / 3) + i / 3], t[i]);
            pv_add_product(out[k], part, m[3 * (k % 3) + i % 3]);
        }
    }
    mpq_clear(part);
}
