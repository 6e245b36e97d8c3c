/* Rows by key, as `Lookup` in columns.py has them: sorted ones, and a dict of lists for what came later. */

#ifndef HELIXLOG_LOOKUPS_H
#define HELIXLOG_LOOKUPS_H

#include "_buffers.h"

typedef struct {
    const int32_t *key, *row; /* by key, then by row */
    Py_ssize_t count;
    PyObject *later;
} Lookup;

/* A key, and for whom it is sought. */
typedef struct {
    int64_t key, owner;
    Py_ssize_t place;
} Sought;

typedef struct {
    Sought *sought;
    Py_ssize_t count, room;
} Keys;

/* What is left of the rows of one key, lowest first. */
typedef struct {
    const int32_t *key, *end, *row; /* the sorted keys that are left, of whichever key, and the row of the first */
    int64_t wanted;
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

/* Room for one more of what takes `size` bytes each; NULL with an exception. */
static void *roomier(void *items, Py_ssize_t count, Py_ssize_t *room, size_t size)
{
    if (count < *room) return items;
    void *more = PyMem_Realloc(items, (*room ? 2 * *room : 64) * size);
    if (!more) return PyErr_NoMemory();
    *room = *room ? 2 * *room : 64;
    return more;
}

static inline int compared(int64_t a, int64_t b) { return (a > b) - (a < b); }

/* One more key; -1 with an exception. */
static int added(Keys *keys, int64_t key, int64_t owner)
{
    Sought *more = roomier(keys->sought, keys->count, &keys->room, sizeof *more);
    if (!more) return -1;
    keys->sought = more;
    keys->sought[keys->count++] = (Sought){key, owner, 0};
    return 0;
}

/* The first place of each key, or where it would be; in step, so that none waits for what is read for another. */
static void placed(const Lookup *lookup, Sought *sought, Py_ssize_t count)
{
    for (Py_ssize_t n = 0; n < count; n++) sought[n].place = 0;
    for (Py_ssize_t size = lookup->count; size > 0; size /= 2) {
        const Py_ssize_t half = size - size / 2;
        for (Py_ssize_t n = 0; n < count; n++)
            sought[n].place += lookup->key[sought[n].place + half - 1] < sought[n].key ? half : 0;
    }
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

/* Begin with the rows of a key that was placed; -1 with an exception. How many there are is not asked: a common name has
   very many, and few of them are read. */
static int begun(const Lookup *lookup, const Sought *sought, Rows *rows)
{
    *rows = (Rows){lookup->key + sought->place, lookup->key + lookup->count, lookup->row + sought->place, sought->key,
                   under(lookup->later, sought->key), 0};
    if (rows->later && !PyList_Check(rows->later)) PyErr_SetString(PyExc_TypeError, "the rows that came later are no list");
    return PyErr_Occurred() ? -1 : 0;
}

/* The rows of one key; -1 with an exception. */
static int rows_of(const Lookup *lookup, int64_t key, Rows *rows)
{
    Sought sought = {key, 0, 0};
    placed(lookup, &sought, 1);
    return begun(lookup, &sought, rows);
}

/* The next row: 1 if there is one, else 0; -1 with an exception. */
static int next(Rows *rows, int64_t *row)
{
    if (rows->key < rows->end && *rows->key == rows->wanted) {
        rows->key++;
        *row = *rows->row++;
        return 1;
    }
    if (!rows->later || rows->nth >= PyList_GET_SIZE(rows->later)) return 0;
    return counted(PyList_GET_ITEM(rows->later, rows->nth++), row) ? -1 : 1;
}

#endif
