#include "prove/arrange.h"

#include "engine/base/assert.h"
#include "prove/bodies.h"
#include "prove/limits.h"
#include "prove/touch.h"

#include <stdio.h>

/* A side contact has |normal . gravity| <= |gravity| / LEVEL_PARTS. */
#define LEVEL_PARTS 1000000000ul

static bool
is_zero(cn_vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

static enum cn_status
check_bodies(const struct cn_world_def *def, struct cn_defect *defect)
{
    char path[CN_DEFECT_PATH_SIZE];
    for (int i = 0; i < def->body_count; i++) {
        const struct cn_body_def *body = &def->bodies[i];
        bool moves = !is_zero(body->velocity) || !is_zero(body->angular_velocity);
        if (body->type == CN_DYNAMIC && body->locks != 0) {
            snprintf(path, sizeof(path), "bodies[%d].locks", i);
            return cn_defect_set(defect, CN_RANGE, path,
                "hold the body; a check knows weights, constant forces and contacts alone");
        }
        for (int k = 0; k < body->shape_count; k++) {
            if (body->shapes[k].one_way) {
                snprintf(path, sizeof(path), "bodies[%d].shapes[%d].oneWay", i, k);
                return cn_defect_set(defect, CN_RANGE, path,
                    "lets bodies pass; a check knows shapes that hold all others alone");
            }
        }
        if (body->type == CN_KINEMATIC && moves) {
            snprintf(path, sizeof(path), "bodies[%d].%s", i,
                is_zero(body->velocity) ? "angularVelocity" : "velocity");
            return cn_defect_set(defect, CN_RANGE, path,
                "moves a KINEMATIC body; a check is of what rests");
        }
    }
    return CN_OK;
}

/* Refuses a material that does more than resist sliding.  `friction`: false accepts all. */
static enum cn_status
check_material(const struct cn_world_def *def, int material, bool friction,
    struct cn_defect *defect)
{
    if (def->material_count == 0 || !friction) {
        return CN_OK;
    }
    CN_ASSERT(0 <= material && material < def->material_count);
    const struct cn_material_def *of = &def->materials[material];
    const char *name = of->rolling_friction != 0.0    ? "rollingFriction"
                       : of->spinning_friction != 0.0 ? "spinningFriction"
                       : !is_zero(of->surface_velocity) ? "surfaceVelocity"
                                                        : NULL;
    if (name == NULL) {
        return CN_OK;
    }
    char path[CN_DEFECT_PATH_SIZE];
    snprintf(path, sizeof(path), "materials[%d].%s", material, name);
    return cn_defect_set(defect, CN_RANGE, path,
        "is not 0; a check knows friction against sliding alone");
}

static enum cn_status
check_world(const struct cn_world_def *def, struct cn_defect *defect)
{
    const cn_vec3 *g = &def->settings.gravity;
    bool has_weight = g->x != 0.0 || g->y != 0.0 ||
                      (def->settings.dimension == CN_SPATIAL && g->z != 0.0);
    if (!has_weight) {
        return cn_defect_set(defect, CN_RANGE, "world.gravity",
            "is 0; a check asks whether weights are held");
    }
    if (def->spring_count > 0) {
        return cn_defect_set(defect, CN_RANGE, "forces",
            "have a spring; a check knows weights, constant forces and contacts alone");
    }
    if (def->settings.gravitation != 0.0) {
        return cn_defect_set(defect, CN_RANGE, "forces",
            "have a gravitation; a check knows weights, constant forces and contacts alone");
    }
    if (def->joint_count > 0) {
        return cn_defect_set(defect, CN_RANGE, "joints",
            "has %d entries; a check knows weights, constant forces and contacts alone",
            def->joint_count);
    }
    if (def->body_count > PV_BODIES_MAX) {
        return cn_defect_set(defect, CN_LIMIT, "bodies", "has %d entries; a check takes %d",
            def->body_count, PV_BODIES_MAX);
    }
    return check_bodies(def, defect);
}

/* The values of their own that two materials have; NULL: none. */
static const struct cn_material_pair *
find_pair(const struct cn_world_def *def, int a, int b)
{
    for (int i = 0; i < def->material_pair_count; i++) {
        const struct cn_material_pair *pair = &def->material_pairs[i];
        if ((pair->a == a && pair->b == b) || (pair->a == b && pair->b == a)) {
            return pair;
        }
    }
    return NULL;
}

static bool
is_ignored(const struct cn_world_def *def, int a, int b)
{
    const struct cn_material_pair *pair = find_pair(def, a, b);
    return pair != NULL && (pair->has & CN_PAIR_IGNORE) != 0;
}

/* Refuses a pair of materials that does more than resist sliding. */
static enum cn_status
check_material_pair(const struct cn_world_def *def, int a, int b, bool friction,
    struct cn_defect *defect)
{
    const struct cn_material_pair *pair = find_pair(def, a, b);
    double rolling = 0.0, spinning = 0.0;
    if (pair == NULL || !friction) {
        return CN_OK;
    }
    cn_material_pair_moments(pair, &rolling, &spinning);
    bool runs = (pair->has & CN_PAIR_SURFACE) != 0 && !is_zero(pair->surface_velocity);
    const char *name = rolling != 0.0    ? "rollingFriction"
                       : spinning != 0.0 ? "spinningFriction"
                       : runs            ? "surfaceVelocity"
                                         : NULL;
    if (name == NULL) {
        return CN_OK;
    }
    char path[CN_DEFECT_PATH_SIZE];
    snprintf(path, sizeof(path), "materialPairs[%d].%s", (int)(pair - def->material_pairs), name);
    return cn_defect_set(defect, CN_RANGE, path,
        "is not 0; a check knows friction against sliding alone");
}

/* out = the static friction of two materials: their own, or by the world's combine rule. */
static void
combine_friction(mpq_t out, const struct cn_world_def *def, int a, int b)
{
    const struct cn_material_pair *pair = find_pair(def, a, b);
    if (pair != NULL && (pair->has & CN_PAIR_FRICTION) != 0) {
        bool rests = (pair->has & CN_PAIR_STATIC_FRICTION) != 0;
        pv_number(out, rests ? pair->static_friction : pair->friction);
        return;
    }
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    if (def->material_count > 0) {
        pv_number(x, def->materials[a].static_friction);
        pv_number(y, def->materials[b].static_friction);
    }
    switch (def->settings.combine_friction) {
    case CN_COMBINE_MIN: mpq_set(out, mpq_cmp(x, y) < 0 ? x : y); break;
    case CN_COMBINE_MAX: mpq_set(out, mpq_cmp(x, y) > 0 ? x : y); break;
    case CN_COMBINE_AVERAGE:
        mpq_add(out, x, y);
        mpq_div_2exp(out, out, 1);
        break;
    case CN_COMBINE_MULTIPLY: mpq_mul(out, x, y); break;
    }
    mpq_clears(x, y, NULL);
}

static bool
is_level(const pv_vec *normal, const pv_vec *gravity)
{
    mpq_t along, whole, part;
    mpq_inits(along, whole, part, NULL);
    pv_dot(along, normal, gravity);
    mpq_mul(along, along, along);
    pv_dot(whole, gravity, gravity);
    mpq_set_ui(part, 1, LEVEL_PARTS);
    mpq_mul(part, part, part);
    mpq_mul(whole, whole, part);
    bool level = mpq_cmp(along, whole) <= 0;
    mpq_clears(along, whole, part, NULL);
    return level;
}

static struct pv_contact *
add_contact(struct pv_arrangement *arrangement)
{
    if (arrangement->contact_count == arrangement->contact_room) {
        int room = 2 * arrangement->contact_room + 16;
        struct pv_contact *contact = pv_alloc((size_t)room, sizeof(*contact));
        for (int i = 0; i < arrangement->contact_count; i++) {
            contact[i] = arrangement->contact[i];
        }
        pv_free(arrangement->contact);
        arrangement->contact = contact;
        arrangement->contact_room = room;
    }
    CN_ASSERT(arrangement->contact_count < arrangement->contact_room);
    struct pv_contact *contact = &arrangement->contact[arrangement->contact_count++];
    pv_vec_init(&contact->point);
    pv_vec_init(&contact->normal);
    mpq_init(contact->friction);
    return contact;
}

static bool
bounds_meet(const struct pv_shape *a, const struct pv_shape *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) {
            return false;
        }
    }
    return true;
}

/* Adds the contacts of two shapes; reports an overlap. */
static enum cn_status
add_pair_contacts(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    const struct pv_choice *choice, const struct pv_shape *a, const struct pv_shape *b,
    struct cn_defect *defect)
{
    CN_ASSERT(a->body < b->body); /* shapes stand in the order of their bodies */
    struct pv_touch touch;
    double depth = 0.0;
    enum cn_status status = CN_OK;
    pv_touch_init(&touch);
    enum pv_touching touching =
        arrangement->dimension == 3 ? pv_touch_space(&touch, a, b, &arrangement->gravity, &depth)
                                    : pv_touch_plane(&touch, a, b, &arrangement->gravity, &depth);
    bool level = touching != PV_APART && is_level(&touch.normal, &arrangement->gravity);
    if (touching == PV_OVERLAPS && (choice->side_contacts || !level)) {
        char path[CN_DEFECT_PATH_SIZE];
        snprintf(path, sizeof(path), "bodies[%d]", b->body);
        status = cn_defect_set(defect, CN_GEOMETRY, path,
            "overlaps bodies[%d] by %.3g m; a check wants bodies that touch at most", a->body,
            depth);
    }
    CN_ASSERT(0 <= touch.count && touch.count <= touch.room);
    int count = touching == PV_TOUCHES && (choice->side_contacts || !level) ? touch.count : 0;
    arrangement->sides_left_out =
        arrangement->sides_left_out || (touching != PV_APART && level && !choice->side_contacts);
    for (int i = 0; i < count; i++) {
        struct pv_contact *contact = add_contact(arrangement);
        contact->a = a->body;
        contact->b = b->body;
        contact->bears = !level;
        pv_vec_set(&contact->point, &touch.point[i]);
        pv_vec_set(&contact->normal, &touch.normal);
        combine_friction(contact->friction, def, a->material, b->material);
        if (!choice->friction && mpq_sgn(contact->friction) > 0) {
            mpq_set_ui(contact->friction, 0, 1);
            arrangement->friction_left_out = true;
        }
    }
    if (count > 0 && status == CN_OK) {
        status = check_material(def, a->material, choice->friction, defect);
    }
    if (count > 0 && status == CN_OK) {
        status = check_material(def, b->material, choice->friction, defect);
    }
    if (count > 0 && status == CN_OK) {
        status = check_material_pair(def, a->material, b->material, choice->friction, defect);
    }
    pv_touch_clear(&touch);
    return status;
}

static enum cn_status
find_contacts(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    const struct pv_choice *choice, struct cn_defect *defect)
{
    pv_phase("finding contacts");
    for (int i = 0; i < arrangement->shape_count; i++) {
        pv_part((double)i / arrangement->shape_count);
        for (int j = i + 1; j < arrangement->shape_count; j++) {
            const struct pv_shape *a = &arrangement->shape[i], *b = &arrangement->shape[j];
            bool are_fixed =
                arrangement->body[a->body].is_fixed && arrangement->body[b->body].is_fixed;
            bool may = a->body != b->body && bounds_meet(a, b) && !are_fixed &&
                       cn_filter_passes(&a->filter, &b->filter) &&
                       !is_ignored(def, a->material, b->material);
            enum cn_status status =
                may ? add_pair_contacts(arrangement, def, choice, a, b, defect) : CN_OK;
            if (status != CN_OK) {
                return status;
            }
            if (arrangement->contact_count > PV_CONTACTS_MAX) {
                return cn_defect_set(defect, CN_LIMIT, "bodies",
                    "touch at %d points and more; a check takes %d",
                    arrangement->contact_count, PV_CONTACTS_MAX);
            }
        }
    }
    return CN_OK;
}

enum cn_status
pv_arrangement_init(struct pv_arrangement *arrangement, const struct cn_world_def *def,
    const struct pv_choice *choice, struct cn_defect *defect)
{
    *arrangement = (struct pv_arrangement){
        .dimension = def->settings.dimension == CN_SPATIAL ? 3 : 2};
    pv_vec_init(&arrangement->gravity);
    mpq_init(arrangement->weight);
    enum cn_status status = check_world(def, defect);
    if (status != CN_OK) {
        pv_arrangement_finish(arrangement);
        return status;
    }
    pv_number(arrangement->gravity.c[0], def->settings.gravity.x);
    pv_number(arrangement->gravity.c[1], def->settings.gravity.y);
    if (arrangement->dimension == 3) {
        pv_number(arrangement->gravity.c[2], def->settings.gravity.z);
    }
    size_t shape_count = 0;
    for (int i = 0; i < def->body_count; i++) {
        shape_count += (size_t)def->bodies[i].shape_count;
    }
    arrangement->body_count = def->body_count;
    arrangement->body = pv_alloc((size_t)def->body_count, sizeof(*arrangement->body));
    for (int i = 0; i < def->body_count; i++) {
        pv_body_init(&arrangement->body[i]);
    }
    arrangement->shape = pv_alloc(shape_count, sizeof(*arrangement->shape));
    status = pv_bodies_fill(arrangement, def, defect);
    CN_ASSERT((size_t)arrangement->shape_count <= shape_count); /* sensors are left out */
    if (status == CN_OK) {
        status = find_contacts(arrangement, def, choice, defect);
    }
    if (status != CN_OK) {
        pv_arrangement_finish(arrangement);
    }
    return status;
}
