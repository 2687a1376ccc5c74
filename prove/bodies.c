#include "prove/bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* 3.14159265358979316, which is pi to 8e-17: only densities of circles need it. */
#define PI_NUMERATOR 245850922ul
#define PI_DENOMINATOR 78256779ul

/* A turn about z with a shift. */
struct place {
    mpq_t c, s;
    pv_vec position;
};

static void
place_init(struct place *place, const cn_vec3 *position, double angle)
{
    mpq_t w, z, square, turn;
    mpq_inits(w, z, square, turn, place->c, place->s, NULL);
    pv_vec_init(&place->position);
    pv_number(place->position.c[0], position->x);
    pv_number(place->position.c[1], position->y);
    pv_number(turn, angle);
    pv_turn(w, z, turn);
    mpq_mul(square, w, w);
    mpq_set(place->c, square);
    pv_sub_product(place->c, z, z);
    pv_add_product(square, z, z);
    mpq_div(place->c, place->c, square);
    pv_add_product(place->s, w, z);
    mpq_add(place->s, place->s, place->s);
    mpq_div(place->s, place->s, square);
    mpq_clears(w, z, square, turn, NULL);
}

static void
place_clear(struct place *place)
{
    mpq_clears(place->c, place->s, NULL);
    pv_vec_clear(&place->position);
}

static void
place_turn(const struct place *place, pv_vec *v)
{
    mpq_t x;
    mpq_init(x);
    mpq_mul(x, place->c, v->c[0]);
    pv_sub_product(x, place->s, v->c[1]);
    mpq_mul(v->c[1], place->c, v->c[1]);
    pv_add_product(v->c[1], place->s, v->c[0]);
    mpq_set(v->c[0], x);
    mpq_clear(x);
}

static void
place_move(const struct place *place, pv_vec *v)
{
    place_turn(place, v);
    for (int k = 0; k < 3; k++) {
        mpq_add(v->c[k], v->c[k], place->position.c[k]);
    }
}

/* Corners in the shape's own frame. */
static void
fill_corners(struct pv_shape *shape, const struct cn_shape_def *def)
{
    static const int corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
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
        if (def->kind == CN_SHAPE_BOX) { /* half the size, to each side */
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

/* Outward normals and lengths of the edges, in the world. */
static void
fill_edges(struct pv_shape *shape)
{
    pv_vec along;
    pv_vec_init(&along);
    for (int i = 0; i < shape->vertex_count && shape->vertex_count >= 3; i++) {
        pv_vec_sub(&along, &shape->vertex[(i + 1) % shape->vertex_count], &shape->vertex[i]);
        pv_dot(shape->length[i], &along, &along);
        pv_root(shape->length[i], shape->length[i]);
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

/* A plane's normal may miss unit length by rounding: both sides of normal . x <= offset shrink. */
static void
fill_plane(struct pv_shape *shape, const struct cn_shape_def *def, const struct place *own,
    const struct place *body)
{
    mpq_t length;
    mpq_init(length);
    pv_vec *normal = &shape->normal[0];
    pv_number(normal->c[0], def->plane.normal.x);
    pv_number(normal->c[1], def->plane.normal.y);
    pv_number(shape->offset, def->plane.offset);
    pv_dot(length, normal, normal);
    pv_root(length, length);
    mpq_div(normal->c[0], normal->c[0], length);
    mpq_div(normal->c[1], normal->c[1], length);
    mpq_div(shape->offset, shape->offset, length);
    const struct place *places[2] = {own, body};
    for (int i = 0; i < 2; i++) {
        place_turn(places[i], normal);
        pv_dot(length, normal, &places[i]->position);
        mpq_add(shape->offset, shape->offset, length);
    }
    mpq_clear(length);
}

/* Area, first moments and polar moment about the frame's origin, of what stands in that frame. */
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
    pv_vec first;
    bool by_density;
};

/* Adds a shape whose corners stand in the body's frame. */
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

/* Mass, centre (world) and inertia from the sums over the shapes in the body's frame. */
static void
settle_body(struct pv_body *body, const struct cn_body_def *def, struct weight *weight,
    const struct place *place)
{
    mpq_t scale;
    mpq_init(scale);
    bool has_area = mpq_sgn(weight->mass) > 0;
    for (int k = 0; k < 2 && has_area; k++) {
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
    }
    place_move(place, &body->center);
    mpq_clear(scale);
}

static void
add_shape(struct pv_arrangement *arrangement, int body, const struct cn_shape_def *def,
    const struct place *place, struct weight *weight)
{
    struct pv_shape *shape = &arrangement->shape[arrangement->shape_count++];
    *shape = (struct pv_shape){.kind = def->kind, .body = body, .material = def->material};
    if (def->kind == CN_SHAPE_SPHERE) { /* of the plane */
        shape->kind = CN_SHAPE_CIRCLE;
    }
    mpq_inits(shape->radius, shape->offset, shape->extent, NULL);
    shape->vertex_count = def->kind == CN_SHAPE_PLANE ? 0
                          : def->kind == CN_SHAPE_BOX ? 4
                          : def->kind == CN_SHAPE_POLYGON ? def->polygon.vertex_count
                                                          : 1;
    size_t room = shape->vertex_count > 0 ? (size_t)shape->vertex_count : 1;
    shape->vertex = pv_alloc(room, sizeof(*shape->vertex));
    shape->normal = pv_alloc(room, sizeof(*shape->normal));
    shape->length = pv_numbers(room);
    for (size_t i = 0; i < room; i++) {
        pv_vec_init(&shape->vertex[i]);
        pv_vec_init(&shape->normal[i]);
    }
    struct place own;
    place_init(&own, &def->position, def->angle);
    if (def->kind == CN_SHAPE_PLANE) {
        fill_plane(shape, def, &own, place);
    } else {
        if (shape->kind == CN_SHAPE_CIRCLE) {
            bool is_ball = def->kind == CN_SHAPE_SPHERE;
            pv_number(shape->radius, is_ball ? def->sphere.radius : def->circle.radius);
        }
        fill_corners(shape, def);
        fill_extent(shape);
        for (int i = 0; i < shape->vertex_count; i++) {
            place_move(&own, &shape->vertex[i]);
        }
        weigh_shape(weight, shape, def->density);
        for (int i = 0; i < shape->vertex_count; i++) {
            place_move(place, &shape->vertex[i]);
        }
        fill_edges(shape);
    }
    fill_bounds(shape);
    place_clear(&own);
}

static enum cn_status
check_shape(const struct cn_shape_def *def, int body, int index, struct cn_defect *defect)
{
    switch (def->kind) {
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYGON:
    case CN_SHAPE_CIRCLE:
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_PLANE: return CN_OK;
    default: break;
    }
    char path[CN_DEFECT_PATH_SIZE];
    snprintf(path, sizeof(path), "bodies[%d].shapes[%d]", body, index);
    return cn_defect_set(defect, CN_GEOMETRY, path,
        "is a %s; a check knows box, polygon, circle, sphere and plane",
        cn_shape_kind_name(def->kind));
}

enum cn_status
pv_bodies_fill(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    struct cn_defect *defect)
{
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body_def = &def->bodies[i];
        for (int k = 0; k < body_def->shape_count; k++) {
            enum cn_status status = check_shape(&body_def->shapes[k], i, k, defect);
            if (status != CN_OK) {
                return status;
            }
        }
    }
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body_def = &def->bodies[i];
        struct pv_body *body = &arrangement->body[i];
        struct place place;
        struct weight weight = {.by_density = false};
        mpq_inits(weight.mass, weight.polar, NULL);
        pv_vec_init(&weight.first);
        place_init(&place, &body_def->position, body_def->angle);
        body->is_fixed = body_def->type != CN_DYNAMIC;
        for (int k = 0; k < body_def->shape_count; k++) {
            add_shape(arrangement, i, &body_def->shapes[k], &place, &weight);
        }
        settle_body(body, body_def, &weight, &place);
        place_clear(&place);
        mpq_clears(weight.mass, weight.polar, NULL);
        pv_vec_clear(&weight.first);
    }
    return CN_OK;
}

void
pv_body_init(struct pv_body *body)
{
    mpq_inits(body->mass, body->inertia, NULL);
    pv_vec_init(&body->center);
}

void
pv_body_clear(struct pv_body *body)
{
    mpq_clears(body->mass, body->inertia, NULL);
    pv_vec_clear(&body->center);
}

void
pv_shape_clear(struct pv_shape *shape)
{
    size_t room = shape->vertex_count > 0 ? (size_t)shape->vertex_count : 1;
    for (size_t i = 0; i < room; i++) {
        pv_vec_clear(&shape->vertex[i]);
        pv_vec_clear(&shape->normal[i]);
    }
    free(shape->vertex);
    free(shape->normal);
    pv_numbers_free(shape->length, room);
    mpq_clears(shape->radius, shape->offset, shape->extent, NULL);
}
