#include "clients/cli/sample.h"

#include "clients/base/exit.h"
#include "clients/cli/attributes.h"
#include "engine/base/assert.h"
#include "engine/solve/table/solver_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- events ---- */

bool
cli_events_add(struct cli_events *events, const struct cn_world *world)
{
    const struct cn_event *added;
    int added_count = cn_world_events(world, &added);
    events->dropped_count += cn_world_events_dropped(world);
    if (added_count > events->capacity - events->count) {
        int capacity = 2 * events->capacity + added_count;
        struct cn_event *items = realloc(events->items, (size_t)capacity * sizeof(*items));
        if (items == NULL) {
            cli_complain("no memory for the events of a tick");
            return false;
        }
        events->items = items;
        events->capacity = capacity;
    }
    CN_ASSERT(events->count + added_count <= events->capacity);
    if (added_count > 0) {
        memcpy(events->items + events->count, added, (size_t)added_count * sizeof(*added));
        events->count += added_count;
    }
    return true;
}

void
cli_events_finish(struct cli_events *events)
{
    free(events->items);
    *events = (struct cli_events){0};
}

/* ---- JSON ---- */

static void
put_number(struct wire_json *json, const char *key, double value)
{
    wire_json_key(json, key);
    wire_json_double(json, value);
}

static bool
is_planar(const struct cn_world *world)
{
    return cn_world_settings(world)->dimension == CN_PLANAR;
}

static void
put_vector(struct wire_json *json, const char *key, cn_vec3 value, bool planar)
{
    wire_json_key(json, key);
    wire_json_object_begin(json);
    put_number(json, "x", value.x);
    put_number(json, "y", value.y);
    if (!planar) {
        put_number(json, "z", value.z);
    }
    wire_json_object_end(json);
}

static void
put_turn(struct wire_json *json, const struct cn_body_view *view, bool planar)
{
    if (planar) {
        put_number(json, "angle", view->angle);
        return;
    }
    wire_json_key(json, "orientation");
    wire_json_object_begin(json);
    put_number(json, "w", view->orientation.w);
    put_number(json, "x", view->orientation.x);
    put_number(json, "y", view->orientation.y);
    put_number(json, "z", view->orientation.z);
    wire_json_object_end(json);
}

static void
put_spin(struct wire_json *json, const char *key, cn_vec3 spin, bool planar)
{
    if (!planar) {
        put_vector(json, key, spin, false);
        return;
    }
    wire_json_key(json, key);
    wire_json_object_begin(json);
    put_number(json, "z", spin.z);
    wire_json_object_end(json);
}

static void
put_body(
    struct wire_json *json, const char *name, const struct cn_body_view *view, bool planar)
{
    wire_json_object_begin(json);
    wire_json_key(json, "name");
    wire_json_string(json, name);
    put_vector(json, "position", view->position, planar);
    put_turn(json, view, planar);
    put_vector(json, "velocity", view->velocity, planar);
    put_spin(json, "angularVelocity", view->angular_velocity, planar);
    if (view->has_acceleration) {
        put_vector(json, "acceleration", view->acceleration, planar);
        put_spin(json, "angularAcceleration", view->angular_acceleration, planar);
    }
    wire_json_object_end(json);
}

static void
put_body_name(
    struct wire_json *json, const char *key, const struct wire_scene *scene, int32_t body)
{
    wire_json_key(json, key);
    if (body >= 0) {
        wire_json_string(json, wire_scene_body_name(scene, body));
    } else {
        wire_json_null(json);
    }
}

static void
put_contact(struct wire_json *json, const struct wire_scene *scene,
    const struct cn_contact_view *contact, bool planar)
{
    wire_json_object_begin(json);
    put_body_name(json, "bodyA", scene, contact->body_a);
    put_body_name(json, "bodyB", scene, contact->body_b);
    put_vector(json, "point", contact->point, planar);
    put_vector(json, "normal", contact->normal, planar);
    put_number(json, "gap", contact->gap);
    put_number(json, "force", contact->force);
    put_vector(json, "friction", contact->friction, planar);
    const cn_vec3 *moment = &contact->moment;
    if (moment->x != 0.0 || moment->y != 0.0 || moment->z != 0.0) {
        put_spin(json, "moment", *moment, planar);
    }
    put_number(json, "impulse", contact->impulse);
    wire_json_object_end(json);
}

static void
put_joint(struct wire_json *json, const struct wire_scene *scene, int index,
    const struct cn_joint_view *view, bool planar)
{
    static const char *const kinds[] = {
#define X(name, NAME, text) #name,
        CN_JOINT_TABLE(X)
#undef X
    };
    CN_ASSERT((size_t)view->kind < sizeof(kinds) / sizeof(kinds[0]));
    wire_json_object_begin(json);
    wire_json_key(json, "name");
    wire_json_string(json, wire_scene_joint_name(scene, index));
    wire_json_key(json, "kind");
    wire_json_string(json, kinds[view->kind]);
    put_body_name(json, "bodyA", scene, view->body_a);
    put_body_name(json, "bodyB", scene, view->body_b);
    put_vector(json, "pointA", view->point_a, planar);
    put_vector(json, "pointB", view->point_b, planar);
    put_vector(json, "force", view->force, planar);
    if (planar) {
        put_number(json, "torque", view->torque.z);
    } else {
        put_vector(json, "torque", view->torque, planar);
    }
    put_number(json, "gap", view->gap);
    if (view->has_coordinate) {
        put_number(json, "coordinate", view->coordinate);
        put_number(json, "rate", view->rate);
        put_number(json, "motor", view->motor);
    }
    wire_json_object_end(json);
}

/* Writes the joints; a scene without joints has no list. */
static void
put_joints(struct wire_json *json, const struct wire_scene *scene, const struct cn_world *world)
{
    int count = cn_world_joint_count(world);
    if (count == 0) {
        return;
    }
    wire_json_key(json, "joints");
    wire_json_list_begin(json);
    for (int i = 0; i < count; i++) {
        struct cn_joint_view view;
        cn_world_joint_view(world, i, &view);
        if (!view.absent) {
            put_joint(json, scene, i, &view, is_planar(world));
        }
    }
    wire_json_list_end(json);
}

static void
put_event(struct wire_json *json, const struct wire_scene *scene, const struct cn_event *event)
{
    wire_json_object_begin(json);
    wire_json_key(json, "kind");
    wire_json_string(json, cn_event_name(event->kind));
    put_body_name(json, "bodyA", scene, event->body_a);
    put_body_name(json, "bodyB", scene, event->body_b);
    put_number(json, "time", event->time);
    put_number(json, "value", event->value);
    wire_json_object_end(json);
}

/* Writes the counts of a solver with heuristics: islands by branch, power added by fallbacks. */
static void
put_guesses(struct wire_json *json, const struct cn_heuristic_counts *counts)
{
    wire_json_key(json, "guesses");
    wire_json_object_begin(json);
    wire_json_key(json, "nothingParts");
    wire_json_int(json, counts->guess_count);
    wire_json_key(json, "predicted");
    wire_json_int(json, counts->prediction_count);
    wire_json_key(json, "fallback");
    wire_json_int(json, counts->fallback_count);
    put_number(json, "power", counts->power);
    wire_json_object_end(json);
}

static void
put_energy_and_solver(struct wire_json *json, const struct cn_world *world)
{
    struct cn_energy energy = cn_world_energy(world);
    struct cn_solve_summary summary = cn_world_solve_summary(world);
    wire_json_key(json, "energy");
    wire_json_object_begin(json);
    put_number(json, "kinetic", energy.kinetic);
    put_number(json, "potential", energy.potential);
    put_number(json, "total", energy.total);
    wire_json_object_end(json);
    wire_json_key(json, "solver");
    wire_json_object_begin(json);
    wire_json_key(json, "name");
    wire_json_string(json, cn_world_settings(world)->solver);
    wire_json_key(json, "outcome");
    wire_json_string(json, cn_solve_outcome_name(summary.outcome));
    if (summary.is_judged) {
        put_number(json, "residual", summary.residual);
    }
    wire_json_key(json, "iterations");
    wire_json_int(json, summary.iteration_count);
    if (cn_solver_find(cn_world_settings(world)->solver)->heuristic) {
        put_guesses(json, &summary.heuristic);
    }
    wire_json_object_end(json);
}

static void
put_events(
    struct wire_json *json, const struct wire_scene *scene, const struct cli_events *events)
{
    wire_json_key(json, "events");
    wire_json_list_begin(json);
    for (int i = 0; i < events->count; i++) {
        put_event(json, scene, &events->items[i]);
    }
    wire_json_list_end(json);
    if (events->dropped_count > 0) {
        wire_json_key(json, "eventsDropped");
        wire_json_int(json, events->dropped_count);
    }
}

/* Worlds without attributes have no list of them. */
static void
put_attributes(
    struct wire_json *json, const struct wire_scene *scene, const struct cn_world *world)
{
    const struct cn_attribute *rows;
    int count = cn_world_attributes(world, &rows);
    if (cli_attributes_shown(rows, count) > 0) {
        wire_json_key(json, "attributes");
        cli_attributes_json(json, scene, rows, count);
    }
}

void
cli_sample_json(struct wire_json *json, const struct wire_scene *scene,
    const struct cn_world *world, const struct cli_events *events)
{
    bool planar = is_planar(world);
    wire_json_object_begin(json);
    wire_json_key(json, "tick");
    wire_json_uint(json, cn_world_tick(world));
    put_number(json, "time", cn_world_time(world));
    wire_json_key(json, "bodies");
    wire_json_list_begin(json);
    for (int i = 0; i < cn_world_body_count(world); i++) {
        struct cn_body_view view;
        cn_world_body_view(world, i, &view);
        if (!view.absent) {
            put_body(json, wire_scene_body_name(scene, i), &view, planar);
        }
    }
    wire_json_list_end(json);
    wire_json_key(json, "contacts");
    wire_json_list_begin(json);
    const struct cn_contact_view *contacts;
    int contact_count = cn_world_contacts(world, &contacts);
    if (contact_count == 0 && cn_world_contact_count(world) > 0) {
        json->failed = true; /* no memory for the contacts */
    }
    for (int i = 0; i < contact_count; i++) {
        put_contact(json, scene, &contacts[i], planar);
    }
    wire_json_list_end(json);
    put_joints(json, scene, world);
    put_energy_and_solver(json, world);
    put_events(json, scene, events);
    put_attributes(json, scene, world);
    char hash[24];
    snprintf(hash, sizeof(hash), "%016" PRIx64, cn_world_hash(world));
    wire_json_key(json, "hash");
    wire_json_string(json, hash);
    wire_json_object_end(json);
}
