libcairn_a_SOURCES += engine/shape/shape.h
