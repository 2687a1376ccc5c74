/*
 * contact_columns.h: the columns of a ContactDelta and the prediction of entries, for the encoder
 * and the decoder.
 */
#ifndef PROTO_CONTACT_COLUMNS_H
#define PROTO_CONTACT_COLUMNS_H

#include "proto/contacts.h"
#include "proto/runs.h"

/* Fields of ServerMessage and ContactDelta. */
enum {
    CONTACT_MESSAGE = 30,
    CONTACT_TICK = 1,
    CONTACT_GENERATION = 2,
    CONTACT_NUMBER = 3,
    CONTACT_BACK = 4,
    CONTACT_LEFT = 5,
    CONTACT_ENTERED = 6,
    CONTACT_LISTS = 7, /* from here: a list and its codes for each column below */
    CONTACT_ESCAPE = 19,
    CONTACT_REPORT = 20,
    CONTACT_HASH = 21,
};

/* Fields of ContactReport. */
enum {
    CONTACT_RESIDUAL = 1,
    CONTACT_OUTCOME = 2,
    CONTACT_SOLVER = 3,
    CONTACT_ITERATIONS = 4,
    CONTACT_ROWS = 5,
    CONTACT_LEFT_OUT = 6,
};

/* In the order of their fields. */
enum contact_column {
    COLUMN_POINT,
    COLUMN_NORMAL,
    COLUMN_GAP,
    COLUMN_FORCE,
    COLUMN_TORQUE,
    COLUMN_IMPULSE,
    COLUMN_COUNT,
};

static inline bool
contact_column_is_vector(enum contact_column column)
{
    return column != COLUMN_GAP && column != COLUMN_IMPULSE;
}

static inline int32_t *
contact_vector(struct wire_contact *contact, enum contact_column column)
{
    switch (column) {
    case COLUMN_NORMAL:
        return contact->normal;
    case COLUMN_FORCE:
        return contact->force;
    case COLUMN_TORQUE:
        return contact->torque;
    default:
        return contact->point;
    }
}

/* The scale of a vector; NULL if it has none. */
static inline int32_t *
contact_scale(struct wire_contact *contact, enum contact_column column)
{
    return column == COLUMN_FORCE ? &contact->force_scale
        : column == COLUMN_TORQUE ? &contact->torque_scale
                                  : NULL;
}

static inline int32_t *
contact_number(struct wire_contact *contact, enum contact_column column)
{
    return column == COLUMN_GAP ? &contact->gap : &contact->impulse;
}

/* Sets the numbers of a new entry as they are predicted; `before` is the entry before, or NULL. */
static inline void
contact_predict(struct wire_contact *entry, const struct wire_contact *before)
{
    struct wire_contact key = *entry;
    *entry = (struct wire_contact){
        .a = key.a, .b = key.b, .rank = key.rank, .anchor = key.anchor};
    if (before == NULL) {
        return;
    }
    entry->force_scale = before->force_scale;
    if (wire_contact_is_load(entry)) {
        entry->torque_scale = before->torque_scale;
        return;
    }
    memcpy(entry->normal, before->normal, sizeof(entry->normal));
    if (entry->a == before->a && entry->b == before->b) {
        entry->gap = before->gap;
        memcpy(entry->force, before->force, sizeof(entry->force));
    }
}

#endif
