/*
 * apply.h: how log entries act on an engine: once in the daemon, and again where a world is
 * repeated.
 *
 * Only some kinds of entries change how the bodies of a world move and need nothing but the
 * engine: commands, leaves and settings.  They are the *deeds* that the daemon streams
 * (proto/WIRE.md, "Deeds").  A program that has an image of the same engine, and applies the same
 * deeds at the same ticks, has the same bits.
 *
 * Threads: one at a time for an engine.
 */
#ifndef DEED_APPLY_H
#define DEED_APPLY_H

#include "deed/entry.h"
#include "engine/cairn.h"

/* Whether an entry of this kind is a deed: dd_apply applies it. */
bool dd_is_deed(enum dd_entry_kind kind);

/* Applies a deed between two ticks.  False with *error filled: it changed nothing. */
bool dd_apply(const struct dd_entry *entry, struct cn_world *engine, struct wire_error *error);

/* Applies a command between two ticks.  False with *error filled: it changed nothing. */
bool dd_command_apply(
    const struct cn_command *command, struct cn_world *engine, struct wire_error *error);

/* Applies all settings that are set, or none. */
bool dd_settings_apply(
    const struct wire_settings *settings, struct cn_world *engine, struct wire_error *error);

/*
 * Applies deeds that follow each other in memory.  False with *error filled: the bytes are not
 * deeds, or one of them was refused; those before it have acted.
 */
bool dd_apply_all(const unsigned char *bytes, size_t size, struct cn_world *engine,
    struct wire_error *error);

#endif
