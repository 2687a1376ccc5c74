#include "tests/support/world/scene.h"

#include "engine/base/assert.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void
give_up(const char *what, const struct cn_defect *defect)
{
    fprintf(stderr, "%s: %s %s\n", what, defect->path, defect->text);
    abort();
}

void
scene_init(struct scene *scene, double gravity)
{
    memset(scene, 0, sizeof(*scene));
    cn_world_def_init(&scene->def);
    for (int i = 0; i < SCENE_MATERIALS_MAX; i++) {
        cn_material_def_init(&scene->material[i]);
        scene->material[i].friction = 0.0;
        scene->material[i].static_friction = 0.0;
        scene->material[i].restitution = 0.0;
    }
    scene->def.settings.gravity = cn_vec3_make(0.0, -gravity, 0.0);
    scene->def.tick_rate = 60.0;
    scene->def.materials = scene->material;
    scene->def.material_count = SCENE_MATERIALS_MAX;
    scene->def.bodies = scene->body;
}

void
scene_init_space(struct scene *scene, double gravity)
{
    scene_init(scene, gravity);
    scene->def.settings.dimension = CN_SPATIAL;
}

static int
add(struct scene *scene, double x, double y, enum cn_shape_kind kind)
{
    int index = scene->def.body_count++;
    if (index >= SCENE_BODIES_MAX) {
        fprintf(stderr, "a scene has at most %d bodies\n", SCENE_BODIES_MAX);
        abort();
    }
    cn_body_def_init(&scene->body[index]);
    scene->body[index].position = cn_vec3_make(x, y, 0.0);
    scene->body[index].shapes = &scene->shape[index];
    scene->body[index].shape_count = 1;
    scene->shape[index].kind = kind;
    return index;
}

int
scene_rotor(struct scene *scene, double I1, double I2, double I3)
{
    int body = add(scene, 0.0, 0.0, CN_SHAPE_CIRCLE);
    scene->body[body].shapes = NULL;
    scene->body[body].shape_count = 0;
    scene->body[body].mass = 1.0;
    scene->body[body].inertia_tensor = cn_mat33_diagonal(I1, I2, I3);
    return body;
}

int
scene_plane(struct scene *scene, double normal_x, double normal_y, double offset)
{
    int body = add(scene, 0.0, 0.0, CN_SHAPE_PLANE);
    scene->body[body].type = CN_STATIC;
    scene->shape[body].plane.normal = cn_vec3_make(normal_x, normal_y, 0.0);
    scene->shape[body].plane.offset = offset;
    return body;
}

int
scene_floor(struct scene *scene)
{
    return scene_plane(scene, 0.0, 1.0, 0.0);
}

int
scene_box(struct scene *scene, double x, double y, double width, double height)
{
    int body = add(scene, x, y, CN_SHAPE_BOX);
    scene->shape[body].box.size = cn_vec3_make(width, height, 1.0);
    return body;
}

int
scene_circle(struct scene *scene, double x, double y, double radius)
{
    int body = add(scene, x, y, CN_SHAPE_CIRCLE);
    scene->shape[body].circle.radius = radius;
    return body;
}

int
scene_capsule(struct scene *scene, double x, double y, double radius, double length)
{
    int body = add(scene, x, y, CN_SHAPE_CAPSULE);
    scene->shape[body].capsule.radius = radius;
    scene->shape[body].capsule.length = length;
    return body;
}

int
scene_polygon(struct scene *scene, double x, double y, const cn_vec3 *vertex, int count)
{
    int body = add(scene, x, y, CN_SHAPE_POLYGON);
    cn_vec3 *own = &scene->vertex[scene->vertex_count];
    scene->vertex_count += count;
    if (scene->vertex_count > SCENE_VERTICES_MAX) {
        fprintf(stderr, "a scene has at most %d vertices\n", SCENE_VERTICES_MAX);
        abort();
    }
    memcpy(own, vertex, (size_t)count * sizeof(*vertex));
    scene->shape[body].polygon.vertices = own;
    scene->shape[body].polygon.vertex_count = count;
    return body;
}

struct cn_joint_def *
scene_rod(struct scene *scene, enum cn_joint_kind kind, int body_a, int body_b, cn_vec3 anchor_a,
    cn_vec3 anchor_b)
{
    CN_ASSERT(scene->def.joint_count < SCENE_JOINTS_MAX);
    struct cn_joint_def *joint = &scene->joint[scene->def.joint_count++];
    cn_joint_def_init(joint, kind);
    joint->body_a = body_a;
    joint->body_b = body_b;
    joint->anchor_a = anchor_a;
    joint->anchor_b = anchor_b;
    scene->def.joints = scene->joint;
    return joint;
}

struct cn_joint_def *
scene_joint(
    struct scene *scene, enum cn_joint_kind kind, int body_a, int body_b, cn_vec3 anchor)
{
    return scene_rod(scene, kind, body_a, body_b, cn_vec3_make(0.0, 0.0, 0.0), anchor);
}

void
scene_friction(struct scene *scene, int material, double friction)
{
    scene->material[material].friction = friction;
    scene->material[material].static_friction = friction;
}

struct cn_world *
scene_create(struct scene *scene)
{
    struct cn_world *world = NULL;
    struct cn_defect defect;
    if (cn_world_create(&scene->def, &defect, &world) != CN_OK) {
        give_up("cn_world_create", &defect);
    }
    return world;
}

void
scene_tick(struct cn_world *world)
{
    while (cn_world_step(world, CN_WORK_UNLIMITED) == CN_STEP_MORE) {
    }
}

void
scene_ticks(struct cn_world *world, int count)
{
    for (int i = 0; i < count; i++) {
        scene_tick(world);
    }
}

void
scene_command(struct cn_world *world, const struct cn_command *command)
{
    struct cn_defect defect;
    if (cn_world_command_apply(world, command, &defect) != CN_OK) {
        give_up(cn_command_name(command->kind), &defect);
    }
}

void
scene_hold_force(struct cn_world *world, int body, cn_vec3 point, cn_vec3 force)
{
    static uint32_t slot; /* each force is held by a slot of its own */
    struct cn_command command = {.kind = CN_COMMAND_HOLD_FORCE};
    command.hold_force.holder.source = 1;
    command.hold_force.holder.slot = slot++;
    command.hold_force.body = body;
    command.hold_force.frame = CN_FRAME_WORLD;
    command.hold_force.point = point;
    command.hold_force.force = force;
    scene_command(world, &command);
}

void
scene_restore(struct cn_world *to, const struct cn_world *from)
{
    struct cn_defect defect = {0};
    size_t size = cn_world_image_size(from);
    void *image = malloc(size);
    if (image == NULL || cn_world_image_write(from, image, size) != size ||
        cn_world_image_read(to, image, size, &defect) != CN_OK) {
        give_up("image", &defect);
    }
    free(image);
}

struct cn_body_view
scene_view(const struct cn_world *world, int body)
{
    struct cn_body_view view;
    cn_world_body_view(world, body, &view);
    return view;
}

struct scene_contacts
scene_contacts(const struct cn_world *world, int body_a, int body_b)
{
    struct scene_contacts sum = {0, 0.0, 0.0, {0.0, 0.0, 0.0}};
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    for (int i = 0; i < count; i++) {
        const struct cn_contact_view *contact = &contacts[i];
        if ((contact->body_a == body_a && contact->body_b == body_b) ||
            (contact->body_a == body_b && contact->body_b == body_a)) {
            sum.count++;
            sum.force += contact->force;
            double sign = contact->body_b > contact->body_a ? 1.0 : -1.0;
            sum.friction = cn_vec3_add_scaled(sum.friction, sign, contact->friction);
            sum.impulse += contact->impulse;
        }
    }
    return sum;
}

double
scene_depth(const struct cn_world *world)
{
    double depth = 0.0;
    const struct cn_contact_view *contacts;
    int count = cn_world_contacts(world, &contacts);
    for (int i = 0; i < count; i++) {
        depth = fmax(depth, -contacts[i].gap);
    }
    return depth;
}

int
scene_events(const struct cn_world *world, enum cn_event_kind kind, struct cn_event *event)
{
    const struct cn_event *events;
    int count = cn_world_events(world, &events), found = 0;
    for (int i = 0; i < count; i++) {
        if (events[i].kind == kind) {
            if (found++ == 0 && event != NULL) {
                *event = events[i];
            }
        }
    }
    return found;
}

bool
scene_same_events(const struct cn_world *a, const struct cn_world *b)
{
    const struct cn_event *of_a, *of_b;
    int count = cn_world_events(a, &of_a);
    bool is_same = cn_world_events(b, &of_b) == count;
    for (int i = 0; is_same && i < count; i++) {
        is_same = of_a[i].kind == of_b[i].kind && of_a[i].body_a == of_b[i].body_a &&
            of_a[i].body_b == of_b[i].body_b && of_a[i].value == of_b[i].value;
    }
    return is_same;
}
