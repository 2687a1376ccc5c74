libcairn_a_SOURCES += engine/constraint/contact_rows.c engine/constraint/contact_rows.h \
	engine/constraint/force.h engine/constraint/force_damping.c engine/constraint/force_gravity.c \
	engine/constraint/force_held.c engine/constraint/force_spring.c \
	engine/constraint/force_table.c \
	engine/constraint/row.h
