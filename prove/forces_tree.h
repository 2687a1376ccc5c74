/*
 * forces_tree.h: forces at contacts with friction in space that balance the loads exactly, although
 * the contacts' numbers are long.
 *
 * Forces near those of the conic program are rounded to short numbers.  Each body then has a small
 * wrench left.  The bodies form a tree over the fixed ones: a body and its parent touch at three
 * points or more that are not on a line.  From the leaves on, a body passes its whole wrench to its
 * parent, by three forces.  The parent gets a sum of wrenches about the world's origin, so the
 * digits do not grow on the way.  A general exact solution (lift.h) has digits in proportion to the
 * size of the whole system.
 */
#ifndef PROVE_FORCES_TREE_H
#define PROVE_FORCES_TREE_H

#include "prove/search.h"

/* The arguments are those of pv_forces_find with loads.  False: a body has no parent. */
bool pv_forces_by_tree(struct pv_search *s, double scale, double t, mpq_t *force);

#endif
