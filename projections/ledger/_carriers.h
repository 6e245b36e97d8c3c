/* The memories that carry a term now, as `Memories.carriers` finds them with arrays. */

#ifndef HELIXLOG_CARRIERS_H
#define HELIXLOG_CARRIERS_H

#include "../_lookups.h"

#include <stdlib.h>

/* What says of a term, by its number, who carries it. */
typedef struct {
    Lookup texts; /* those that came with it */
    const int32_t *today; /* the root of each text */
    const uint8_t *changed; /* memories whose terms are others than those they came with */
    Py_ssize_t count;
    PyObject *gained; /* by term, a set of the changed ones that have it */
} Carriers;

typedef struct {
    int64_t *root;
    Py_ssize_t count, room;
} Roots;

/* Take (lookup, roots, changed, gained); -1 with an exception where that is not what they are. */
static int carriers_taken(Held *buffers, PyObject *parts, Carriers *carriers)
{
    PyObject *lookup, *today, *changed;
    if (!PyArg_ParseTuple(parts, "O!OOO!", &PyTuple_Type, &lookup, &today, &changed, &PyDict_Type, &carriers->gained) ||
        looked_into(buffers, lookup, &carriers->texts) || !(carriers->today = held(buffers, today, 0, sizeof(int32_t))))
        return -1;
    carriers->count = length(buffers, sizeof(int32_t));
    return (carriers->changed = held(buffers, changed, carriers->count, 1)) ? 0 : -1;
}

/* Note a text if it begins a memory, and one of those shown (NULL: all are); -1 with an exception. */
static int carrying(const Carriers *carriers, const uint8_t *shown, int64_t text, Roots *roots)
{
    if (carriers->today[text] != text || (shown && !shown[text])) return 0;
    int64_t *more = roomier(roots->root, roots->count, &roots->room, sizeof *more);
    if (!more) return -1;
    roots->root = more;
    roots->root[roots->count++] = text;
    return 0;
}

static int ascending(const void *first, const void *second)
{
    return compared(*(const int64_t *)first, *(const int64_t *)second);
}

/* Those of the memories whose terms have changed; -1 with an exception. */
static int gaining(const Carriers *carriers, const uint8_t *shown, PyObject *gained, Roots *roots)
{
    PyObject *all = PyObject_GetIter(gained), *one;
    int64_t root = -1;
    while (all && (one = PyIter_Next(all))) {
        if (!counted(one, &root) && (root < 0 || root >= carriers->count)) outside("memory", root, carriers->count);
        Py_DECREF(one);
        if (PyErr_Occurred() || carrying(carriers, shown, root, roots)) break;
    }
    Py_XDECREF(all);
    if (PyErr_Occurred()) return -1;
    if (roots->count) qsort(roots->root, roots->count, sizeof *roots->root, ascending);
    return 0;
}

/* The memories shown that carry a term that was placed, lowest root first, or more than `most` of them; -1 with an
   exception. */
static int carriers_of(const Carriers *carriers, const Sought *term, const uint8_t *shown, Py_ssize_t most,
                       Roots *roots)
{
    Rows rows;
    int64_t text;
    int more;
    roots->count = 0;
    if (begun(&carriers->texts, term, &rows)) return -1;
    while ((more = next(&rows, &text)) > 0 && roots->count <= most) {
        if (text < 0) return outside("text", text, carriers->count);
        if (text >= carriers->count || carriers->changed[text]) continue; /* it came after the asked point, or has others */
        if (carrying(carriers, shown, text, roots)) return -1;
    }
    PyObject *gained = more < 0 ? NULL : under(carriers->gained, term->key);
    if (gained) return gaining(carriers, shown, gained, roots);
    return PyErr_Occurred() ? -1 : 0;
}

#endif
