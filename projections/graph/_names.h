/* The names that memories share, as `namesakes` in recall/names.py finds them, where no edge leads to a name. */

#ifndef HELIXLOG_NAMES_H
#define HELIXLOG_NAMES_H

#include "_ways.h"

#include <string.h>

/* The names of memories: those whose terms begin with one of the `letters`. */
typedef struct {
    Carriers carriers;
    const int64_t *start; /* where the terms of a text begin in `term` */
    const int32_t *count, *term;
    Py_ssize_t texts, terms;
    PyObject *own, *spelt; /* by memory, the terms it has now if they have changed; and the words of all terms */
    const char *letters;
    Py_ssize_t most; /* a name that more memories carry ties none of them */
} Names;

/* That a memory has a name, and the relation of ties by it. */
typedef struct {
    int64_t parent, relation;
} Use;

/* The names of memories as they have them, and their terms, sought for a use each. */
typedef struct {
    Use *use;
    Py_ssize_t room;
    Keys terms;
} Uses;

/* Take ((lookup, roots, changed, gained), (start, count, term, own, spelt), letters, most); -1 with an exception. */
static int names_taken(Held *buffers, PyObject *parts, Names *names)
{
    PyObject *carriers, *terms, *start, *count, *term;
    if (!PyArg_ParseTuple(parts, "O!O!sn", &PyTuple_Type, &carriers, &PyTuple_Type, &terms, &names->letters, &names->most) ||
        !PyArg_ParseTuple(terms, "OOOO!O!", &start, &count, &term, &PyDict_Type, &names->own, &PyList_Type, &names->spelt) ||
        carriers_taken(buffers, carriers, &names->carriers) || !(names->start = held(buffers, start, 0, sizeof(int64_t))))
        return -1;
    names->texts = length(buffers, sizeof(int64_t));
    if (!(names->count = held(buffers, count, names->texts, sizeof(int32_t))) ||
        !(names->term = held(buffers, term, 0, sizeof(int32_t))))
        return -1;
    names->terms = length(buffers, sizeof(int32_t));
    return 0;
}

/* Note a term of a memory if it is a name; -1 with an exception. */
static int used(const Names *names, int64_t term, int64_t parent, Uses *uses)
{
    if (term < 0 || term >= PyList_GET_SIZE(names->spelt)) return outside("term", term, PyList_GET_SIZE(names->spelt));
    PyObject *name = PyList_GET_ITEM(names->spelt, term);
    const Py_UCS4 letter = PyUnicode_Check(name) && PyUnicode_GET_LENGTH(name) ? PyUnicode_READ_CHAR(name, 0) : 0;
    const char *place = letter && letter < 128 ? strchr(names->letters, (int)letter) : NULL;
    if (!place) return 0;
    const Py_ssize_t count = uses->terms.count;
    Use *more = roomier(uses->use, count, &uses->room, sizeof *more);
    if (!more) return -1;
    uses->use = more;
    uses->use[count] = (Use){parent, names->letters - place - 1};
    return added(&uses->terms, term, count);
}

/* Note the names of a memory; -1 with an exception. */
static int naming(const Names *names, int64_t parent, int64_t mine, Uses *uses)
{
    PyObject *own = under(names->own, mine);
    int64_t term;
    if (PyErr_Occurred()) return -1;
    if (own) {
        if (!PyTuple_Check(own)) return PyErr_Format(PyExc_TypeError, "the terms of a memory are no tuple"), -1;
        for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(own); n++)
            if (counted(PyTuple_GET_ITEM(own, n), &term) || used(names, term, parent, uses)) return -1;
        return 0;
    }
    if (mine < 0 || mine >= names->texts) return outside("memory", mine, names->texts);
    const int64_t first = names->start[mine], count = names->count[mine];
    if (first < 0 || first > names->terms || count > names->terms - first) return outside("term", first, names->terms);
    for (int64_t n = first; n < first + count; n++)
        if (used(names, names->term[n], parent, uses)) return -1;
    return 0;
}

static int by_key(const void *first, const void *second)
{
    return compared(((const Sought *)first)->key, ((const Sought *)second)->key);
}

/* Note the ways by names, and each name: of n memories with it each two are tied by 1 / (n - 1); -1 with an exception. */
static int shared(const Names *names, const uint8_t *shown, const int64_t *root, Uses *uses, Roots *others, Found *found,
                  PyObject *called)
{
    Sought *term = uses->terms.sought;
    const Py_ssize_t count = uses->terms.count;
    if (count) qsort(term, count, sizeof *term, by_key); /* so that each is looked up once */
    placed(&names->carriers.texts, term, count);
    for (Py_ssize_t n = 0; n < count; n++) {
        if ((!n || term[n].key != term[n - 1].key) &&
            (PyList_Append(called, PyList_GET_ITEM(names->spelt, term[n].key)) ||
             carriers_of(&names->carriers, &term[n], shown, names->most, others)))
            return -1;
        if (others->count < 2 || others->count > names->most) continue;
        const Use *use = &uses->use[term[n].owner];
        const double weight = 1.0 / (double)(others->count - 1);
        for (Py_ssize_t other = 0; other < others->count; other++) {
            const Way way = {others->root[other], 0.0, 0, use->parent, use->relation, weight};
            if (way.root != root[use->parent] && noted(found, way, INT64_MAX - count + term[n].owner)) return -1;
        }
    }
    return 0;
}

/* Note the ways from some memories by the names they share with others, and what they are called; -1 with an exception. */
static int named(const Names *names, const uint8_t *shown, const int64_t *root, Py_ssize_t parents, Found *found,
                 PyObject *called)
{
    Uses uses = {0};
    Roots others = {0};
    int failed = 0;
    for (Py_ssize_t parent = 0; parent < parents && !failed; parent++) failed = naming(names, parent, root[parent], &uses);
    failed = failed || shared(names, shown, root, &uses, &others, found, called);
    PyMem_Free(uses.use);
    PyMem_Free(uses.terms.sought);
    PyMem_Free(others.root);
    return failed ? -1 : 0;
}

#endif
