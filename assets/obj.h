/*
 * obj.h: Wavefront OBJ text, as far as it is a surface.
 *
 * Read are `v x y z` (a fourth number, or three of a colour, are passed over) and `f` with three to
 * AS_POLYGON_MAX corners, `i`, `i/t`, `i//n` or `i/t/n`, from 1, or from the last vertex with -1.
 * A polygon becomes triangles, also one that is not convex.  Comments, normals, texture places,
 * materials, groups, objects and smoothing are passed over: all objects of a file are one surface.
 * All else is refused, with its line.
 *
 * Source: Wavefront, Advanced Visualizer manual, appendix B1.
 */
#ifndef ASSETS_OBJ_H
#define ASSETS_OBJ_H

#include "assets/surface.h"

/* The surface is initialised here; finish it also after a failure. */
CN_MUST_USE enum cn_status as_obj_read(
    const char *text, size_t size, struct as_surface *surface, struct cn_defect *defect);

#endif
