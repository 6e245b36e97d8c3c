/* What `Effectiveness.standing` does with arrays: how some memories stand at a time, one after the other.

   Every number is rounded by the operations of steps.py, in their order. Optional: where it was not compiled,
   NumPy does the work. */

#include "../_buffers.h"

enum { COLUMNS = 7 };

typedef struct {
    const double *effectiveness;
    const int64_t *anchor, *settled;
    const double *spread;
    const int32_t *uses, *hits;
    const int64_t *velocity_from;
    Py_ssize_t rows;
} Table;

typedef struct {
    int64_t day, after, unit;
    double decay_rate, decay_discount, spread_min, spread_cap, causal_floor;
    int64_t causal_min_uses;
} Rules;

/* The whole part of a quotient, rounded down, from 0. */
static int64_t whole(int64_t dividend, int64_t divisor) { return dividend < divisor ? 0 : dividend / divisor; }

/* As NumPy subtracts: beyond the last number comes the first. */
static int64_t minus(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }

/* arithmetic.ipow */
static double power(double base, int64_t exponent)
{
    double result = 1.0;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) result *= base;
        base *= base;
    }
    return result;
}

static double decayed(const Table *table, const Rules *rules, int64_t root, int64_t time)
{
    const double level = table->effectiveness[root], spread = table->spread[root];
    const int64_t idle = minus(minus(time, table->anchor[root]), rules->after);
    const int64_t steps = minus(whole(idle, rules->unit), table->settled[root]);
    if (!(level > 0.5) || steps <= 0) return level;
    const double part = spread / rules->spread_cap;
    const double generality = spread >= rules->spread_min ? (part < 1.0 ? part : 1.0) : 0.0;
    const double base = 1.0 - rules->decay_rate * (1.0 - rules->decay_discount * generality);
    return 0.5 + (level - 0.5) * power(base, steps);
}

static double lowered(const Table *table, const Rules *rules, int64_t root, double value)
{
    const int32_t uses = table->uses[root];
    if (uses < rules->causal_min_uses) return value;
    const double share = (double)table->hits[root] / (double)(uses > 1 ? uses : 1);
    return value * (share > rules->causal_floor ? share : rules->causal_floor);
}

static PyObject *standing(PyObject *module, PyObject *arguments)
{
    static const Py_ssize_t WIDTH[COLUMNS] = {8, 8, 8, 8, 4, 4, 8};
    PyObject *columns, *wanted, *counted, *result = NULL, *bytes[4] = {0};
    Rules rules;
    int64_t time, low;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOLL(LLLdddddL)", &PyTuple_Type, &columns, &wanted, &counted, &time, &low,
                          &rules.day, &rules.after, &rules.unit, &rules.decay_rate, &rules.decay_discount,
                          &rules.spread_min, &rules.spread_cap, &rules.causal_floor, &rules.causal_min_uses))
        return NULL;
    if (PyTuple_GET_SIZE(columns) != COLUMNS || rules.day < 1 || rules.unit < 1)
        return PyErr_Format(PyExc_ValueError, "%zd columns, where %d are needed", PyTuple_GET_SIZE(columns), COLUMNS);
    Py_buffer room[COLUMNS + 2];
    Held buffers = {room, 0};
    const void *column[COLUMNS];
    Table table = {0};
    for (int n = 0; n < COLUMNS; n++) {
        if (!(column[n] = held(&buffers, PyTuple_GET_ITEM(columns, n), table.rows, WIDTH[n]))) goto done;
        if (!n) table.rows = length(&buffers, WIDTH[n]);
    }
    table = (Table){column[0], column[1], column[2], column[3], column[4], column[5], column[6], table.rows};
    const int32_t *count = held(&buffers, counted, 1, sizeof *count);
    if (!count) goto done;
    const Py_ssize_t last = length(&buffers, sizeof *count) - 1;
    const int64_t *root = held(&buffers, wanted, 0, sizeof *root);
    if (!root) goto done;
    const Py_ssize_t size = length(&buffers, sizeof *root);
    for (int n = 0; n < 4; n++)
        if (!(bytes[n] = PyBytes_FromStringAndSize(NULL, size * 8))) goto done;
    double *value = (double *)PyBytes_AS_STRING(bytes[0]), *adjusted = (double *)PyBytes_AS_STRING(bytes[1]);
    int64_t *days = (int64_t *)PyBytes_AS_STRING(bytes[2]), *velocity = (int64_t *)PyBytes_AS_STRING(bytes[3]);
    int again = 0;
    for (Py_ssize_t n = 0; n < size; n++) {
        if (root[n] < 0 || root[n] >= table.rows) {
            outside("row", root[n], table.rows);
            goto done;
        }
        value[n] = decayed(&table, &rules, root[n], time);
        adjusted[n] = lowered(&table, &rules, root[n], value[n]);
        days[n] = whole(minus(time, table.anchor[root[n]]), rules.day);
        velocity[n] = count[root[n] < last ? root[n] : last];
        again |= velocity[n] > 0 && table.velocity_from[root[n]] > low;
    }
    result = PyTuple_Pack(5, bytes[0], bytes[1], bytes[2], bytes[3], again ? Py_True : Py_False);
done:
    for (int n = 0; n < 4; n++) Py_XDECREF(bytes[n]);
    released(&buffers);
    return result;
}

static PyMethodDef METHODS[] = {
    {"standing", standing, METH_VARARGS,
     "standing(columns, roots, counts, time, low, rules) -> (float64 values, float64 adjusted, int64 days, int64 "
     "velocities) as bytes, and whether a memory that began anew is to be counted again"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_standing", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__standing(void) { return PyModuleDef_Init(&MODULE); }
