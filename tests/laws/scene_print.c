/* scene_print.c: prints a scene as a scene file, with 17 digits. */
#include "tests/laws/laws.h"

static void
print_vector(FILE *out, const char *name, cn_vec3 v)
{
    fprintf(out, "%s: {x: %.17g, y: %.17g, z: %.17g}", name, v.x, v.y, v.z);
}

static void
print_corners(FILE *out, const cn_vec3 *corner, int count)
{
    for (int i = 0; i < count; i++) {
        fprintf(out, "%s{x: %.17g, y: %.17g, z: %.17g}", i > 0 ? ", " : "", corner[i].x,
            corner[i].y, corner[i].z);
    }
}

static void
print_shape(FILE *out, const struct cn_shape_def *shape)
{
    fprintf(out, "{");
    switch (shape->kind) {
    case CN_SHAPE_BOX:
        fprintf(out, "box: {");
        print_vector(out, "size", shape->box.size);
        fprintf(out, "}");
        break;
    case CN_SHAPE_CAPSULE:
        fprintf(out, "capsule: {radius: %.17g, length: %.17g}", shape->capsule.radius,
            shape->capsule.length);
        break;
    case CN_SHAPE_POLYGON:
        fprintf(out, "polygon: {vertices: [");
        print_corners(out, shape->polygon.vertices, shape->polygon.vertex_count);
        fprintf(out, "]}");
        break;
    case CN_SHAPE_HULL:
        fprintf(out, "hull: {vertices: [");
        print_corners(out, shape->hull.vertices, shape->hull.vertex_count);
        fprintf(out, "]}");
        break;
    default:
        fprintf(out, "sphere: {radius: %.17g}", shape->sphere.radius);
        break;
    }
    fprintf(out, ", material: m%d", shape->material);
    if (shape->density > 0.0) {
        fprintf(out, ", density: %.17g", shape->density);
    }
    fprintf(out, "}");
}

static void
print_body(const struct laws_scene *scene, int i, FILE *out)
{
    const struct cn_body_def *body = &scene->body[i];
    fprintf(out, "  - name: b%d\n", i);
    if (body->type == CN_STATIC) {
        fprintf(out, "    type: STATIC\n");
    }
    fprintf(out, "    ");
    print_vector(out, "position", body->position);
    fprintf(out, "\n");
    if (laws_is_planar(scene)) {
        fprintf(out, "    angle: %.17g\n", body->angle);
    } else {
        cn_quat q = body->orientation;
        fprintf(out, "    orientation: {w: %.17g, x: %.17g, y: %.17g, z: %.17g}\n", q.w, q.x, q.y,
            q.z);
    }
    if (body->type == CN_DYNAMIC) {
        fprintf(out, "    ");
        print_vector(out, "velocity", body->velocity);
        fprintf(out, "\n");
        fprintf(out, "    ");
        print_vector(out, "angularVelocity", body->angular_velocity);
        fprintf(out, "\n");
        if (body->mass > 0.0) {
            fprintf(out, "    mass: %.17g\n", body->mass);
        }
    }
    fprintf(out, "    shapes: [");
    print_shape(out, &scene->shape[i]);
    fprintf(out, "]\n");
}

static void
print_joint(const struct laws_scene *scene, int i, FILE *out)
{
    static const char *const names[] = {
#define X(name, NAME, text) #name,
        CN_JOINT_TABLE(X)
#undef X
    };
    const struct cn_joint_def *joint = &scene->joint[i];
    fprintf(out, "  - {%s: {", names[joint->kind]);
    if (joint->body_a >= 0) {
        fprintf(out, "bodyA: b%d, ", joint->body_a);
    }
    fprintf(out, "bodyB: b%d, ", joint->body_b);
    if (joint->kind == CN_JOINT_ROPE) {
        print_vector(out, "anchorA", joint->anchor_a);
        fprintf(out, ", ");
        print_vector(out, "anchorB", joint->anchor_b);
    } else {
        print_vector(out, "anchor", joint->anchor_b);
    }
    fprintf(out, "}}\n");
}

void
laws_scene_print(
    const struct laws_scene *scene, const char *stepper, const char *solver, FILE *out)
{
    const struct cn_settings *settings = &scene->def.settings;
    fprintf(out, "name: laws-%llu\n", (unsigned long long)scene->seed);
    fprintf(out, "title: %s of seed %llu\n", scene->family, (unsigned long long)scene->seed);
    fprintf(out, "world:\n  dimension: %s\n  stepper: %s\n  solver: %s\n",
        laws_is_planar(scene) ? "PLANAR" : "SPATIAL", stepper, solver);
    fprintf(out, "  tickRate: %.17g\n  timeRate: %.17g\n  ", scene->def.tick_rate,
        settings->time_rate);
    print_vector(out, "gravity", settings->gravity);
    fprintf(out, "\nmaterials:\n");
    for (int i = 0; i < scene->def.material_count; i++) {
        fprintf(out, "  - {name: m%d, friction: %.17g, restitution: %.17g}\n", i,
            scene->material[i].friction, scene->material[i].restitution);
    }
    fprintf(out, "bodies:\n");
    for (int i = 0; i < scene->def.body_count; i++) {
        print_body(scene, i, out);
    }
    if (scene->def.joint_count > 0) {
        fprintf(out, "joints:\n");
    }
    for (int i = 0; i < scene->def.joint_count; i++) {
        print_joint(scene, i, out);
    }
}
