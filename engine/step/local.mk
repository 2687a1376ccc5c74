libcairn_a_SOURCES += engine/step/event.c engine/step/event.h engine/step/event_drift.c \
	engine/step/event_impact.c engine/step/event_rates.c engine/step/event_scratch.c \
	engine/step/event_search.c engine/step/stepper.h engine/step/stepper_table.c \
	engine/step/stepper_table.h
