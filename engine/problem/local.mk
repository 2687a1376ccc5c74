libcairn_a_SOURCES += engine/problem/contact_problem.h
