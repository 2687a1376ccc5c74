libcairn_a_SOURCES += engine/collide/broadphase.h engine/collide/manifold.h
