/*
 * union_find.h: which items are in one group.
 *
 * parent[i] leads from item i towards the item that stands for its group, whose parent is itself.
 * To make groups, begin with parent[i] = i; to join two, make one root the parent of the other.
 *
 * Source: R. Tarjan and J. van Leeuwen, Worst-case Analysis of Set Union Algorithms, 1984: path
 * halving.
 */
#ifndef ENGINE_BASE_UNION_FIND_H
#define ENGINE_BASE_UNION_FIND_H

#include <stdint.h>

/* The item that stands for the group of `item`; shortens the way there. */
static inline int32_t
cn_union_root(int32_t *parent, int32_t item)
{
    while (parent[item] != item) {
        parent[item] = parent[parent[item]];
        item = parent[item];
    }
    return item;
}

#endif
