/*
 * gltf.h: reads the surfaces of glTF 2.0, as text or binary (GLB).
 *
 * The reader takes the triangles of all meshes of the nodes in the file's scene.  A node and its
 * parents place its mesh.  Buffers are the binary chunk, inline base64, or files of the folder.
 * Materials, textures, skins, morphs, animations, cameras and lights are skipped.  An extension is
 * skipped unless the file requires it.  Required extensions, primitives other than triangles, and
 * sparse accessors are refused.
 *
 * Source: Khronos, glTF 2.0 specification (2021), sections 3 and 4.
 */
#ifndef ASSETS_GLTF_H
#define ASSETS_GLTF_H

#include "assets/surface.h"

#define AS_GLTF_VALUES_MAX (1 << 18) /* names and values of the text: limits its memory to 30 MB */
#define AS_GLTF_BUFFERS_MAX 64
#define AS_GLTF_DEPTH_MAX 64 /* levels of nodes */

struct as_folder;

/*
 * folder: has the files of its buffers; NULL: such files are refused.  The function initialises the
 * surface; the caller finishes it, also after a failure.
 */
CN_MUST_USE enum cn_status as_gltf_read(const void *bytes, size_t size,
    const struct as_folder *folder, struct as_surface *surface, struct cn_defect *defect);

#endif
