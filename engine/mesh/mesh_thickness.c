/*
 * Finds the greatest depth.  A box may hold a point deeper than the deepest so far, judged by its
 * middle's distance and its half diagonal.  Such boxes are divided in eight, level by level, until
 * none is left or the number of lookups is used up.  From the deepest point found, a climb with
 * decreasing steps leads to the maximum.  Every depth that is found is real, so the result is never
 * too large.
 */
#include "engine/base/assert.h"
#include "engine/mesh/mesh_build.h"

#include <stdlib.h>

#define LOOKS 2000     /* per mesh: some milliseconds */
#define CLOSE 1.15     /* a box whose bound is less than this times the deepest is not searched */

struct hunt {
    const struct cn_mesh *mesh;
    cn_vec3 *cell, *next; /* middles */
    int count, next_count, looks;
    double half; /* of the cells' edge */
    double deepest;
    cn_vec3 place; /* of the deepest point */
};

/* Looks up the depth at p. */
static double
look_at(struct hunt *hunt, cn_vec3 p)
{
    double depth = -cn_mesh_distance(hunt->mesh, p);
    hunt->looks++;
    if (depth > hunt->deepest) {
        hunt->deepest = depth;
        hunt->place = p;
    }
    return depth;
}

/* Looks up the middles of all cells, and divides those that may hold a deeper point. */
static void
divide_cells(struct hunt *hunt)
{
    double reach = sqrt(3.0) * hunt->half, quarter = 0.5 * hunt->half;
    hunt->next_count = 0;
    for (int i = 0; i < hunt->count; i++) {
        cn_vec3 middle = hunt->cell[i];
        if (hunt->looks >= LOOKS) {
            return;
        }
        double depth = look_at(hunt, middle);
        if (!(depth + reach > CLOSE * hunt->deepest) || hunt->next_count > LOOKS - 8) {
            continue;
        }
        for (int k = 0; k < 8; k++) {
            hunt->next[hunt->next_count++] =
                (cn_vec3){middle.x + ((k & 1) != 0 ? quarter : -quarter),
                    middle.y + ((k & 2) != 0 ? quarter : -quarter),
                    middle.z + ((k & 4) != 0 ? quarter : -quarter)};
        }
    }
}

/* Steps to the deepest of the 26 neighbours in a cube; halves the step where none is deeper. */
static void
climb_to_deepest(struct hunt *hunt, double step)
{
    double least = 1e-3 * hunt->deepest;
    for (int round = 0; round < 64 && step > least; round++) {
        cn_vec3 from = hunt->place;
        double before = hunt->deepest;
        for (int k = 0; k < 27; k++) {
            look_at(hunt, (cn_vec3){from.x + step * (k % 3 - 1), from.y + step * (k / 3 % 3 - 1),
                              from.z + step * (k / 9 - 1)});
        }
        step *= hunt->deepest > before ? 1.0 : 0.5;
    }
}

double
cn_mesh_thickness(const struct cn_mesh *mesh)
{
    cn_vec3 low = mesh->bounds.low, extent = cn_vec3_sub(mesh->bounds.high, low);
    struct hunt hunt = {.mesh = mesh, .count = 1};
    hunt.cell = malloc(LOOKS * sizeof(*hunt.cell));
    hunt.next = malloc(LOOKS * sizeof(*hunt.next));
    bool has_memory = hunt.cell != NULL && hunt.next != NULL;
    if (has_memory) {
        hunt.half = 0.5 * fmax(extent.x, fmax(extent.y, extent.z));
        hunt.cell[0] = cn_vec3_add_scaled(low, 0.5, extent);
        while (hunt.count > 0 && hunt.looks < LOOKS) {
            divide_cells(&hunt);
            cn_vec3 *old = hunt.cell;
            hunt.cell = hunt.next;
            hunt.next = old;
            hunt.count = hunt.next_count;
            CN_ASSERT(0 <= hunt.count && hunt.count <= LOOKS);
            hunt.half *= 0.5;
        }
        CN_ASSERT(hunt.half > 0.0 && hunt.deepest >= 0.0);
        climb_to_deepest(&hunt, hunt.half);
    }
    free(hunt.cell);
    free(hunt.next);
    return has_memory ? 2.0 * hunt.deepest : -1.0;
}
