/*
 * library.h: meshes that are baked once for any number of worlds.
 *
 * A mesh is found by the hash of its definition.  The library keeps a reference to each mesh, up
 * to a size in bytes.  Beyond that size it drops the meshes that were not requested for the
 * longest time. Worlds that still use them keep their own references.
 *
 * Threads: any.  A lock guards the list.  It is not held while a mesh is baked, so that a large
 * mesh does not delay others.  If two threads ask for the same mesh at once, both may bake it; the
 * first one is kept, and both get it.
 */
#ifndef ASSETS_LIBRARY_H
#define ASSETS_LIBRARY_H

#include "engine/mesh/mesh.h"

#include <stddef.h>

#define AS_LIBRARY_SIZE (256U << 20) /* bytes, the default: some hundred meshes */
#define AS_LIBRARY_MESHES_MAX 1024

struct as_library;

/* NULL: no memory. */
struct as_library *as_library_create(size_t size_max);
void as_library_destroy(struct as_library *library);

/* Returns a reference to a mesh of this definition; makes it, as cn_mesh_make does, if needed. */
CN_MUST_USE enum cn_status as_library_make(struct as_library *library,
    const struct cn_mesh_def *def, struct cn_mesh **mesh, struct cn_defect *defect);

struct as_library_count {
    int meshes;
    size_t size; /* bytes of all meshes */
    unsigned long found, made;
};

struct as_library_count as_library_count(struct as_library *library);

#endif
