/* rules_change.c: the changes of bodies that rules make, as messages like those of clients. */
#include "proto/rules.h"

#include "proto/scene/inside.h"
#include "proto/scene_live.h"

#include "cairn/v1/world.pb-c.h"

#include <stdio.h>
#include <stdlib.h>

#define TEXT_SIZE (3 * WIRE_NAME_SIZE_MAX) /* "NAME.BODY" */

/* Packs the message and reads it, as if it had come from a client. */
static struct wire_change *
read_change(
    const Cairn__V1__Change *message, const struct wire_scene *shown, struct cn_defect *defect)
{
    size_t size = cairn__v1__change__get_packed_size(message);
    uint8_t *bytes = malloc(size + 1);
    if (bytes == NULL) {
        (void)cn_defect_set(defect, CN_MEMORY, "", "no memory for a change");
        return NULL;
    }
    cairn__v1__change__pack(message, bytes);
    struct wire_change *change = wire_change_unpack(bytes, size, shown, defect);
    free(bytes);
    return change;
}

static void
fill_vector(Cairn__V1__Vec3 *message, cn_vec3 value)
{
    cairn__v1__vec3__init(message);
    message->x = value.x;
    message->y = value.y;
    message->z = value.z;
}

struct wire_change *
wire_rule_spawn(const struct wire_scene *shown, const char *prefab, const char *name,
    const struct wire_put *put, struct cn_defect *defect)
{
    Cairn__V1__Change message;
    Cairn__V1__Spawn spawn;
    Cairn__V1__Spawn *spawns[] = {&spawn};
    Cairn__V1__Vec3 position, velocity;
    Cairn__V1__Quat turn;
    char prefab_text[TEXT_SIZE], name_text[TEXT_SIZE];
    const Cairn__V1__World *world = wire_scene_message(shown)->world;
    cairn__v1__change__init(&message);
    cairn__v1__spawn__init(&spawn);
    cairn__v1__quat__init(&turn);
    fill_vector(&position, put->at);
    fill_vector(&velocity, put->velocity);
    snprintf(prefab_text, sizeof(prefab_text), "%s", prefab);
    snprintf(name_text, sizeof(name_text), "%s", name);
    spawn.prefab = prefab_text;
    spawn.name = name_text;
    spawn.position = &position;
    spawn.velocity = &velocity;
    spawn.angle = put->angle;
    if (world != NULL && world->dimension == CAIRN__V1__WORLD__DIMENSION__SPATIAL) {
        turn.w = put->orientation.w;
        turn.x = put->orientation.x;
        turn.y = put->orientation.y;
        turn.z = put->orientation.z;
        spawn.orientation = &turn;
    }
    message.spawns = spawns;
    message.n_spawns = 1;
    return read_change(&message, shown, defect);
}

struct wire_change *
wire_rule_remove(const struct wire_scene *shown, int body, struct cn_defect *defect)
{
    Cairn__V1__Change message;
    char name[TEXT_SIZE];
    char *names[] = {name};
    cairn__v1__change__init(&message);
    snprintf(name, sizeof(name), "%s", wire_scene_body_name(shown, body));
    message.remove = names;
    message.n_remove = 1;
    return read_change(&message, shown, defect);
}
