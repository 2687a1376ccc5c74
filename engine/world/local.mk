libcairn_a_SOURCES += engine/world/advice.c engine/world/advice.h \
	engine/world/blocks.c \
	engine/world/command.h engine/world/command_body.c engine/world/command_hold.c \
	engine/world/command_inside.h engine/world/command_life.c engine/world/command_settings.c \
	engine/world/command_table.c engine/world/create.c engine/world/lend.c \
	engine/world/def_check.h engine/world/joint_break.c \
	engine/world/force_check.c engine/world/joint_check.c engine/world/joint_make.c \
	engine/world/make.c engine/world/make.h engine/world/memory.c engine/world/sense.c \
	engine/world/slice.c engine/world/structure.c engine/world/structure.h engine/world/tick.c \
	engine/world/production.c engine/world/refuse.c engine/world/view_pair.c \
	engine/world/view_production.c engine/world/view_slumber.c \
	engine/world/validate.c engine/world/motion.c engine/world/view.c \
	engine/world/world.h engine/world/world_def.c engine/world/world_def.h \
	engine/world/world_inside.h

# What is where.
libcairn_a_SOURCES += engine/world/query.c engine/world/query.h engine/world/history.c \
	engine/world/history.h engine/world/history_inside.h engine/world/history_meet.c \
	engine/world/deep.c engine/world/deep.h
