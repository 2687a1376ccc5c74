/*
 * load.h: reads a surface from a file, whose name tells the format.
 */
#ifndef ASSETS_LOAD_H
#define ASSETS_LOAD_H

#include "assets/surface.h"

struct as_folder;

/* Reads a file of the folder: .obj, .gltf or .glb.  The caller finishes the surface. */
CN_MUST_USE enum cn_status as_surface_load(const struct as_folder *folder, const char *name,
    struct as_surface *surface, struct cn_defect *defect);

#endif
