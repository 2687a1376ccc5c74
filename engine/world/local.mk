libcairn_a_SOURCES += engine/world/advice.c engine/world/advice.h engine/world/blocks.c \
	engine/world/command.h engine/world/create.c engine/world/joint_break.c \
	engine/world/joint_make.c engine/world/lend.c engine/world/make.c engine/world/make.h \
	engine/world/memory.c engine/world/motion.c engine/world/production.c engine/world/sense.c \
	engine/world/slice.c engine/world/structure.c engine/world/structure.h engine/world/tick.c \
	engine/world/view.c engine/world/view_pair.c engine/world/view_production.c \
	engine/world/view_asleep.c engine/world/world.h engine/world/world_def.c \
	engine/world/world_def.h engine/world/world_inside.h

# Checks of definitions, and the refusals that they and commands share.
libcairn_a_SOURCES += engine/world/check/attribute_check.c \
	engine/world/check/def_check.h engine/world/check/force_check.c \
	engine/world/check/joint_check.c engine/world/check/material_check.c \
	engine/world/check/refuse.c engine/world/check/validate.c

# Commands: a check and an apply function for each.
libcairn_a_SOURCES += engine/world/command/attribute.c engine/world/command/body.c \
	engine/world/command/hold.c \
	engine/world/command/inside.h engine/world/command/life.c \
	engine/world/command/move.c \
	engine/world/command/settings.c engine/world/command/table.c

# Queries for bodies at a place.
libcairn_a_SOURCES += engine/world/query.c engine/world/query.h engine/world/history.c \
	engine/world/history.h \
	engine/world/deep.c engine/world/deep.h

EXTRA_DIST += engine/world/README.md engine/world/check/README.md \
	engine/world/command/README.md
