/* Adding up and looking up postings, as matching.py does with arrays.

   Every number is rounded as BM25 pins it: a weight times its idf, added term by term in the order they come in.
   Optional: where it was not compiled, NumPy does the work. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPARSE = 4,  /* with fewer postings than one in so many documents, those touched are kept in a list */
    SAMPLE = 32, /* one in so many documents tells where the best begin, roughly */
    GUESSED = 3, /* so many times the documents wanted are looked at first */
};

/* A term's postings in one part of the index: by kind, or with a weight each. */
typedef struct {
    double idf;
    int rare;
    const uint32_t *doc;
    const uint16_t *narrow; /* kinds; or */
    const uint32_t *wide;   /* kinds; or neither: a weight each */
    const double *weight;
    Py_ssize_t count, weights;
} Part;

typedef struct {
    Part *part;
    Py_ssize_t parts, total;
    Py_buffer *buffer;
    Py_ssize_t buffers;
} Query;

static inline double weight(const Part *part, Py_ssize_t place)
{
    const Py_ssize_t kind = part->narrow ? part->narrow[place] : part->wide ? (Py_ssize_t)part->wide[place] : place;
    return kind < part->weights ? part->weight[kind] : 0.0;
}

/* -- arguments ------------------------------------------------------------- */

/* The contents of a contiguous buffer whose numbers take `size` bytes each, and its length in bytes. */
static const void *held(Query *query, PyObject *object, Py_ssize_t size, Py_ssize_t *length)
{
    Py_buffer *buffer = &query->buffer[query->buffers];
    if (PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE)) return NULL;
    query->buffers++;
    *length = buffer->len;
    if (((uintptr_t)buffer->buf & (size - 1)) == 0) return buffer->buf ? buffer->buf : "";
    PyErr_SetString(PyExc_ValueError, "numbers that do not lie where a processor can read them");
    return NULL;
}

static int filled(Query *query, PyObject *object)
{
    Part *part = &query->part[query->parts];
    PyObject *docs, *kinds, *weights;
    Py_ssize_t size;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "postings that are no tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(object, "dpOOO", &part->idf, &part->rare, &docs, &kinds, &weights)) return -1;
    if (!(part->doc = held(query, docs, sizeof *part->doc, &size))) return -1;
    part->count = size / (Py_ssize_t)sizeof *part->doc;
    if (!(part->weight = held(query, weights, sizeof *part->weight, &size))) return -1;
    part->weights = size / (Py_ssize_t)sizeof *part->weight;
    if (kinds != Py_None) {
        const void *found = held(query, kinds, sizeof *part->narrow, &size);
        if (!found) return -1;
        if (size == part->count * (Py_ssize_t)sizeof *part->narrow) part->narrow = found;
        else if (size == part->count * (Py_ssize_t)sizeof *part->wide) part->wide = found;
    }
    if (kinds == Py_None ? part->weights != part->count : part->count && !part->narrow && !part->wide) {
        PyErr_SetString(PyExc_ValueError, "postings whose documents, kinds and weights do not fit each other");
        return -1;
    }
    query->total += part->count;
    query->parts++;
    return 0;
}

static void released(Query *query)
{
    while (query->buffers) PyBuffer_Release(&query->buffer[--query->buffers]);
    PyMem_Free(query->buffer);
    PyMem_Free(query->part);
}

static int taken(Query *query, PyObject *parts)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(parts);
    query->part = PyMem_Calloc(count + 1, sizeof *query->part);
    query->buffer = PyMem_Calloc(3 * count + 1, sizeof *query->buffer);
    if (!query->part || !query->buffer) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t n = 0; n < count; n++)
        if (filled(query, PyTuple_GET_ITEM(parts, n))) return -1;
    return 0;
}

/* -- the best documents ---------------------------------------------------- */

typedef struct {
    double *score; /* of every document; all 0 before and after */
    const uint8_t *allowed;
    Py_ssize_t size;
    uint32_t *touched; /* the documents that have any score; NULL: look at all */
    Py_ssize_t touches;
} Sums;

typedef struct {
    int64_t *doc;
    double *score, least;
    Py_ssize_t count, room;
    int all;
} Best;

static void added(Sums *sums, const Query *query)
{
    for (Py_ssize_t n = 0; n < query->parts; n++) {
        const Part *part = &query->part[n];
        for (Py_ssize_t i = 0; i < part->count; i++) {
            const uint32_t doc = part->doc[i];
            if (doc >= sums->size) continue;
            if (sums->touched && sums->score[doc] == 0.0) sums->touched[sums->touches++] = doc;
            const double gained = weight(part, i) * part->idf;
            sums->score[doc] += gained;
        }
    }
}

static inline Py_ssize_t documents(const Sums *sums) { return sums->touched ? sums->touches : sums->size; }
static inline Py_ssize_t document(const Sums *sums, Py_ssize_t n) { return sums->touched ? sums->touched[n] : n; }
static inline int may_answer(const Sums *sums, Py_ssize_t doc) { return !sums->allowed || sums->allowed[doc]; }

/* The `rank`-th largest of these numbers, from 0 (Hoare's Find, 1961); they change places. */
static double largest(double *values, Py_ssize_t count, Py_ssize_t rank)
{
    Py_ssize_t low = 0, high = count - 1;
    while (low < high) {
        const double pivot = values[low + (high - low) / 2];
        Py_ssize_t i = low, j = high;
        while (i <= j) {
            while (values[i] > pivot) i++;
            while (values[j] < pivot) j--;
            if (i > j) break;
            const double kept = values[i];
            values[i++] = values[j];
            values[j--] = kept;
        }
        if (rank <= j) high = j;
        else if (rank >= i) low = i;
        else break;
    }
    return values[rank];
}

static int reaching(const Sums *sums, double bar, Best *best)
{
    best->count = 0;
    for (Py_ssize_t n = 0; n < documents(sums); n++) {
        const Py_ssize_t doc = document(sums, n);
        if (!(sums->score[doc] >= bar) || sums->score[doc] <= 0.0 || !may_answer(sums, doc)) continue;
        if (best->count == best->room) {
            const Py_ssize_t room = best->room ? 2 * best->room : 1024;
            int64_t *docs = PyMem_RawRealloc(best->doc, room * sizeof *docs);
            if (docs) best->doc = docs;
            double *scores = PyMem_RawRealloc(best->score, room * sizeof *scores);
            if (scores) best->score = scores;
            if (!docs || !scores) return -1;
            best->room = room;
        }
        best->doc[best->count] = doc;
        best->score[best->count++] = sums->score[doc];
    }
    return 0;
}

/* A score that somewhat more documents than wanted reach, as far as a sample tells. */
static int guessed(const Sums *sums, Py_ssize_t limit, double *bar)
{
    const Py_ssize_t count = documents(sums) / SAMPLE, rank = GUESSED * limit / SAMPLE;
    *bar = 0.0;
    if (count <= rank) return 0;
    double *seen = PyMem_RawMalloc(count * sizeof *seen);
    if (!seen) return -1;
    for (Py_ssize_t n = 0; n < count; n++) {
        const Py_ssize_t doc = document(sums, n * SAMPLE);
        seen[n] = may_answer(sums, doc) ? sums->score[doc] : 0.0;
    }
    *bar = largest(seen, count, rank);
    PyMem_RawFree(seen);
    return 0;
}

static int others(const Sums *sums, double least)
{
    for (Py_ssize_t n = 0; n < documents(sums); n++) {
        const Py_ssize_t doc = document(sums, n);
        if (sums->score[doc] > 0.0 && sums->score[doc] < least && may_answer(sums, doc)) return 1;
    }
    return 0;
}

static int chosen(const Sums *sums, Py_ssize_t limit, Best *best)
{
    double bar;
    if (guessed(sums, limit, &bar) || reaching(sums, bar, best)) return -1;
    if (best->count < limit && bar > 0.0) {
        bar = 0.0;
        if (reaching(sums, bar, best)) return -1;
    }
    if (best->count > limit) {
        double *scores = PyMem_RawMalloc(best->count * sizeof *scores);
        if (!scores) return -1;
        memcpy(scores, best->score, best->count * sizeof *scores);
        best->least = largest(scores, best->count, limit - 1);
        PyMem_RawFree(scores);
        Py_ssize_t kept = 0;
        for (Py_ssize_t n = 0; n < best->count; n++) {
            best->doc[kept] = best->doc[n];
            kept += best->score[n] >= best->least;
        }
        best->count = kept;
        best->all = !others(sums, best->least);
    } else {
        best->all = bar <= 0.0 || !others(sums, bar);
    }
    return 0;
}

static int by_number(const void *first, const void *second)
{
    const int64_t a = *(const int64_t *)first, b = *(const int64_t *)second;
    return (a > b) - (a < b);
}

static void searched(Sums *sums, const Query *query, Py_ssize_t limit, Best *best, int *failed)
{
    if (query->total < sums->size / SPARSE && !(sums->touched = PyMem_RawMalloc((query->total + 1) * sizeof(uint32_t)))) {
        *failed = 1;
        return;
    }
    added(sums, query);
    *failed = chosen(sums, limit, best);
    if (sums->touched) {
        for (Py_ssize_t n = 0; n < sums->touches; n++) sums->score[sums->touched[n]] = 0.0;
        PyMem_RawFree(sums->touched);
        if (best->count) qsort(best->doc, best->count, sizeof *best->doc, by_number);
    } else {
        memset(sums->score, 0, sums->size * sizeof *sums->score);
    }
}

static PyObject *best(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *room, *allowed, *result = NULL;
    Py_ssize_t limit;
    Query query = {0};
    Sums sums = {0};
    Best found = {0};
    Py_buffer scores = {0}, mask = {0};
    int failed = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!nOOn", &PyTuple_Type, &parts, &limit, &allowed, &room, &sums.size)) return NULL;
    if (limit < 1 || sums.size < 0) return PyErr_Format(PyExc_ValueError, "a limit of %zd", limit);
    if (taken(&query, parts) || PyObject_GetBuffer(room, &scores, PyBUF_WRITABLE)) goto done;
    if (allowed != Py_None && PyObject_GetBuffer(allowed, &mask, PyBUF_SIMPLE)) goto done;
    sums.score = scores.buf;
    sums.allowed = mask.buf;
    if (scores.len / (Py_ssize_t)sizeof *sums.score < sums.size || (allowed != Py_None && mask.len < sums.size)) {
        PyErr_SetString(PyExc_ValueError, "room or mask for fewer documents than there are");
        goto done;
    }
    if (limit > sums.size) limit = sums.size ? sums.size : 1; /* that is all of them */
    Py_BEGIN_ALLOW_THREADS
    searched(&sums, &query, limit, &found, &failed);
    Py_END_ALLOW_THREADS
    result = failed ? PyErr_NoMemory()
                    : Py_BuildValue("y#O", found.doc ? (const char *)found.doc : "", found.count * (Py_ssize_t)sizeof *found.doc,
                                    found.all ? Py_True : Py_False);
done:
    if (mask.obj) PyBuffer_Release(&mask);
    if (scores.obj) PyBuffer_Release(&scores);
    released(&query);
    PyMem_RawFree(found.doc);
    PyMem_RawFree(found.score);
    return result;
}

/* -- some documents -------------------------------------------------------- */

/* The place of the document among the part's postings, or -1. */
static Py_ssize_t placed(const Part *part, int64_t doc)
{
    const uint32_t *base = part->doc;
    if (!part->count) return -1;
    for (Py_ssize_t left = part->count; left > 1;) {
        const Py_ssize_t half = left / 2;
        base += base[half] <= doc ? half : 0;
        left -= half;
    }
    return *base == doc ? base - part->doc : -1;
}

static PyObject *exact(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *ordinals, *result = NULL;
    Query query = {0};
    Py_buffer asked = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O", &PyTuple_Type, &parts, &ordinals)) return NULL;
    if (taken(&query, parts) || PyObject_GetBuffer(ordinals, &asked, PyBUF_SIMPLE)) goto done;
    const int64_t *doc = asked.buf;
    const Py_ssize_t count = asked.len / (Py_ssize_t)sizeof *doc;
    PyObject *bytes[3] = {
        PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, count),
    };
    if (bytes[0] && bytes[1] && bytes[2]) {
        double *score = (double *)PyBytes_AS_STRING(bytes[0]), *matched = (double *)PyBytes_AS_STRING(bytes[1]);
        char *rare = PyBytes_AS_STRING(bytes[2]);
        for (Py_ssize_t n = 0; n < count; n++) score[n] = matched[n] = rare[n] = 0;
        for (Py_ssize_t p = 0; p < query.parts; p++) {
            const Part *part = &query.part[p];
            for (Py_ssize_t n = 0; n < count; n++) {
                const Py_ssize_t place = placed(part, doc[n]);
                if (place < 0) continue;
                const double gained = weight(part, place) * part->idf;
                score[n] += gained;
                matched[n] += part->idf;
                rare[n] |= (char)part->rare;
            }
        }
        result = PyTuple_Pack(3, bytes[0], bytes[1], bytes[2]);
    }
    for (int n = 0; n < 3; n++) Py_XDECREF(bytes[n]);
done:
    if (asked.obj) PyBuffer_Release(&asked);
    released(&query);
    return result;
}

static PyMethodDef METHODS[] = {
    {"best", best, METH_VARARGS, "best(parts, limit, allowed, room, size) -> (int64 documents as bytes, no others)"},
    {"exact", exact, METH_VARARGS, "exact(parts, ordinals) -> (float64 scores, float64 idf matched, bool rare) as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_postings", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__postings(void) { return PyModuleDef_Init(&MODULE); }
