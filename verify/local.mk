# The verifier of certificates, which shares only the scene and GMP with prove/.
noinst_LIBRARIES += libcairnverify.a
libcairnverify_a_SOURCES = verify/ball.c verify/capsule.c verify/certificate.c verify/certificate.h verify/cover.c \
	verify/cuboid.c verify/hull.c verify/meet.c verify/q.c verify/q.h verify/scene.c verify/scene.h \
	verify/solid.c verify/solid.h verify/space.c verify/frame.c verify/frame.h verify/tree.c verify/tree.h \
	verify/vec.c verify/vec.h verify/verify.c verify/verify.h verify/watch.h
libcairnverify_a_CPPFLAGS = $(AM_CPPFLAGS) $(GMP_CFLAGS)
VERIFY_LIBS = libcairnverify.a libcairn.a $(GMP_LIBS) -lm
