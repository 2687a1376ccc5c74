/*
 * apply.h: how log entries act on an engine: once in the daemon, and again where a world is
 * repeated.
 *
 * Some kinds of entries are *deeds*, which the daemon streams (proto/WIRE.md, "Deeds"): commands,
 * leaves, settings, attributes, and changes of bodies and joints.  A program that has an image of the same
 * engine, and applies the same deeds at the same ticks, has the same bits.
 *
 * Threads: one at a time for an engine.
 */
#ifndef DEED_APPLY_H
#define DEED_APPLY_H

#include "deed/entry.h"
#include "engine/cairn.h"

/* Whether an entry of this kind is a deed. */
bool dd_is_deed(enum dd_entry_kind kind);

/*
 * Applies a deed other than a CHANGE (change.h) between two ticks.  False with *error filled: it
 * changed nothing.
 */
bool dd_apply(const struct dd_entry *entry, struct cn_world *engine, struct wire_error *error);

/* Applies a command between two ticks.  False with *error filled: it changed nothing. */
bool dd_command_apply(
    const struct cn_command *command, struct cn_world *engine, struct wire_error *error);

/*
 * Checks commands that are to act on bodies one after the other, and gets their memory: none of
 * them can fail then.  So the type of a body may only be set by the last command of that body.
 * False with *error filled; its path is `path`, the index in brackets, and the field.
 */
bool dd_commands_prepare(const struct cn_command *commands, int count, const char *path,
    struct cn_world *engine, struct wire_error *error);

/* The body of a command to a body; -1 for other commands. */
int32_t dd_command_body(const struct cn_command *command);

/* Sets or removes an attribute. */
bool dd_attribute_apply(
    const struct cn_attribute *attribute, struct cn_world *engine, struct wire_error *error);

/*
 * Whether all these could be applied one after another, at most DD_ATTRIBUTES_MAX.  The state of
 * the world is the same afterwards, and it has the memory for all of them.  False with *error
 * filled; its path begins with "changes[i].".
 */
#define DD_ATTRIBUTES_MAX 64
bool dd_attributes_check(const struct cn_attribute *attributes, int count, struct cn_world *engine,
    struct wire_error *error);

/* Applies all settings that are set, or none. */
bool dd_settings_apply(
    const struct wire_settings *settings, struct cn_world *engine, struct wire_error *error);

#endif
