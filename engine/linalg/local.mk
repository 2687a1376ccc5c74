libcairn_a_SOURCES += engine/linalg/dot.h \
	engine/linalg/active_set.c engine/linalg/active_set.h \
	engine/linalg/envelope.c engine/linalg/envelope.h \
	engine/linalg/least.c engine/linalg/least.h \
	engine/linalg/lemke.c engine/linalg/lemke.h \
	engine/linalg/pseudo_inverse.c engine/linalg/pseudo_inverse.h \
	engine/linalg/simplex.c engine/linalg/simplex.h \
	engine/linalg/simplex_dictionary.c engine/linalg/simplex_dictionary.h \
	engine/linalg/simplex_least.c engine/linalg/simplex_least.h \
	engine/linalg/lu.c engine/linalg/lu.h \
	engine/linalg/sparse_lu.c engine/linalg/sparse_lu.h \
	engine/linalg/sparse_order.c engine/linalg/sparse_order.h
