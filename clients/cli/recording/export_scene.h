/*
 * export_scene.h: exports bodies for Foxglove's 3D panel: one entity each, in the body's frame.
 *
 * Field numbers are those of foxglove.SceneUpdate, FrameTransforms and their parts
 * (https://docs.foxglove.dev/docs/sdk/schemas).  Fields that we never write are left out of the
 * descriptors.  A planar world is drawn CLI_EXPORT_DEPTH thick.
 */
#ifndef CLIENTS_CLI_RECORDING_EXPORT_SCENE_H
#define CLIENTS_CLI_RECORDING_EXPORT_SCENE_H

#include "clients/cli/recording/pack.h"
#include "clients/cli/recording/retell.h"

#define CLI_EXPORT_DEPTH 0.1 /* m */

extern const struct cli_pack_file cli_export_foxglove[];

/* Writes the whole scene: it removes all entities, and adds the present ones. */
void cli_export_scene(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns);

/* Writes the poses of the bodies, and the world's frame in "root", whose z is the world's y. */
void cli_export_frames(struct cli_pack *out, const struct cli_moment *moment, uint64_t time_ns);

#endif
