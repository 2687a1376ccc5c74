#include "clients/cli/csv.h"

#include "proto/json.h"

#include <inttypes.h>
#include <string.h>

static bool
is_planar(const struct cn_world *world)
{
    return cn_world_settings(world)->dimension == CN_PLANAR;
}

void
cli_csv_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
    }
    fputc('"', out);
}

void
cli_csv_numbers(FILE *out, const double *values, int count)
{
    char number[WIRE_NUMBER_SIZE];
    for (int i = 0; i < count; i++) {
        fprintf(out, ",%s", wire_number_print(number, values[i]));
    }
}

void
cli_csv_moment(FILE *out, const struct cn_world *world)
{
    char number[WIRE_NUMBER_SIZE];
    fprintf(out, "%" PRIu64 ",%s", cn_world_tick(world),
        wire_number_print(number, cn_world_time(world)));
}

void
cli_csv_body_header(FILE *out, const struct cn_world *world)
{
    fputs(is_planar(world)
              ? "tick,time,body,x,y,angle,velocityX,velocityY,angularVelocity"
              : "tick,time,body,x,y,z,orientationW,orientationX,orientationY,orientationZ,"
                "velocityX,velocityY,velocityZ,angularVelocityX,angularVelocityY,"
                "angularVelocityZ",
        out);
}

void
cli_csv_body(FILE *out, const struct wire_scene *scene, const struct cn_world *world,
    const struct cn_body_view *view, int body)
{
    const cn_vec3 *p = &view->position, *v = &view->velocity, *w = &view->angular_velocity;
    const cn_quat *q = &view->orientation;
    const double plane[] = {p->x, p->y, view->angle, v->x, v->y, w->z};
    const double space[] = {
        p->x, p->y, p->z, q->w, q->x, q->y, q->z, v->x, v->y, v->z, w->x, w->y, w->z};
    cli_csv_moment(out, world);
    fputc(',', out);
    cli_csv_text(out, wire_scene_body_name(scene, body));
    if (is_planar(world)) {
        cli_csv_numbers(out, plane, (int)(sizeof(plane) / sizeof(plane[0])));
    } else {
        cli_csv_numbers(out, space, (int)(sizeof(space) / sizeof(space[0])));
    }
}

void
cli_csv_sample_header(FILE *out, const struct cn_world *world)
{
    cli_csv_body_header(out, world);
    fputs(is_planar(world)
              ? ",accelerationX,accelerationY,angularAcceleration\n"
              : ",accelerationX,accelerationY,accelerationZ,angularAccelerationX,"
                "angularAccelerationY,angularAccelerationZ\n",
        out);
}

/* Writes empty columns if the solver computes no accelerations. */
static void
put_acceleration(FILE *out, const struct cn_body_view *view, bool planar)
{
    const cn_vec3 *a = &view->acceleration, *turn = &view->angular_acceleration;
    const double plane[] = {a->x, a->y, turn->z};
    const double space[] = {a->x, a->y, a->z, turn->x, turn->y, turn->z};
    if (view->has_acceleration) {
        cli_csv_numbers(out, planar ? plane : space, planar ? 3 : 6);
    } else {
        fputs(planar ? ",,," : ",,,,,,", out);
    }
}

void
cli_csv_sample(FILE *out, const struct wire_scene *scene, const struct cn_world *world)
{
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        if (!view.absent) {
            cli_csv_body(out, scene, world, &view, i);
            put_acceleration(out, &view, is_planar(world));
            fputc('\n', out);
        }
    }
}

/* ---- joints ---- */

void
cli_csv_joint_header(FILE *out, const struct cn_world *world)
{
    fputs(is_planar(world) ? "tick,time,joint,x,y,forceX,forceY,torque,gap,motor\n"
                           : "tick,time,joint,x,y,z,forceX,forceY,forceZ,torqueX,torqueY,torqueZ,"
                             "gap,motor\n",
        out);
}

void
cli_csv_joints(FILE *out, const struct wire_scene *scene, const struct cn_world *world)
{
    for (int i = 0; i < cn_world_joint_count(world); i++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, i, &view);
        const cn_vec3 *p = &view.point_b, *f = &view.force, *t = &view.torque;
        const double plane[] = {p->x, p->y, f->x, f->y, t->z, view.gap, view.motor};
        const double space[] = {
            p->x, p->y, p->z, f->x, f->y, f->z, t->x, t->y, t->z, view.gap, view.motor};
        if (view.absent) {
            continue;
        }
        cli_csv_moment(out, world);
        fputc(',', out);
        cli_csv_text(out, wire_scene_joint_name(scene, i));
        cli_csv_numbers(out, is_planar(world) ? plane : space, is_planar(world) ? 7 : 11);
        fputc('\n', out);
    }
}
