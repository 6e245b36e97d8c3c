/* The edges and names that tie memories to others, as recall/expansion.py and recall/names.py find them with arrays.

   Optional: where it was not compiled, NumPy does the work. */

#include "_names.h"

/* The edges; those that no longer stand have an end. */
typedef struct {
    Lookup by[2]; /* source, target */
    const int32_t *source, *target, *relation;
    const double *weight;
    const int64_t *until;
    Py_ssize_t count;
} Table;

/* What is known of memories, by ordinal, and of relations, by number. */
typedef struct {
    const int32_t *today, *members; /* the root of each text, and how many texts a memory has */
    const uint8_t *superseded, *shown;
    Py_ssize_t texts, relations;
    Lookup joined; /* the texts of each memory, but for its first */
    const uint8_t *followed;
    int64_t updates;
} State;

/* Note the texts of a memory; -1 with an exception. */
static int gathered(const State *state, int64_t parent, int64_t mine, Keys *texts)
{
    Rows joined;
    int64_t text;
    int more;
    if (mine < 0 || mine >= state->texts) return outside("memory", mine, state->texts);
    if (added(texts, mine, parent)) return -1;
    if (state->members[mine] == 1) return 0;
    if (rows_of(&state->joined, mine, &joined)) return -1;
    while ((more = next(&joined, &text)) > 0)
        if (added(texts, text, parent)) return -1;
    return more;
}

/* Note the edge of a row as a way from the memory `mine` to the far end, if it is one that may be gone; -1 with an
   exception. */
static int taken(const Table *table, const State *state, int64_t row, const int32_t *far, int64_t parent, int64_t mine,
                 Found *found)
{
    if (row < 0) return outside("edge", row, table->count);
    if (row >= table->count) return 0; /* it came after the asked point */
    const int64_t relation = table->relation[row], end = far[row];
    if (table->until[row]) return 0;
    if (end < 0) return found->beyond = 1, 0;
    if (relation < 0 || relation >= state->relations) return outside("relation", relation, state->relations);
    if (!state->followed[relation]) return 0;
    if (end >= state->texts) return outside("text", end, state->texts);
    const int64_t other = state->today[end];
    if (other < 0 || other >= state->texts) return outside("memory", other, state->texts);
    if (other == mine) return 0;
    if (!state->shown[other]) {
        if (relation != state->updates || !state->superseded[other]) return 0;
        found->replaced = 1;
    }
    return noted(found, (Way){other, 0.0, 0, parent, relation, table->weight[row]}, row);
}

/* Note the ways by edges that begin, or end, at some texts of these memories; -1 with an exception. */
static int followed(const Table *table, const State *state, int side, const Keys *texts, const int64_t *root, Found *found)
{
    const Lookup *by = &table->by[side];
    const int32_t *far = side ? table->source : table->target;
    placed(by, texts->sought, texts->count);
    for (Py_ssize_t n = 0; n < texts->count; n++) {
        const int64_t parent = texts->sought[n].owner;
        Rows rows;
        int64_t row;
        int more;
        if (begun(by, &texts->sought[n], &rows)) return -1;
        while ((more = next(&rows, &row)) > 0)
            if (taken(table, state, row, far, parent, root[parent], found)) return -1;
        if (more < 0) return -1;
    }
    return 0;
}

/* Note the ways by the edges of some memories; -1 with an exception. */
static int walked(const Table *table, const State *state, const int64_t *root, Py_ssize_t parents, Found *found)
{
    Keys texts = {0};
    int failed = 0;
    for (Py_ssize_t parent = 0; parent < parents && !failed; parent++)
        failed = gathered(state, parent, root[parent], &texts);
    for (int side = 0; side < 2 && !failed; side++) failed = followed(table, state, side, &texts, root, found);
    PyMem_Free(texts.sought);
    return failed;
}

/* Take what the functions of Python give; -1 with an exception where it does not fit together. */
static int filled(Held *buffers, PyObject *lookups, PyObject *edges, PyObject *memories, Table *table, State *state)
{
    PyObject *parts[3], *column[5], *today, *members, *superseded, *shown, *followed;
    if (!PyArg_ParseTuple(lookups, "O!O!O!", &PyTuple_Type, &parts[0], &PyTuple_Type, &parts[1], &PyTuple_Type, &parts[2]) ||
        !PyArg_ParseTuple(edges, "OOOOO", &column[0], &column[1], &column[2], &column[3], &column[4]) ||
        !PyArg_ParseTuple(memories, "OOOOOL", &today, &members, &superseded, &shown, &followed, &state->updates) ||
        looked_into(buffers, parts[0], &table->by[0]) || looked_into(buffers, parts[1], &table->by[1]) ||
        looked_into(buffers, parts[2], &state->joined) || !(table->source = held(buffers, column[0], 0, sizeof(int32_t))))
        return -1;
    table->count = length(buffers, sizeof(int32_t));
    if (!(table->target = held(buffers, column[1], table->count, sizeof(int32_t))) ||
        !(table->relation = held(buffers, column[2], table->count, sizeof(int32_t))) ||
        !(table->weight = held(buffers, column[3], table->count, sizeof(double))) ||
        !(table->until = held(buffers, column[4], table->count, sizeof(int64_t))) ||
        !(state->today = held(buffers, today, 0, sizeof(int32_t))))
        return -1;
    state->texts = length(buffers, sizeof(int32_t));
    if (!(state->members = held(buffers, members, state->texts, sizeof(int32_t))) ||
        !(state->superseded = held(buffers, superseded, state->texts, 1)) ||
        !(state->shown = held(buffers, shown, state->texts, 1)) || !(state->followed = held(buffers, followed, 0, 1)))
        return -1;
    state->relations = length(buffers, 1);
    return 0;
}

static PyObject *ties(PyObject *module, PyObject *arguments)
{
    PyObject *lookups, *edges, *memories, *roots, *terms, *called = NULL, *result = NULL;
    Py_buffer room[32];
    Held buffers = {room, 0};
    Table table;
    State state;
    Names names;
    Found found = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!OO!", &PyTuple_Type, &lookups, &PyTuple_Type, &edges, &PyTuple_Type, &memories,
                          &roots, &PyTuple_Type, &terms))
        return NULL;
    if (filled(&buffers, lookups, edges, memories, &table, &state)) goto done;
    const int64_t *root = held(&buffers, roots, 0, sizeof *root);
    if (!root) goto done;
    const Py_ssize_t parents = length(&buffers, sizeof *root);
    if (walked(&table, &state, root, parents, &found)) goto done;
    if (names_taken(&buffers, terms, &names)) goto done;
    if (names.carriers.count > state.texts) {
        outside("text", names.carriers.count - 1, state.texts);
        goto done;
    }
    if (!(called = PyList_New(0)) || named(&names, state.shown, root, parents, &found, called)) goto done;
    if (found.count) qsort(found.tie, found.count, sizeof *found.tie, rising);
    PyObject *ways = PyBytes_FromStringAndSize(NULL, found.count * (Py_ssize_t)sizeof(Way));
    if (!ways) goto done;
    for (Py_ssize_t n = 0; n < found.count; n++)
        memcpy(PyBytes_AS_STRING(ways) + n * sizeof(Way), &found.tie[n].way, sizeof(Way));
    result = Py_BuildValue("NOOO", ways, found.replaced ? Py_True : Py_False, found.beyond ? Py_True : Py_False, called);
done:
    Py_XDECREF(called);
    PyMem_Free(found.tie);
    released(&buffers);
    return result;
}

static PyObject *carriers(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *result = NULL;
    Py_buffer room[4];
    Held buffers = {room, 0};
    Carriers known;
    Roots roots = {0};
    Sought term = {0};
    long long key;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!L", &PyTuple_Type, &parts, &key)) return NULL;
    if (carriers_taken(&buffers, parts, &known)) goto done;
    term.key = key;
    placed(&known.texts, &term, 1);
    if (carriers_of(&known, &term, NULL, PY_SSIZE_T_MAX, &roots)) goto done;
    result = PyBytes_FromStringAndSize((const char *)roots.root, roots.count * (Py_ssize_t)sizeof *roots.root);
done:
    PyMem_Free(roots.root);
    released(&buffers);
    return result;
}

static PyMethodDef METHODS[] = {
    {"ties", ties, METH_VARARGS,
     "ties(lookups, edges, memories, roots, names) -> (records of int64 root, float64 rrf, int64 hop, parent, relation and "
     "float64 edge as bytes, whether some lead to a memory that another took the place of, whether edges lead to what is no "
     "memory, the names)"},
    {"carriers", carriers, METH_VARARGS, "carriers((lookup, roots, changed, gained), term) -> int64 roots as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_edges", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__edges(void) { return PyModuleDef_Init(&MODULE); }
