libcairn_a_SOURCES += engine/solve/color.c engine/solve/color.h \
	engine/solve/impulse.h \
	engine/solve/solver.h engine/solve/solver_table.c \
	engine/solve/solver_table.h engine/solve/matrix_solver.c engine/solve/matrix_solver.h \
	engine/solve/baraff89.c engine/solve/baraff89.h \
	engine/solve/baraff94_friction.c engine/solve/baraff94_friction.h \
	engine/solve/friction_frame.c engine/solve/friction_frame.h \
	engine/solve/friction_newton.c engine/solve/friction_newton.h \
	engine/solve/friction_pivot.c engine/solve/friction_pivot.h \
	engine/solve/baraff94.c engine/solve/baraff94.h engine/solve/dantzig.c \
	engine/solve/dantzig.h engine/solve/minimum_norm.c engine/solve/minimum_norm.h \
	engine/solve/bounded.c engine/solve/bounded.h \
	engine/solve/faure96.c engine/solve/faure96.h \
	engine/solve/faure96_inside.h engine/solve/faure96_round.c \
	engine/solve/faure96_sweep.c \
	engine/solve/gauss.c engine/solve/gauss.h \
	engine/solve/restraint.c engine/solve/restraint.h \
	engine/solve/friction_map.c engine/solve/friction_map.h \
	engine/solve/newton.c engine/solve/newton.h \
	engine/solve/newton_system.c engine/solve/newton_system.h
