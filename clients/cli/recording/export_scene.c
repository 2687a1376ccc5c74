#include "clients/cli/recording/export_scene.h"

#include "engine/math/quat.h"
#include "engine/shape/border.h"
#include "engine/shape/hull_build.h"

#include <math.h>
#include <string.h>

#define PLANE_SIZE 200.0 /* m: the drawn part of an infinite plane */
#define ARC_PIECES 8
#define ROOT "root"
#define WORLD "world"

/* ---- descriptors ---- */

#define NUMBER(name, number) {name, number, CLI_PACK_DOUBLE, false, NULL}
#define TEXT(name, number) {name, number, CLI_PACK_STRING, false, NULL}
#define ONE(name, number, type) {name, number, CLI_PACK_MESSAGE, false, type}
#define MANY(name, number, type) {name, number, CLI_PACK_MESSAGE, true, type}
#define LAST {NULL, 0, 0, false, NULL}
#define TIME(number) ONE("timestamp", number, ".google.protobuf.Timestamp")

static const struct cli_pack_field moment_fields[] = {
    {"seconds", 1, CLI_PACK_INT64, false, NULL}, {"nanos", 2, CLI_PACK_INT32, false, NULL}, LAST};
static const struct cli_pack_field vector_fields[] = {
    NUMBER("x", 1), NUMBER("y", 2), NUMBER("z", 3), LAST};
static const struct cli_pack_field turn_fields[] = {
    NUMBER("x", 1), NUMBER("y", 2), NUMBER("z", 3), NUMBER("w", 4), LAST};
static const struct cli_pack_field color_fields[] = {
    NUMBER("r", 1), NUMBER("g", 2), NUMBER("b", 3), NUMBER("a", 4), LAST};
static const struct cli_pack_field pose_fields[] = {ONE("position", 1, ".foxglove.Vector3"),
    ONE("orientation", 2, ".foxglove.Quaternion"), LAST};
static const struct cli_pack_field cube_fields[] = {ONE("pose", 1, ".foxglove.Pose"),
    ONE("size", 2, ".foxglove.Vector3"), ONE("color", 3, ".foxglove.Color"), LAST};
static const struct cli_pack_field cylinder_fields[] = {ONE("pose", 1, ".foxglove.Pose"),
    ONE("size", 2, ".foxglove.Vector3"), NUMBER("bottom_scale", 3), NUMBER("top_scale", 4),
    ONE("color", 5, ".foxglove.Color"), LAST};
static const struct cli_pack_field line_fields[] = {
    {"type", 1, CLI_PACK_ENUM, false, ".foxglove.LinePrimitive.Type"},
    ONE("pose", 2, ".foxglove.Pose"), NUMBER("thickness", 3),
    {"scale_invariant", 4, CLI_PACK_BOOL, false, NULL}, MANY("points", 5, ".foxglove.Point3"),
    ONE("color", 6, ".foxglove.Color"), LAST};
static const struct cli_pack_field triangle_fields[] = {ONE("pose", 1, ".foxglove.Pose"),
    MANY("points", 2, ".foxglove.Point3"), ONE("color", 3, ".foxglove.Color"), LAST};
static const struct cli_pack_field entity_fields[] = {TIME(1), TEXT("frame_id", 2),
    TEXT("id", 3), ONE("lifetime", 4, ".google.protobuf.Duration"),
    {"frame_locked", 5, CLI_PACK_BOOL, false, NULL}, MANY("cubes", 8, ".foxglove.CubePrimitive"),
    MANY("spheres", 9, ".foxglove.SpherePrimitive"),
    MANY("cylinders", 10, ".foxglove.CylinderPrimitive"),
    MANY("lines", 11, ".foxglove.LinePrimitive"),
    MANY("triangles", 12, ".foxglove.TriangleListPrimitive"), LAST};
static const struct cli_pack_field deletion_fields[] = {TIME(1),
    {"type", 2, CLI_PACK_ENUM, false, ".foxglove.SceneEntityDeletion.Type"}, TEXT("id", 3), LAST};
static const struct cli_pack_field update_fields[] = {
    MANY("deletions", 1, ".foxglove.SceneEntityDeletion"),
    MANY("entities", 2, ".foxglove.SceneEntity"), LAST};
static const struct cli_pack_field frame_fields[] = {TIME(1), TEXT("parent_frame_id", 2),
    TEXT("child_frame_id", 3), ONE("translation", 4, ".foxglove.Vector3"),
    ONE("rotation", 5, ".foxglove.Quaternion"), LAST};
static const struct cli_pack_field frames_fields[] = {
    MANY("transforms", 1, ".foxglove.FrameTransform"), LAST};

static const char *const deletion_types[] = {"MATCHING_ID", "ALL", NULL};
static const char *const line_types[] = {"LINE_STRIP", "LINE_LOOP", "LINE_LIST", NULL};
enum { DELETE_ALL = 1, LINE_STRIP = 0, LINE_LOOP = 1 };

#define MESSAGE(name, fields) {name, fields, NULL, NULL}
static const struct cli_pack_message timestamp_messages[] = {
    MESSAGE("Timestamp", moment_fields), MESSAGE(NULL, NULL)};
static const struct cli_pack_message duration_messages[] = {
    MESSAGE("Duration", moment_fields), MESSAGE(NULL, NULL)};
static const struct cli_pack_message foxglove_messages[] = {
    MESSAGE("Vector3", vector_fields),
    MESSAGE("Point3", vector_fields),
    MESSAGE("Quaternion", turn_fields),
    MESSAGE("Color", color_fields),
    MESSAGE("Pose", pose_fields),
    MESSAGE("CubePrimitive", cube_fields),
    MESSAGE("SpherePrimitive", cube_fields),
    MESSAGE("CylinderPrimitive", cylinder_fields),
    {"LinePrimitive", line_fields, "Type", line_types},
    MESSAGE("TriangleListPrimitive", triangle_fields),
    MESSAGE("SceneEntity", entity_fields),
    {"SceneEntityDeletion", deletion_fields, "Type", deletion_types},
    MESSAGE("SceneUpdate", update_fields),
    MESSAGE("FrameTransform", frame_fields),
    MESSAGE("FrameTransforms", frames_fields),
    MESSAGE(NULL, NULL),
};

static const char *const foxglove_needs[] = {
    "google/protobuf/timestamp.proto", "google/protobuf/duration.proto", NULL};
const struct cli_pack_file cli_export_foxglove[] = {
    {"google/protobuf/timestamp.proto", "google.protobuf", timestamp_messages, NULL},
    {"google/protobuf/duration.proto", "google.protobuf", duration_messages, NULL},
    {"foxglove.proto", "foxglove", foxglove_messages, foxglove_needs},
    {NULL, NULL, NULL, NULL},
};

/* ---- shapes ---- */

enum { CUBES = 8, SPHERES = 9, CYLINDERS = 10, LINES = 11, TRIANGLES = 12 };

struct drawing {
    struct cli_pack *out;
    bool planar;
    double color[3];
    cn_vec3 position; /* of the shape in its body's frame */
    cn_quat turn;
};

static void
put_time(struct cli_pack *out, int number, uint64_t time_ns)
{
    size_t at = cli_pack_begin(out, number);
    cli_pack_uint(out, 1, time_ns / 1000000000u);
    cli_pack_uint(out, 2, time_ns % 1000000000u);
    cli_pack_end(out, at);
}

static void
put_color(const struct drawing *drawing, int number)
{
    size_t at = cli_pack_begin(drawing->out, number);
    for (int i = 0; i < 3; i++) {
        cli_pack_double(drawing->out, i + 1, drawing->color[i]);
    }
    cli_pack_double(drawing->out, 4, 1.0);
    cli_pack_end(drawing->out, at);
}

/* Writes a pose that is given in the shape's own frame. */
static void
put_pose(const struct drawing *drawing, int number, cn_vec3 place, cn_quat turn)
{
    size_t at = cli_pack_begin(drawing->out, number);
    cn_mat33 axes = cn_quat_to_mat33(drawing->turn);
    cli_pack_vector(
        drawing->out, 1, cn_vec3_add(drawing->position, cn_mat33_apply(&axes, place)));
    cli_pack_turn(drawing->out, 2, cn_quat_multiply(drawing->turn, turn));
    cli_pack_end(drawing->out, at);
}

static void
put_cube(const struct drawing *drawing, cn_vec3 place, cn_quat turn, cn_vec3 size)
{
    size_t at = cli_pack_begin(drawing->out, CUBES);
    put_pose(drawing, 1, place, turn);
    cli_pack_vector(drawing->out, 2, size);
    put_color(drawing, 3);
    cli_pack_end(drawing->out, at);
}

static void
put_cylinder(const struct drawing *drawing, cn_quat turn, double radius, double length)
{
    size_t at = cli_pack_begin(drawing->out, CYLINDERS);
    put_pose(drawing, 1, cn_vec3_make(0.0, 0.0, 0.0), turn);
    cli_pack_vector(drawing->out, 2, cn_vec3_make(2.0 * radius, 2.0 * radius, length));
    cli_pack_double(drawing->out, 3, 1.0);
    cli_pack_double(drawing->out, 4, 1.0);
    put_color(drawing, 5);
    cli_pack_end(drawing->out, at);
}

/* Writes a ball; in the plane, a disc. */
static void
put_ball(const struct drawing *drawing, double y, double radius)
{
    if (drawing->planar && y == 0.0) {
        put_cylinder(drawing, cn_quat_identity(), radius, CLI_EXPORT_DEPTH);
        return;
    }
    size_t at = cli_pack_begin(drawing->out, SPHERES);
    double depth = drawing->planar ? CLI_EXPORT_DEPTH : 2.0 * radius;
    put_pose(drawing, 1, cn_vec3_make(0.0, y, 0.0), cn_quat_identity());
    cli_pack_vector(drawing->out, 2, cn_vec3_make(2.0 * radius, 2.0 * radius, depth));
    put_color(drawing, 3);
    cli_pack_end(drawing->out, at);
}

static void
put_capsule(const struct drawing *drawing, double radius, double length)
{
    const double half = 0.70710678118654752;
    if (drawing->planar) {
        put_cube(drawing, cn_vec3_make(0.0, 0.0, 0.0), cn_quat_identity(),
            cn_vec3_make(2.0 * radius, length, CLI_EXPORT_DEPTH));
    } else {
        put_cylinder(drawing, (cn_quat){half, half, 0.0, 0.0}, radius, length);
    }
    /* put_ball makes a disc at y = 0.  Only a capsule of length 0 is one; its ends coincide. */
    put_ball(drawing, 0.5 * length, radius);
    if (length > 0.0) {
        put_ball(drawing, -0.5 * length, radius);
    }
}

/* The rotation that turns y to a unit vector. */
static cn_quat
turn_from_y(cn_vec3 normal)
{
    if (normal.y < -0.999999) {
        return (cn_quat){0.0, 1.0, 0.0, 0.0};
    }
    return cn_quat_normalize((cn_quat){1.0 + normal.y, normal.z, 0.0, -normal.x});
}

static void
put_plane(const struct drawing *drawing, cn_vec3 normal, double offset)
{
    double depth = drawing->planar ? CLI_EXPORT_DEPTH : PLANE_SIZE;
    put_cube(drawing, cn_vec3_scale(normal, offset - 0.5 * CLI_EXPORT_DEPTH),
        turn_from_y(normal), cn_vec3_make(PLANE_SIZE, CLI_EXPORT_DEPTH, depth));
}

static size_t
begin_triangles(const struct drawing *drawing)
{
    size_t at = cli_pack_begin(drawing->out, TRIANGLES);
    put_pose(drawing, 1, cn_vec3_make(0.0, 0.0, 0.0), cn_quat_identity());
    return at;
}

static void
put_triangle(const struct drawing *drawing, cn_vec3 a, cn_vec3 b, cn_vec3 c)
{
    cli_pack_vector(drawing->out, 2, a);
    cli_pack_vector(drawing->out, 2, b);
    cli_pack_vector(drawing->out, 2, c);
}

static void
end_triangles(const struct drawing *drawing, size_t at)
{
    put_color(drawing, 3);
    cli_pack_end(drawing->out, at);
}

/* Writes the front and the back of a polygon. */
static void
put_polygon(const struct drawing *drawing, const cn_vec3 *vertices, int count)
{
    size_t at = begin_triangles(drawing);
    for (int i = 1; i + 1 < count; i++) {
        cn_vec3 corner[3] = {vertices[0], vertices[i], vertices[i + 1]};
        for (int side = -1; side <= 1; side += 2) {
            for (int k = 0; k < 3; k++) {
                corner[k].z = side * 0.5 * CLI_EXPORT_DEPTH;
            }
            put_triangle(drawing, corner[0], corner[side > 0 ? 1 : 2], corner[side > 0 ? 2 : 1]);
        }
    }
    end_triangles(drawing, at);
}

static void
put_hull(const struct drawing *drawing, const cn_vec3 *points, int count)
{
    struct cn_hull hull;
    struct cn_defect defect;
    int at = 0;
    if (cn_hull_build(points, count, "", &hull, &defect) != CN_OK) {
        return;
    }
    size_t begin = begin_triangles(drawing);
    for (int face = 0; face < hull.face_count; at += hull.face_size[face++]) {
        for (int i = 1; i + 1 < hull.face_size[face]; i++) {
            put_triangle(drawing, hull.vertex[hull.loop[at]], hull.vertex[hull.loop[at + i]],
                hull.vertex[hull.loop[at + i + 1]]);
        }
    }
    end_triangles(drawing, begin);
}

static void
put_mesh(const struct drawing *drawing, const struct cn_mesh *mesh)
{
    size_t at = begin_triangles(drawing);
    for (int i = 0; mesh != NULL && i < mesh->triangle_count; i++) {
        put_triangle(drawing, mesh->vertex[mesh->triangle[i][0]],
            mesh->vertex[mesh->triangle[i][1]], mesh->vertex[mesh->triangle[i][2]]);
    }
    end_triangles(drawing, at);
}

/* Writes the edge between two points, an arc in pieces, without the last point. */
static void
put_edge(const struct drawing *drawing, cn_vec3 from, cn_vec3 to)
{
    struct cn_border border = {{from.x, from.y}, {to.x, to.y}, from.z};
    cli_pack_vector(drawing->out, 5, cn_vec3_make(from.x, from.y, 0.0));
    if (border.bulge == 0.0) {
        return;
    }
    cn_vec2 center = cn_border_center(&border);
    double turn = cn_border_turn(&border);
    for (int i = 1; i < ARC_PIECES; i++) {
        double s, c, x = from.x - center.x, y = from.y - center.y;
        cn_sin_cos(turn * i / ARC_PIECES, &s, &c);
        cli_pack_vector(drawing->out, 5,
            cn_vec3_make(center.x + c * x - s * y, center.y + s * x + c * y, 0.0));
    }
}

static void
put_border(const struct drawing *drawing, const struct cn_shape_def *shape)
{
    const cn_vec3 *points = shape->boundary.points;
    int count = shape->boundary.point_count;
    bool closed = shape->boundary.closed || shape->kind == CN_SHAPE_OUTLINE;
    size_t at = cli_pack_begin(drawing->out, LINES);
    cli_pack_uint(drawing->out, 1, closed ? LINE_LOOP : LINE_STRIP);
    put_pose(drawing, 2, cn_vec3_make(0.0, 0.0, 0.0), cn_quat_identity());
    cli_pack_double(drawing->out, 3, 2.0); /* pixels */
    cli_pack_uint(drawing->out, 4, 1);
    for (int i = 0; i < count; i++) {
        bool is_end = i + 1 == count && !closed;
        cn_vec3 to = is_end ? points[i] : points[(i + 1) % count];
        cn_vec3 from = points[i];
        from.z = is_end ? 0.0 : from.z;
        put_edge(drawing, from, to);
    }
    put_color(drawing, 6);
    cli_pack_end(drawing->out, at);
}

static void
put_shape(struct drawing *drawing, const struct cn_shape_def *shape)
{
    const cn_quat q = shape->orientation;
    bool is_turned = q.w != 0.0 || q.x != 0.0 || q.y != 0.0 || q.z != 0.0;
    drawing->position = shape->position;
    drawing->turn = drawing->planar ? cn_quat_about_z(shape->angle)
        : is_turned                 ? cn_quat_normalize(q)
                                    : cn_quat_identity();
    switch (shape->kind) {
    case CN_SHAPE_CIRCLE:
        put_ball(drawing, 0.0, shape->circle.radius);
        break;
    case CN_SHAPE_SPHERE:
        put_ball(drawing, 0.0, shape->sphere.radius);
        break;
    case CN_SHAPE_CAPSULE:
        put_capsule(drawing, shape->capsule.radius, shape->capsule.length);
        break;
    case CN_SHAPE_BOX:
        put_cube(drawing, cn_vec3_make(0.0, 0.0, 0.0), cn_quat_identity(),
            cn_vec3_make(shape->box.size.x, shape->box.size.y,
                drawing->planar ? CLI_EXPORT_DEPTH : shape->box.size.z));
        break;
    case CN_SHAPE_POLYGON:
        put_polygon(drawing, shape->polygon.vertices, shape->polygon.vertex_count);
        break;
    case CN_SHAPE_PLANE:
        put_plane(drawing, shape->plane.normal, shape->plane.offset);
        break;
    case CN_SHAPE_HULL:
        put_hull(drawing, shape->hull.vertices, shape->hull.vertex_count);
        break;
    case CN_SHAPE_OUTLINE:
    case CN_SHAPE_CHAIN:
        put_border(drawing, shape);
        break;
    case CN_SHAPE_MESH:
        put_mesh(drawing, shape->mesh.mesh);
        break;
    case CN_SHAPE_KIND_COUNT:
        break;
    }
}

/* ---- the messages ---- */

/* Neighbours in the list get very different hues; bodies that cannot move are grey. */
static void
choose_color(struct drawing *drawing, int body, bool can_move)
{
    double hue = 6.0 * (body * 0.381966011250105 - floor(body * 0.381966011250105));
    for (int i = 0; i < 3; i++) {
        double away = fabs(hue - 2.0 * i);
        away = away > 3.0 ? 6.0 - away : away;
        double part = away < 1.0 ? 1.0 : away < 2.0 ? 2.0 - away : 0.0;
        drawing->color[i] = can_move ? 0.35 + 0.5 * part : 0.55;
    }
}

void
cli_export_scene(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns)
{
    cn_vec3 vertices[WIRE_SHAPE_VERTICES_MAX];
    struct drawing drawing = {.out = out,
        .planar = cn_world_settings(moment->world)->dimension == CN_PLANAR};
    size_t at = cli_pack_begin(out, 1);
    put_time(out, 1, time_ns);
    cli_pack_uint(out, 2, DELETE_ALL);
    cli_pack_end(out, at);
    for (int i = 0; i < cn_world_body_count(moment->world); i++) {
        struct cn_body_view view;
        cn_world_body_view(moment->world, i, &view);
        if (view.absent) {
            continue;
        }
        at = cli_pack_begin(out, 2);
        put_time(out, 1, time_ns);
        cli_pack_text(out, 2, wire_scene_body_name(moment->scene, i));
        cli_pack_text(out, 3, wire_scene_body_name(moment->scene, i));
        put_time(out, 4, 0);
        cli_pack_uint(out, 5, 1);
        choose_color(&drawing, i, view.type == CN_DYNAMIC);
        for (int k = 0; k < wire_scene_shape_count(moment->scene, i); k++) {
            struct cn_shape_def shape;
            wire_scene_shape(moment->scene, i, k, vertices, &shape);
            put_shape(&drawing, &shape);
        }
        cli_pack_end(out, at);
    }
}

static void
put_frame(struct cli_pack *out, uint64_t time_ns, const char *parent, const char *child,
    cn_vec3 position, cn_quat turn)
{
    size_t at = cli_pack_begin(out, 1);
    put_time(out, 1, time_ns);
    cli_pack_text(out, 2, parent);
    cli_pack_text(out, 3, child);
    cli_pack_vector(out, 4, position);
    cli_pack_turn(out, 5, turn);
    cli_pack_end(out, at);
}

void
cli_export_frames(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns)
{
    const double half = 0.70710678118654752; /* a quarter turn about x: y becomes z */
    bool planar = cn_world_settings(moment->world)->dimension == CN_PLANAR;
    put_frame(out, time_ns, ROOT, WORLD, cn_vec3_make(0.0, 0.0, 0.0),
        (cn_quat){half, half, 0.0, 0.0});
    for (int i = 0; i < cn_world_body_count(moment->world); i++) {
        struct cn_body_view view;
        cn_world_body_view(moment->world, i, &view);
        if (!view.absent) {
            put_frame(out, time_ns, WORLD, wire_scene_body_name(moment->scene, i), view.position,
                planar ? cn_quat_about_z(view.angle) : view.orientation);
        }
    }
}
