libcairn_a_SOURCES += engine/step/advance.c engine/step/advance.h engine/step/answer.c engine/step/answer.h \
	engine/step/event.c engine/step/event.h engine/step/event_drift.c engine/step/event_energy.c \
	engine/step/event_friction.c engine/step/event_impact.c engine/step/event_integrate.c \
	engine/step/event_rates.c engine/step/event_restitution.c engine/step/event_rows.c \
	engine/step/event_scratch.c engine/step/event_search.c engine/step/march.c \
	engine/step/march.h engine/step/march_energy.c engine/step/march_rows.c \
	engine/step/memory.c engine/step/memory.h \
	engine/step/pairs.c engine/step/pairs.h \
	engine/step/pipeline.c engine/step/pipeline.h \
	engine/step/pipeline_bounce.c engine/step/pipeline_calm.c \
	engine/step/pipeline_continuous.c engine/step/pipeline_deep.c \
	engine/step/pipeline_events.c engine/step/pipeline_derive.c \
	engine/step/pipeline_finish.c engine/step/pipeline_meshes.c \
	engine/step/pipeline_inside.h engine/step/pipeline_joints.c engine/step/pipeline_pairs.c \
	engine/step/pipeline_pieces.c \
	engine/step/pipeline_planar.c engine/step/pipeline_sleep.c \
	engine/step/pipeline_drags.c engine/step/pipeline_moving.c engine/step/pipeline_moving.h \
	engine/step/pipeline_solve.c \
	engine/step/pipeline_spatial.c engine/step/pipeline_springs.c \
	engine/step/position.c engine/step/sleep.c engine/step/sleep.h \
	engine/step/slumber.c engine/step/slumber.h engine/step/sensor.c engine/step/sensor.h engine/step/stepper.h engine/step/stepper_table.c \
	engine/step/stepper_table.h engine/step/time.c

# Fast bodies.
libcairn_a_SOURCES += engine/step/continuous.c engine/step/continuous.h

# Impulses from pair to pair.
libcairn_a_SOURCES += engine/step/contact_graph.c engine/step/contact_graph.h \
	engine/step/propagation.c engine/step/propagation.h engine/step/propagation_collide.c \
	engine/step/propagation_contact.c engine/step/propagation_find.c \
	engine/step/propagation_joint.c engine/step/propagation_levels.c \
	engine/step/propagation_part.c engine/step/propagation_show.c
if SIMD_X86
noinst_LIBRARIES += libpropagation_avx2.a
libpropagation_avx2_a_SOURCES = engine/step/propagation_collide_avx2.c \
	engine/step/propagation_contact_avx2.c engine/step/propagation_part_avx2.c
libpropagation_avx2_a_CFLAGS = $(AM_CFLAGS) -mavx2
libcairn_a_LIBADD += $(libpropagation_avx2_a_OBJECTS)
endif
EXTRA_DIST += engine/step/propagation_collide_avx2.c engine/step/propagation_contact_avx2.c \
	engine/step/propagation_part_avx2.c
