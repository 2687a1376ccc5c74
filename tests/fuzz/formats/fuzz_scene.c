/*
 * fuzz_scene.c: an accepted scene makes a world that steps, and is read back the same from its
 * text.  A refusal has a path and a text.
 *
 * Inputs are scenes by construction.  Bytes choose the number of bodies, the shapes, and numbers on
 * a coarse grid, so that touching and overlapping bodies are common.  Some numbers are out of
 * range.  There are joints of every kind.
 */
#include "engine/base/assert.h"
#include "engine/cairn.h"
#include "proto/scene.h"

#include "cairn/v1/scene.pb-c.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BODIES_MAX 8
#define SHAPES_MAX 3
#define TICKS 3
#define PIECES_MAX 200
#define WORK_PIECE 100000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct source {
    const uint8_t *data;
    size_t size;
};

static unsigned
take(struct source *source)
{
    if (source->size == 0) {
        return 0;
    }
    source->size--;
    return *source->data++;
}

/* -8 to 8, in sixteenths. */
static double
number(struct source *source)
{
    return ((int)take(source) - 128) / 16.0;
}

/* 1/16 to 4; one in 256 is out of most ranges. */
static double
extent(struct source *source)
{
    unsigned byte = take(source);
    return byte == 255 ? -1.0 : (byte % 64 + 1) / 16.0;
}

static void *
make(const ProtobufCMessageDescriptor *descriptor)
{
    ProtobufCMessage *message = malloc(descriptor->sizeof_message);
    CN_ASSERT(message != NULL);
    protobuf_c_message_init(descriptor, message);
    return message;
}

static void *
make_list(size_t count)
{
    void *list = calloc(count > 0 ? count : 1, sizeof(void *));
    CN_ASSERT(list != NULL);
    return list;
}

static char *
make_name(const char *prefix, unsigned index)
{
    char *name = malloc(24);
    CN_ASSERT(name != NULL);
    snprintf(name, 24, "%s%u", prefix, index);
    return name;
}

static Cairn__V1__Vec3 *
make_vector(double x, double y)
{
    Cairn__V1__Vec3 *vector = make(&cairn__v1__vec3__descriptor);
    vector->x = x;
    vector->y = y;
    return vector;
}

/* A regular polygon with sides of its own, counter-clockwise; a byte may turn it around. */
static Cairn__V1__Shape__Polygon *
make_polygon(struct source *source)
{
    Cairn__V1__Shape__Polygon *polygon = make(&cairn__v1__shape__polygon__descriptor);
    unsigned choice = take(source);
    double radius = extent(source), side = choice == 255 ? -1.0 : 1.0;
    polygon->n_vertices = 3 + choice % 6;
    polygon->vertices = make_list(polygon->n_vertices);
    for (size_t i = 0; i < polygon->n_vertices; i++) {
        double angle = 6.283185307179586 * (double)i / (double)polygon->n_vertices;
        polygon->vertices[i] = make_vector(radius * cos(angle), side * radius * sin(angle));
    }
    return polygon;
}

/* Planes are for bodies that can not move. */
static Cairn__V1__Shape *
make_shape(struct source *source, bool may_be_plane)
{
    Cairn__V1__Shape *shape = make(&cairn__v1__shape__descriptor);
    unsigned choice = take(source);
    shape->shape_case = (Cairn__V1__Shape__ShapeCase)(1 + choice % (may_be_plane ? 5 : 4));
    switch (shape->shape_case) {
    case CAIRN__V1__SHAPE__SHAPE_CIRCLE:
        shape->circle = make(&cairn__v1__shape__circle__descriptor);
        shape->circle->radius = extent(source);
        break;
    case CAIRN__V1__SHAPE__SHAPE_CAPSULE:
        shape->capsule = make(&cairn__v1__shape__capsule__descriptor);
        shape->capsule->radius = extent(source);
        shape->capsule->length = extent(source);
        break;
    case CAIRN__V1__SHAPE__SHAPE_BOX:
        shape->box = make(&cairn__v1__shape__box__descriptor);
        shape->box->size = make_vector(extent(source), extent(source));
        break;
    case CAIRN__V1__SHAPE__SHAPE_POLYGON:
        shape->polygon = make_polygon(source);
        break;
    default:
        shape->shape_case = CAIRN__V1__SHAPE__SHAPE_PLANE;
        shape->plane = make(&cairn__v1__shape__plane__descriptor);
        shape->plane->normal = choice & 64 ? make_vector(0.6, 0.8) : make_vector(0.0, 1.0);
        shape->plane->offset = number(source);
    }
    if (choice & 128) {
        shape->position = make_vector(number(source) / 4.0, number(source) / 4.0);
        shape->angle = number(source);
    }
    if (choice & 16) {
        shape->contact_events = shape->hit_events = true;
        shape->stay_events = (choice & 64) != 0;
        shape->hit_speed_min = choice & 32 ? 0.5 : 0.0;
        shape->force_min_set_case = CAIRN__V1__SHAPE__FORCE_MIN_SET_FORCE_MIN;
        shape->force_min = take(source) == 255 ? -1.0 : 0.25;
    }
    if (choice == 21 || choice == 53) {
        shape->one_way = make(&cairn__v1__shape__one_way__descriptor);
        shape->one_way->normal = make_vector(number(source), 1.0);
    }
    if (choice & 32) {
        shape->material = make_name("m", choice / 8 % 2);
    }
    return shape;
}

static Cairn__V1__Body *
make_body(struct source *source, unsigned index)
{
    Cairn__V1__Body *body = make(&cairn__v1__body__descriptor);
    unsigned choice = take(source);
    body->name = make_name("b", index);
    body->type = index == 0 || choice % 4 == 3 ? CAIRN__V1__BODY__TYPE__DYNAMIC
                                               : (Cairn__V1__Body__Type)(choice % 4);
    bool is_static = body->type == CAIRN__V1__BODY__TYPE__STATIC;
    body->position = make_vector(number(source), number(source));
    body->angle = choice & 16 ? number(source) : 0.0;
    if ((choice & 32) != 0 && (!is_static || choice == 255)) {
        body->velocity = make_vector(number(source), number(source));
    }
    if (choice & 64) {
        body->mass_set_case = CAIRN__V1__BODY__MASS_SET_MASS;
        body->mass = extent(source);
    }
    body->n_shapes = 1 + take(source) % SHAPES_MAX;
    body->shapes = make_list(body->n_shapes);
    for (size_t i = 0; i < body->n_shapes; i++) {
        body->shapes[i] = make_shape(source, is_static);
    }
    return body;
}

static Cairn__V1__Force *
make_force(struct source *source, unsigned body_count)
{
    Cairn__V1__Force *force = make(&cairn__v1__force__descriptor);
    unsigned choice = take(source);
    force->force_case = CAIRN__V1__FORCE__FORCE_SPRING;
    force->spring = make(&cairn__v1__force__spring__descriptor);
    force->spring->body_b = make_name("b", choice == 255 ? body_count : 0);
    if ((choice & 128) != 0 && body_count > 1) {
        force->spring->body_a = make_name("b", 1 + choice % (body_count - 1));
    }
    force->spring->anchor_b = make_vector(number(source) / 8.0, 0.0);
    force->spring->stiffness = take(source);
    force->spring->damping = take(source) / 16.0;
    force->spring->rest_length = extent(source);
    return force;
}

/* Of most kinds: another body, or the world; an anchor anywhere, which the start makes fit. */
#define MAKE_ENDS(joint)                                                                           \
    do {                                                                                           \
        (joint)->body_b = make_name("b", choice == 255 ? body_count : 0);                          \
        if ((choice & 128) != 0 && body_count > 1) {                                               \
            (joint)->body_a = make_name("b", 1 + choice % (body_count - 1));                       \
        }                                                                                          \
    } while (0)

static Cairn__V1__Joint__Motor *
make_motor(struct source *source)
{
    Cairn__V1__Joint__Motor *motor = make(&cairn__v1__joint__motor__descriptor);
    motor->speed = number(source);
    unsigned force = take(source);
    if (force & 1) {
        motor->force_max_set_case = CAIRN__V1__JOINT__MOTOR__FORCE_MAX_SET_FORCE_MAX;
        motor->force_max = force == 255 ? -1.0 : force;
    }
    return motor;
}

static Cairn__V1__Joint__Limit *
make_limit(struct source *source)
{
    Cairn__V1__Joint__Limit *limit = make(&cairn__v1__joint__limit__descriptor);
    limit->lower = -extent(source);
    limit->upper = extent(source);
    return limit;
}

static void
make_hinge(struct source *source, unsigned choice, unsigned body_count, Cairn__V1__Joint *joint)
{
    joint->hinge = make(&cairn__v1__joint__hinge__descriptor);
    MAKE_ENDS(joint->hinge);
    joint->hinge->anchor = make_vector(number(source), number(source));
    joint->hinge->limit = choice & 8 ? make_limit(source) : NULL;
    joint->hinge->motor = choice & 16 ? make_motor(source) : NULL;
    if (choice & 32) {
        joint->hinge->spring = make(&cairn__v1__joint__spring__descriptor);
        joint->hinge->spring->stiffness = take(source);
        joint->hinge->spring->rest = number(source);
    }
}

static void
make_slider(struct source *source, unsigned choice, unsigned body_count, Cairn__V1__Joint *joint)
{
    joint->slider = make(&cairn__v1__joint__slider__descriptor);
    MAKE_ENDS(joint->slider);
    joint->slider->anchor = make_vector(number(source), number(source));
    joint->slider->axis = make_vector(number(source), number(source));
    joint->slider->limit = choice & 8 ? make_limit(source) : NULL;
    joint->slider->motor = choice & 16 ? make_motor(source) : NULL;
}

static Cairn__V1__Joint *
make_joint(struct source *source, unsigned body_count)
{
    Cairn__V1__Joint *joint = make(&cairn__v1__joint__descriptor);
    unsigned choice = take(source);
    joint->joint_case = (Cairn__V1__Joint__JointCase)(1 + choice % 7);
    joint->collide = (choice & 64) != 0;
    switch (joint->joint_case) {
    case CAIRN__V1__JOINT__JOINT_BALL:
        joint->ball = make(&cairn__v1__joint__ball__descriptor);
        MAKE_ENDS(joint->ball);
        joint->ball->anchor = make_vector(number(source), number(source));
        joint->ball->friction = choice & 8 ? extent(source) : 0.0;
        if (choice & 16) {
            joint->ball->cone_set_case = CAIRN__V1__JOINT__BALL__CONE_SET_CONE_ANGLE;
            joint->ball->cone_angle = extent(source);
            joint->ball->cone_axis = make_vector(number(source), number(source));
            joint->ball->twist = make_limit(source);
        }
        break;
    case CAIRN__V1__JOINT__JOINT_HINGE:
        make_hinge(source, choice, body_count, joint);
        break;
    case CAIRN__V1__JOINT__JOINT_SLIDER:
        make_slider(source, choice, body_count, joint);
        break;
    case CAIRN__V1__JOINT__JOINT_FIXED:
        joint->fixed = make(&cairn__v1__joint__fixed__descriptor);
        MAKE_ENDS(joint->fixed);
        joint->fixed->anchor = make_vector(number(source), number(source));
        break;
    case CAIRN__V1__JOINT__JOINT_DISTANCE:
        joint->distance = make(&cairn__v1__joint__distance__descriptor);
        MAKE_ENDS(joint->distance);
        joint->distance->anchor_a = make_vector(number(source), number(source));
        joint->distance->anchor_b = make_vector(number(source), number(source));
        break;
    case CAIRN__V1__JOINT__JOINT_ROPE:
        joint->rope = make(&cairn__v1__joint__rope__descriptor);
        MAKE_ENDS(joint->rope);
        joint->rope->anchor_a = make_vector(number(source), number(source));
        joint->rope->anchor_b = make_vector(number(source), number(source));
        joint->rope->length_set_case = CAIRN__V1__JOINT__ROPE__LENGTH_SET_LENGTH;
        joint->rope->length = take(source) / 8.0; /* also too short for the start */
        break;
    default:
        joint->joint_case = CAIRN__V1__JOINT__JOINT_TRACK;
        joint->track = make(&cairn__v1__joint__track__descriptor);
        joint->track->body = make_name("b", 0);
        joint->track->curve = make_name("curve", choice == 255 ? 7 : choice & 8 ? 1 : 0);
        joint->track->anchor = make_vector(1.0, choice == 254 ? 1.0 : 0.0);
        joint->track->motor = choice & 16 ? make_motor(source) : NULL;
    }
    return joint;
}

/* Both pass through (1, 0). */
static void
make_curves(struct source *source, Cairn__V1__Scene *scene)
{
    scene->n_curves = 2;
    scene->curves = make_list(2);
    for (int i = 0; i < 2; i++) {
        scene->curves[i] = make(&cairn__v1__curve__descriptor);
    }
    Cairn__V1__Curve__Circle *circle = make(&cairn__v1__curve__circle__descriptor);
    circle->radius = extent(source);
    circle->center = make_vector(1.0 - circle->radius, 0.0);
    scene->curves[0]->curve_case = CAIRN__V1__CURVE__CURVE_CIRCLE;
    scene->curves[0]->circle = circle;
    Cairn__V1__Curve__Spline *spline = make(&cairn__v1__curve__spline__descriptor);
    spline->n_points = 2 + take(source) % 4;
    spline->closed = take(source) % 2 != 0;
    spline->points = make_list(spline->n_points);
    spline->points[0] = make_vector(1.0, 0.0);
    for (size_t i = 1; i < spline->n_points; i++) {
        spline->points[i] = make_vector(number(source), number(source));
    }
    scene->curves[1]->curve_case = CAIRN__V1__CURVE__CURVE_SPLINE;
    scene->curves[1]->spline = spline;
}

/* Up to three pairs, some of them twice, or with values that do not fit. */
static void
make_material_pairs(struct source *source, Cairn__V1__Scene *scene)
{
    scene->n_material_pairs = take(source) % 4;
    scene->material_pairs = make_list(scene->n_material_pairs);
    for (size_t i = 0; i < scene->n_material_pairs; i++) {
        Cairn__V1__MaterialPair *pair = make(&cairn__v1__material_pair__descriptor);
        unsigned choice = take(source);
        pair->a = make_name("m", choice % 2);
        pair->b = make_name("m", choice == 255 ? 2 : choice / 2 % 2);
        pair->ignore = choice / 4 % 4 == 0;
        if (choice & 16) {
            pair->restitution_set_case =
                CAIRN__V1__MATERIAL_PAIR__RESTITUTION_SET_RESTITUTION;
            pair->restitution = take(source) % 17 / 16.0;
        }
        if (choice & 32) {
            pair->friction_set_case = CAIRN__V1__MATERIAL_PAIR__FRICTION_SET_FRICTION;
            pair->friction = take(source) % 16 == 15 ? -1.0 : 0.0;
        }
        if (choice == 254) {
            pair->surface_velocity = make_vector(number(source) / 8.0, 0.0);
        }
        scene->material_pairs[i] = pair;
    }
}

static Cairn__V1__Scene *
make_scene(struct source *source)
{
    Cairn__V1__Scene *scene = make(&cairn__v1__scene__descriptor);
    unsigned choice = take(source);
    scene->world = make(&cairn__v1__world__descriptor);
    scene->world->collision = (Cairn__V1__World__Collision)(choice / 64 % 3);
    unsigned bounce = take(source);
    scene->n_materials = 2;
    scene->materials = make_list(scene->n_materials);
    for (size_t i = 0; i < scene->n_materials; i++) {
        scene->materials[i] = make(&cairn__v1__material__descriptor);
        scene->materials[i]->name = make_name("m", (unsigned)i);
    }
    scene->materials[0]->restitution = bounce % 17 / 16.0;
    make_material_pairs(source, scene);
    scene->n_bodies = 1 + choice % BODIES_MAX;
    scene->bodies = make_list(scene->n_bodies);
    for (size_t i = 0; i < scene->n_bodies; i++) {
        scene->bodies[i] = make_body(source, (unsigned)i);
    }
    scene->n_forces = choice / 8 % 4;
    scene->forces = make_list(scene->n_forces);
    for (size_t i = 0; i < scene->n_forces; i++) {
        scene->forces[i] = make_force(source, (unsigned)scene->n_bodies);
    }
    unsigned joints = take(source);
    if (joints >= 128) {
        make_curves(source, scene);
    }
    scene->n_joints = joints % 6;
    scene->joints = make_list(scene->n_joints);
    for (size_t i = 0; i < scene->n_joints; i++) {
        scene->joints[i] = make_joint(source, (unsigned)scene->n_bodies);
    }
    return scene;
}

static void
check_world(const struct wire_scene *scene)
{
    struct cn_defect defect;
    struct cn_world *world;
    CN_ASSERT(cn_world_create(wire_scene_world_def(scene), &defect, &world) == CN_OK);
    int piece_count = 0;
    for (int tick = 0; tick < TICKS; tick++) {
        while (cn_world_step(world, WORK_PIECE) == CN_STEP_MORE && piece_count < PIECES_MAX) {
            piece_count++;
        }
    }
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        CN_ASSERT(isfinite(view.position.x) && isfinite(view.position.y) && isfinite(view.angle));
    }
    cn_world_destroy(world);
}

static void
check_text(const struct wire_scene *scene)
{
    struct wire_text_error error;
    char *text = wire_text_print(&wire_scene_message(scene)->base, true, false);
    CN_ASSERT(text != NULL);
    struct wire_scene *back = wire_scene_parse(text, strlen(text), &error);
    CN_ASSERT(back != NULL);
    char *again = wire_text_print(&wire_scene_message(back)->base, true, false);
    CN_ASSERT(again != NULL && strcmp(text, again) == 0);
    wire_scene_destroy(back);
    free(text);
    free(again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source source = {data, size};
    struct wire_text_error error;
    struct wire_scene *scene = wire_scene_adopt(make_scene(&source), &error);
    if (scene == NULL) {
        CN_ASSERT(error.defect.status != CN_OK);
        CN_ASSERT(error.defect.path[0] != '\0' && error.defect.text[0] != '\0');
        return 0;
    }
    check_text(scene);
    check_world(scene);
    wire_scene_destroy(scene);
    return 0;
}
