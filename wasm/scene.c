/* scene.c: reads the scene of a world, in a module that has every kind of body. */
#include "wasm/inside.h"

struct wire_scene *
wa_scene_read(const uint8_t *bytes, size_t size, struct wire_text_error *error)
{
    const struct wire_mesh_tools tools = {.is_own = true};
    return wire_scene_unpack_with(bytes, size, &tools, error);
}
