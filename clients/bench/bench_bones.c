/*
 * bench_bones.c: two scenes of falling meshes.  500 bones of 3,264 triangles fall through a funnel
 * into a tray, after figure 8 of Guendelman et al. 2003.  50 jacks of 108 triangles fall into a
 * tray and hook into each other.  The bodies are those of the bundled scenes `bones` and `jacks`,
 * with other rotations.
 */
#include "clients/bench/bench_scene.h"

#include "engine/math/trig.h"

#include <math.h>

#define PI 3.14159265358979323846
#define BONES 500
#define JACKS 50
#define DENSITY 1000.0
#define SUBSTEPS 8
#define SURFACE_VERTICES_MAX 2048
#define SURFACE_TRIANGLES_MAX 4096

/* A surface that grows. */
struct surface {
    int vertex_count, triangle_count;
    cn_vec3 vertex[SURFACE_VERTICES_MAX];
    int32_t triangle[SURFACE_TRIANGLES_MAX][3];
};

static int
put_vertex(struct surface *surface, double x, double y, double z)
{
    surface->vertex[surface->vertex_count] = cn_vec3_make(x, y, z);
    return surface->vertex_count++;
}

static void
put_face(struct surface *surface, int a, int b, int c, int d)
{
    const int32_t half[2][3] = {{a, b, c}, {a, c, d}};
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < 3; k++) {
            surface->triangle[surface->triangle_count][k] = half[i][k];
        }
        surface->triangle_count++;
    }
}

static void
put_triangle(struct surface *surface, int a, int b, int c)
{
    int32_t *triangle = surface->triangle[surface->triangle_count++];
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

static int
add_surface(struct bench_build *build, const struct surface *surface, double scale, int resolution,
    bool sparse)
{
    const struct cn_mesh_def def = {
        .vertex_count = surface->vertex_count,
        .triangle_count = surface->triangle_count,
        .vertex = surface->vertex,
        .triangle = surface->triangle,
        .scale = scale,
        .resolution = resolution,
        .sparse = sparse,
    };
    return bench_mesh_make(build, &def);
}

/* How much wider a bone is at a height than its half profile says, and how much less deep. */
static void
stretch_funnel(double height, double *wide, double *deep)
{
    double knob = fmin(fmax((fabs(height) - 0.25) / 0.4, 0.0), 1.0);
    double part = knob * knob * (3.0 - 2.0 * knob);
    *wide = 1.0 + 0.35 * part;
    *deep = 1.0 - 0.15 * part;
}

/* A shaft with two knobs, each hollow at its end: a profile (height, radius) turned about y. */
static int
add_bone(struct bench_build *build)
{
    enum { AROUND = 48, HALF = 17, RINGS = 2 * HALF };
    static const double half[HALF][2] = {{0.66, 0.05}, {0.71, 0.10}, {0.75, 0.15}, {0.765, 0.19},
        {0.76, 0.225}, {0.735, 0.25}, {0.69, 0.262}, {0.64, 0.255}, {0.58, 0.23}, {0.52, 0.195},
        {0.46, 0.16}, {0.40, 0.135}, {0.33, 0.118}, {0.25, 0.108}, {0.17, 0.103}, {0.09, 0.1},
        {0.03, 0.1}};
    static struct surface surface;
    surface = (struct surface){0};
    for (int i = 0; i < RINGS; i++) {
        const double *at = i < HALF ? half[i] : half[RINGS - 1 - i];
        double height = i < HALF ? -at[0] : at[0], wide, deep;
        stretch_funnel(height, &wide, &deep);
        for (int k = 0; k < AROUND; k++) {
            double s, c;
            cn_sin_cos(2.0 * PI * k / AROUND, &s, &c);
            put_vertex(&surface, at[1] * wide * c, height, -at[1] * deep * s);
        }
    }
    int low = put_vertex(&surface, 0.0, -0.62, 0.0), high = put_vertex(&surface, 0.0, 0.62, 0.0);
    for (int k = 0; k < AROUND; k++) {
        int next = (k + 1) % AROUND, top = (RINGS - 1) * AROUND;
        put_triangle(&surface, low, next, k);
        put_triangle(&surface, high, top + k, top + next);
        for (int i = 0; i + 1 < RINGS; i++) {
            int here = i * AROUND, above = here + AROUND;
            put_face(&surface, here + k, here + next, above + next, above + k);
        }
    }
    return add_surface(build, &surface, 1.0, 32, false);
}

/* A cone above a spout, with walls of 0.4 m, open above and below: a section turned about y. */
static int
add_funnel(struct bench_build *build)
{
    enum { AROUND = 48, CORNERS = 6, SECTION = 18 };
    static const double corner[CORNERS][2] = {
        {1.7, -1.5}, {1.7, -0.2}, {5.5, 5.0}, {5.0, 5.0}, {1.3, 0.0}, {1.3, -1.5}};
    static const int parts[CORNERS] = {2, 6, 1, 6, 2, 1};
    static struct surface surface;
    surface = (struct surface){0};
    for (int i = 0; i < AROUND; i++) {
        double s, c;
        cn_sin_cos(2.0 * PI * i / AROUND, &s, &c);
        for (int k = 0; k < CORNERS; k++) {
            const double *from = corner[k], *to = corner[(k + 1) % CORNERS];
            for (int n = 0; n < parts[k]; n++) {
                double part = (double)n / parts[k];
                double radius = from[0] + part * (to[0] - from[0]);
                put_vertex(&surface, radius * c, from[1] + part * (to[1] - from[1]), -radius * s);
            }
        }
    }
    for (int i = 0; i < AROUND; i++) {
        int here = i * SECTION, there = (i + 1) % AROUND * SECTION;
        for (int k = 0; k < SECTION; k++) {
            int next = (k + 1) % SECTION;
            put_face(&surface, here + k, there + k, there + next, here + next);
        }
    }
    return add_surface(build, &surface, 1.0, 96, true);
}

/* The corner of a jack's lines, thinner at the tips; made where it is not there yet. */
static int
jack_corner(struct surface *surface, int index[6][6][6], const int place[3])
{
    static const double line[6] = {-1.0, -0.6, -0.2, 0.2, 0.6, 1.0};
    int *known = &index[place[0]][place[1]][place[2]];
    if (*known == 0) {
        double at[3], reach = 0.0;
        for (int k = 0; k < 3; k++) {
            at[k] = line[place[k]];
            reach = fmax(reach, fabs(at[k]));
        }
        for (int k = 0; k < 3; k++) {
            at[k] *= fabs(at[k]) > 0.25 ? 1.0 : 1.0 - 0.25 * (reach - 0.2) / 0.8;
        }
        *known = 1 + put_vertex(surface, at[0], at[1], at[2]);
    }
    return *known - 1;
}

/* A cell belongs to a jack when no more than one of its places is out of the middle. */
static bool
is_jack(const int cell[3])
{
    int out = 0;
    for (int k = 0; k < 3; k++) {
        if (cell[k] < 0 || cell[k] > 4) {
            return false;
        }
        out += cell[k] != 2 ? 1 : 0;
    }
    return out <= 1;
}

static void
put_jack_face(
    struct surface *surface, int index[6][6][6], const int cell[3], int axis, int side)
{
    static const int around[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    int other[3] = {cell[0], cell[1], cell[2]}, corner[4];
    other[axis] += 2 * side - 1;
    if (is_jack(other)) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        int place[3] = {cell[0], cell[1], cell[2]};
        place[axis] += side;
        place[(axis + 1) % 3] += around[k][0];
        place[(axis + 2) % 3] += around[k][1];
        corner[side == 1 ? k : 3 - k] = jack_corner(surface, index, place);
    }
    put_face(surface, corner[0], corner[1], corner[2], corner[3]);
}

/* Six arms across each other, of 1 m from tip to tip. */
static int
add_jack(struct bench_build *build)
{
    static struct surface surface;
    int index[6][6][6] = {0};
    surface = (struct surface){0};
    for (int i = 0; i < 125; i++) {
        const int cell[3] = {i / 25, i / 5 % 5, i % 5};
        for (int face = 0; is_jack(cell) && face < 6; face++) {
            put_jack_face(&surface, index, cell, face / 2, face % 2);
        }
    }
    return add_surface(build, &surface, 0.5, 0, false);
}

/* The ground, and a square of walls on it. */
static void
add_tray(struct bench_build *build, double inside, double thickness, double height)
{
    double at = 0.5 * (inside + thickness), length = inside + 2.0 * thickness;
    bench_body(build, CN_STATIC, cn_vec3_make(0.0, 0.0, 0.0));
    bench_shape(build, CN_SHAPE_PLANE)->plane.normal = cn_vec3_make(0.0, 1.0, 0.0);
    for (int side = -1; side <= 1; side += 2) {
        bench_box(build, cn_vec3_make(thickness, height, length),
            cn_vec3_make(side * at, 0.5 * height, 0.0));
        bench_box(build, cn_vec3_make(length, height, thickness),
            cn_vec3_make(0.0, 0.5 * height, side * at));
    }
}

/* Adds a body with a random orientation, uniform over all rotations: Shoemake 1992. */
static void
add_turned(struct bench_build *build, int mesh, cn_vec3 at, uint32_t name)
{
    double u = bench_chance(name), s[2], c[2];
    cn_sin_cos(2.0 * PI * bench_chance(name + 1), &s[0], &c[0]);
    cn_sin_cos(2.0 * PI * bench_chance(name + 2), &s[1], &c[1]);
    at.x += 0.1 * (bench_chance(name + 3) - 0.5);
    at.z += 0.1 * (bench_chance(name + 4) - 0.5);
    int body = bench_body(build, CN_DYNAMIC, at);
    bench_body_def(build, body)->orientation = (cn_quat){
        sqrt(u) * c[1], sqrt(1.0 - u) * s[0], sqrt(1.0 - u) * c[0], sqrt(u) * s[1]};
    bench_shape(build, CN_SHAPE_MESH)->mesh.index = mesh;
}

/* Layers of side by side bodies, from a height upward. */
static void
add_layers(struct bench_build *build, int mesh, int count, int side, double pitch, double low,
    double layer)
{
    build->density = DENSITY;
    for (int i = 0; i < count; i++) {
        cn_vec3 at = cn_vec3_make(pitch * (i % side - 0.5 * (side - 1)),
            low + layer * (int)(i / (side * side)),
            pitch * (int)(i / side % side) - pitch * 0.5 * (side - 1));
        add_turned(build, mesh, at, (uint32_t)(8 * i));
    }
}

void
bench_spatial_bones(struct bench_build *build)
{
    build->def.settings.substeps = SUBSTEPS;
    int bone = add_bone(build), funnel = add_funnel(build);
    build->shape_material = bench_material(build, 0.3, 0.0);
    add_tray(build, 8.6, 0.4, 2.0);
    bench_body(build, CN_STATIC, cn_vec3_make(0.0, 6.5, 0.0));
    bench_shape(build, CN_SHAPE_MESH)->mesh.index = funnel;
    add_layers(build, bone, BONES, 4, 1.7, 12.5, 1.6);
}

void
bench_spatial_jacks(struct bench_build *build)
{
    int jack = add_jack(build);
    build->shape_material = bench_material(build, 0.5, 0.0);
    add_tray(build, 4.9, 0.3, 1.2);
    add_layers(build, jack, JACKS, 3, 1.25, 1.2, 1.15);
}
