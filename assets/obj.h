/*
 * obj.h: reads the surfaces of Wavefront OBJ text.
 *
 * The reader takes two kinds of lines:
 *
 *     v x y z    a fourth number, or three numbers of a colour, are skipped
 *     f ...      three to AS_POLYGON_MAX corners: i, i/t, i//n or i/t/n; i counts from 1, and from
 *                the last vertex with -1
 *
 * A polygon becomes triangles, also if it is not convex.  Comments, normals, texture coordinates,
 * materials, groups, objects and smoothing are skipped: all objects of a file are one surface.
 * Anything else is refused, with its line.
 *
 * Source: Wavefront, Advanced Visualizer manual, appendix B1.
 */
#ifndef ASSETS_OBJ_H
#define ASSETS_OBJ_H

#include "assets/surface.h"

/* The function initialises the surface; the caller finishes it, also after a failure. */
CN_MUST_USE enum cn_status as_obj_read(
    const char *text, size_t size, struct as_surface *surface, struct cn_defect *defect);

#endif
