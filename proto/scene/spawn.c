/*
 * spawn.c: prefabs of a scene, and the bodies and joints that a change makes of them.
 *
 * A prefab is a group of bodies and joints in a frame of its own.  A spawn puts a copy of it at a
 * pose.  The copies are added to the bodies and joints of the change, and are checked, made and
 * shown like these.
 *
 * A spawn without a name gets the first free number of its prefab.  That depends on the bodies that
 * are there.  So names are given when the change is read, and again when it is applied
 * (scene_spawns_name).
 */
#include "proto/scene/spawn.h"

#include "engine/base/assert.h"
#include "engine/base/name.h"
#include "engine/math/pose.h"
#include "engine/math/quat.h"
#include "proto/scene/inside.h"
#include "proto/scene_live.h"

#include "cairn/v1/world.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEM_UNKNOWN "?" /* stands before a spawn's names until it has a name */
#define PATH_SIZE 64

/* ---- messages ---- */

/* Replaces a text by a copy of `text`.  False without memory, and then nothing has changed. */
static bool
set_text(char **field, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text, size);
    if (*field != NULL && (const char *)*field != protobuf_c_empty_string) {
        free(*field);
    }
    *field = copy;
    return true;
}

static cn_vec3
vector_of(const Cairn__V1__Vec3 *value)
{
    return value != NULL ? (cn_vec3){value->x, value->y, value->z} : (cn_vec3){0.0, 0.0, 0.0};
}

static bool
set_vector(Cairn__V1__Vec3 **field, cn_vec3 value)
{
    if (*field == NULL) {
        *field = malloc(sizeof(**field));
        if (*field == NULL) {
            return false;
        }
        cairn__v1__vec3__init(*field);
    }
    (*field)->x = value.x;
    (*field)->y = value.y;
    (*field)->z = value.z;
    return true;
}

static bool
set_quaternion(Cairn__V1__Quat **field, cn_quat value)
{
    if (*field == NULL) {
        *field = malloc(sizeof(**field));
        if (*field == NULL) {
            return false;
        }
        cairn__v1__quat__init(*field);
    }
    (*field)->w = value.w;
    (*field)->x = value.x;
    (*field)->y = value.y;
    (*field)->z = value.z;
    return true;
}

static bool
is_planar(const Cairn__V1__Scene *scene)
{
    return scene->world == NULL ||
           scene->world->dimension == CAIRN__V1__WORLD__DIMENSION__PLANAR;
}

/* ---- poses ---- */

/* The frame of a spawn. */
struct frame {
    cn_pose pose;
    cn_quat turn;
    double angle;
    bool planar, is_turned;
};

static enum cn_status
read_frame(const Cairn__V1__Spawn *spawn, bool planar, struct frame *frame,
    struct cn_defect *defect)
{
    const Cairn__V1__Quat *q = spawn->orientation;
    *frame = (struct frame){
        .turn = cn_quat_identity(), .angle = spawn->angle, .planar = planar};
    frame->pose.position = vector_of(spawn->position);
    if (planar && q != NULL) {
        return cn_defect_set(defect, CN_DIMENSION, "orientation",
            "is of SPATIAL worlds; in a PLANAR one a spawn has an angle");
    }
    if (!planar && spawn->angle != 0.0) {
        return cn_defect_set(defect, CN_DIMENSION, "angle",
            "is of PLANAR worlds; in a SPATIAL one a spawn has an orientation");
    }
    if (!(fabs(spawn->angle) <= CN_ANGLE_MAX)) {
        return cn_defect_set(defect, CN_RANGE, "angle",
            "is %g; from %g to %g rad is accepted", spawn->angle, -CN_ANGLE_MAX, CN_ANGLE_MAX);
    }
    if (q != NULL) {
        frame->turn = (cn_quat){q->w, q->x, q->y, q->z};
        double length = cn_quat_length(frame->turn);
        if (!(length >= 0.5 && length <= 2.0)) {
            return cn_defect_set(defect, CN_RANGE, "orientation",
                "has length %g; about 1 is accepted, from 0.5 to 2", length);
        }
        frame->turn = cn_quat_normalize(frame->turn);
    }
    frame->is_turned = planar ? frame->angle != 0.0 : q != NULL;
    double sine, cosine;
    cn_sin_cos(spawn->angle, &sine, &cosine);
    frame->pose.rotation = planar ? cn_mat33_about_z(sine, cosine) : cn_quat_to_mat33(frame->turn);
    return CN_OK;
}

/* In the plane z is not touched, so that a z that the scene's check refuses is still refused. */
static cn_vec3
turn_vector(const struct frame *frame, cn_vec3 vector)
{
    return frame->is_turned ? cn_pose_turn(&frame->pose, vector) : vector;
}

static cn_vec3
put_point(const struct frame *frame, cn_vec3 point)
{
    return cn_vec3_add(frame->pose.position, turn_vector(frame, point));
}

static bool
put_body(const struct frame *frame, const Cairn__V1__Spawn *spawn, Cairn__V1__Body *body)
{
    bool moves = body->type != CAIRN__V1__BODY__TYPE__STATIC;
    cn_vec3 velocity = cn_vec3_add(
        vector_of(spawn->velocity), turn_vector(frame, vector_of(body->velocity)));
    cn_vec3 spin = cn_vec3_add(
        vector_of(spawn->angular_velocity), turn_vector(frame, vector_of(body->angular_velocity)));
    bool done = set_vector(&body->position, put_point(frame, vector_of(body->position))) &&
                (!moves || (set_vector(&body->velocity, velocity) &&
                               set_vector(&body->angular_velocity, spin)));
    if (frame->planar) {
        body->angle += frame->angle;
    } else if (frame->is_turned) {
        const Cairn__V1__Quat *q = body->orientation;
        cn_quat own = q != NULL ? (cn_quat){q->w, q->x, q->y, q->z} : cn_quat_identity();
        done = done && set_quaternion(&body->orientation, cn_quat_multiply(frame->turn, own));
    }
    return done;
}

/* Turns an axis; one that is absent is `usual`. */
static bool
put_axis(const struct frame *frame, Cairn__V1__Vec3 **axis, cn_vec3 usual)
{
    cn_vec3 own = *axis != NULL ? vector_of(*axis) : usual;
    return !frame->is_turned || set_vector(axis, turn_vector(frame, own));
}

static bool
put_anchor(const struct frame *frame, Cairn__V1__Vec3 **anchor)
{
    return set_vector(anchor, put_point(frame, vector_of(*anchor)));
}

static bool
put_joint(const struct frame *frame, Cairn__V1__Joint *joint)
{
    const cn_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    switch (joint->joint_case) {
    case CAIRN__V1__JOINT__JOINT_BALL: {
        Cairn__V1__Joint__Ball *ball = joint->ball;
        return put_anchor(frame, &ball->anchor) &&
               (frame->planar || put_axis(frame, &ball->axis, z)) &&
               (ball->cone_axis == NULL || put_axis(frame, &ball->cone_axis, z));
    }
    case CAIRN__V1__JOINT__JOINT_HINGE: /* in the plane z stays z */
        return put_anchor(frame, &joint->hinge->anchor) &&
               (frame->planar || put_axis(frame, &joint->hinge->axis, z));
    case CAIRN__V1__JOINT__JOINT_SLIDER:
        return put_anchor(frame, &joint->slider->anchor) &&
               put_axis(frame, &joint->slider->axis, x);
    case CAIRN__V1__JOINT__JOINT_FIXED:
        return put_anchor(frame, &joint->fixed->anchor);
    case CAIRN__V1__JOINT__JOINT_DISTANCE:
        return put_anchor(frame, &joint->distance->anchor_a) &&
               put_anchor(frame, &joint->distance->anchor_b);
    case CAIRN__V1__JOINT__JOINT_ROPE:
        return put_anchor(frame, &joint->rope->anchor_a) &&
               put_anchor(frame, &joint->rope->anchor_b);
    case CAIRN__V1__JOINT__JOINT_TRACK:
        return put_anchor(frame, &joint->track->anchor);
    default:
        return true; /* the check of the change refuses it */
    }
}

/* ---- names ---- */

/* "STEM" of a group of one, else "STEM.NAME", where NAME may be the word and the index. */
static bool
name_part(char **field, const char *stem, size_t count, const char *word, size_t index)
{
    size_t size = strlen(stem) + strlen(*field) + WIRE_NAME_SIZE_MAX;
    char *name = malloc(size);
    if (name == NULL) {
        return false;
    }
    if (count == 1) {
        snprintf(name, size, "%s", stem);
    } else if ((*field)[0] != '\0') {
        snprintf(name, size, "%s.%s", stem, *field);
    } else {
        snprintf(name, size, "%s.%s%zu", stem, word, index);
    }
    bool done = set_text(field, name);
    free(name);
    return done;
}

/* Whether this is the name of the prefab's body, which may be "body" and its index. */
static bool
is_body_named(const Cairn__V1__Prefab *prefab, size_t index, const char *name)
{
    char made[PATH_SIZE];
    const char *given = prefab->bodies[index]->name;
    snprintf(made, sizeof(made), "body%zu", index);
    return strcmp(given[0] != '\0' ? given : made, name) == 0;
}

/* A joint's ends get the new names of the bodies that they name. */
static bool
name_ends(const Cairn__V1__Prefab *prefab, Cairn__V1__Body *const *bodies,
    Cairn__V1__Joint *joint)
{
    char **ends[2];
    scene_joint_ends(joint, ends);
    for (int side = 0; side < 2; side++) {
        size_t i = 0;
        if (ends[side] == NULL || (*ends[side])[0] == '\0') {
            continue;
        }
        while (i < prefab->n_bodies && !is_body_named(prefab, i, *ends[side])) {
            i++;
        }
        CN_ASSERT(i < prefab->n_bodies); /* scene_check_prefabs has found it */
        if (!set_text(ends[side], bodies[i]->name)) {
            return false;
        }
    }
    return true;
}

/* Replaces the first `old_size` bytes of a text by the stem. */
static bool
replace_stem(char **field, size_t old_size, const char *stem)
{
    size_t size = strlen(stem) + strlen(*field) + 1;
    char *name = malloc(size);
    if (name == NULL) {
        return false;
    }
    CN_ASSERT(strlen(*field) >= old_size);
    snprintf(name, size, "%s%s", stem, *field + old_size);
    bool done = set_text(field, name);
    free(name);
    return done;
}

static bool
rename_spawn(struct scene_spawn *spawn, Cairn__V1__Body **bodies, Cairn__V1__Joint **joints,
    const char *stem)
{
    size_t old_size = strlen(spawn->stem);
    bool done = true;
    for (size_t i = 0; i < spawn->body_count; i++) {
        done = done && replace_stem(&bodies[spawn->body_first + i]->name, old_size, stem);
    }
    for (size_t i = 0; i < spawn->joint_count; i++) {
        Cairn__V1__Joint *joint = joints[spawn->joint_first + i];
        char **ends[2];
        scene_joint_ends(joint, ends);
        done = done && replace_stem(&joint->name, old_size, stem);
        for (int side = 0; side < 2; side++) {
            bool has_end = ends[side] != NULL && (*ends[side])[0] != '\0';
            done = done && (!has_end || replace_stem(ends[side], old_size, stem));
        }
    }
    snprintf(spawn->stem, sizeof(spawn->stem), "%s", stem);
    return done;
}

/* The names that are taken, sorted. */
struct taken {
    const char **body, **joint;
    size_t body_count, joint_count;
};

static int
compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool
is_taken(const char **names, size_t count, const char *name)
{
    return bsearch(&name, names, count, sizeof(*names), compare_texts) != NULL;
}

static bool
is_in(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether bodies and joints of a spawn could be called so. */
static bool
stem_is_free(const struct scene_spawn *spawn, Cairn__V1__Body *const *bodies,
    Cairn__V1__Joint *const *joints, const struct taken *taken, const char *stem)
{
    char name[2 * SCENE_STEM_SIZE + WIRE_NAME_SIZE_MAX];
    size_t old_size = strlen(spawn->stem);
    for (size_t i = 0; i < spawn->body_count; i++) {
        const char *own = bodies[spawn->body_first + i]->name;
        snprintf(name, sizeof(name), "%s%.*s", stem, WIRE_NAME_SIZE_MAX, own + old_size);
        if (is_taken(taken->body, taken->body_count, name)) {
            return false;
        }
    }
    for (size_t i = 0; i < spawn->joint_count; i++) {
        const char *own = joints[spawn->joint_first + i]->name;
        snprintf(name, sizeof(name), "%s%.*s", stem, WIRE_NAME_SIZE_MAX, own + old_size);
        if (is_taken(taken->joint, taken->joint_count, name)) {
            return false;
        }
    }
    return true;
}

/* Whether an earlier spawn of this change has got the stem. */
static bool
stem_is_used(const struct scene_spawns *spawns, size_t before, const char *stem)
{
    for (size_t i = 0; i < before; i++) {
        if (strcmp(spawns->spawn[i].stem, stem) == 0) {
            return true;
        }
    }
    return false;
}

/* The number from which on the prefab of spawns->spawn[index] may have free ones. */
static unsigned
first_number(const struct scene_spawns *spawns, size_t index)
{
    for (size_t i = index; i-- > 0;) {
        if (spawns->spawn[i].is_numbered &&
            strcmp(spawns->spawn[i].prefab, spawns->spawn[index].prefab) == 0) {
            return spawns->spawn[i].number + 1;
        }
    }
    return 1;
}

static void
collect_shown(struct taken *taken, const struct wire_scene *shown,
    char *const *gone_bodies, size_t gone_body_count, char *const *gone_joints,
    size_t gone_joint_count)
{
    const Cairn__V1__Scene *scene = wire_scene_message(shown);
    for (size_t i = 0; i < scene->n_bodies; i++) {
        const char *name = wire_scene_body_name(shown, (int)i);
        if (!scene->bodies[i]->absent &&
            !is_in((const char *const *)gone_bodies, gone_body_count, name)) {
            taken->body[taken->body_count++] = name;
        }
    }
    for (size_t i = 0; i < scene->n_joints; i++) {
        const char *name = wire_scene_joint_name(shown, (int)i);
        if (scene->joints[i]->joint_case != CAIRN__V1__JOINT__JOINT__NOT_SET &&
            !is_in((const char *const *)gone_joints, gone_joint_count, name)) {
            taken->joint[taken->joint_count++] = name;
        }
    }
}

/* Adds the names that the change itself gives. */
static void
collect_given(struct taken *taken, const struct scene_spawns *spawns,
    Cairn__V1__Body *const *bodies, Cairn__V1__Joint *const *joints)
{
    for (size_t i = 0; i < spawns->own_bodies; i++) {
        taken->body[taken->body_count++] = bodies[i]->name;
    }
    for (size_t i = 0; i < spawns->own_joints; i++) {
        taken->joint[taken->joint_count++] = joints[i]->name;
    }
    for (size_t k = 0; k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        for (size_t i = 0; !spawn->is_numbered && i < spawn->body_count; i++) {
            taken->body[taken->body_count++] = bodies[spawn->body_first + i]->name;
        }
        for (size_t i = 0; !spawn->is_numbered && i < spawn->joint_count; i++) {
            taken->joint[taken->joint_count++] = joints[spawn->joint_first + i]->name;
        }
    }
}

enum cn_status
scene_spawns_name(struct scene_spawns *spawns, const struct Cairn__V1__Change *change,
    Cairn__V1__Body **bodies, size_t body_count, Cairn__V1__Joint **joints, size_t joint_count,
    const struct wire_scene *shown, struct cn_defect *defect)
{
    if (spawns->numbered_count == 0) {
        return CN_OK;
    }
    const Cairn__V1__Scene *scene = wire_scene_message(shown);
    size_t most = scene->n_bodies + scene->n_joints + body_count + joint_count;
    struct taken taken = {.body = malloc((most + 1) * sizeof(char *))};
    if (taken.body == NULL) {
        return cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
    }
    taken.joint = taken.body + scene->n_bodies + body_count;
    collect_shown(&taken, shown, change->remove, change->n_remove, change->remove_joints,
        change->n_remove_joints);
    collect_given(&taken, spawns, bodies, joints);
    CN_ASSERT(taken.body_count + taken.joint_count <= most);
    qsort(taken.body, taken.body_count, sizeof(*taken.body), compare_texts);
    qsort(taken.joint, taken.joint_count, sizeof(*taken.joint), compare_texts);
    bool done = true;
    for (size_t k = 0; k < spawns->count && done; k++) {
        struct scene_spawn *spawn = &spawns->spawn[k];
        char stem[SCENE_STEM_SIZE];
        if (!spawn->is_numbered) {
            continue;
        }
        spawn->number = first_number(spawns, k);
        for (;; spawn->number++) { /* bounded by the number of names that are taken */
            snprintf(stem, sizeof(stem), "%s%u", spawn->prefab, spawn->number);
            if (stem_is_free(spawn, bodies, joints, &taken, stem) &&
                !stem_is_used(spawns, k, stem)) {
                break;
            }
        }
        done = rename_spawn(spawn, bodies, joints, stem);
    }
    free(taken.body);
    return done ? CN_OK : cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
}

/* ---- spawns ---- */

static const Cairn__V1__Prefab *
find_prefab(const Cairn__V1__Scene *scene, const char *name)
{
    for (size_t i = 0; i < scene->n_prefabs; i++) {
        if (strcmp(scene->prefabs[i]->name, name) == 0) {
            return scene->prefabs[i];
        }
    }
    return NULL;
}

static enum cn_status
refuse_prefab(const Cairn__V1__Scene *scene, const char *name, struct cn_defect *defect)
{
    struct cn_nearest nearest;
    if (name[0] == '\0') {
        return cn_defect_set(defect, CN_REFERENCE, "prefab", "is missing; it names a prefab");
    }
    cn_nearest_init(&nearest, name);
    for (size_t i = 0; i < scene->n_prefabs; i++) {
        cn_nearest_offer(&nearest, scene->prefabs[i]->name);
    }
    return cn_defect_set(defect, CN_REFERENCE, "prefab",
        "is %s; no prefab of the scene has that name%s", cn_quote(name).text,
        cn_nearest_hint(&nearest).text);
}

/* Adds the copies to the change; there is room for them. */
static bool
add_copies(Cairn__V1__Change *change, const Cairn__V1__Spawn *spawn,
    const Cairn__V1__Prefab *prefab, const struct frame *frame, const char *stem)
{
    bool done = true;
    size_t first = change->n_bodies;
    for (size_t i = 0; i < prefab->n_bodies && done; i++) {
        Cairn__V1__Body *body = (Cairn__V1__Body *)scene_copy_message(&prefab->bodies[i]->base);
        if (body == NULL) {
            return false;
        }
        change->bodies[change->n_bodies++] = body;
        done = put_body(frame, spawn, body) &&
               name_part(&body->name, stem, prefab->n_bodies, "body", i);
    }
    for (size_t i = 0; i < prefab->n_joints && done; i++) {
        Cairn__V1__Joint *joint =
            (Cairn__V1__Joint *)scene_copy_message(&prefab->joints[i]->base);
        if (joint == NULL) {
            return false;
        }
        change->joints[change->n_joints++] = joint;
        done = put_joint(frame, joint) && name_ends(prefab, change->bodies + first, joint) &&
               name_part(&joint->name, stem, prefab->n_joints, "joint", i);
    }
    return done;
}

static enum cn_status
expand_one(struct scene_spawns *spawns, Cairn__V1__Change *change, size_t index,
    const Cairn__V1__Scene *into, struct cn_defect *defect)
{
    const Cairn__V1__Spawn *from = change->spawns[index];
    const Cairn__V1__Prefab *prefab = find_prefab(into, from->prefab);
    struct scene_spawn *spawn = &spawns->spawn[index];
    struct frame frame;
    CN_ASSERT(prefab != NULL); /* it was counted */
    if (strlen(from->name) > WIRE_NAME_SIZE_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "name", "has %zu bytes; at most %d are accepted",
            strlen(from->name), WIRE_NAME_SIZE_MAX);
    }
    enum cn_status status = read_frame(from, is_planar(into), &frame, defect);
    if (status != CN_OK) {
        return status;
    }
    *spawn = (struct scene_spawn){
        .body_first = change->n_bodies,
        .body_count = prefab->n_bodies,
        .joint_first = change->n_joints,
        .joint_count = prefab->n_joints,
        .is_numbered = from->name[0] == '\0',
        .origin = frame.pose.position,
        .spin = vector_of(from->angular_velocity),
    };
    const char *stem = spawn->is_numbered ? STEM_UNKNOWN : from->name;
    snprintf(spawn->stem, sizeof(spawn->stem), "%s", stem);
    snprintf(spawn->prefab, sizeof(spawn->prefab), "%s", prefab->name);
    spawns->numbered_count += spawn->is_numbered ? 1 : 0;
    return add_copies(change, from, prefab, &frame, stem)
               ? CN_OK
               : cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
}

/* Counts what all spawns make, so that no message can ask for more than a world holds. */
static enum cn_status
count_spawns(const Cairn__V1__Change *change, const Cairn__V1__Scene *into, size_t *bodies,
    size_t *joints, struct cn_defect *defect)
{
    *bodies = change->n_bodies;
    *joints = change->n_joints;
    for (size_t i = 0; i < change->n_spawns; i++) {
        const Cairn__V1__Prefab *prefab = find_prefab(into, change->spawns[i]->prefab);
        enum cn_status status = CN_OK;
        if (prefab == NULL) {
            status = refuse_prefab(into, change->spawns[i]->prefab, defect);
        } else {
            *bodies += prefab->n_bodies;
            *joints += prefab->n_joints;
        }
        if (*bodies > WIRE_BODIES_MAX || *joints > WIRE_JOINTS_MAX) {
            status = cn_defect_set(defect, CN_LIMIT, "",
                "takes the change to %zu bodies and %zu joints; %d and %d are accepted", *bodies,
                *joints, WIRE_BODIES_MAX, WIRE_JOINTS_MAX);
        }
        if (status != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "spawns[%zu]%s", i, is_inside ? "." : "");
            return status;
        }
    }
    return CN_OK;
}

/* Enlarges an array of messages. */
static bool
make_room(void *array, size_t count)
{
    void ***place = array;
    void **longer = realloc(*place, (count + 1) * sizeof(*longer));
    if (longer == NULL) {
        return false;
    }
    *place = longer;
    return true;
}

struct scene_spawns *
scene_spawns_expand(struct Cairn__V1__Change *change, const struct wire_scene *into,
    struct cn_defect *defect)
{
    size_t bodies, joints;
    const Cairn__V1__Scene *scene = wire_scene_message(into);
    if (count_spawns(change, scene, &bodies, &joints, defect) != CN_OK) {
        return NULL;
    }
    size_t size = change->n_spawns * sizeof(struct scene_spawn);
    struct scene_spawns *spawns = calloc(1, sizeof(*spawns) + size);
    if (spawns == NULL || !make_room(&change->bodies, bodies) ||
        !make_room(&change->joints, joints)) {
        free(spawns);
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
        return NULL;
    }
    spawns->count = change->n_spawns;
    spawns->own_bodies = change->n_bodies;
    spawns->own_joints = change->n_joints;
    for (size_t i = 0; i < change->n_spawns; i++) {
        if (expand_one(spawns, change, i, scene, defect) != CN_OK) {
            bool is_inside = defect->path[0] != '\0';
            cn_defect_prefix(defect, "spawns[%zu]%s", i, is_inside ? "." : "");
            free(spawns);
            return NULL;
        }
    }
    CN_ASSERT(change->n_bodies == bodies && change->n_joints == joints);
    if (scene_spawns_name(spawns, change, change->bodies, bodies, change->joints, joints, into,
            defect) != CN_OK) {
        free(spawns);
        return NULL;
    }
    return spawns;
}

bool
scene_spawns_turn(const struct scene_spawns *spawns, struct wire_scene *part)
{
    bool planar = is_planar(part->message);
    for (size_t k = 0; k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        cn_vec3 spin = planar ? cn_vec3_make(0.0, 0.0, spawn->spin.z) : spawn->spin;
        if (cn_vec3_dot(spin, spin) == 0.0) {
            continue;
        }
        for (size_t i = spawn->body_first; i < spawn->body_first + spawn->body_count; i++) {
            struct cn_body_def *def = &part->bodies[i];
            cn_vec3 center = def->center_of_mass;
            if (def->type == CN_STATIC) {
                continue;
            }
            if (def->type == CN_DYNAMIC) {
                center = cn_body_def_weigh(def, part->def.settings.dimension).center;
            }
            cn_quat turn = planar ? cn_quat_about_z(def->angle)
                                  : cn_quat_normalize(def->orientation);
            cn_mat33 rotation = cn_quat_to_mat33(turn);
            cn_vec3 arm = cn_vec3_sub(
                cn_vec3_add(def->position, cn_mat33_apply(&rotation, center)), spawn->origin);
            def->velocity = cn_vec3_add(def->velocity, cn_vec3_cross(spin, arm));
            if (!set_vector(&part->message->bodies[i]->velocity, def->velocity)) {
                return false;
            }
        }
    }
    return true;
}

void
scene_spawns_locate(const struct scene_spawns *spawns, struct cn_defect *defect)
{
    size_t index;
    int used = 0;
    bool is_body = sscanf(defect->path, "bodies[%zu]%n", &index, &used) == 1 && used > 0;
    bool is_joint = !is_body && sscanf(defect->path, "joints[%zu]%n", &index, &used) == 1 &&
                    used > 0;
    for (size_t k = 0; (is_body || is_joint) && k < spawns->count; k++) {
        const struct scene_spawn *spawn = &spawns->spawn[k];
        size_t first = is_body ? spawn->body_first : spawn->joint_first;
        size_t count = is_body ? spawn->body_count : spawn->joint_count;
        if (index >= first && index < first + count) {
            char rest[CN_DEFECT_PATH_SIZE];
            snprintf(rest, sizeof(rest), "%s", defect->path + used);
            defect->path[0] = '\0';
            cn_defect_prefix(defect, "spawns[%zu].%s[%zu]%.60s", k,
                is_body ? "bodies" : "joints", index - first, rest);
            return;
        }
    }
}
