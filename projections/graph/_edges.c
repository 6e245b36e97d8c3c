/* The edges that lead from some memories to others, as recall/expansion.py finds them with arrays.

   Optional: where it was not compiled, NumPy does the work. */

#include "../_buffers.h"

#include <stdlib.h>

/* Rows by key, ascending. */
typedef struct {
    const int32_t *key, *row;
    Py_ssize_t count;
} Lookup;

/* The edges; those that no longer stand have an end. */
typedef struct {
    const int32_t *source, *target, *relation;
    const double *weight;
    const int64_t *until;
    Py_ssize_t count;
} Table;

/* What is known of memories, by ordinal, and of relations, by number. */
typedef struct {
    const int32_t *today; /* the root of each text */
    const uint8_t *shown, *superseded;
    Py_ssize_t texts, relations;
    const uint8_t *followed;
    int64_t updates;
} State;

typedef struct {
    int64_t parent, root, relation, row;
    double weight;
} Tie;

typedef struct {
    Tie *tie;
    Py_ssize_t count, room;
    int replaced;
} Found;

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

static int noted(Found *found, Tie tie)
{
    if (found->count == found->room) {
        const Py_ssize_t room = found->room ? 2 * found->room : 256;
        Tie *ties = PyMem_Realloc(found->tie, room * sizeof *ties);
        if (!ties) {
            PyErr_NoMemory();
            return -1;
        }
        found->tie = ties;
        found->room = room;
    }
    found->tie[found->count++] = tie;
    return 0;
}

/* By parent, then by row. */
static int rising(const void *first, const void *second)
{
    const Tie *a = first, *b = second;
    return a->parent != b->parent ? (a->parent > b->parent) - (a->parent < b->parent) : (a->row > b->row) - (a->row < b->row);
}

/* Note the edge of a row as a way from one memory, if it is one that may be gone; -1 with an exception. */
static int taken(const Table *table, const State *state, int64_t row, int64_t parent, int64_t mine, Found *found)
{
    if (row < 0) return outside("edge", row, table->count);
    if (row >= table->count) return 0; /* it came after the asked point */
    const int64_t relation = table->relation[row], ends[2] = {table->source[row], table->target[row]};
    if (table->until[row] || ends[0] < 0 || ends[1] < 0) return 0;
    if (relation < 0 || relation >= state->relations) return outside("relation", relation, state->relations);
    if (!state->followed[relation]) return 0;
    for (int side = 0; side < 2; side++)
        if (ends[side] >= state->texts) return outside("text", ends[side], state->texts);
    const int64_t source = state->today[ends[0]], target = state->today[ends[1]], other = source == mine ? target : source;
    if (other < 0 || other >= state->texts) return outside("memory", other, state->texts);
    if (other == mine) return 0;
    if (state->shown[other]) return noted(found, (Tie){parent, other, relation, row, table->weight[row]});
    found->replaced |= relation == state->updates && state->superseded[other];
    return 0;
}

static int walked(const Lookup lookup[2], const Table *table, const State *state, int64_t end, int64_t parent,
                  int64_t mine, Found *found)
{
    for (int side = 0; side < 2; side++) {
        const Lookup *rows = &lookup[side];
        for (Py_ssize_t place = from(rows, end); place < rows->count && rows->key[place] == end; place++)
            if (taken(table, state, rows->row[place], parent, mine, found)) return -1;
    }
    return 0;
}

/* Take the columns: sources and targets looked up, the table of edges, and the state of memories. */
static int filled(Held *buffers, PyObject *lookups, PyObject *edges, PyObject *memories, Lookup lookup[2], Table *table,
                  State *state)
{
    PyObject *keys[2], *rows[2], *column[5], *today, *shown, *superseded, *followed;
    if (!PyArg_ParseTuple(lookups, "(OO)(OO)", &keys[0], &rows[0], &keys[1], &rows[1]) ||
        !PyArg_ParseTuple(edges, "OOOOO", &column[0], &column[1], &column[2], &column[3], &column[4]) ||
        !PyArg_ParseTuple(memories, "OOOOL", &today, &shown, &superseded, &followed, &state->updates))
        return -1;
    for (int side = 0; side < 2; side++) {
        if (!(lookup[side].key = held(buffers, keys[side], 0, sizeof(int32_t)))) return -1;
        lookup[side].count = length(buffers, sizeof(int32_t));
        if (!(lookup[side].row = held(buffers, rows[side], lookup[side].count, sizeof(int32_t)))) return -1;
    }
    if (!(table->source = held(buffers, column[0], 0, sizeof(int32_t)))) return -1;
    table->count = length(buffers, sizeof(int32_t));
    if (!(table->target = held(buffers, column[1], table->count, sizeof(int32_t))) ||
        !(table->relation = held(buffers, column[2], table->count, sizeof(int32_t))) ||
        !(table->weight = held(buffers, column[3], table->count, sizeof(double))) ||
        !(table->until = held(buffers, column[4], table->count, sizeof(int64_t))) ||
        !(state->today = held(buffers, today, 0, sizeof(int32_t))))
        return -1;
    state->texts = length(buffers, sizeof(int32_t));
    if (!(state->shown = held(buffers, shown, state->texts, 1)) ||
        !(state->superseded = held(buffers, superseded, state->texts, 1)) ||
        !(state->followed = held(buffers, followed, 0, 1)))
        return -1;
    state->relations = length(buffers, 1);
    return 0;
}

static PyObject *ties(PyObject *module, PyObject *arguments)
{
    PyObject *lookups, *edges, *memories, *ends, *owners, *roots, *result = NULL;
    Py_buffer room[16];
    Held buffers = {room, 0};
    Lookup lookup[2];
    Table table;
    State state;
    Found found = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OOO", &PyTuple_Type, &lookups, &PyTuple_Type, &edges, &PyTuple_Type, &memories,
                          &ends, &owners, &roots))
        return NULL;
    if (filled(&buffers, lookups, edges, memories, lookup, &table, &state)) goto done;
    const int64_t *end = held(&buffers, ends, 0, sizeof *end);
    if (!end) goto done;
    const Py_ssize_t count = length(&buffers, sizeof *end);
    const int64_t *owner = held(&buffers, owners, count, sizeof *owner);
    const int64_t *root = owner ? held(&buffers, roots, 0, sizeof *root) : NULL;
    if (!root) goto done;
    const Py_ssize_t parents = length(&buffers, sizeof *root);
    for (Py_ssize_t n = 0; n < count; n++) {
        if (owner[n] < 0 || owner[n] >= parents ? outside("memory", owner[n], parents)
                                                : walked(lookup, &table, &state, end[n], owner[n], root[owner[n]], &found))
            goto done;
    }
    if (found.count) qsort(found.tie, found.count, sizeof *found.tie, rising);
    result = Py_BuildValue("y#O", found.tie ? (const char *)found.tie : "", found.count * (Py_ssize_t)sizeof *found.tie,
                           found.replaced ? Py_True : Py_False);
done:
    PyMem_Free(found.tie);
    released(&buffers);
    return result;
}

static PyMethodDef METHODS[] = {
    {"ties", ties, METH_VARARGS,
     "ties(lookups, edges, memories, ends, owners, roots) -> (records of int64 parent, root, relation, row and float64 weight as "
     "bytes, whether a memory is met that another took the place of)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_edges", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__edges(void) { return PyModuleDef_Init(&MODULE); }
