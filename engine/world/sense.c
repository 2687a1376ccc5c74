/*
 * sense.c: finds the shapes within sensors, and those that touch, at the end of a tick, and those
 * that pass through one-way shapes, at its begin; and keeps memory for them.
 */
#include "engine/world/world_inside.h"

#include "engine/step/one_way.h"
#include "engine/step/sensor.h"

#include <stdlib.h>
#include <string.h>

#define WITHIN_START 16
#define PASSAGES_START 16

bool
cn_world_within_room(struct cn_world *world, int count)
{
    struct cn_model *model = &world->model;
    if (count <= model->within_max) {
        return true;
    }
    int max = model->within_max > 0 ? model->within_max : WITHIN_START;
    while (max < count) {
        max *= 2;
    }
    uint64_t *within = cn_world_allocate(2 * (size_t)max * sizeof(*within));
    if (within == NULL) {
        return false;
    }
    if (model->within_count > 0) {
        memcpy(within, model->within, (size_t)model->within_count * sizeof(*within));
    }
    free(model->within);
    model->within = within;
    model->within_max = max;
    return true;
}

static void
tell_forces(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    for (int i = 0; i < model->shape_count; i++) {
        if (model->shape[i].force_events) {
            /* The forces of `time` and `position`, also for others, have the impulses in them. */
            bool apart = world->stepper->tell_ends != NULL ||
                         (strcmp(world->stepper->name, "event") == 0 && !model->clock.coarse);
            cn_sensor_tell_forces(model, apart);
            return;
        }
    }
}

bool
cn_world_sense(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    /* A stepper that reports the ends of contacts reports all of them. */
    bool contacts = world->stepper->tell_ends == NULL && cn_sensor_has_contacts(model);
    tell_forces(world);
    if (model->sensor_count == 0 && model->within_count == 0 && !contacts) {
        return true;
    }
    if (model->within_max == 0 && !cn_world_within_room(world, WITHIN_START)) {
        return false;
    }
    cn_pose *pose = world->view->pose;
    for (int i = 0; i < model->body_count; i++) {
        pose[i] = cn_motion_pose(&model->motion[i], model->settings.dimension);
    }
    /* The second half of the block receives the new pairs. */
    int count = cn_sensor_find(
        model, pose, contacts, model->within + model->within_max, model->within_max);
    if (count > model->within_max) {
        if (!cn_world_within_room(world, count)) {
            return false;
        }
        count = cn_sensor_find(
            model, pose, contacts, model->within + model->within_max, model->within_max);
    }
    const uint64_t *found = model->within + model->within_max;
    cn_sensor_tell(model, found, count);
    if (count > 0) {
        memcpy(model->within, found, (size_t)count * sizeof(*found));
    }
    model->within_count = count;
    return true;
}

bool
cn_world_passage_room(struct cn_world *world, int count)
{
    struct cn_model *model = &world->model;
    if (count <= model->passage_max) {
        return true;
    }
    int max = model->passage_max > 0 ? model->passage_max : PASSAGES_START;
    while (max < count) {
        max *= 2;
    }
    struct cn_passage *passage = cn_world_allocate(2 * (size_t)max * sizeof(*passage));
    if (passage == NULL) {
        return false;
    }
    if (model->passage_count > 0) {
        memcpy(passage, model->passage, (size_t)model->passage_count * sizeof(*passage));
    }
    free(model->passage);
    model->passage = passage;
    model->passage_max = max;
    return true;
}

bool
cn_world_pass(struct cn_world *world)
{
    struct cn_model *model = &world->model;
    if (model->one_way_count == 0) {
        model->passage_count = 0;
        return true;
    }
    int count = model->passage_max > 0 ? model->passage_max : PASSAGES_START;
    for (int max = -1; max < count;) { /* twice, if the room was too small */
        if (!cn_world_passage_room(world, count)) {
            return false;
        }
        /* The second half of the block receives the new pairs. */
        max = model->passage_max;
        count = cn_one_way_judge(model, model->passage + max, max);
    }
    if (count > 0) {
        memcpy(model->passage, model->passage + model->passage_max,
            (size_t)count * sizeof(model->passage[0]));
    }
    model->passage_count = count;
    return true;
}
