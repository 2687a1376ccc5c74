libcairn_a_SOURCES += engine/solve/impulse_joint.c engine/solve/impulse_joint.h \
	engine/solve/impulse_joint_free.c engine/solve/impulse_joint_inside.h \
	engine/solve/impulse_joint_planar.c engine/solve/impulse_joint_spatial.c
