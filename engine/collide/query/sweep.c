#include "engine/collide/query/sweep.h"

#include "engine/math/scalar.h"

struct cn_sweep
cn_sweep_planar(cn_vec3 from, double angle_from, cn_vec3 to, double angle_to)
{
    double turn = angle_to - angle_from;
    return (struct cn_sweep){
        .planar = true,
        .from = from,
        .along = cn_vec3_sub(to, from),
        .angle = angle_from,
        .orientation = cn_quat_identity(),
        .axis = {0.0, 0.0, turn > 0.0 ? 1.0 : turn < 0.0 ? -1.0 : 0.0},
        .turn = fabs(turn),
        .stop = 1.0,
    };
}

struct cn_sweep
cn_sweep_spatial(cn_vec3 from, cn_quat orientation_from, cn_vec3 to, cn_quat orientation_to)
{
    struct cn_sweep sweep = {
        .from = from,
        .along = cn_vec3_sub(to, from),
        .orientation = orientation_from,
        .stop = 1.0,
    };
    cn_quat q = cn_quat_multiply(orientation_to, cn_quat_conjugate(orientation_from));
    cn_vec3 v = {q.x, q.y, q.z};
    double sine = cn_vec3_length(v);
    if (sine > 0.0) {
        sweep.axis = cn_vec3_scale(v, (q.w < 0.0 ? -1.0 : 1.0) / sine);
        sweep.turn = 2.0 * cn_atan2(sine, fabs(q.w));
    }
    return sweep;
}

double
cn_sweep_angle(const struct cn_sweep *sweep, double t)
{
    return sweep->angle + cn_min(t, sweep->stop) * sweep->turn * sweep->axis.z;
}

cn_quat
cn_sweep_orientation(const struct cn_sweep *sweep, double t)
{
    double turned = cn_min(t, sweep->stop) * sweep->turn;
    return cn_quat_rotate_by(sweep->orientation, cn_vec3_scale(sweep->axis, turned));
}

cn_pose
cn_sweep_pose(const struct cn_sweep *sweep, double t)
{
    cn_pose pose;
    pose.position = cn_vec3_add_scaled(sweep->from, cn_min(t, sweep->stop), sweep->along);
    if (sweep->planar) {
        double sine, cosine;
        cn_sin_cos(cn_sweep_angle(sweep, t), &sine, &cosine);
        pose.rotation = cn_mat33_about_z(sine, cosine);
    } else {
        pose.rotation = cn_quat_to_mat33(cn_sweep_orientation(sweep, t));
    }
    return pose;
}
