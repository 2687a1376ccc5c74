/*
 * fast_spatial_box.h: a face of a box, and the part of another box that lies on it.
 *
 * Coordinates are those of the face: x and y along the two axes that follow the face's axis, and a
 * depth along its outward normal.  The face of the other box that looks most against the normal is
 * cut to the rectangle of this face.  During the cut the rectangle is larger by a tie, so that
 * edges that coincide up to the tie do not flicker.  The points that are found are then moved back
 * onto it.
 */
#ifndef ENGINE_COLLIDE_FAST_FAST_SPATIAL_BOX_H
#define ENGINE_COLLIDE_FAST_FAST_SPATIAL_BOX_H

#include "engine/collide/fast/fast_spatial_pair.h"

struct cn_fast_box_face {
    /* Given: */
    const struct cn_fast_frame *frame; /* of the box with the face */
    const struct cn_fast_turn3 *other; /* the other box's axes in that frame */
    const struct cn_fast_turn3 *back;  /* the frame's axes in the other box's frame */
    cn_four to_other;                  /* its centre in that frame */
    cn_four half, half_other;
    bool is_a; /* whether the face is of the pair's A */
    int axis;
    float tie, margin;
    float least; /* while the boxes are apart, a lower separation shows a wrong face */
    /* Made: */
    float sign;         /* of the face's normal along its axis */
    int other_axis;     /* of the other box's face, and the sign of its normal */
    float other_sign;
    int count;          /* of the points that are near enough */
    float deepest;      /* the least separation of these points; HUGE_VAL: no points */
    /*
     * Groups of four points: corners of the other's face; where its edges enter the rectangle;
     * where they leave it; corners of the rectangle.
     */
    float x[16], y[16], separation[16];
    uint8_t found[16]; /* the points in use: `count` indices */
    /*
     * Bit q, of edge q of the other's face: it enters, leaves through a side of x; it runs up x, up
     * y.
     */
    int enters_x, leaves_x, up_x, up_y;
};

/*
 * Vertex i is at the upper end of x, y and z where bit 0, 1 and 2 of i are set; edges are named
 * likewise.
 */
static inline int
cn_fast_box_edge(int axis, bool upper_next, bool upper_last)
{
    return 4 * axis + (upper_next ? 1 : 0) + (upper_last ? 2 : 0);
}

void cn_fast_box_clip(struct cn_fast_box_face *face);

/* Adds the deepest corner alone, for boxes that overlap although cutting left no point. */
void cn_fast_box_touch(struct cn_fast_box_face *face);

/*
 * Reduces the points that were found, and adds them to the pair's manifold, with normal and hint.
 */
void cn_fast_box_emit(const struct cn_fast_pair *pair, struct cn_fast_box_face *face);

#endif
