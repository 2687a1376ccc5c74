/*
 * status.h: operating errors, one table.
 *
 * A function that returns enum cn_status has changed nothing unless it returns CN_OK.  The text is
 * for people; the name is stable and appears in logs and on the wire.
 */
#ifndef ENGINE_BASE_STATUS_H
#define ENGINE_BASE_STATUS_H

#define CN_STATUS_TABLE(X)                                                                         \
    X(OK, "done")                                                                                  \
    X(MEMORY, "no memory")                                                                         \
    X(FINITE, "a number is not finite")                                                            \
    X(RANGE, "a number is outside its range")                                                      \
    X(LIMIT, "a limit of the engine is exceeded")                                                  \
    X(GEOMETRY, "a shape is degenerate")                                                           \
    X(MASS, "a mass or an inertia is not usable")                                                  \
    X(REFERENCE, "a body, material or shape that is named does not exist")                         \
    X(UNKNOWN, "a name is in no table")                                                            \
    X(PAIR, "this stepper and this solver do not fit together")                                    \
    X(DIMENSION, "not available in a world of this dimension")                                     \
    X(IMAGE, "an image is damaged or of another version")                                          \
    X(SYNTAX, "a text or a message can not be read")                                               \
    X(DUPLICATE, "a name is given twice")                                                          \
    X(OVERLAP, "bodies are deep in one another")

#define X(name, text) CN_##name,
enum cn_status { CN_STATUS_TABLE(X) };
#undef X

#define CN_MUST_USE __attribute__((warn_unused_result))

/* Continues when the call returns CN_OK, else returns its status from this function. */
#define CN_CHECK(call)                                                                             \
    do {                                                                                           \
        enum cn_status check_status = (call);                                                      \
        if (check_status != CN_OK) {                                                               \
            return check_status;                                                                   \
        }                                                                                          \
    } while (0)

/* The table's text; "unknown status" for a number that is not in it. */
const char *cn_status_text(enum cn_status status);

/* The table's name without prefix, e.g. "RANGE". */
const char *cn_status_name(enum cn_status status);

#endif
