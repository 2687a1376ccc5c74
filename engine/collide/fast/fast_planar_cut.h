/*
 * fast_planar_cut.h: outlines and chains cut into convex pieces.
 *
 * Arcs become chords of at most ARC_STEP.  A chain gives one piece for each chord, with two
 * vertices; edge 0 is the wall.  An outline is cut into triangles by clipping ears, and triangles
 * that make a convex quadrangle are joined.  Every edge of the outline is an edge of exactly one
 * piece; all other edges are inner ones.
 *
 * Every corner of the outline that turns outward has a sector of normals, from that of the edge
 * before it to that of the edge after it.  Pieces that share a corner share its sector.  A piece
 * with both edges has the whole sector.  A piece with the edge before the corner has the first
 * half, one with the edge after it the second half, and other pieces have none.  At the open ends
 * of a chain the sector continues for a quarter turn.
 *
 * Source: ear clipping after Meisters, "Polygons have ears", Am. Math. Monthly 82 (1975); joining
 * as in Hertel and Mehlhorn, "Fast triangulation of simple polygons", FCT 1983.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_PLANAR_CUT_H
#define ENGINE_COLLIDE_FAST_FAST_PLANAR_CUT_H

#include "engine/shape/shape.h"

#include <stdbool.h>

#define CN_CUT_VERTICES_MAX 256 /* of an outline with chords for arcs; chords get longer to fit */
#define CN_CUT_CORNERS_MAX 4    /* of a piece */

struct cn_cut_corner {
    cn_vec2 place;
    bool has_sector, is_end; /* is_end: an open end of a chain: the piece has the whole sector */
    cn_vec2 first, last;     /* unit, the sector's normals, counter-clockwise */
    bool is_border;      /* the edge that begins here is one of the outline */
    cn_vec2 normal;      /* unit, outward, of that edge */
};

struct cn_cut_piece {
    int count; /* 2 to 4 corners */
    struct cn_cut_corner corner[CN_CUT_CORNERS_MAX];
};

/* A ring of corners that is cut into pieces; large, and on the stack of a bake. */
struct cn_cut {
    bool open, solid;
    int count; /* of corners */
    cn_vec2 corner[CN_CUT_VERTICES_MAX];
    int piece_count;
    uint8_t piece_corners[CN_CUT_VERTICES_MAX]; /* number of corners */
    uint16_t piece[CN_CUT_VERTICES_MAX][CN_CUT_CORNERS_MAX];
};

/* Cuts an outline or a chain.  Every call gives the same pieces in the same order. */
void cn_cut_make(struct cn_cut *cut, const struct cn_shape *shape);

struct cn_cut_piece cn_cut_piece_at(const struct cn_cut *cut, int piece);

#endif
