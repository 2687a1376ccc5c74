libcairn_a_SOURCES += engine/problem/contact_problem.c engine/problem/contact_problem.h \
	engine/problem/delassus.c engine/problem/delassus.h \
	engine/problem/islands.c engine/problem/islands.h \
	engine/problem/matrix_problem.c engine/problem/matrix_problem.h
