/*
 * life.h: slots of bodies, shapes and joints that come and go while a world runs.
 *
 * engine/world/make.h makes and removes bodies; here is what happens in the columns of the model.
 *
 * A stepper that keeps data by slot (trees, float copies of shapes) follows the changes so:
 *
 *   1. It remembers the structure_version up to which it has seen everything.
 *   2. Before a tick, cn_model_changes gives the changes since then, oldest first.  A slot may
 *          stand there several times; the columns show its present state.
 *   3. When the answer is -1 too much has changed (or another state was read): rebuild everything.
 *
 * Contacts of the last tick with their impulses are state that a stepper keeps.  They must not
 * depend on that list, because the list is lost when a state is restored.  They depend on
 * body.fresh, which is state: a contact of a fresh body begins without impulses, and a contact of a
 * removed shape (shape.body < 0) is dropped.  Bodies that slept on either wake.
 */
#ifndef ENGINE_MODEL_LIFE_H
#define ENGINE_MODEL_LIFE_H

#include "engine/model/model.h"

/* The number of changes that are kept; when one more comes the older ones are forgotten. */
#define CN_CHANGES_MAX 4096

/*
 * The changes that made versions `since` + 1 to structure_version; -1 when some of them were
 * forgotten. *changes is valid until the next change.
 */
int cn_model_changes(
    const struct cn_model *model, uint64_t since, const struct cn_change **changes);

/* Records a change of an existing body or joint. */
void cn_model_note(struct cn_model *model, enum cn_change_kind kind, int slot);
void cn_model_note_made(struct cn_model *model, enum cn_change_kind kind, int slot);
void cn_model_note_removed(struct cn_model *model, enum cn_change_kind kind, int slot);

/* Forgets the changes, because everything may be different. */
void cn_model_note_all(struct cn_model *model);

/* Sets a slot to the values of an absent body, shape or joint; the generation stays. */
void cn_model_clear_body(struct cn_model *model, int slot);
void cn_model_clear_shape(struct cn_model *model, int slot);
void cn_model_clear_joint(struct cn_model *model, int slot);

/* Adds a joint to its bodies' lists, and removes it from them. */
void cn_model_link_joint(struct cn_model *model, int joint);
void cn_model_unlink_joint(struct cn_model *model, int joint);

/* The joint end after `end` (2 joint + side) in a body's list; -1 at the end of the list. */
static inline int32_t
cn_joint_next(const struct cn_model *model, int32_t end)
{
    return model->joint_link[end].next;
}

/*
 * Marks a body as fresh: contacts of the last tick belong to an earlier form of it. cn_model_settle
 * clears the marks at the end of the tick.
 */
void cn_model_freshen(struct cn_model *model, int body);
void cn_model_settle(struct cn_model *model);

/* Counts fresh and sleeping bodies and links the rings of islands, after a state was read. */
void cn_model_count(struct cn_model *model);

/*
 * Wakes a body and all bodies that sleep with it (event bodyWake).  If the body is awake, its sleep
 * timer restarts.  The body may touch sleeping bodies of other islands; the solver wakes them when
 * it finds the contact.
 */
void cn_model_wake(struct cn_model *model, int body);
void cn_model_wake_all(struct cn_model *model);

/* Does the same within a tick, for a body that sleeps; does nothing to a body that is awake. */
void cn_model_rouse(struct cn_model *model, int body);

/* Makes a body that is awake fall asleep alone, at once (event bodySleep). */
void cn_model_lull(struct cn_model *model, int body);

/* Adds to woken[] a body that was fixed, asleep or absent and may move now. */
void cn_model_note_awake(struct cn_model *model, int body);

#endif
