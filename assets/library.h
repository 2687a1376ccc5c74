/*
 * library.h: meshes that are made once, however many worlds are made of them.
 *
 * Meshes are found by the hash of what they are made from.  The library keeps a reference of each,
 * up to a size in bytes; beyond it the ones that nobody has asked for longest go, which worlds that
 * still have them do not notice.
 *
 * Threads: any; a lock guards the list, and is not held while a mesh is baked, so that one that is
 * large does not hold up others.  Two that ask for the same at once may both bake; the first is
 * kept, and both get it.
 */
#ifndef ASSETS_LIBRARY_H
#define ASSETS_LIBRARY_H

#include "engine/mesh/mesh.h"

#include <stddef.h>

#define AS_LIBRARY_SIZE (256U << 20) /* bytes, a good default: some hundred meshes */
#define AS_LIBRARY_MESHES_MAX 1024

struct as_library;

/* NULL: no memory. */
struct as_library *as_library_create(size_t size_max);
void as_library_destroy(struct as_library *library);

/* A reference of a mesh of this definition, made if it is not there: as cn_mesh_make. */
CN_MUST_USE enum cn_status as_library_make(struct as_library *library,
    const struct cn_mesh_def *def, struct cn_mesh **mesh, struct cn_defect *defect);

struct as_library_count {
    int meshes;
    size_t size; /* bytes of them */
    unsigned long found, made;
};

struct as_library_count as_library_count(struct as_library *library);

#endif
