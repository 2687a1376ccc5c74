/*
 * settings.h: the settings of a world as it is now, and those that a reset keeps.
 *
 * Threads: values.
 */
#ifndef DEED_SETTINGS_H
#define DEED_SETTINGS_H

#include "engine/cairn.h"
#include "proto/wire.h"

/* All settings of the world, each of them set. */
void dd_settings_of(const struct cn_world *engine, struct wire_settings *settings);

/* Adds settings to those that were changed since the scene was loaded; a reset keeps these. */
void dd_settings_remember(struct wire_settings *changed, const struct wire_settings *settings);

#endif
