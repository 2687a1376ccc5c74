libcairn_a_SOURCES += engine/solve/solver.h
