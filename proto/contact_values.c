/* contact_values.c: the numbers of contacts in SI, for programs that show them. */
#include "proto/contact_delta.h"

#include "engine/math/quat.h"

#include <math.h>

static cn_vec3
vector_of(const int32_t quanta[3], double scale)
{
    return cn_vec3_make(quanta[0] * scale, quanta[1] * scale, quanta[2] * scale);
}

static void
put_vector(double out[3], cn_vec3 vector)
{
    out[0] = vector.x;
    out[1] = vector.y;
    out[2] = vector.z;
}

void
wire_contact_evaluate(const struct wire_contacts *contacts, const struct wire_contact *contact,
    const struct wire_contact_place *place, struct wire_contact_values *values)
{
    cn_vec3 point = vector_of(contact->point, contacts->scale);
    if (contact->anchor == WIRE_ANCHOR_A || contact->anchor == WIRE_ANCHOR_B) {
        const double *q = place->orientation;
        cn_mat33 axes = cn_quat_to_mat33((cn_quat){q[0], q[1], q[2], q[3]});
        cn_vec3 local = point;
        point = cn_vec3_scale(axes.cx, local.x);
        point = cn_vec3_add_scaled(point, local.y, axes.cy);
        point = cn_vec3_add_scaled(point, local.z, axes.cz);
    }
    const double *position = place->position;
    point = cn_vec3_add(point, cn_vec3_make(position[0], position[1], position[2]));
    cn_vec3 normal = vector_of(contact->normal, WIRE_NORMAL_SCALE);
    double length = cn_vec3_length(normal);
    normal = length > 0.0 ? cn_vec3_scale(normal, 1.0 / length) : normal;
    cn_vec3 force = vector_of(contact->force, ldexp(1.0, contact->force_scale));
    put_vector(values->point, point);
    put_vector(values->normal, normal);
    values->gap = contact->gap * contacts->scale;
    values->force = cn_vec3_dot(force, normal);
    put_vector(values->friction, cn_vec3_add_scaled(force, -values->force, normal));
    put_vector(values->torque,
        vector_of(contact->torque, ldexp(1.0, contact->torque_scale)));
    values->impulse = wire_magnitude(contact->impulse);
}
