libcairn_a_SOURCES += engine/state/fields.h engine/state/image.c engine/state/walk.c engine/state/walk.h \
	engine/state/image.h
