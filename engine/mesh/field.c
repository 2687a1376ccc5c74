#include "engine/mesh/field.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

/* How often the path from a point outside the grid is moved to make it shorter. */
#define WAYS 4

/* The position of a point in the grid's box: its cell, and the fraction along each axis, 0 to 1. */
struct place {
    int cell[3];
    double along[3];
};

static void
place_along(const struct cn_field *field, int axis, double offset, struct place *place)
{
    int last = field->count[axis] - 2;
    double at = offset / field->spacing;
    int cell = at > 0.0 ? (at < last ? (int)at : last) : 0;
    place->cell[axis] = cell;
    place->along[axis] = cn_clamp(at - cell, 0.0, 1.0);
}

static struct place
place_of(const struct cn_field *field, cn_vec3 p)
{
    struct place place;
    place_along(field, 0, p.x - field->origin.x, &place);
    place_along(field, 1, p.y - field->origin.y, &place);
    place_along(field, 2, p.z - field->origin.z, &place);
    return place;
}

/*
 * The eight values at a cell's corners, x first; sets `place` to the cell that the values belong
 * to.
 */
static void
corners_of(const struct cn_field *field, struct place *place, double corner[8])
{
    const float *from = field->value;
    ptrdiff_t row = field->count[0], layer = row * field->count[1];
    ptrdiff_t first = place->cell[0] + row * place->cell[1] + layer * place->cell[2];
    if (from == NULL) {
        const int *cells = field->coarse_count;
        ptrdiff_t wide[3], within[3];
        for (int axis = 0; axis < 3; axis++) {
            wide[axis] = place->cell[axis] / CN_FIELD_BRICK;
            within[axis] = place->cell[axis] % CN_FIELD_BRICK;
        }
        int32_t brick = field->brick_of[wide[0] + (cells[0] - 1) *
                                                      (wide[1] + (cells[1] - 1) * wide[2])];
        CN_ASSERT(brick < field->brick_count);
        if (brick >= 0) {
            row = CN_FIELD_BRICK + 1;
            layer = row * row;
            from = field->brick + brick * row * layer;
            first = within[0] + row * within[1] + layer * within[2];
        } else {
            row = cells[0];
            layer = row * cells[1];
            from = field->coarse;
            first = wide[0] + row * wide[1] + layer * wide[2];
            for (int axis = 0; axis < 3; axis++) {
                place->along[axis] =
                    ((double)within[axis] + place->along[axis]) / CN_FIELD_BRICK;
            }
        }
    }
    for (int i = 0; i < 8; i++) {
        corner[i] = (double)from[first + (i & 1) + row * (i >> 1 & 1) + layer * (i >> 2)];
    }
}

static double
between(double a, double b, double t)
{
    return a + t * (b - a);
}

/* phi in the grid's box, and its gradient up to a scale. */
static double
interpolate_box(const struct cn_field *field, cn_vec3 p, cn_vec3 *slope)
{
    struct place place = place_of(field, p);
    double c[8];
    corners_of(field, &place, c);
    double x = place.along[0], y = place.along[1], z = place.along[2];
    double low = between(between(c[0], c[1], x), between(c[2], c[3], x), y);
    double high = between(between(c[4], c[5], x), between(c[6], c[7], x), y);
    if (slope != NULL) {
        slope->x = between(between(c[1] - c[0], c[3] - c[2], y),
            between(c[5] - c[4], c[7] - c[6], y), z);
        slope->y = between(between(c[2], c[3], x) - between(c[0], c[1], x),
            between(c[6], c[7], x) - between(c[4], c[5], x), z);
        slope->z = high - low;
    }
    return between(low, high, z);
}

static cn_vec3
unit(cn_vec3 v)
{
    double length = cn_vec3_length(v);
    return length > 0.0 ? cn_vec3_scale(v, 1.0 / length) : cn_vec3_make(0.0, 0.0, 1.0);
}

static cn_vec3
far_corner(const struct cn_field *field)
{
    return cn_vec3_add(field->origin, cn_vec3_make(field->spacing * (field->count[0] - 1),
                                          field->spacing * (field->count[1] - 1),
                                          field->spacing * (field->count[2] - 1)));
}

static cn_vec3
into_box(const struct cn_field *field, cn_vec3 p)
{
    cn_vec3 low = field->origin, high = far_corner(field);
    return cn_vec3_make(cn_clamp(p.x, low.x, high.x), cn_clamp(p.y, low.y, high.y),
        cn_clamp(p.z, low.z, high.z));
}

/* The fraction along one axis, from s in the box to p outside, at which the box ends. */
static double
leave_along(double s, double p, double low, double high)
{
    if (p > high) {
        return (high - s) / (p - s);
    }
    return p < low ? (s - low) / (s - p) : 1.0;
}

static cn_vec3
leave_box(const struct cn_field *field, cn_vec3 s, cn_vec3 p)
{
    cn_vec3 low = field->origin, high = far_corner(field);
    double t = cn_min(leave_along(s.x, p.x, low.x, high.x),
        cn_min(leave_along(s.y, p.y, low.y, high.y), leave_along(s.z, p.z, low.z, high.z)));
    return into_box(field, cn_vec3_add_scaled(s, t, cn_vec3_sub(p, s)));
}

/*
 * phi outside the box.  The path from p goes straight to a point q of the box.  From there it
 * follows phi and its gradient to a point s of the surface.  The straight line from p to s leaves
 * the box at a better q, from which the next round starts.
 */
static double
sample_outside(const struct cn_field *field, cn_vec3 p, cn_vec3 *normal)
{
    cn_vec3 q = into_box(field, p), slope;
    double shortest = HUGE_VAL;
    *normal = cn_vec3_make(0.0, 0.0, 1.0);
    for (int i = 0; i < WAYS; i++) {
        double phi = interpolate_box(field, q, &slope);
        double length = phi + cn_vec3_length(cn_vec3_sub(p, q));
        cn_vec3 s = into_box(field, cn_vec3_add_scaled(q, -phi, unit(slope)));
        if (!(length < shortest)) {
            break;
        }
        shortest = length;
        *normal = unit(cn_vec3_sub(p, s));
        q = leave_box(field, s, p);
    }
    return shortest;
}

static bool
is_in_box(const struct cn_field *field, cn_vec3 p)
{
    cn_vec3 q = into_box(field, p);
    return q.x == p.x && q.y == p.y && q.z == p.z;
}

double
cn_field_distance(const struct cn_field *field, cn_vec3 p)
{
    cn_vec3 normal;
    return is_in_box(field, p) ? interpolate_box(field, p, NULL)
                               : sample_outside(field, p, &normal);
}

double
cn_field_sample(const struct cn_field *field, cn_vec3 p, cn_vec3 *normal)
{
    if (!is_in_box(field, p)) {
        return sample_outside(field, p, normal);
    }
    cn_vec3 slope;
    double phi = interpolate_box(field, p, &slope);
    *normal = unit(slope);
    return phi;
}

double
cn_field_bound(const struct cn_field *field, cn_vec3 p)
{
    cn_vec3 q = into_box(field, p), apart = cn_vec3_sub(p, q);
    double phi = interpolate_box(field, q, NULL);
    /*
     * phi is exact at the corners, and its slope is at most 1.  So its error is at most the mean
     * distance to the corners: half a cell's diagonal, and a little more for rounding.
     */
    double off = 0.8661 * field->spacing * (field->value ? 1 : CN_FIELD_BRICK);
    double least = cn_max(fabs(phi) - off, 0.0);
    return sqrt(cn_vec3_dot(apart, apart) + least * least);
}

bool
cn_field_is_inside(const struct cn_field *field, cn_vec3 p)
{
    if (!is_in_box(field, p)) {
        return false;
    }
    if (field->label != NULL) {
        struct place place = place_of(field, p);
        ptrdiff_t row = field->count[0] - 1, layer = row * (field->count[1] - 1);
        uint8_t label =
            field->label[place.cell[0] + row * place.cell[1] + layer * place.cell[2]];
        if (label != CN_FIELD_BAND) {
            return label == CN_FIELD_INSIDE;
        }
    }
    return interpolate_box(field, p, NULL) < 0.0;
}

static size_t
count_product(const int count[3], int less)
{
    return (size_t)(count[0] - less) * (size_t)(count[1] - less) * (size_t)(count[2] - less);
}

size_t
cn_field_size(const struct cn_field *field)
{
    CN_ASSERT((field->value != NULL) != (field->coarse != NULL)); /* invariant 1 */
    CN_ASSERT((field->value != NULL) == (field->label != NULL));
    if (field->value != NULL) {
        return count_product(field->count, 0) * sizeof(*field->value) +
               count_product(field->count, 1) * sizeof(*field->label);
    }
    const int brick[3] = {CN_FIELD_BRICK + 1, CN_FIELD_BRICK + 1, CN_FIELD_BRICK + 1};
    return count_product(field->coarse_count, 0) * sizeof(*field->coarse) +
           count_product(field->coarse_count, 1) * sizeof(*field->brick_of) +
           (size_t)field->brick_count * count_product(brick, 0) * sizeof(*field->brick);
}
