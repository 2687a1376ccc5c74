/*
 * propagation_levels.c: finds which body rests on which (section 8.1), and sorts pairs and joints
 * by levels.
 */
#include "engine/step/propagation/propagation.h"

#include "engine/base/assert.h"
#include "engine/math/scalar.h"

#include <math.h>

/* Of the way that a body falls: it must come nearer by this part to rest on something. */
#define PRESS_MIN 1e-3

#define SOON 4.0 /* times what gravity moves in a step: a smaller gap is used up soon */

/* How far a body falls alone in the time of a tick. */
static cn_vec3
fall_of(const struct cn_model *model, int body)
{
    double t = cn_model_tick_duration(model);
    double scale = model->body[body].mass_inverse > 0.0 ? model->body[body].gravity_scale : 0.0;
    return cn_vec3_scale(model->settings.gravity, scale * t * t);
}

/*
 * Whether a body that falls by `way` comes onto the other, now or soon by its speed.  The normal
 * points towards the body where sign is 1, away from it where sign is -1.
 */
static bool
falls_onto(const struct cn_propagation *p, const struct cn_spot *spot, cn_vec3 way, double sign)
{
    double press = -sign * cn_vec3_dot(spot->now.normal, way);
    return press > PRESS_MIN * cn_vec3_length(way) &&
           (spot->now.gap < press || cn_propagation_meets(p, &p->meeting[spot->pair], spot));
}

static void
add_edge(struct cn_contact_graph *graph, int below, int above)
{
    CN_ASSERT(graph->edge_count < graph->edge_max);
    graph->edge[graph->edge_count++] = (struct cn_graph_edge){below, above};
}

static void
find_edges(struct cn_propagation *p)
{
    p->graph.edge_count = 0;
    for (int i = 0; i < p->pair_count; i++) {
        const struct cn_meeting *pair = &p->meeting[i];
        cn_vec3 fall_a = fall_of(p->model, pair->body_a), fall_b = fall_of(p->model, pair->body_b);
        bool a_rests = false, b_rests = false;
        for (int k = 0; k < pair->spot_count; k++) {
            const struct cn_spot *spot = &p->spot[pair->spot_first + k];
            a_rests = a_rests || falls_onto(p, spot, fall_a, -1.0);
            b_rests = b_rests || falls_onto(p, spot, fall_b, 1.0);
        }
        if (a_rests) {
            add_edge(&p->graph, pair->body_b, pair->body_a);
        }
        if (b_rests) {
            add_edge(&p->graph, pair->body_a, pair->body_b);
        }
    }
    for (int i = 0; i < p->tie_count; i++) {
        const struct cn_tie *tie = &p->tie[i];
        if (tie->body_a >= 0 && tie->body_b >= 0) {
            add_edge(&p->graph, tie->body_a, tie->body_b);
            add_edge(&p->graph, tie->body_b, tie->body_a);
        }
    }
}

static int32_t
level_of(const struct cn_propagation *p, int body_a, int body_b)
{
    int32_t a = body_a >= 0 ? p->graph.level[body_a] : 0;
    int32_t b = body_b >= 0 ? p->graph.level[body_b] : 0;
    return a > b ? a : b;
}

/* Turns counts by level, in first[level + 1], into the positions where the levels begin. */
static void
sum_up(int32_t *first, int level_count)
{
    for (int k = 0; k <= level_count; k++) {
        first[k + 1] += first[k];
    }
}

static void
sort_pairs(struct cn_propagation *p)
{
    int levels = p->graph.level_count;
    for (int k = 0; k <= levels + 1; k++) {
        p->level_first[k] = p->tie_first[k] = 0;
    }
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_meeting *pair = &p->meeting[i];
        pair->level = pair->spot_count > 0 ? level_of(p, pair->body_a, pair->body_b) : 0;
        CN_ASSERT(pair->level >= 0 && pair->level <= levels);
        p->level_first[pair->level + 1]++;
    }
    for (int i = 0; i < p->tie_count; i++) {
        p->tie[i].level = level_of(p, p->tie[i].body_a, p->tie[i].body_b);
        p->tie_first[p->tie[i].level + 1]++;
    }
    sum_up(p->level_first, levels);
    sum_up(p->tie_first, levels);
    /* Filled from the end, so that level_first[k + 1] becomes the position where level k begins. */
    for (int i = p->pair_count - 1; i >= 0; i--) {
        int pair = p->order[i];
        p->sorted[--p->level_first[p->meeting[pair].level + 1]] = pair;
    }
    for (int i = p->tie_count - 1; i >= 0; i--) {
        p->tie_order[--p->tie_first[p->tie[i].level + 1]] = i;
    }
    for (int k = 0; k <= levels; k++) {
        p->level_first[k] = p->level_first[k + 1];
        p->tie_first[k] = p->tie_first[k + 1];
    }
    CN_ASSERT(p->level_first[0] == 0 && p->tie_first[0] == 0);
    p->level_first[levels + 1] = p->pair_count;
    p->tie_first[levels + 1] = p->tie_count;
}

static void
sort_bodies(struct cn_propagation *p)
{
    int levels = p->graph.level_count, count = p->model->body_count;
    for (int k = 0; k <= levels + 1; k++) {
        p->body_first[k] = 0;
    }
    for (int i = 0; i < count; i++) {
        p->body_first[p->graph.level[i] + 1]++;
    }
    sum_up(p->body_first, levels);
    for (int i = count - 1; i >= 0; i--) {
        p->body_order[--p->body_first[p->graph.level[i] + 1]] = i;
    }
    for (int k = 0; k <= levels; k++) {
        p->body_first[k] = p->body_first[k + 1];
    }
    CN_ASSERT(p->body_first[0] == 0);
    p->body_first[levels + 1] = count;
}

/* Puts the candidates into the order in which their pairs are swept over. */
static void
sort_spots(struct cn_propagation *p)
{
    int count = 0;
    double soon = SOON * p->h * p->h * cn_vec3_length(p->model->settings.gravity);
    for (int i = 0; i < p->pair_count; i++) {
        struct cn_meeting *pair = &p->meeting[p->sorted[i]];
        int first = count;
        pair->has_spare = false;
        for (int k = 0; k < pair->spot_count; k++, count++) {
            p->spot_other[count] = p->spot[pair->spot_first + k];
            double gap = p->spot_other[count].ahead.gap;
            p->spare[count] = gap > soon ? gap : -HUGE_VAL;
            pair->has_spare = pair->has_spare || gap > soon;
        }
        pair->spot_first = first;
    }
    CN_ASSERT(count == p->spot_count); /* pairs have every candidate once */
    struct cn_spot *sorted = p->spot_other;
    p->spot_other = p->spot;
    p->spot = sorted;
}

void
cn_propagation_levels(struct cn_propagation *p)
{
    find_edges(p);
    cn_contact_graph_sort(&p->graph, p->model->body_count, p->fixed);
    cn_propagation_shuffle(p);
    sort_pairs(p);
    sort_spots(p);
    sort_bodies(p);
}
