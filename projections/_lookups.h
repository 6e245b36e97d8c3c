/* Rows by key, as `Lookup` in columns.py has them: sorted ones, and a dict of lists for what came later. */

#ifndef HELIXLOG_LOOKUPS_H
#define HELIXLOG_LOOKUPS_H

#include "_buffers.h"

typedef struct {
    const int32_t *key, *row; /* by key, then by row */
    Py_ssize_t count;
    PyObject *later;
} Lookup;

/* What is left of the rows of one key, lowest first. */
typedef struct {
    const int32_t *row, *end;
    PyObject *later; /* a list, or NULL */
    Py_ssize_t nth;
} Rows;

/* Take (keys, rows, later); -1 with an exception where that is not what they are. */
static int looked_into(Held *buffers, PyObject *parts, Lookup *lookup)
{
    PyObject *keys, *rows;
    if (!PyArg_ParseTuple(parts, "OOO!", &keys, &rows, &PyDict_Type, &lookup->later)) return -1;
    if (!(lookup->key = held(buffers, keys, 0, sizeof(int32_t)))) return -1;
    lookup->count = length(buffers, sizeof(int32_t));
    return (lookup->row = held(buffers, rows, lookup->count, sizeof(int32_t))) ? 0 : -1;
}

/* The first place whose key is not below this one. */
static Py_ssize_t from(const Lookup *lookup, int64_t key)
{
    Py_ssize_t low = 0, high = lookup->count;
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        if (lookup->key[middle] < key) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* What a dict has under a number, borrowed; NULL where it has nothing, or with an exception. */
static PyObject *under(PyObject *dict, int64_t number)
{
    if (!PyDict_GET_SIZE(dict)) return NULL;
    PyObject *key = PyLong_FromLongLong(number), *value = key ? PyDict_GetItemWithError(dict, key) : NULL;
    Py_XDECREF(key);
    return value;
}

/* A number of Python; -1 with an exception where it is none. */
static int counted(PyObject *object, int64_t *number)
{
    *number = PyLong_AsLongLong(object);
    return *number == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Begin with the rows of a key; -1 with an exception. */
static int sought(const Lookup *lookup, int64_t key, Rows *rows)
{
    const Py_ssize_t first = from(lookup, key);
    Py_ssize_t last = first;
    while (last < lookup->count && lookup->key[last] == key) last++;
    *rows = (Rows){lookup->row + first, lookup->row + last, under(lookup->later, key), 0};
    if (rows->later && !PyList_Check(rows->later)) PyErr_SetString(PyExc_TypeError, "the rows that came later are no list");
    return PyErr_Occurred() ? -1 : 0;
}

/* The next row: 1 if there is one, else 0; -1 with an exception. */
static int next(Rows *rows, int64_t *row)
{
    if (rows->row < rows->end) {
        *row = *rows->row++;
        return 1;
    }
    if (!rows->later || rows->nth >= PyList_GET_SIZE(rows->later)) return 0;
    return counted(PyList_GET_ITEM(rows->later, rows->nth++), row) ? -1 : 1;
}

#endif
