libcairn_a_SOURCES += engine/model/event.h engine/model/model.h
