/*
 * defect.h: an error in outside input: a status, the path of the field, and a text.
 *
 * The path uses the names of scene.proto, e.g. "bodies[3].shapes[0].box.size.x".  The text names
 * the value, the limit and what is accepted, e.g. "is -1; a size is above 0 and at most 2000 m".
 * The program that read the scene adds file and line.
 */
#ifndef ENGINE_BASE_DEFECT_H
#define ENGINE_BASE_DEFECT_H

#include "engine/base/status.h"

#define CN_DEFECT_PATH_SIZE 128
#define CN_DEFECT_TEXT_SIZE 256

struct cn_defect {
    enum cn_status status;
    char path[CN_DEFECT_PATH_SIZE];
    char text[CN_DEFECT_TEXT_SIZE];
};

/* Fills *defect (when it is not NULL) and returns status, so that a check can end in one line. */
__attribute__((format(printf, 4, 5))) enum cn_status cn_defect_set(struct cn_defect *defect,
    enum cn_status status, const char *path, const char *format, ...);

/*
 * Puts `prefix` in front of the path: a shape's check knows "box.size.x", its caller the part
 * before.
 */
__attribute__((format(printf, 2, 3))) void cn_defect_prefix(struct cn_defect *defect,
    const char *format, ...);

#endif
