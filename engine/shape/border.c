#include "engine/shape/border.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"
#include "engine/math/trig.h"

static cn_vec2
left_of(cn_vec2 v)
{
    return (cn_vec2){-v.y, v.x};
}

static cn_vec2
unit(cn_vec2 v)
{
    return cn_vec2_scale(v, 1.0 / cn_vec2_length(v));
}

static cn_vec2
chord_of(const struct cn_border *border)
{
    return cn_vec2_sub(border->to, border->from);
}

cn_vec2
cn_border_center(const struct cn_border *border)
{
    cn_vec2 middle = cn_vec2_scale(cn_vec2_add(border->from, border->to), 0.5);
    double b = border->bulge;
    CN_ASSERT(b != 0.0); /* a straight edge has no centre */
    return cn_vec2_add_scaled(middle, (1.0 - b * b) / (4.0 * b), left_of(chord_of(border)));
}

double
cn_border_radius(const struct cn_border *border)
{
    double b = fabs(border->bulge);
    return cn_vec2_length(chord_of(border)) * (1.0 + b * b) / (4.0 * b);
}

double
cn_border_turn(const struct cn_border *border)
{
    return 4.0 * cn_atan2(border->bulge, 1.0);
}

/*
 * The chord's outward normal, turned by half the arc's turn in the direction that the sign of `way`
 * gives.
 */
static cn_vec2
normal_at(const struct cn_border *border, double way)
{
    cn_vec2 out = unit(cn_vec2_right(chord_of(border)));
    double b = border->bulge, whole = 1.0 + b * b;
    double c = (1.0 - b * b) / whole, s = way * 2.0 * b / whole;
    return (cn_vec2){c * out.x - s * out.y, s * out.x + c * out.y};
}

cn_vec2
cn_border_normal_from(const struct cn_border *border)
{
    return normal_at(border, -1.0);
}

cn_vec2
cn_border_normal_to(const struct cn_border *border)
{
    return normal_at(border, 1.0);
}

double
cn_border_sagitta(const struct cn_border *border)
{
    return 0.5 * fabs(border->bulge) * cn_vec2_length(chord_of(border));
}

bool
cn_border_faces(const struct cn_border *border, cn_vec2 center, cn_vec2 direction, double tie)
{
    cn_vec2 first = cn_vec2_sub(border->from, center), last = cn_vec2_sub(border->to, center);
    if (border->bulge < 0.0) { /* clockwise about its centre */
        cn_vec2 other = first;
        first = last;
        last = other;
    }
    double reach = cn_vec2_length(first) * cn_vec2_length(direction) * tie;
    return cn_vec2_cross(first, direction) >= -reach && cn_vec2_cross(direction, last) >= -reach;
}

/* The triangle of the chord and the origin. */
static struct cn_border_moments
triangle_moments(cn_vec2 p, cn_vec2 q)
{
    double cross = cn_vec2_cross(p, q);
    double squares = cn_vec2_dot(p, p) + cn_vec2_dot(p, q) + cn_vec2_dot(q, q);
    return (struct cn_border_moments){
        .area = 0.5 * cross,
        .first = cn_vec2_scale(cn_vec2_add(p, q), cross / 6.0),
        .second = cross * squares / 12.0,
    };
}

/*
 * The segment between chord and arc, positive where the arc bulges out.  With t the turn and r the
 * radius, about the arc's centre
 *
 *     area = r^2 (t - sin t) / 2        centroid at  4 r sin^3(t / 2) / (3 (t - sin t))
 *     polar moment = r^4 (t / 4 - sin t (2 + cos t) / 12)
 */
static struct cn_border_moments
segment_moments(const struct cn_border *border)
{
    CN_ASSERT(border->bulge != 0.0 && fabs(border->bulge) <= 1.0);
    double t = fabs(cn_border_turn(border)), r = cn_border_radius(border), sign = border->bulge;
    double b = fabs(border->bulge), half_sine = 2.0 * b / (1.0 + b * b);
    double sine, cosine;
    cn_sin_cos(t, &sine, &cosine);
    sign = sign > 0.0 ? 1.0 : -1.0;
    double area = 0.5 * r * r * (t - sine);
    double offset = 2.0 / 3.0 * r * r * r * half_sine * half_sine * half_sine / area;
    double about_center = r * r * r * r * (0.25 * t - sine * (2.0 + cosine) / 12.0);
    cn_vec2 center = cn_border_center(border);
    cn_vec2 out = cn_vec2_scale(unit(cn_vec2_right(chord_of(border))), sign);
    cn_vec2 centroid = cn_vec2_add_scaled(center, offset, out);
    double shift = cn_vec2_dot(centroid, centroid) - offset * offset;
    return (struct cn_border_moments){
        .area = sign * area,
        .first = cn_vec2_scale(centroid, sign * area),
        .second = sign * (about_center + area * shift),
    };
}

struct cn_border_moments
cn_border_sweep(const struct cn_border *border)
{
    struct cn_border_moments sum = triangle_moments(border->from, border->to);
    if (border->bulge != 0.0) {
        struct cn_border_moments more = segment_moments(border);
        sum.area += more.area;
        sum.first = cn_vec2_add(sum.first, more.first);
        sum.second += more.second;
    }
    return sum;
}

void
cn_border_bounds(const struct cn_border *border, cn_vec2 *low, cn_vec2 *high)
{
    *low = (cn_vec2){cn_min(border->from.x, border->to.x), cn_min(border->from.y, border->to.y)};
    *high = (cn_vec2){cn_max(border->from.x, border->to.x), cn_max(border->from.y, border->to.y)};
    if (border->bulge == 0.0) {
        return;
    }
    static const cn_vec2 axes[] = {{1.0, 0.0}, {0.0, 1.0}, {-1.0, 0.0}, {0.0, -1.0}};
    cn_vec2 center = cn_border_center(border);
    double radius = cn_border_radius(border);
    for (int k = 0; k < 4; k++) {
        if (cn_border_faces(border, center, axes[k], 0.0)) {
            cn_vec2 p = cn_vec2_add_scaled(center, radius, axes[k]);
            *low = (cn_vec2){cn_min(low->x, p.x), cn_min(low->y, p.y)};
            *high = (cn_vec2){cn_max(high->x, p.x), cn_max(high->y, p.y)};
        }
    }
}

static double
point_to_chord(cn_vec2 point, const struct cn_border *border)
{
    cn_vec2 chord = chord_of(border), from_start = cn_vec2_sub(point, border->from);
    double square = cn_vec2_dot(chord, chord);
    double along = square > 0.0 ? cn_clamp(cn_vec2_dot(from_start, chord) / square, 0.0, 1.0) : 0.0;
    return cn_vec2_length(cn_vec2_add_scaled(from_start, -along, chord));
}

static bool
chords_cross(const struct cn_border *a, const struct cn_border *b)
{
    cn_vec2 ca = chord_of(a), cb = chord_of(b);
    double a1 = cn_vec2_cross(ca, cn_vec2_sub(b->from, a->from));
    double a2 = cn_vec2_cross(ca, cn_vec2_sub(b->to, a->from));
    double b1 = cn_vec2_cross(cb, cn_vec2_sub(a->from, b->from));
    double b2 = cn_vec2_cross(cb, cn_vec2_sub(a->to, b->from));
    return ((a1 > 0.0) != (a2 > 0.0)) && ((b1 > 0.0) != (b2 > 0.0));
}

double
cn_border_distance(const struct cn_border *a, const struct cn_border *b)
{
    if (chords_cross(a, b)) {
        return 0.0;
    }
    double distance = cn_min(cn_min(point_to_chord(a->from, b), point_to_chord(a->to, b)),
        cn_min(point_to_chord(b->from, a), point_to_chord(b->to, a)));
    return cn_max(0.0, distance - cn_border_sagitta(a) - cn_border_sagitta(b));
}
