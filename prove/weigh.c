#include "prove/weigh.h"

#include "engine/base/assert.h"

/* The fraction is 3.14159265358979316, pi within 8e-17.  Masses of circles and balls use it. */
#define PI_NUMERATOR 245850922ul
#define PI_DENOMINATOR 78256779ul

/* Area, first moments and polar moment of an outline, about the origin of its frame. */
struct area {
    mpq_t area, polar;
    pv_vec first;
};

static void
measure_polygon(struct area *area, const pv_vec *vertex, int count)
{
    mpq_t cross, sum, part;
    mpq_inits(cross, sum, part, NULL);
    for (int i = 0; i < count; i++) {
        const pv_vec *p = &vertex[i], *q = &vertex[(i + 1) % count];
        mpq_set_ui(cross, 0, 1);
        pv_add_product(cross, p->c[0], q->c[1]);
        pv_sub_product(cross, p->c[1], q->c[0]);
        mpq_add(area->area, area->area, cross);
        mpq_set_ui(part, 0, 1);
        for (int k = 0; k < 2; k++) {
            mpq_add(sum, p->c[k], q->c[k]);
            pv_add_product(area->first.c[k], cross, sum);
            pv_add_product(part, p->c[k], p->c[k]);
            pv_add_product(part, sum, q->c[k]);
        }
        pv_add_product(area->polar, cross, part);
    }
    mpq_set_ui(part, 1, 2);
    mpq_mul(area->area, area->area, part);
    mpq_set_ui(part, 1, 6);
    mpq_mul(area->first.c[0], area->first.c[0], part);
    mpq_mul(area->first.c[1], area->first.c[1], part);
    mpq_set_ui(part, 1, 12);
    mpq_mul(area->polar, area->polar, part);
    mpq_clears(cross, sum, part, NULL);
}

static void
measure_circle(struct area *area, const pv_vec *center, const mpq_t radius)
{
    mpq_t square, distance;
    mpq_inits(square, distance, NULL);
    mpq_set_ui(area->area, PI_NUMERATOR, PI_DENOMINATOR);
    mpq_mul(square, radius, radius);
    mpq_mul(area->area, area->area, square);
    for (int k = 0; k < 2; k++) {
        mpq_mul(area->first.c[k], area->area, center->c[k]);
    }
    mpq_div_2exp(square, square, 1);
    pv_dot(distance, center, center);
    mpq_add(square, square, distance);
    mpq_mul(area->polar, area->area, square);
    mpq_clears(square, distance, NULL);
}

void
pv_weight_init(struct pv_weight *weight)
{
    mpq_inits(weight->mass, weight->polar, NULL);
    pv_vec_init(&weight->first);
    for (int k = 0; k < 9; k++) {
        mpq_init(weight->tensor[k]);
    }
    weight->by_density = weight->has_hull = false;
}

void
pv_weight_clear(struct pv_weight *weight)
{
    mpq_clears(weight->mass, weight->polar, NULL);
    pv_vec_clear(&weight->first);
    for (int k = 0; k < 9; k++) {
        mpq_clear(weight->tensor[k]);
    }
}

/* tensor += factor mass (c.c 1 - c c') */
void
pv_weight_add_arm(mpq_t *tensor, const mpq_t mass, const pv_vec *c, int factor)
{
    mpq_t part;
    mpq_init(part);
    for (int k = 0; k < 9; k++) {
        mpq_set_ui(part, 0, 1);
        if (k / 3 == k % 3) {
            pv_dot(part, c, c);
        }
        pv_sub_product(part, c->c[k / 3], c->c[k % 3]);
        mpq_mul(part, part, mass);
        if (factor < 0) {
            mpq_neg(part, part);
        }
        mpq_add(tensor[k], tensor[k], part);
    }
    mpq_clear(part);
}

/* Adds the mass of a cuboid to `weight`; `own` is its place in the body's frame. */
void
pv_weigh_cuboid(struct pv_weight *weight, const struct pv_shape *shape, double density,
    const struct pv_place *own)
{
    mpq_t mass, square[3], own_tensor[9], turned[9];
    mpq_init(mass);
    pv_number(mass, density > 0.0 ? density : 1.0);
    weight->by_density = weight->by_density || density > 0.0;
    for (int k = 0; k < 9; k++) {
        mpq_inits(own_tensor[k], turned[k], NULL);
    }
    for (int k = 0; k < 3; k++) { /* half sizes a, b, c: volume 8 abc, inertia m (bb + cc) / 3 */
        mpq_init(square[k]);
        mpq_mul(square[k], shape->length[k], shape->length[k]);
        mpq_mul(mass, mass, shape->length[k]);
        mpq_add(mass, mass, mass);
    }
    for (int k = 0; k < 3; k++) {
        mpq_t *e = &own_tensor[4 * k];
        mpq_add(*e, square[(k + 1) % 3], square[(k + 2) % 3]);
        mpq_set_ui(turned[0], 1, 3);
        mpq_mul(*e, *e, turned[0]);
        mpq_mul(*e, *e, mass);
    }
    pv_turn_tensor(turned, own->m, own_tensor);
    for (int k = 0; k < 9; k++) {
        mpq_add(weight->tensor[k], weight->tensor[k], turned[k]);
    }
    pv_weight_add_arm(weight->tensor, mass, &own->position, 1);
    mpq_add(weight->mass, weight->mass, mass);
    pv_vec_add_scaled(&weight->first, &weight->first, mass, &own->position);
    mpq_clear(mass);
    for (int k = 0; k < 3; k++) {
        mpq_clear(square[k]);
    }
    for (int k = 0; k < 9; k++) {
        mpq_clears(own_tensor[k], turned[k], NULL);
    }
}

/* Adds the mass of a ball to `weight`; the ball is given in the body's frame. */
void
pv_weigh_ball(struct pv_weight *weight, const struct pv_shape *shape, double density)
{
    mpq_t mass, part;
    mpq_inits(mass, part, NULL);
    pv_number(mass, density > 0.0 ? density : 1.0);
    weight->by_density = weight->by_density || density > 0.0;
    mpq_set_ui(part, 4 * PI_NUMERATOR, 3 * PI_DENOMINATOR);
    mpq_canonicalize(part);
    mpq_mul(mass, mass, part);
    mpq_mul(mass, mass, shape->radius);
    mpq_mul(mass, mass, shape->radius);
    mpq_mul(mass, mass, shape->radius);
    mpq_set_ui(part, 2, 5); /* inertia about each axis: 2/5 m r^2 */
    mpq_mul(part, part, mass);
    mpq_mul(part, part, shape->radius);
    mpq_mul(part, part, shape->radius);
    for (int k = 0; k < 9; k += 4) {
        mpq_add(weight->tensor[k], weight->tensor[k], part);
    }
    pv_weight_add_arm(weight->tensor, mass, &shape->vertex[0], 1);
    mpq_add(weight->mass, weight->mass, mass);
    pv_vec_add_scaled(&weight->first, &weight->first, mass, &shape->vertex[0]);
    mpq_clears(mass, part, NULL);
}

/* Adds the mass of a planar shape to `weight`; its corners are given in the body's frame. */
void
pv_weigh_outline(struct pv_weight *weight, const struct pv_shape *shape, double density)
{
    struct area area;
    mpq_t spread;
    mpq_inits(area.area, area.polar, spread, NULL);
    pv_vec_init(&area.first);
    if (shape->kind == CN_SHAPE_CIRCLE) {
        measure_circle(&area, &shape->vertex[0], shape->radius);
    } else if (shape->vertex_count >= 3) {
        measure_polygon(&area, shape->vertex, shape->vertex_count);
    }
    pv_number(spread, density > 0.0 ? density : 1.0);
    weight->by_density = weight->by_density || density > 0.0;
    pv_add_product(weight->mass, spread, area.area);
    pv_add_product(weight->polar, spread, area.polar);
    for (int k = 0; k < 2; k++) {
        pv_add_product(weight->first.c[k], spread, area.first.c[k]);
    }
    mpq_clears(area.area, area.polar, spread, NULL);
    pv_vec_clear(&area.first);
}

/* Sets `mass` to the density, 1 without one, and notes whether there is one. */
static void
begin_mass(struct pv_weight *weight, mpq_t mass, double density)
{
    pv_number(mass, density > 0.0 ? density : 1.0);
    weight->by_density = weight->by_density || density > 0.0;
}

/*
 * Adds the tetrahedron of the origin and three corners, of six times the volume `det`.  The
 * integral of x x' is V / 20 (a a' + b b' + c c' + s s') with s = a + b + c; the inertia is its
 * trace minus itself.
 */
static void
add_tetrahedron(struct pv_weight *weight, const mpq_t density, const mpq_t det,
    const pv_vec *corner)
{
    mpq_t mass, part, square[9];
    pv_vec all[4];
    mpq_inits(mass, part, NULL);
    pv_vec_init(&all[3]);
    for (int i = 0; i < 3; i++) {
        all[i] = corner[i];
        for (int k = 0; k < 3; k++) {
            mpq_add(all[3].c[k], all[3].c[k], corner[i].c[k]);
        }
    }
    mpq_set_ui(part, 1, 6);
    mpq_mul(mass, density, det);
    mpq_mul(mass, mass, part);
    mpq_add(weight->mass, weight->mass, mass);
    mpq_set_ui(part, 1, 4);
    mpq_mul(part, part, mass);
    pv_vec_add_scaled(&weight->first, &weight->first, part, &all[3]);
    mpq_set_ui(part, 1, 20);
    mpq_mul(part, part, mass);
    for (int e = 0; e < 9; e++) {
        mpq_init(square[e]);
        for (int i = 0; i < 4; i++) {
            pv_add_product(square[e], all[i].c[e / 3], all[i].c[e % 3]);
        }
        mpq_mul(square[e], square[e], part);
        mpq_sub(weight->tensor[e], weight->tensor[e], square[e]);
    }
    for (int k = 0; k < 9; k++) {
        mpq_add(weight->tensor[k / 3 * 4], weight->tensor[k / 3 * 4], square[k % 3 * 4]);
    }
    for (int e = 0; e < 9; e++) {
        mpq_clear(square[e]);
    }
    pv_vec_clear(&all[3]);
    mpq_clears(mass, part, NULL);
}

/* Divides the surface into triangles, by each face's first corner and each edge beyond it. */
void
pv_weigh_hull(struct pv_weight *weight, const struct pv_shape *shape, double density)
{
    const struct pv_solid *solid = &shape->solid;
    pv_vec d, e, normal, corner[3]; /* the corners are borrowed */
    mpq_t spread, det, outward;
    CN_ASSERT(solid->corner_count == shape->vertex_count);
    mpq_inits(spread, det, outward, NULL);
    pv_vec_init(&d);
    pv_vec_init(&e);
    pv_vec_init(&normal);
    weight->has_hull = true;
    begin_mass(weight, spread, density);
    for (int f = 0; f < solid->facet_count; f++) {
        const bool *has = &solid->has[f * solid->corner_count];
        corner[0] = shape->vertex[solid->facet[f].corner];
        for (int k = 0; k < solid->edge_count; k++) {
            int i = solid->edge[k][0], j = solid->edge[k][1];
            if (!has[i] || !has[j]) {
                continue;
            }
            corner[1] = shape->vertex[i];
            corner[2] = shape->vertex[j];
            pv_vec_sub(&d, &corner[1], &corner[0]);
            pv_vec_sub(&e, &corner[2], &corner[0]);
            pv_cross(&normal, &d, &e);
            pv_dot(outward, &normal, &solid->facet[f].normal);
            pv_dot(det, &normal, &corner[0]);
            if (mpq_sgn(outward) < 0) { /* the corners are clockwise as seen from outside */
                mpq_neg(det, det);
            }
            add_tetrahedron(weight, spread, det, corner);
        }
    }
    pv_vec_clear(&d);
    pv_vec_clear(&e);
    pv_vec_clear(&normal);
    mpq_clears(spread, det, outward, NULL);
}

/* out += p / q a b c */
static void
add_term(mpq_t out, unsigned long p, unsigned long q, const mpq_t a, const mpq_t b, const mpq_t c)
{
    mpq_t term;
    mpq_init(term);
    mpq_set_ui(term, p, q);
    mpq_canonicalize(term);
    mpq_mul(term, term, a);
    mpq_mul(term, term, b);
    pv_add_product(out, term, c);
    mpq_clear(term);
}

/* Adds `mass` at `center`; its inertia about there is `along` the axis and `across` it. */
static void
add_axial(struct pv_weight *weight, const mpq_t mass, const mpq_t along, const mpq_t across,
    const pv_vec *axis, const pv_vec *center)
{
    mpq_t part, square;
    mpq_inits(part, square, NULL);
    pv_dot(square, axis, axis);
    for (int e = 0; e < 9; e++) { /* across 1 + (along - across) u u' */
        mpq_sub(part, along, across);
        mpq_div(part, part, square);
        mpq_mul(part, part, axis->c[e / 3]);
        pv_add_product(weight->tensor[e], part, axis->c[e % 3]);
        if (e % 4 == 0) {
            mpq_add(weight->tensor[e], weight->tensor[e], across);
        }
    }
    pv_weight_add_arm(weight->tensor, mass, center, 1);
    mpq_clears(part, square, NULL);
}

/* The masses of a capsule: of its middle and of its two ends; and its length. */
struct capsule {
    mpq_t middle, ends, length;
};

/*
 * In space a cylinder and two half balls, whose centroids are 3 r / 8 beyond the ends.  The inertia
 * is about the capsule's centre.
 */
static void
measure_capsule(const struct capsule *c, const mpq_t r, mpq_t along, mpq_t across)
{
    add_term(along, 1, 2, c->middle, r, r);
    add_term(along, 2, 5, c->ends, r, r);
    add_term(across, 1, 4, c->middle, r, r);
    add_term(across, 1, 12, c->middle, c->length, c->length);
    add_term(across, 2, 5, c->ends, r, r);
    add_term(across, 1, 4, c->ends, c->length, c->length);
    add_term(across, 3, 8, c->ends, r, c->length);
}

/*
 * In the plane a rectangle and two half discs, whose centroids are 4 r / (3 pi) beyond the ends:
 * their mass times that distance is 2 / 3 r times the mass of the rectangle over its length.
 */
static void
measure_flat_capsule(const struct capsule *c, const mpq_t r, mpq_t polar)
{
    add_term(polar, 1, 1, c->middle, r, r);
    add_term(polar, 1, 12, c->middle, c->length, c->length);
    add_term(polar, 1, 2, c->ends, r, r);
    add_term(polar, 1, 4, c->ends, c->length, c->length);
}

void
pv_weigh_capsule(struct pv_weight *weight, const struct pv_shape *shape, double density,
    int dimension)
{
    CN_ASSERT(shape->vertex_count == 2);
    struct capsule c;
    mpq_t mass, along, across;
    pv_vec axis, center;
    mpq_inits(c.middle, c.ends, c.length, mass, along, across, NULL);
    pv_vec_init(&axis);
    pv_vec_init(&center);
    pv_vec_sub(&axis, &shape->vertex[1], &shape->vertex[0]);
    mpq_set_ui(mass, 1, 2);
    pv_vec_add_scaled(&center, &shape->vertex[0], mass, &axis);
    pv_dot(c.length, &axis, &axis);
    pv_root(c.length, c.length); /* exact, as the given length was turned exactly */
    mpq_set_ui(c.ends, PI_NUMERATOR, PI_DENOMINATOR);
    begin_mass(weight, mass, density);
    mpq_mul(c.ends, c.ends, mass);
    mpq_mul(c.ends, c.ends, shape->radius);
    if (dimension == 3) {
        mpq_mul(c.ends, c.ends, shape->radius);
        mpq_mul(c.middle, c.ends, c.length);
        mpq_set_ui(mass, 4, 3);
        mpq_mul(c.ends, c.ends, mass);
        mpq_mul(c.ends, c.ends, shape->radius);
        measure_capsule(&c, shape->radius, along, across);
    } else {
        add_term(c.middle, 2, 1, mass, shape->radius, c.length);
        mpq_mul(c.ends, c.ends, shape->radius);
        measure_flat_capsule(&c, shape->radius, across);
    }
    mpq_add(mass, c.middle, c.ends);
    if (dimension == 3) {
        add_axial(weight, mass, along, across, &axis, &center);
    } else {
        mpq_add(weight->polar, weight->polar, across);
        pv_dot(along, &center, &center);
        pv_add_product(weight->polar, mass, along);
    }
    mpq_add(weight->mass, weight->mass, mass);
    pv_vec_add_scaled(&weight->first, &weight->first, mass, &center);
    mpq_clears(c.middle, c.ends, c.length, mass, along, across, NULL);
    pv_vec_clear(&axis);
    pv_vec_clear(&center);
}
