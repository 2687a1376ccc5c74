/*
 * export_scene.h: bodies as Foxglove's 3D panel draws them: one entity each, in the body's frame.
 *
 * Field numbers are those of foxglove.SceneUpdate, FrameTransforms and what they consist of
 * (https://docs.foxglove.dev/docs/sdk/schemas); fields that we never write are left out of the
 * descriptors.  A planar world is drawn CLI_EXPORT_DEPTH thick.
 */
#ifndef CLIENTS_CLI_EXPORT_SCENE_H
#define CLIENTS_CLI_EXPORT_SCENE_H

#include "clients/cli/pack.h"
#include "clients/cli/retell.h"

#define CLI_EXPORT_DEPTH 0.1 /* m */

extern const struct cli_pack_file cli_export_foxglove[];

/* Everything anew: all entities are removed, and those of now added. */
void cli_export_scene(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns);

/* Where the bodies are, and the world's frame within "root", whose z is up as the world's y is. */
void cli_export_frames(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns);

#endif
