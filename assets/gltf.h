/*
 * gltf.h: glTF 2.0, text or binary (GLB), as far as it is a surface.
 *
 * Read are the triangles of all meshes that the nodes of the file's scene have, each placed by its
 * node and those above it.  Buffers are the binary chunk, base64 within, or files of the folder.
 * Materials, textures, skins, morphs, animations, cameras and lights are passed over, and so are
 * extensions that the file does not require; one that it requires is refused, as are primitives
 * that are not triangles and sparse accessors.
 *
 * Source: Khronos, glTF 2.0 specification (2021), sections 3 and 4.
 */
#ifndef ASSETS_GLTF_H
#define ASSETS_GLTF_H

#include "assets/surface.h"

#define AS_GLTF_VALUES_MAX (1 << 18) /* names and values of the text: bounds what it takes, 30 MB */
#define AS_GLTF_BUFFERS_MAX 64
#define AS_GLTF_DEPTH_MAX 64 /* of nodes */

/*
 * folder: where its buffers are; NULL: those beside it are refused.  The surface is initialised
 * here; finish it also after a failure.
 */
CN_MUST_USE enum cn_status as_gltf_read(const void *bytes, size_t size,
    const struct as_folder *folder, struct as_surface *surface, struct cn_defect *defect);

#endif
