/* Ways from some memories to others, as they are met. */

#ifndef HELIXLOG_WAYS_H
#define HELIXLOG_WAYS_H

#include "../ledger/_carriers.h"

/* As `WAYS` in recall/expansion.py. */
typedef struct {
    int64_t root;
    double rrf;
    int64_t hop, parent, relation;
    double weight;
} Way;

/* A way, and where it stands among those of its parent: edges as they were declared, then names. */
typedef struct {
    Way way;
    int64_t order;
} Tie;

typedef struct {
    Tie *tie;
    Py_ssize_t count, room;
    int replaced, beyond; /* whether some lead to what was superseded, and whether edges lead to what is no memory */
} Found;

static int noted(Found *found, Way way, int64_t order)
{
    Tie *more = roomier(found->tie, found->count, &found->room, sizeof *more);
    if (!more) return -1;
    found->tie = more;
    found->tie[found->count++] = (Tie){way, order};
    return 0;
}

/* By parent, then in order, then by root. */
static int rising(const void *first, const void *second)
{
    const Tie *a = first, *b = second;
    const int parent = compared(a->way.parent, b->way.parent), order = compared(a->order, b->order);
    return parent ? parent : order ? order : compared(a->way.root, b->way.root);
}

#endif
