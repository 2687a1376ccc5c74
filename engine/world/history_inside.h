/* history_inside.h: frames, rows and graves, for the files that write and read them. */
#ifndef ENGINE_WORLD_HISTORY_INSIDE_H
#define ENGINE_WORLD_HISTORY_INSIDE_H

#include "engine/model/model.h"

#include <string.h>

#define PLANAR_NUMBERS 3  /* x, y, angle */
#define SPATIAL_NUMBERS 7 /* x, y, z, w, x, y, z */

/* A row has PLANAR_NUMBERS or SPATIAL_NUMBERS, and a tail: 32 or 64 bytes. */
union cell {
    double number;
    struct {
        int32_t body;
        float reach; /* largest distance of the body's points from the centre of mass; HUGE for a
                        plane */
    } tail;
};

struct starter {
    uint64_t before; /* 1 + the frame of the body's row before; 0: it has none */
    int32_t row;
};

struct frame {
    union cell *row;
    struct starter *starter;
    int row_count, row_max, starter_count, starter_max;
};

/* The data of a slot. */
struct life {
    uint64_t last;       /* 1 + the frame of its last row, or the tick in which its body was made */
    uint64_t born;       /* the first tick that ended with its body as it is; 0: always */
    struct grave *grave; /* of the slot's earlier bodies, the last one */
};

struct grave {
    struct grave *next;  /* in order of death */
    struct grave *older; /* of the same slot */
    uint64_t born, died; /* the first and last tick that ended with the body */
    struct cn_made *made; /* the memory that its shapes borrow; NULL: the world owns it */
    size_t size;
    int32_t body, shape_first, shape_count;
    struct cn_shape shape[];
};

struct cn_history {
    int tick_max;
    int number_count, cell_count; /* of a row */
    uint64_t first, start, tick;  /* tick is the present one, whose frame is open */
    struct frame *frame;          /* tick_max + 1 frames: that of tick k at k % (tick_max + 1) */
    union cell *now;              /* for each slot a row with the last pose that the history
                                     knows */
    struct life *life;
    int body_max;
    size_t size;                  /* bytes of frames and graves */
    struct grave *first_grave, *last_grave;
};

static inline struct frame *
frame_of(const struct cn_history *h, uint64_t tick)
{
    return &h->frame[tick % (uint64_t)(h->tick_max + 1)];
}

static inline cn_pose
read_pose(const union cell *row, bool planar)
{
    struct cn_motion motion = {.position = {row[0].number, row[1].number, 0.0}};
    if (planar) {
        motion.angle = row[2].number;
    } else {
        motion.position.z = row[2].number;
        memcpy(&motion.orientation, &row[3], 4 * sizeof(double));
    }
    return cn_motion_pose(&motion, planar ? CN_PLANAR : CN_SPATIAL);
}

static inline bool
is_planar(const struct cn_history *h)
{
    return h->number_count == PLANAR_NUMBERS;
}

#endif
