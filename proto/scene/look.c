/* look.c: what a scene says about its world, its bodies and its joints. */
#include "proto/scene/inside.h"

#include <string.h>

#define UNKNOWN "unknown"

const Cairn__V1__Scene *
wire_scene_message(const struct wire_scene *scene)
{
    return scene->message;
}

const struct cn_world_def *
wire_scene_world_def(const struct wire_scene *scene)
{
    return &scene->def;
}

const char *
wire_scene_name(const struct wire_scene *scene)
{
    return scene->message->name[0] != '\0' ? scene->message->name : "scene";
}

enum wire_durability
wire_scene_durability(const struct wire_scene *scene, enum wire_durability standard)
{
    const Cairn__V1__World *world = scene->message->world;
    bool is_said = world != NULL && world->durability != CAIRN__V1__WORLD__DURABILITY__AS_DAEMON;
    return is_said ? (enum wire_durability)(world->durability - 1) : standard;
}

bool
wire_scene_wants_leases(const struct wire_scene *scene)
{
    return scene->message->world != NULL && scene->message->world->leases;
}

const char *
wire_scene_body_name(const struct wire_scene *scene, int body)
{
    return (size_t)body < scene->message->n_bodies ? scene->body_names[body] : UNKNOWN;
}

bool
wire_scene_body_is_relevant(const struct wire_scene *scene, int body)
{
    const Cairn__V1__Scene *message = scene->message;
    return (size_t)body < message->n_bodies && message->bodies[body]->always_relevant;
}

bool
wire_scene_body_has_tag(const struct wire_scene *scene, int body, const char *tag)
{
    const Cairn__V1__Scene *message = scene->message;
    if ((size_t)body >= message->n_bodies) {
        return false;
    }
    const Cairn__V1__Body *said = message->bodies[body];
    for (size_t i = 0; i < said->n_tags; i++) {
        if (strcmp(said->tags[i], tag) == 0) {
            return true;
        }
    }
    return false;
}

const char *
wire_scene_joint_name(const struct wire_scene *scene, int joint)
{
    return (size_t)joint < scene->message->n_joints ? scene->joint_names[joint] : UNKNOWN;
}

int
wire_scene_body_find(const struct wire_scene *scene, const char *name)
{
    return scene_name_find(scene->body_order, scene->count.bodies, name);
}
