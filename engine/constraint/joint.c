#include "engine/constraint/joint.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

#include <math.h>

#define SINE_MIN 1e-9 /* of a turn: below it the turn is its sine, or has no direction */

#define X(name, NAME, text) &cn_joint_##name,
const struct cn_joint_type *const cn_joint_types[CN_JOINT_KIND_COUNT] = {CN_JOINT_TABLE(X)};
#undef X

/* ---- ends ---- */

static cn_mat33
turn_frame(const cn_pose *pose, const cn_mat33 *frame)
{
    return cn_mat33_multiply(&pose->rotation, frame);
}

static struct cn_joint_end
world_end(cn_vec3 anchor, const cn_mat33 *frame)
{
    return (struct cn_joint_end){.row_body = -1, .point = anchor, .frame = *frame};
}

static struct cn_joint_end
body_end(const struct cn_joint_at *view, const struct cn_motion *motion, const cn_pose *pose,
    int body, cn_vec3 anchor, const cn_mat33 *frame)
{
    if (body < 0) {
        return world_end(anchor, frame);
    }
    CN_ASSERT(body < view->model->body_count);
    struct cn_joint_end end = {
        .row_body = view->model->body[body].mass_inverse > 0.0 ? body : -1,
        .arm = cn_pose_turn(&pose[body], anchor),
        .spin = motion[body].angular_velocity,
        .frame = turn_frame(&pose[body], frame),
        .angle = motion[body].angle,
    };
    cn_vec3 turning = cn_vec3_cross(end.spin, end.arm);
    end.point = cn_vec3_add(motion[body].position, end.arm);
    end.velocity = cn_vec3_add(motion[body].velocity, turning);
    end.centripetal = cn_vec3_cross(end.spin, turning);
    return end;
}

static struct cn_joint_at
view_joint(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    int index)
{
    CN_ASSERT(0 <= index && index < model->joint_count);
    const struct cn_joint *joint = &model->joint[index];
    struct cn_joint_at view = {
        .model = model,
        .joint = joint,
        .state = &model->joint_state[index],
        .planar = model->settings.dimension == CN_PLANAR,
    };
    view.a = body_end(&view, motion, pose, joint->body_a, joint->anchor_a, &joint->frame_a);
    view.b = body_end(&view, motion, pose, joint->body_b, joint->anchor_b, &joint->frame_b);
    return view;
}

/* ---- limits and motors ---- */

static void
negate_row(struct cn_joint_row *row)
{
    row->row.linear_a = cn_vec3_negate(row->row.linear_a);
    row->row.angular_a = cn_vec3_negate(row->row.angular_a);
    row->row.linear_b = cn_vec3_negate(row->row.linear_b);
    row->row.angular_b = cn_vec3_negate(row->row.angular_b);
    row->gap = -row->gap;
    row->rate = -row->rate;
    row->bias = -row->bias;
}

/* The number of finite limits of a joint's free coordinate. */
static int
limit_count(const struct cn_joint *joint)
{
    return joint->has_limit ? isfinite(joint->lower) + isfinite(joint->upper) : 0;
}

/* The largest number of rows beside those that hold. */
static int
free_count(const struct cn_joint *joint)
{
    int friction = !(joint->friction > 0.0) ? 0 : joint->kind == CN_JOINT_BALL ? 3 : 1;
    return limit_count(joint) + joint->has_motor + joint->has_cone + friction;
}

static int
free_rows(const struct cn_joint *joint, const struct cn_joint_row *coordinate, int index,
    double level, struct cn_joint_row *rows)
{
    int count = 0;
    if (joint->has_limit && isfinite(joint->lower)) {
        struct cn_joint_row *lower = &rows[count++];
        *lower = *coordinate;
        lower->tag = CN_ROW_NORMAL;
        lower->restitution = joint->restitution;
        lower->gap -= joint->lower;
        lower->id = cn_joint_id(index, CN_JOINT_PART_LOWER);
    }
    if (joint->has_limit && isfinite(joint->upper)) {
        struct cn_joint_row *upper = &rows[count++];
        *upper = *coordinate;
        negate_row(upper);
        upper->tag = CN_ROW_NORMAL;
        upper->restitution = joint->restitution;
        upper->gap += joint->upper;
        upper->id = cn_joint_id(index, CN_JOINT_PART_UPPER);
    }
    if (joint->kind == CN_JOINT_BALL) {
        return count; /* its friction is beside its twist */
    }
    if (joint->has_motor) {
        struct cn_joint_row *motor = &rows[count++];
        *motor = *coordinate;
        motor->tag = CN_ROW_BOUNDED;
        motor->gap = 0.0;
        motor->rate -= level * joint->motor_speed;
        CN_ASSERT(joint->motor_force_max >= 0.0); /* lower <= upper */
        motor->lower = -joint->motor_force_max;
        motor->upper = joint->motor_force_max;
        motor->id = cn_joint_id(index, CN_JOINT_PART_MOTOR);
    } else if (joint->friction > 0.0) {
        struct cn_joint_row *friction = &rows[count++];
        *friction = *coordinate;
        friction->tag = CN_ROW_BOUNDED;
        friction->gap = 0.0;
        friction->lower = -joint->friction;
        friction->upper = joint->friction;
        friction->id = cn_joint_id(index, CN_JOINT_PART_MOTOR);
    }
    return count;
}

/* ---- all joints ---- */

int
cn_joint_row_count_max(const struct cn_model *model)
{
    int count = CN_JOINT_PARTS * model->joint_spare;
    for (int i = 0; i < model->joint_count; i++) {
        const struct cn_joint *joint = &model->joint[i];
        if (joint->absent) {
            continue;
        }
        const struct cn_joint_type *type = cn_joint_types[joint->kind];
        count += model->settings.dimension == CN_PLANAR ? type->hold_planar : type->hold_spatial;
        count += free_count(joint);
    }
    return count;
}

/* Moves row `last` before those of higher ids; the rows before it ascend. */
static void
sort_last(struct cn_joint_row *rows, int last)
{
    struct cn_joint_row row = rows[last];
    int k = last;
    for (; k > 0 && rows[k - 1].id > row.id; k--) {
        rows[k] = rows[k - 1];
    }
    rows[k] = row;
}

/* The rows of one joint, by ascending ids; no rows where neither end can move. */
static int
rows_of(const struct cn_joint_at *view, int index, struct cn_joint_row *rows)
{
    const struct cn_joint *joint = view->joint;
    const struct cn_joint_type *type = cn_joint_types[joint->kind];
    if (view->a.row_body < 0 && view->b.row_body < 0) {
        return 0;
    }
    int count = type->hold(view, rows);
    CN_ASSERT(0 <= count && count <= (view->planar ? type->hold_planar : type->hold_spatial));
    for (int part = 0; part < count; part++) {
        rows[part].tag = CN_ROW_BILATERAL;
        rows[part].lower = rows[part].upper = rows[part].restitution = 0.0;
        rows[part].id = cn_joint_id(index, part);
    }
    int free = free_count(joint), first = count;
    if (free == 0) {
        return count;
    }
    struct cn_joint_row coordinate = {.tag = CN_ROW_NORMAL};
    if (type->coordinate(view, &coordinate)) {
        double level = cn_model_motor_level(view->model, index);
        count += free_rows(joint, &coordinate, index, level, &rows[count]);
    }
    int beside = type->beside != NULL ? type->beside(view, &rows[count]) : 0;
    for (int k = 0; k < beside; k++, count++) {
        rows[count].id = cn_joint_id(index, (int)rows[count].id);
        sort_last(&rows[first], count - first);
    }
    CN_ASSERT(count - first <= free);
    return count;
}

int
cn_joint_rows(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, struct cn_joint_row *rows)
{
    int count = 0;
    for (int i = 0; i < model->joint_count; i++) {
        if (!model->joint[i].absent) {
            struct cn_joint_at view = view_joint(model, motion, pose, i);
            count += rows_of(&view, i, &rows[count]);
        }
    }
    CN_ASSERT(count <= CN_JOINT_PARTS * model->joint_count);
    return count;
}

void
cn_joint_look(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    int joint, const double *force_of, struct cn_joint_look *look)
{
    struct cn_joint_at view = view_joint(model, motion, pose, joint);
    struct cn_joint_row rows[CN_JOINT_PARTS], coordinate = {.tag = CN_ROW_NORMAL};
    *look = (struct cn_joint_look){.point_a = view.a.point, .point_b = view.b.point};
    if (view.joint->kind == CN_JOINT_TRACK) {
        const struct cn_curve *curve = &model->curve[view.joint->curve];
        look->point_a = cn_curve_foot_near(curve, view.b.point, view.state->place).point;
    }
    int count = rows_of(&view, joint, rows);
    CN_ASSERT(count <= CN_JOINT_PARTS);
    for (int k = 0; k < count; k++) {
        double force = force_of != NULL ? force_of[rows[k].id & 0xffU]
                                        : *cn_joint_force(model, rows[k].id);
        look->force = cn_vec3_add_scaled(look->force, force, rows[k].row.linear_b);
        look->torque = cn_vec3_add_scaled(look->torque, force, rows[k].row.angular_b);
        if (rows[k].tag == CN_ROW_BILATERAL) {
            look->gap = cn_max(look->gap, fabs(rows[k].gap));
        } else if (rows[k].tag == CN_ROW_NORMAL) {
            look->gap = cn_max(look->gap, -rows[k].gap);
        } else if ((rows[k].id & 0xffU) == CN_JOINT_PART_MOTOR) {
            look->motor = force;
        }
    }
    look->torque = cn_vec3_sub(look->torque, cn_vec3_cross(view.b.arm, look->force));
    const struct cn_joint_type *type = cn_joint_types[view.joint->kind];
    look->has_coordinate = type->coordinate != NULL && type->coordinate(&view, &coordinate);
    look->coordinate = look->has_coordinate ? coordinate.gap : 0.0;
    look->rate = look->has_coordinate ? coordinate.rate : 0.0;
}

/*
 * With R the turn from A's frame to B's by the angle q about n: the sum of a_k x b_k is 2 n sin q,
 * and the sum of a_k . b_k is 1 + 2 cos q.
 */
void
cn_joint_turn(const struct cn_model *model, const struct cn_motion *motion, const cn_pose *pose,
    int joint, struct cn_joint_turn *turn)
{
    struct cn_joint_at view = view_joint(model, motion, pose, joint);
    const cn_mat33 *a = &view.a.frame, *b = &view.b.frame;
    cn_vec3 sum = cn_vec3_cross(a->cx, b->cx);
    sum = cn_vec3_add(sum, cn_vec3_cross(a->cy, b->cy));
    sum = cn_vec3_add(sum, cn_vec3_cross(a->cz, b->cz));
    double trace =
        cn_vec3_dot(a->cx, b->cx) + cn_vec3_dot(a->cy, b->cy) + cn_vec3_dot(a->cz, b->cz);
    double sine = 0.5 * cn_vec3_length(sum), angle = cn_atan2(sine, 0.5 * (trace - 1.0));
    double scale = sine > SINE_MIN ? angle / sine : 1.0;
    *turn = (struct cn_joint_turn){
        .body_a = view.a.row_body,
        .body_b = view.b.row_body,
        .turn = cn_vec3_scale(sum, 0.5 * scale),
        .rate = cn_vec3_sub(view.b.spin, view.a.spin),
    };
}

bool
cn_joint_coordinate(const struct cn_model *model, const struct cn_motion *motion,
    const cn_pose *pose, int joint, struct cn_joint_row *row)
{
    const struct cn_joint_type *type = cn_joint_types[model->joint[joint].kind];
    if (type->coordinate == NULL) {
        return false;
    }
    struct cn_joint_at view = view_joint(model, motion, pose, joint);
    *row = (struct cn_joint_row){.tag = CN_ROW_NORMAL};
    return type->coordinate(&view, row);
}

void
cn_joint_follow(struct cn_model *model, const cn_pose *pose)
{
    for (int i = 0; i < model->joint_count; i++) {
        struct cn_joint *joint = &model->joint[i];
        struct cn_joint_state *state = &model->joint_state[i];
        if (joint->absent) {
            continue;
        }
        struct cn_joint_at view = view_joint(model, model->motion, pose, i);
        if (joint->kind == CN_JOINT_TRACK) {
            const struct cn_curve *curve = &model->curve[joint->curve];
            struct cn_curve_foot foot = cn_curve_foot_near(curve, view.b.point, state->place);
            state->place = cn_curve_wrap(curve, foot.parameter);
        }
        bool hinge = joint->kind == CN_JOINT_HINGE;
        if (hinge || (joint->kind == CN_JOINT_BALL && joint->has_limit)) {
            struct cn_joint_row row;
            (hinge ? cn_joint_row_angle : cn_joint_row_twist)(&view, &row);
            state->place = row.gap;
        }
    }
}
