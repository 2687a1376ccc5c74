/*
 * name.h: quotes names that people typed safely, and finds the known name that they may have meant.
 *
 * An error message quotes the name that it refuses.  The name came from outside, so it is cut to a
 * length, and bytes that could control a terminal or break a log line become '?'.
 */
#ifndef ENGINE_BASE_NAME_H
#define ENGINE_BASE_NAME_H

#define CN_QUOTE_SIZE 56
#define CN_HINT_SIZE 96

struct cn_quote {
    char text[CN_QUOTE_SIZE];
};

/* The name in double quotes, cut with "..." beyond 48 bytes (never within a UTF-8 sequence). */
struct cn_quote cn_quote(const char *name);

/*
 * The best candidate so far: the one of least edit distance (insert, delete, change, swap of
 * neighbours; case is ignored), and the first of several equal ones.  Borrows all names.
 */
struct cn_nearest {
    const char *name;
    const char *best; /* NULL while nothing is near enough: within a third of the name's length */
    int distance;
};

void cn_nearest_init(struct cn_nearest *nearest, const char *name);
void cn_nearest_offer(struct cn_nearest *nearest, const char *candidate);

struct cn_hint {
    char text[CN_HINT_SIZE];
};

/* The end of a sentence: "; did you mean "mass"?", or nothing. */
struct cn_hint cn_nearest_hint(const struct cn_nearest *nearest);

#endif
