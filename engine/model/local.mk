libcairn_a_SOURCES += engine/model/attribute.c engine/model/attribute.h \
	engine/model/attribute_table.c engine/model/attribute_table.h \
	engine/model/event.c engine/model/event.h engine/model/held.h \
	engine/model/joint.h engine/model/life.c engine/model/life.h engine/model/material.c \
	engine/model/model.c engine/model/model.h \
	engine/model/move.h engine/model/move_table.c engine/model/move_table.h \
	engine/model/passage.c
