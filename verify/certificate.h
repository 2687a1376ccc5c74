/*
 * certificate.h: a certificate as values, read from its text.
 *
 * Only the form is checked here: every member that the kind requires exists once and has the right
 * type, and there is no other member.
 */
#ifndef VERIFY_CERTIFICATE_H
#define VERIFY_CERTIFICATE_H

#include "verify/scene.h"
#include "verify/tree.h"

enum vf_certificate_kind { VF_MARGIN, VF_NO_FORCE, VF_ANY_FORCE, VF_BOUNDS };

struct vf_said {
    int a, b;
    struct vf_vec point, normal;
    q friction;
    bool bears;
    struct vf_vec force, squeeze; /* along normal and tangent; in space with friction: world */
    q push, opening;
};

struct vf_movement {
    struct vf_vec velocity, acceleration, turn, angular;
};

struct vf_certificate {
    struct vf_tree tree;
    bool is_spatial, stable, has_margin;
    double margin_rounded;
    const struct vf_node *verdict, *claim;
    enum vf_certificate_kind kind;
    bool side_contacts, friction, start;
    q margin, bound; /* NULL if the certificate does not have it */
    struct vf_said *contact;
    int contact_count;
    struct vf_movement *body;
    int body_count;
};

/* NULL, or the error in the form.  Finish it in any case. */
const char *vf_certificate_read(
    struct vf_certificate *certificate, struct q_pool *pool, bool is_spatial, const char *text,
    size_t size);
void vf_certificate_finish(struct vf_certificate *certificate);

bool vf_is_word(const struct vf_node *node, const char *word);

#endif
