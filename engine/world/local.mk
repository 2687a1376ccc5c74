libcairn_a_SOURCES += engine/world/command.h engine/world/world_def.h
