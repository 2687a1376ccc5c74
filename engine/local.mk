lib_LIBRARIES += libcairn.a
libcairn_a_SOURCES = engine/cairn.h
include engine/base/local.mk
include engine/math/local.mk
include engine/linalg/local.mk
include engine/mesh/local.mk
include engine/shape/local.mk
include engine/curve/local.mk
include engine/model/local.mk
include engine/collide/local.mk
include engine/constraint/local.mk
include engine/problem/local.mk
include engine/solve/local.mk
include engine/solve/joints.mk
include engine/collide/kernels.mk
include engine/step/local.mk
include engine/world/local.mk
include engine/state/local.mk
