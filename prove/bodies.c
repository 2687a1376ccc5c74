#include "prove/bodies.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdio.h>

/* The fraction is 3.14159265358979316, pi within 8e-17.  Masses of circles and balls use it. */
#define PI_NUMERATOR 245850922ul
#define PI_DENOMINATOR 78256779ul

/* Fills the corners, in the shape's own frame. */
static void
fill_corners(struct pv_shape *shape, const struct cn_shape_def *def)
{
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    CN_ASSERT(def->kind != CN_SHAPE_BOX || shape->vertex_count == 4);
    for (int i = 0; i < shape->vertex_count; i++) {
        double x = 0.0, y = 0.0;
        if (def->kind == CN_SHAPE_BOX) {
            x = def->box.size.x;
            y = def->box.size.y;
        } else if (def->kind == CN_SHAPE_POLYGON) {
            x = def->polygon.vertices[i].x;
            y = def->polygon.vertices[i].y;
        }
        pv_number(shape->vertex[i].c[0], x);
        pv_number(shape->vertex[i].c[1], y);
        if (def->kind == CN_SHAPE_BOX) { /* x and y are the size: take half to each side */
            mpq_t half;
            mpq_init(half);
            for (int k = 0; k < 2; k++) {
                mpq_set_si(half, corner[i][k], 2);
                mpq_mul(shape->vertex[i].c[k], shape->vertex[i].c[k], half);
            }
            mpq_clear(half);
        }
    }
}

static void
fill_extent(struct pv_shape *shape)
{
    mpq_t low, high;
    mpq_inits(low, high, NULL);
    for (int k = 0; k < 2 && shape->vertex_count > 0; k++) {
        mpq_set(low, shape->vertex[0].c[k]);
        mpq_set(high, low);
        for (int i = 1; i < shape->vertex_count; i++) {
            const mpq_t *x = &shape->vertex[i].c[k];
            mpq_set(low, mpq_cmp(*x, low) < 0 ? *x : low);
            mpq_set(high, mpq_cmp(*x, high) > 0 ? *x : high);
        }
        mpq_sub(high, high, low);
        mpq_add(high, high, shape->radius);
        mpq_add(high, high, shape->radius);
        if (mpq_cmp(high, shape->extent) > 0) {
            mpq_set(shape->extent, high);
        }
    }
    mpq_clears(low, high, NULL);
}

/* Fills the outward normals and the lengths of the edges, in the world. */
static void
fill_edges(struct pv_shape *shape)
{
    pv_vec along;
    pv_vec_init(&along);
    for (int i = 0; i < shape->vertex_count && shape->vertex_count >= 3; i++) {
        pv_vec_sub(&along, &shape->vertex[(i + 1) % shape->vertex_count], &shape->vertex[i]);
        pv_dot(shape->length[i], &along, &along);
        pv_root(shape->length[i], shape->length[i]);
        CN_ASSERT(mpq_sgn(shape->length[i]) > 0); /* corners next to each other differ */
        mpq_div(shape->normal[i].c[0], along.c[1], shape->length[i]);
        mpq_div(shape->normal[i].c[1], along.c[0], shape->length[i]);
        mpq_neg(shape->normal[i].c[1], shape->normal[i].c[1]);
    }
    pv_vec_clear(&along);
}

static void
fill_bounds(struct pv_shape *shape)
{
    double radius = pv_double(shape->radius);
    for (int k = 0; k < 3; k++) {
        shape->low[k] = shape->vertex_count > 0 ? HUGE_VAL : -HUGE_VAL;
        shape->high[k] = -shape->low[k];
        double margin = radius + 1e-5 * pv_double(shape->extent);
        for (int i = 0; i < shape->vertex_count; i++) {
            double x = pv_double(shape->vertex[i].c[k]);
            shape->low[k] = fmin(shape->low[k], x - margin);
            shape->high[k] = fmax(shape->high[k], x + margin);
        }
    }
}

/* A given normal may not have exact unit length: normal and offset are divided by its length. */
static void
fill_plane(struct pv_shape *shape, int dimension, const struct cn_shape_def *def,
    const struct pv_place *own, const struct pv_place *body)
{
    mpq_t length;
    mpq_init(length);
    pv_vec *normal = &shape->normal[0];
    pv_number(normal->c[0], def->plane.normal.x);
    pv_number(normal->c[1], def->plane.normal.y);
    if (dimension == 3) {
        pv_number(normal->c[2], def->plane.normal.z);
    }
    pv_number(shape->offset, def->plane.offset);
    pv_dot(length, normal, normal);
    pv_root(length, length);
    for (int k = 0; k < 3; k++) {
        mpq_div(normal->c[k], normal->c[k], length);
    }
    mpq_div(shape->offset, shape->offset, length);
    const struct pv_place *places[2] = {own, body};
    for (int i = 0; i < 2; i++) {
        pv_place_turn(places[i], normal);
        pv_dot(length, normal, &places[i]->position);
        mpq_add(shape->offset, shape->offset, length);
    }
    mpq_clear(length);
}

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

struct weight {
    mpq_t mass, polar;
    mpq_t tensor[9]; /* spatial, about the origin */
    pv_vec first;
    bool by_density;
};

static void
weight_init(struct weight *weight)
{
    mpq_inits(weight->mass, weight->polar, NULL);
    pv_vec_init(&weight->first);
    for (int k = 0; k < 9; k++) {
        mpq_init(weight->tensor[k]);
    }
    weight->by_density = false;
}

static void
weight_clear(struct weight *weight)
{
    mpq_clears(weight->mass, weight->polar, NULL);
    pv_vec_clear(&weight->first);
    for (int k = 0; k < 9; k++) {
        mpq_clear(weight->tensor[k]);
    }
}

/* tensor += factor mass (c.c 1 - c c') */
static void
add_arm(mpq_t *tensor, const mpq_t mass, const pv_vec *c, int factor)
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
static void
weigh_cuboid(struct weight *weight, const struct pv_shape *shape, double density,
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
    add_arm(weight->tensor, mass, &own->position, 1);
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
static void
weigh_ball(struct weight *weight, const struct pv_shape *shape, double density)
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
    add_arm(weight->tensor, mass, &shape->vertex[0], 1);
    mpq_add(weight->mass, weight->mass, mass);
    pv_vec_add_scaled(&weight->first, &weight->first, mass, &shape->vertex[0]);
    mpq_clears(mass, part, NULL);
}

/* The inverse of a tensor that is positive definite, by cofactors. */
static void
invert_tensor(mpq_t *out, mpq_t *t)
{
    mpq_t det;
    mpq_init(det);
    for (int k = 0; k < 9; k++) {
        int r = k / 3, c = k % 3, r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3,
            c2 = (c + 2) % 3;
        mpq_t *e = &out[3 * c + r];
        mpq_set_ui(*e, 0, 1);
        pv_add_product(*e, t[3 * r1 + c1], t[3 * r2 + c2]);
        pv_sub_product(*e, t[3 * r1 + c2], t[3 * r2 + c1]);
    }
    for (int c = 0; c < 3; c++) {
        pv_add_product(det, t[c], out[3 * c]);
    }
    for (int k = 0; k < 9; k++) {
        mpq_div(out[k], out[k], det);
    }
    mpq_clear(det);
}

/* In space: sets the inertia about the centre of mass, in the world's axes, and its inverse. */
static void
settle_tensor(struct pv_body *body, const struct cn_body_def *def, struct weight *weight,
    const pv_vec *center, const struct pv_place *place)
{
    const cn_mat33 *given = &def->inertia_tensor;
    const double number[9] = {given->cx.x, given->cy.x, given->cz.x, given->cx.y, given->cy.y,
        given->cz.y, given->cx.z, given->cy.z, given->cz.z};
    bool is_given = false;
    for (int k = 0; k < 9; k++) {
        is_given = is_given || number[k] != 0.0;
    }
    add_arm(weight->tensor, weight->mass, center, -1);
    mpq_t scale;
    mpq_init(scale);
    if (mpq_sgn(weight->mass) > 0) {
        mpq_div(scale, body->mass, weight->mass);
    }
    for (int k = 0; k < 9; k++) {
        if (is_given) {
            pv_number(weight->tensor[k], number[k]);
        } else {
            mpq_mul(weight->tensor[k], weight->tensor[k], scale);
        }
    }
    pv_turn_tensor(body->tensor, place->m, weight->tensor);
    invert_tensor(body->tensor_inverse, body->tensor);
    mpq_clear(scale);
}

/* Adds the mass of a planar shape to `weight`; its corners are given in the body's frame. */
static void
weigh_shape(struct weight *weight, const struct pv_shape *shape, double density)
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

/* Sets mass, centre (world) and inertia from the sums over the shapes in the body's frame. */
static void
settle_body(struct pv_body *body, int dimension, const struct cn_body_def *def,
    struct weight *weight, const struct pv_place *place)
{
    mpq_t scale;
    mpq_init(scale);
    bool has_area = mpq_sgn(weight->mass) > 0;
    for (int k = 0; k < 3 && has_area; k++) {
        mpq_div(body->center.c[k], weight->first.c[k], weight->mass);
        pv_sub_product(weight->polar, body->center.c[k], weight->first.c[k]);
    }
    if (!body->is_fixed) {
        if (def->mass > 0.0) {
            pv_number(body->mass, def->mass);
        } else if (weight->by_density) {
            mpq_set(body->mass, weight->mass);
        } else {
            mpq_set_ui(body->mass, 1, 1);
        }
        if (def->inertia > 0.0) {
            pv_number(body->inertia, def->inertia);
        } else if (has_area) {
            mpq_div(scale, body->mass, weight->mass);
            mpq_mul(body->inertia, weight->polar, scale);
        }
        if (dimension == 3 && has_area) {
            settle_tensor(body, def, weight, &body->center, place);
        }
    }
    if (def->has_center) { /* the inertia keeps its value, but is now about the given centre */
        const double own[3] = {def->center_of_mass.x, def->center_of_mass.y, def->center_of_mass.z};
        for (int k = 0; k < dimension; k++) {
            pv_number(body->center.c[k], own[k]);
        }
    }
    pv_place_move(place, &body->center);
    mpq_clear(scale);
}

/* Bit k of i gives the side of corner i along axis k.  Axes are in the world. */
static void
fill_cuboid(struct pv_shape *shape, const struct cn_shape_def *def, const struct pv_place *own,
    const struct pv_place *body)
{
    const double size[3] = {def->box.size.x, def->box.size.y, def->box.size.z};
    CN_ASSERT(shape->vertex_count == 8);
    mpq_t reach;
    mpq_init(reach);
    pv_vec_set(&shape->center, &own->position);
    pv_place_move(body, &shape->center);
    for (int k = 0; k < 3; k++) {
        pv_number(shape->length[k], size[k]);
        if (mpq_cmp(shape->length[k], shape->extent) > 0) {
            mpq_set(shape->extent, shape->length[k]);
        }
        mpq_div_2exp(shape->length[k], shape->length[k], 1);
        mpq_set_ui(shape->normal[k].c[k], 1, 1);
        pv_place_turn(own, &shape->normal[k]);
        pv_place_turn(body, &shape->normal[k]);
    }
    for (int i = 0; i < 8; i++) {
        pv_vec_set(&shape->vertex[i], &shape->center);
        for (int k = 0; k < 3; k++) {
            mpq_set(reach, shape->length[k]);
            if ((i >> k & 1) == 0) {
                mpq_neg(reach, reach);
            }
            pv_vec_add_scaled(&shape->vertex[i], &shape->vertex[i], reach, &shape->normal[k]);
        }
    }
    mpq_clear(reach);
}

static void
add_shape(struct pv_arrangement *arrangement, int body, const struct cn_shape_def *def,
    const struct pv_place *place, struct weight *weight)
{
    CN_ASSERT(0 <= body && body < arrangement->body_count);
    struct pv_shape *shape = &arrangement->shape[arrangement->shape_count++];
    *shape = (struct pv_shape){.kind = def->kind,
        .body = body,
        .material = def->material,
        .filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT};
    if (def->kind == CN_SHAPE_SPHERE) { /* in the plane and in space: a centre and a radius */
        shape->kind = CN_SHAPE_CIRCLE;
    }
    mpq_inits(shape->radius, shape->offset, shape->extent, NULL);
    shape->vertex_count = def->kind == CN_SHAPE_PLANE ? 0
                          : def->kind == CN_SHAPE_BOX ? 4
                          : def->kind == CN_SHAPE_POLYGON ? def->polygon.vertex_count
                                                          : 1;
    if (arrangement->dimension == 3 && def->kind == CN_SHAPE_BOX) {
        shape->vertex_count = 8;
    }
    pv_vec_init(&shape->center);
    size_t room = shape->vertex_count > 0 ? (size_t)shape->vertex_count : 1;
    shape->vertex = pv_alloc(room, sizeof(*shape->vertex));
    shape->normal = pv_alloc(room, sizeof(*shape->normal));
    shape->length = pv_numbers(room);
    for (size_t i = 0; i < room; i++) {
        pv_vec_init(&shape->vertex[i]);
        pv_vec_init(&shape->normal[i]);
    }
    struct pv_place own;
    pv_place_init(&own, arrangement->dimension, def->position, def->angle, def->orientation);
    if (def->kind == CN_SHAPE_PLANE) {
        fill_plane(shape, arrangement->dimension, def, &own, place);
    } else if (arrangement->dimension == 3 && def->kind == CN_SHAPE_SPHERE) {
        pv_number(shape->radius, def->sphere.radius);
        mpq_add(shape->extent, shape->radius, shape->radius);
        pv_place_move(&own, &shape->vertex[0]);
        weigh_ball(weight, shape, def->density);
        pv_place_move(place, &shape->vertex[0]);
    } else if (arrangement->dimension == 3) {
        fill_cuboid(shape, def, &own, place);
        weigh_cuboid(weight, shape, def->density, &own);
    } else {
        if (shape->kind == CN_SHAPE_CIRCLE) {
            bool is_ball = def->kind == CN_SHAPE_SPHERE;
            pv_number(shape->radius, is_ball ? def->sphere.radius : def->circle.radius);
        }
        fill_corners(shape, def);
        fill_extent(shape);
        for (int i = 0; i < shape->vertex_count; i++) {
            pv_place_move(&own, &shape->vertex[i]);
        }
        weigh_shape(weight, shape, def->density);
        for (int i = 0; i < shape->vertex_count; i++) {
            pv_place_move(place, &shape->vertex[i]);
        }
        fill_edges(shape);
    }
    fill_bounds(shape);
    pv_place_clear(&own);
}

static enum cn_status
check_shape(const struct cn_shape_def *def, int dimension, int body, int index,
    struct cn_defect *defect)
{
    bool spatial = dimension == 3;
    bool is_planar = def->kind == CN_SHAPE_POLYGON || def->kind == CN_SHAPE_CIRCLE;
    if (def->kind == CN_SHAPE_BOX || def->kind == CN_SHAPE_SPHERE || def->kind == CN_SHAPE_PLANE ||
        (!spatial && is_planar)) {
        return CN_OK;
    }
    char path[CN_DEFECT_PATH_SIZE];
    snprintf(path, sizeof(path), "bodies[%d].shapes[%d]", body, index);
    return cn_defect_set(defect, CN_GEOMETRY, path,
        "is a %s; a check knows %s", cn_shape_kind_name(def->kind),
        spatial ? "boxes, spheres and planes in space" : "box, polygon, circle, sphere and plane");
}

enum cn_status
pv_bodies_fill(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    struct cn_defect *defect)
{
    CN_ASSERT(arrangement->body_count == def->body_count && arrangement->shape_count == 0);
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body_def = &def->bodies[i];
        for (int k = 0; k < body_def->shape_count; k++) {
            enum cn_status status = body_def->shapes[k].sensor ? CN_OK : check_shape(
                &body_def->shapes[k], arrangement->dimension, i, k, defect);
            if (status != CN_OK) {
                return status;
            }
        }
    }
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body_def = &def->bodies[i];
        struct pv_body *body = &arrangement->body[i];
        struct pv_place place;
        struct weight weight;
        weight_init(&weight);
        pv_place_init(&place, arrangement->dimension, body_def->position, body_def->angle,
            body_def->orientation);
        body->is_fixed = body_def->type != CN_DYNAMIC;
        for (int k = 0; k < body_def->shape_count; k++) {
            if (!body_def->shapes[k].sensor) {
                add_shape(arrangement, i, &body_def->shapes[k], &place, &weight);
            }
        }
        settle_body(body, arrangement->dimension, body_def, &weight, &place);
        pv_body_load(arrangement, def, i, &place);
        pv_place_clear(&place);
        weight_clear(&weight);
    }
    return CN_OK;
}
