/*
 * life.h: slots of bodies, shapes and joints that come and go while a world runs.
 *
 * The engine above makes and removes (engine/world/make.h); here is what the columns know of it.
 *
 * How a stepper that keeps something by slot (trees, float copies of shapes) follows:
 *
 *   1. It remembers the structure_version up to which it has seen everything.
 *   2. Before a tick, cn_model_changes gives the changes since then, oldest first.  A slot may
 *      stand there several times; what it is now is what the columns say.
 *   3. When it answers -1 too much has happened (or another state was read): everything is new.
 *
 * What it keeps and what is state (contacts of the last tick with their impulses) must not live by
 * that list, which is lost when a state is put back.  It goes by body.fresh, which is state: a
 * contact of a fresh body begins without impulses, and one of a shape that is gone (shape.body < 0)
 * is dropped.  Whatever slept on either wakes.
 */
#ifndef ENGINE_MODEL_LIFE_H
#define ENGINE_MODEL_LIFE_H

#include "engine/model/model.h"

/* Changes that are kept; when one more comes the older ones are forgotten. */
#define CN_CHANGES_MAX 4096

/*
 * The changes that made versions `since` + 1 to structure_version; -1 when they are not all there.
 * *changes holds until the next one.
 */
int cn_model_changes(
    const struct cn_model *model, uint64_t since, const struct cn_change **changes);

/* Notes a change of a body or joint that is there. */
void cn_model_note(struct cn_model *model, enum cn_change_kind kind, int slot);
void cn_model_note_made(struct cn_model *model, enum cn_change_kind kind, int slot);
void cn_model_note_removed(struct cn_model *model, enum cn_change_kind kind, int slot);

/* Everything may be different: forgets the changes. */
void cn_model_note_all(struct cn_model *model);

/* A slot as it is without a body, shape or joint; the generation stays. */
void cn_model_clear_body(struct cn_model *model, int slot);
void cn_model_clear_shape(struct cn_model *model, int slot);
void cn_model_clear_joint(struct cn_model *model, int slot);

/* Puts a joint into its bodies' lists, and takes it out. */
void cn_model_link_joint(struct cn_model *model, int joint);
void cn_model_unlink_joint(struct cn_model *model, int joint);

/* The joint after `end` (2 joint + side) in a body's list, as such an end; -1: no more. */
static inline int32_t
cn_joint_next(const struct cn_model *model, int32_t end)
{
    return model->joint_link[end].next;
}

/* Contacts of the last tick are not those of what a body is now, until the end of this tick. */
void cn_model_freshen(struct cn_model *model, int body);
void cn_model_settle(struct cn_model *model);

/* Counts what is fresh and who sleeps, and makes the rings of islands: after a state was read. */
void cn_model_count(struct cn_model *model);

/* Wakes a body and all that sleep with it (event bodyWake); of one that is awake the rest begins
 * anew.  What it touches and what is not of its island the solver wakes when it finds it. */
void cn_model_wake(struct cn_model *model, int body);
void cn_model_wake_all(struct cn_model *model);

/* The same within a tick, of a body that sleeps: nothing where it is awake. */
void cn_model_rouse(struct cn_model *model, int body);

/* Lets a body that is awake sleep alone, at once (event bodySleep). */
void cn_model_lull(struct cn_model *model, int body);

/* A body that was fixed, asleep or not there, and may move now, is awake: see woken[]. */
void cn_model_note_awake(struct cn_model *model, int body);

#endif
