libcairn_a_SOURCES += engine/linalg/cholesky.c engine/linalg/cholesky.h
