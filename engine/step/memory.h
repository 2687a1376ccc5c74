/*
 * memory.h: the data that steppers keep of contacts from step to step, each list sorted by id.
 */
#ifndef ENGINE_STEP_MEMORY_H
#define ENGINE_STEP_MEMORY_H

#include "engine/constraint/contact_rows.h"
#include "engine/model/model.h"

/* The forces of a contact at the last solve; zeros for a new one. */
struct cn_warm_start cn_memory_warm(const struct cn_model *model, uint64_t id);

/* Clears all warm starts; keep then adds one by one those with which the next solve begins. */
void cn_memory_forget(struct cn_model *model);
void cn_memory_keep(struct cn_model *model, struct cn_warm_start entry);

/* Adds to the impulses of this tick; an impulse without room is not listed. */
void cn_memory_add_impulse(
    struct cn_model *model, const struct cn_contact *contact, double impulse);

#endif
