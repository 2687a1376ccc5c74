libcairn_a_SOURCES += engine/step/stepper.h
