libcairn_a_SOURCES += engine/constraint/contact_motion.c engine/constraint/contact_motion.h \
	engine/constraint/contact_rows.c engine/constraint/contact_rows.h \
	engine/constraint/force.h engine/constraint/force_constant.c engine/constraint/force_damping.c \
	engine/constraint/force_gravitation.c engine/constraint/force_gravity.c \
	engine/constraint/force_held.c engine/constraint/force_joint.c \
	engine/constraint/force_spring.c engine/constraint/force_table.c \
	engine/constraint/joint.c engine/constraint/joint.h engine/constraint/joint_ball.c \
	engine/constraint/joint_distance.c engine/constraint/joint_fixed.c \
	engine/constraint/joint_hinge.c engine/constraint/joint_rope.c \
	engine/constraint/joint_row.c engine/constraint/joint_slider.c \
	engine/constraint/joint_track.c engine/constraint/row.h
