#include "prove/bodies.h"

#include "engine/base/assert.h"
#include "prove/exact/watch.h"
#include "prove/patch.h"
#include "prove/weigh.h"

#include <math.h>
#include <stdio.h>

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
    for (int k = 0; k < 3 && shape->vertex_count > 0; k++) {
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

/* The inverse of a tensor, by cofactors; all zeros if it is singular: no shape and none given. */
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
    if (mpq_sgn(det) != 0) {
        mpq_inv(det, det);
    }
    for (int k = 0; k < 9; k++) {
        mpq_mul(out[k], out[k], det);
    }
    mpq_clear(det);
}

/* In space: sets the inertia about the centre of mass, in the world's axes, and its inverse. */
static void
settle_tensor(struct pv_body *body, const struct cn_body_def *def, struct pv_weight *weight,
    const pv_vec *center, const struct pv_place *place)
{
    const cn_mat33 *given = &def->inertia_tensor;
    const double number[9] = {given->cx.x, given->cy.x, given->cz.x, given->cx.y, given->cy.y,
        given->cz.y, given->cx.z, given->cy.z, given->cz.z};
    bool is_given = false;
    for (int k = 0; k < 9; k++) {
        is_given = is_given || number[k] != 0.0;
    }
    pv_weight_add_arm(weight->tensor, weight->mass, center, -1);
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

/* Sets mass, centre (world) and inertia from the sums over the shapes in the body's frame. */
static void
settle_body(struct pv_body *body, int dimension, const struct cn_body_def *def,
    struct pv_weight *weight, const struct pv_place *place)
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
            if (weight->has_hull) {
                pv_round(body->mass, PV_POINT_BITS);
            }
        } else {
            mpq_set_ui(body->mass, 1, 1);
        }
        if (def->inertia > 0.0) {
            pv_number(body->inertia, def->inertia);
        } else if (has_area) {
            mpq_div(scale, body->mass, weight->mass);
            mpq_mul(body->inertia, weight->polar, scale);
        }
        if (dimension == 3) {
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
    if (weight->has_hull) {
        pv_vec_round(&body->center, PV_POINT_BITS);
    }
    mpq_clear(scale);
}

/* Bit k of i gives the side of corner i along axis k.  Axes are in the world. */
static void
fill_cuboid(struct pv_shape *shape, const struct cn_shape_def *def, const struct pv_place *own,
    const struct pv_place *body)
{
    const double size[3] = {def->box.size.x, def->box.size.y, def->box.size.z};
    CN_ASSERT(shape->vertex_count == 8);
    pv_solid_init_cuboid(&shape->solid);
    pv_solid_turn(&shape->solid, own);
    pv_solid_turn(&shape->solid, body);
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

/* Corners in the shape's own frame; a circle and a ball have one, their centre. */
static int
corner_count_of(const struct cn_shape_def *def, int dimension)
{
    switch (def->kind) {
    case CN_SHAPE_PLANE: return 0;
    case CN_SHAPE_BOX: return dimension == 3 ? 8 : 4;
    case CN_SHAPE_POLYGON: return def->polygon.vertex_count;
    case CN_SHAPE_CAPSULE: return def->capsule.length > 0.0 ? 2 : 1;
    default: return 1;
    }
}

static void
shape_reserve(struct pv_shape *shape, int vertex_count)
{
    size_t room = vertex_count > 0 ? (size_t)vertex_count : 1;
    shape->vertex_count = vertex_count;
    shape->vertex = pv_alloc(room, sizeof(*shape->vertex));
    shape->normal = pv_alloc(room, sizeof(*shape->normal));
    shape->length = pv_numbers(room);
    for (size_t i = 0; i < room; i++) {
        pv_vec_init(&shape->vertex[i]);
        pv_vec_init(&shape->normal[i]);
    }
}

/* Reserves the corners of a hull and fills them, its faces and its edges, in its own frame. */
static void
fill_hull(struct pv_shape *shape, const struct cn_shape_def *def)
{
    int count = def->hull.vertex_count;
    pv_vec *point = pv_alloc((size_t)count, sizeof(*point));
    for (int i = 0; i < count; i++) {
        pv_vec_init(&point[i]);
        pv_number(point[i].c[0], def->hull.vertices[i].x);
        pv_number(point[i].c[1], def->hull.vertices[i].y);
        pv_number(point[i].c[2], def->hull.vertices[i].z);
    }
    pv_solid_init_hull(&shape->solid, point, count);
    shape_reserve(shape, shape->solid.corner_count);
    for (int i = 0; i < count; i++) {
        if (i < shape->vertex_count) {
            pv_vec_set(&shape->vertex[i], &point[i]);
        }
        pv_vec_clear(&point[i]);
    }
    pv_free(point);
}

/* The corners and the radius in the shape's own frame, and what follows from them there. */
static void
fill_own(struct pv_shape *shape, int dimension, const struct cn_shape_def *def)
{
    if (def->kind == CN_SHAPE_HULL) {
        fill_hull(shape, def);
    } else {
        shape_reserve(shape, corner_count_of(def, dimension));
    }
    switch (def->kind) {
    case CN_SHAPE_CIRCLE: pv_number(shape->radius, def->circle.radius); break;
    case CN_SHAPE_SPHERE: pv_number(shape->radius, def->sphere.radius); break;
    case CN_SHAPE_CAPSULE:
        pv_number(shape->radius, def->capsule.radius);
        for (int i = 0; i < shape->vertex_count && shape->vertex_count == 2; i++) {
            pv_number(shape->vertex[i].c[1], i == 0 ? -def->capsule.length : def->capsule.length);
            mpq_div_2exp(shape->vertex[i].c[1], shape->vertex[i].c[1], 1);
        }
        break;
    case CN_SHAPE_BOX:
    case CN_SHAPE_POLYGON: fill_corners(shape, def); break;
    default: break;
    }
    fill_extent(shape);
}

/* Moves corners and faces into the outer frame. */
static void
move_shape(struct pv_shape *shape, const struct pv_place *place)
{
    for (int i = 0; i < shape->vertex_count; i++) {
        pv_place_move(place, &shape->vertex[i]);
    }
    pv_solid_turn(&shape->solid, place);
}

static void
add_shape(struct pv_arrangement *arrangement, int body, const struct cn_shape_def *def,
    const struct pv_place *place, struct pv_weight *weight)
{
    CN_ASSERT(0 <= body && body < arrangement->body_count);
    struct pv_shape *shape = &arrangement->shape[arrangement->shape_count++];
    int dimension = arrangement->dimension;
    *shape = (struct pv_shape){.kind = def->kind,
        .body = body,
        .material = def->material,
        .filter = def->has_filter ? def->filter : CN_FILTER_DEFAULT};
    bool is_disc = def->kind == CN_SHAPE_SPHERE || def->kind == CN_SHAPE_CIRCLE ||
                   (def->kind == CN_SHAPE_CAPSULE && def->capsule.length == 0.0);
    if (is_disc) { /* in the plane and in space: a centre and a radius */
        shape->kind = CN_SHAPE_CIRCLE;
    }
    mpq_inits(shape->radius, shape->offset, shape->extent, NULL);
    pv_vec_init(&shape->center);
    struct pv_place own;
    pv_place_init(&own, dimension, def->position, def->angle, def->orientation);
    if (dimension == 3 && def->kind == CN_SHAPE_BOX) {
        shape_reserve(shape, 8);
        fill_cuboid(shape, def, &own, place);
        pv_weigh_cuboid(weight, shape, def->density, &own);
    } else if (def->kind == CN_SHAPE_PLANE) {
        shape_reserve(shape, 0);
        fill_plane(shape, dimension, def, &own, place);
    } else {
        fill_own(shape, dimension, def);
        move_shape(shape, &own);
        if (shape->kind == CN_SHAPE_CAPSULE) {
            pv_weigh_capsule(weight, shape, def->density, dimension);
        } else if (dimension == 2) {
            pv_weigh_outline(weight, shape, def->density);
        } else if (is_disc) {
            pv_weigh_ball(weight, shape, def->density);
        } else {
            pv_weigh_hull(weight, shape, def->density);
        }
        move_shape(shape, place);
    }
    if (dimension == 2) {
        fill_edges(shape);
    }
    fill_bounds(shape);
    pv_place_clear(&own);
}

/* The shapes that have a finite set of contact points. */
static enum cn_status
check_shape(const struct cn_shape_def *def, int dimension, int body, int index,
    struct cn_defect *defect)
{
    bool spatial = dimension == 3;
    switch (def->kind) {
    case CN_SHAPE_BOX:
    case CN_SHAPE_SPHERE:
    case CN_SHAPE_CAPSULE:
    case CN_SHAPE_PLANE: return CN_OK;
    case CN_SHAPE_CIRCLE:
    case CN_SHAPE_POLYGON:
        if (!spatial) {
            return CN_OK;
        }
        break;
    case CN_SHAPE_HULL:
        if (spatial) {
            return CN_OK;
        }
        break;
    default: break;
    }
    char path[CN_DEFECT_PATH_SIZE];
    snprintf(path, sizeof(path), "bodies[%d].shapes[%d]", body, index);
    return cn_defect_set(defect, CN_GEOMETRY, path, "has the kind %s; a check accepts %s",
        cn_shape_kind_name(def->kind),
        spatial ? "box, hull, sphere, capsule and plane in space"
                : "box, polygon, circle, sphere, capsule and plane in the plane");
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
    pv_phase("reading shapes");
    for (int i = 0; i < def->body_count; i++) {
        pv_part((double)i / def->body_count);
        const struct cn_body_def *body_def = &def->bodies[i];
        struct pv_body *body = &arrangement->body[i];
        struct pv_place place;
        struct pv_weight weight;
        pv_weight_init(&weight);
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
        pv_weight_clear(&weight);
    }
    return CN_OK;
}
