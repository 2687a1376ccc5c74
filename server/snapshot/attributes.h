/*
 * attributes.h: the attributes of a world that the clients of a view see, and what has changed.
 *
 * A view's table is made when the attributes or the bodies in the view have changed; until then all
 * ticks share it.  A client's next AttributeFrame is the difference between the table that it was
 * sent last and the newest one, so ticks that it skipped cost it nothing.
 *
 * The table of a part of the world has the attributes of the world, of sessions, and of the bodies
 * in the part.  It also has those of bodies that no Snapshot shows because they never moved.
 *
 * Ownership: by references, which any thread may take and drop.
 */
#ifndef SERVER_SNAPSHOT_ATTRIBUTES_H
#define SERVER_SNAPSHOT_ATTRIBUTES_H

#include "engine/cairn.h"
#include "proto/codec.h"
#include "proto/state.h"
#include "server/base/buffer.h"

struct sv_attributes {
    atomic_uint ref_count;
    uint32_t series;  /* tables of another series are of other bodies */
    uint64_t version; /* of the world's attributes */
    bool is_whole;    /* of the whole world */
    int count;
    struct cn_attribute rows[]; /* ascending, without hidden names */
};

/*
 * The table for a part of the world's state (`whole` itself: for all of it).  A reference to
 * `previous` (may be NULL) if that has the same rows.  NULL without memory.
 */
struct sv_attributes *sv_attributes_take(const struct cn_world *world,
    const struct wire_state *part, const struct wire_state *whole, struct sv_attributes *previous);

/* Returns its argument. */
struct sv_attributes *sv_attributes_ref(struct sv_attributes *attributes);
void sv_attributes_unref(struct sv_attributes *attributes); /* takes NULL */

/*
 * The rows in which the tables differ (NULL: a table without rows), ascending, at most `most`;
 * returns how many.  A row that `to` lacks borrows from `from`.
 */
int sv_attributes_compare(const struct sv_attributes *from, const struct sv_attributes *to,
    struct wire_attribute_change *changes, int most);

/*
 * The table of a client that had `from` (NULL: nothing) and was sent the differences to `to` up to
 * this row.  NULL without memory.
 */
struct sv_attributes *sv_attributes_advance(const struct sv_attributes *from,
    const struct sv_attributes *to, const struct cn_attribute *last);

/*
 * AttributeFrames, framed, for a client that was sent `from` last; NULL: it is sent all of `to`.
 * More than WIRE_ATTRIBUTE_ROWS_MAX rows are several frames, one after another.  NULL without
 * memory.
 */
struct sv_buffer *sv_attributes_message(const struct sv_attributes *from,
    const struct sv_attributes *to, uint64_t tick, uint32_t generation);

#endif
