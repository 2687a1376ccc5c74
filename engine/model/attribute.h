/*
 * attribute.h: named values of the world, of its bodies and of sessions.
 *
 * The engine stores attributes and computes nothing from them.  They are state like positions are:
 * image, hash and portable form contain them.  A name that begins with '.' belongs to the rules of
 * the scene; clients do not see it.
 *
 * Invariants: 1. The table is ascending by (owner kind, owner id, name), and no two rows have the
 * same three.  2. A row has a value: its kind is not NONE.  3. Behind a name, a text and bytes
 * there are zeros, and of the other members only the kind's own is not zero, so equal values have
 * equal bytes.  4. The owner of a BODY row is a body that exists.
 *
 * Ownership: the table belongs to the world, which makes it larger between ticks.
 */
#ifndef ENGINE_MODEL_ATTRIBUTE_H
#define ENGINE_MODEL_ATTRIBUTE_H

#include "engine/base/defect.h"
#include "engine/base/limits.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_ATTRIBUTE_NAME_SIZE 32 /* terminating zero included */

enum cn_owner_kind { CN_OWNER_WORLD, CN_OWNER_BODY, CN_OWNER_SESSION };

struct cn_owner {
    enum cn_owner_kind kind;
    uint64_t id; /* WORLD: 0; BODY: its slot; SESSION: the source of its held inputs */
};

enum cn_value_kind {
    CN_VALUE_NONE, /* in a command: removes the attribute */
    CN_VALUE_FLAG,
    CN_VALUE_INTEGER,
    CN_VALUE_NUMBER,
    CN_VALUE_TEXT,
    CN_VALUE_BYTES,
};

struct cn_value {
    enum cn_value_kind kind;
    uint16_t size; /* TEXT, BYTES */
    bool flag;
    int64_t integer;
    double number;                             /* finite */
    unsigned char bytes[CN_ATTRIBUTE_VALUE_MAX]; /* TEXT (UTF-8, without terminator), BYTES */
};

struct cn_attribute {
    struct cn_owner owner;
    char name[CN_ATTRIBUTE_NAME_SIZE];
    struct cn_value value;
};

/* Values. */
struct cn_value cn_value_flag(bool flag);
struct cn_value cn_value_integer(int64_t integer);
struct cn_value cn_value_number(double number);
struct cn_value cn_value_text(const char *text); /* cut at CN_ATTRIBUTE_VALUE_MAX bytes */

/* Whether both have the same kind and the same bits. */
bool cn_value_is_same(const struct cn_value *a, const struct cn_value *b);

/* The order of the table, and that of its owners: below, equal to or above 0. */
int cn_attribute_compare(const struct cn_attribute *a, const struct cn_attribute *b);
int cn_owner_compare(struct cn_owner a, struct cn_owner b);

/*
 * Refuses a name or a value that no attribute can have; a value of kind NONE is accepted.  The
 * paths are "name" and "value".
 */
CN_MUST_USE enum cn_status cn_attribute_check(
    const struct cn_attribute *attribute, struct cn_defect *defect);

/* A name's own check: 1 to 31 letters, digits, '.', '_' and '-'. */
bool cn_attribute_name_is_good(const char name[CN_ATTRIBUTE_NAME_SIZE]);

/* Whether the name belongs to the rules of the scene. */
static inline bool
cn_attribute_is_hidden(const struct cn_attribute *attribute)
{
    return attribute->name[0] == '.';
}

#endif
