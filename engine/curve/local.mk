libcairn_a_SOURCES += engine/curve/curve.c engine/curve/curve.h
