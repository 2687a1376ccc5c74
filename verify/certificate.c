#include "verify/certificate.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT "cairn-certificate-1"

/* The state of reading, and the first error. */
struct reading {
    struct vf_certificate *c;
    struct q_pool *pool;
    const char *why;
};

bool
vf_is_word(const struct vf_node *node, const char *word)
{
    return node != NULL && node->kind == VF_STRING && node->size == strlen(word) &&
           memcmp(node->text, word, node->size) == 0;
}

static const struct vf_node *
member_of(struct reading *r, const struct vf_node *object, const char *name, enum vf_kind kind)
{
    const struct vf_node *node = vf_tree_member(&r->c->tree, object, name);
    if (node == NULL || node->kind != kind) {
        r->why = r->why != NULL ? r->why : "a member is missing, or of another type";
        return NULL;
    }
    return node;
}

static bool
member_truth(struct reading *r, const struct vf_node *object, const char *name)
{
    const struct vf_node *node = vf_tree_member(&r->c->tree, object, name);
    if (node == NULL || (node->kind != VF_TRUE && node->kind != VF_FALSE)) {
        r->why = r->why != NULL ? r->why : "a truth value is missing";
        return false;
    }
    return node->kind == VF_TRUE;
}

static q
fraction_of(struct reading *r, const struct vf_node *node)
{
    q value =
        node != NULL && node->kind == VF_STRING ? q_of_text(r->pool, node->text, node->size) : NULL;
    if (value == NULL) {
        r->why = r->why != NULL ? r->why : "a fraction is missing, or not in lowest terms";
        return q_int(r->pool, 0);
    }
    return value;
}

static q
member_number(struct reading *r, const struct vf_node *object, const char *name)
{
    return fraction_of(r, vf_tree_member(&r->c->tree, object, name));
}

/* Reads a list of `count` fractions. */
static void
member_numbers(struct reading *r, const struct vf_node *object, const char *name, q *out, int count)
{
    const struct vf_node *list = member_of(r, object, name, VF_LIST);
    if (list != NULL && list->count != count && r->why == NULL) {
        r->why = "a list has another length";
    }
    const struct vf_node *node = list != NULL ? vf_tree_first(&r->c->tree, list) : NULL;
    for (int i = 0; i < count; i++) {
        out[i] = r->why == NULL ? fraction_of(r, node) : q_int(r->pool, 0);
        node = node != NULL ? vf_tree_next(&r->c->tree, node) : NULL;
    }
}

static struct vf_vec
member_vector(struct reading *r, const struct vf_node *object, const char *name)
{
    q part[3] = {NULL, NULL, NULL};
    member_numbers(r, object, name, part, r->c->is_spatial ? 3 : 2);
    return (struct vf_vec){part[0], part[1], part[2]};
}

/*
 * Reads a force along normal and tangent; in space along the normal, or a world vector where it is
 * rough.
 */
static struct vf_vec
member_force(struct reading *r, const struct vf_node *object, const char *name, bool is_rough)
{
    q part[3] = {NULL, q_int(r->pool, 0), NULL};
    member_numbers(r, object, name, part, !r->c->is_spatial ? 2 : is_rough ? 3 : 1);
    return (struct vf_vec){part[0], part[1], part[2]};
}

/*
 * Reads a velocity or acceleration and a rotation: [x, y, turn], in space [x, y, z, turn x, y, z].
 */
static void
member_movement(struct reading *r, const struct vf_node *object, const char *name,
    struct vf_vec *linear, struct vf_vec *turn)
{
    q part[6];
    member_numbers(r, object, name, part, r->c->is_spatial ? 6 : 3);
    if (r->c->is_spatial) {
        *linear = (struct vf_vec){part[0], part[1], part[2]};
        *turn = (struct vf_vec){part[3], part[4], part[5]};
    } else {
        *linear = (struct vf_vec){part[0], part[1], NULL};
        *turn = (struct vf_vec){q_int(r->pool, 0), q_int(r->pool, 0), part[2]};
    }
}

static int
member_index(struct reading *r, const struct vf_node *object, const char *name)
{
    const struct vf_node *node = member_of(r, object, name, VF_NUMBER);
    long value = -1;
    if (node != NULL && node->size <= 9) {
        char text[10] = {0};
        memcpy(text, node->text, node->size);
        char *end;
        value = strtol(text, &end, 10);
        value = *end == '\0' && text[0] != '-' ? value : -1;
    }
    if (value < 0) {
        r->why = r->why != NULL ? r->why : "an index is missing";
    }
    return (int)value;
}

static void
exactly_members(struct reading *r, const struct vf_node *object, int count)
{
    if (r->why == NULL && object->count != count) {
        r->why = "there are members that do not belong";
    }
}

static void
read_contact(struct reading *r, const struct vf_node *node, struct vf_said *said)
{
    const struct vf_certificate *c = r->c;
    said->a = member_index(r, node, "bodyA");
    said->b = member_index(r, node, "bodyB");
    said->point = member_vector(r, node, "point");
    said->normal = member_vector(r, node, "normal");
    said->friction = member_number(r, node, "friction");
    said->bears = member_truth(r, node, "bears");
    int members = 6;
    bool is_rough = mpq_sgn(said->friction) != 0;
    if (c->kind != VF_NO_FORCE && (c->kind != VF_BOUNDS || c->margin != NULL)) {
        said->force = member_force(r, node, "force", is_rough);
        members++;
    }
    if (c->kind == VF_ANY_FORCE) {
        said->squeeze = member_force(r, node, "squeeze", is_rough);
        members++;
    }
    if (c->start) {
        said->push = member_number(r, node, "push");
        said->opening = member_number(r, node, "opening");
        members += 2;
    }
    exactly_members(r, node, members);
}

static void
read_body(struct reading *r, const struct vf_node *node, struct vf_movement *body)
{
    const struct vf_certificate *c = r->c;
    int members = 0;
    if (c->kind != VF_ANY_FORCE && (c->kind != VF_BOUNDS || c->bound != NULL)) {
        member_movement(r, node, "motion", &body->velocity, &body->turn);
        members++;
    }
    if (c->start) {
        member_movement(r, node, "acceleration", &body->acceleration, &body->angular);
        members++;
    }
    exactly_members(r, node, members);
}

static void
read_lists(struct reading *r, const struct vf_node *node)
{
    struct vf_certificate *c = r->c;
    const struct vf_node *contacts = member_of(r, node, "contacts", VF_LIST);
    const struct vf_node *bodies = member_of(r, node, "bodies", VF_LIST);
    if (r->why != NULL) {
        return;
    }
    c->contact_count = contacts->count;
    c->body_count = bodies->count;
    c->contact = vf_alloc((size_t)c->contact_count, sizeof(*c->contact));
    c->body = vf_alloc((size_t)c->body_count, sizeof(*c->body));
    const struct vf_node *child = vf_tree_first(&c->tree, contacts);
    for (int i = 0; i < c->contact_count && r->why == NULL; i++) {
        read_contact(r, child, &c->contact[i]);
        child = vf_tree_next(&c->tree, child);
    }
    child = vf_tree_first(&c->tree, bodies);
    for (int i = 0; i < c->body_count && r->why == NULL; i++) {
        read_body(r, child, &c->body[i]);
        child = vf_tree_next(&c->tree, child);
    }
}

static void
read_kind(struct reading *r, const struct vf_node *node)
{
    const struct vf_node *kind = member_of(r, node, "kind", VF_STRING);
    if (vf_is_word(kind, "margin")) {
        r->c->kind = VF_MARGIN;
    } else if (vf_is_word(kind, "noForce")) {
        r->c->kind = VF_NO_FORCE;
    } else if (vf_is_word(kind, "anyForce")) {
        r->c->kind = VF_ANY_FORCE;
    } else if (vf_is_word(kind, "bounds")) {
        r->c->kind = VF_BOUNDS;
    } else {
        r->why = r->why != NULL ? r->why : "the kind is none of margin, noForce, anyForce, bounds";
    }
}

static void
read_certificate(struct reading *r, const struct vf_node *node)
{
    struct vf_certificate *c = r->c;
    if (!vf_is_word(member_of(r, node, "format", VF_STRING), FORMAT)) {
        r->why = r->why != NULL ? r->why : "the format is not " FORMAT;
    }
    c->side_contacts = member_truth(r, node, "sideContacts");
    c->friction = member_truth(r, node, "friction");
    c->start = member_truth(r, node, "start");
    read_kind(r, node);
    if (r->why != NULL) {
        return;
    }
    if (c->kind == VF_MARGIN) {
        c->margin = member_number(r, node, "margin");
    }
    int members = c->kind == VF_MARGIN ? 8 : 7;
    if (c->kind == VF_BOUNDS) {
        bool has_margin = vf_tree_member(&c->tree, node, "margin") != NULL;
        bool has_bound = vf_tree_member(&c->tree, node, "bound") != NULL;
        c->margin = has_margin ? member_number(r, node, "margin") : NULL;
        c->bound = has_bound ? member_number(r, node, "bound") : NULL;
        members += has_margin + has_bound;
    }
    exactly_members(r, node, members);
    read_lists(r, node);
}

static void
read_margin(struct reading *r, const struct vf_node *root)
{
    const struct vf_node *margin = vf_tree_member(&r->c->tree, root, "margin");
    if (margin != NULL && margin->kind == VF_NULL) {
        return;
    }
    if (margin == NULL || margin->kind != VF_NUMBER || margin->size > 40) {
        r->why = r->why != NULL ? r->why : "the margin is no number";
        return;
    }
    char text[41] = {0};
    memcpy(text, margin->text, margin->size);
    r->c->margin_rounded = strtod(text, NULL);
    r->c->has_margin = true;
}

const char *
vf_certificate_read(
    struct vf_certificate *c, struct q_pool *pool, bool is_spatial, const char *text, size_t size)
{
    *c = (struct vf_certificate){.is_spatial = is_spatial, .kind = VF_MARGIN};
    if (!vf_tree_read(&c->tree, text, size)) {
        return c->tree.why;
    }
    struct reading r = {.c = c, .pool = pool};
    const struct vf_node *root = &c->tree.node[0];
    c->stable = member_truth(&r, root, "stable");
    read_margin(&r, root);
    c->verdict = member_of(&r, root, "verdict", VF_STRING);
    c->claim = member_of(&r, root, "claim", VF_STRING);
    const struct vf_node *node = member_of(&r, root, "certificate", VF_OBJECT);
    exactly_members(&r, root, 5);
    if (r.why == NULL) {
        read_certificate(&r, node);
    }
    return r.why;
}

void
vf_certificate_finish(struct vf_certificate *c)
{
    vf_tree_finish(&c->tree);
    free(c->contact);
    free(c->body);
    *c = (struct vf_certificate){.kind = VF_MARGIN};
}
