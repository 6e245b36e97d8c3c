/* The best documents of a query, as matching.py finds them with arrays.

   Optional: where it was not compiled, NumPy does the work. */

#include "_query.h"

#include <float.h>
#include <string.h>

enum {
    BLOCK = 2048, /* documents whose sums stay in the first cache */
    STEPS = 512,  /* of scores, by which is known what the best begin with, roughly */
    LINE = 64,    /* bytes that are fetched at once */
};

#define NOBODY UINT32_MAX /* an ordinal that no document has */
#define MOST 2.2          /* no weight is above it (k1 + 1) */
#define SLACK 1e-12       /* relative; more than a product and a quotient are rounded by */

typedef struct {
    const uint8_t *allowed;
    const int32_t *rank; /* of every document; of equal scores the higher one goes first */
    Hit *hit;
    Py_ssize_t count, room, limit;
    double bar; /* what reaches it may be among the best */
    int others; /* whether any that may answer was left out */
    Py_ssize_t taken[STEPS], above; /* how many were taken in, by step, and in the steps above `step` */
    int step;
    double scale; /* steps of a score of 1 */
} Best;

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

/* Leave out what does not reach the bar. */
static void left_out(Best *best)
{
    Py_ssize_t kept = 0;
    for (Py_ssize_t n = 0; n < best->count; n++)
        if (best->hit[n].score >= best->bar) best->hit[kept++] = best->hit[n];
    best->others |= kept < best->count;
    best->count = kept;
}

/* Keep as many as are wanted, and all that equal the last of them. */
static int cut(Best *best)
{
    left_out(best);
    if (best->count <= best->limit) return 0;
    double *scores = PyMem_RawMalloc(best->count * sizeof *scores);
    if (!scores) return -1;
    for (Py_ssize_t n = 0; n < best->count; n++) scores[n] = best->hit[n].score;
    best->bar = largest(scores, best->count, best->limit - 1);
    PyMem_RawFree(scores);
    left_out(best);
    return 0;
}

/* The step of a score that was taken in; the bar goes up as long as enough are above its step. */
static void counted(Best *best, double score)
{
    const double steps = score * best->scale;
    const int step = steps < STEPS - 1 ? (int)steps : STEPS - 1;
    best->taken[step]++;
    if (step < best->step) return;
    best->above += step > best->step;
    if (best->above < best->limit) return;
    do best->above -= best->taken[++best->step];
    while (best->above >= best->limit);
    best->bar = best->step / best->scale * (1.0 - SLACK);
}

static int taken_in(Best *best, uint32_t doc, double score)
{
    if (best->count == best->room) {
        const Py_ssize_t room = best->room ? 2 * best->room : 1024;
        Hit *hit = PyMem_RawRealloc(best->hit, room * sizeof *hit);
        if (!hit) return -1;
        best->hit = hit;
        best->room = room;
    }
    best->hit[best->count++] = (Hit){.score = score, .doc = doc};
    counted(best, score);
    return 0;
}

/* `added`, compiled once for narrow kinds and once for others, so that it does not ask at each posting. */
static inline uint16_t *summed(double *restrict sum, Span *span, uint32_t first, uint32_t width, double bar,
                               uint16_t *restrict reached, const int narrow)
{
    const Place place = *span->place;
    const double idf = span->idf;
    const Py_ssize_t stop = span->stop;
    Py_ssize_t at = span->at;
    for (; at < stop; at++) {
        const uint32_t local = place.doc[at] - first;
        if (local >= width) break;
        const double gained = weight(&place, narrow ? place.narrow[at] : kind(&place, at)) * idf;
        sum[local] += gained;
        *reached = (uint16_t)local;
        reached += sum[local] >= bar;
    }
    span->at = at;
    return reached;
}

/* Add up the postings of the documents from `first` on. Which of them came up to the bar is noted from `reached` on, a
   document perhaps for several terms; where the notes end. */
static uint16_t *added(double *sum, Span *span, uint32_t first, uint32_t width, double bar, uint16_t *reached)
{
    return span->place->narrow ? summed(sum, span, first, width, bar, reached, 1)
                               : summed(sum, span, first, width, bar, reached, 0);
}

/* Take in what came up to the bar and may answer; its sum is put back to 0, so that it comes once. */
static int looked_at(double *restrict sum, const uint16_t *reached, const uint16_t *end, uint32_t first, Best *best)
{
    for (; reached < end; reached++) {
        const double score = sum[*reached];
        const uint32_t doc = first + *reached;
        if (!(score >= best->bar) || (best->allowed && !best->allowed[doc])) continue;
        if (taken_in(best, doc, score)) return -1;
        sum[*reached] = 0.0;
    }
    return 0;
}

/* Put the sums back to 0 of the postings from `start` on that were added. Blocks begin at multiples of `BLOCK`, so that
   nothing outside them is written to, even if another thread has changed the documents meanwhile. */
static void put_back(double *restrict sum, const Span *span, Py_ssize_t start, uint32_t first, Best *best)
{
    const uint32_t *docs = span->place->doc;
    const Py_ssize_t stop = span->at;
    Py_ssize_t n = start;
    for (; n < stop && !best->others; n++) {
        const uint32_t local = docs[n] % BLOCK;
        best->others = sum[local] > 0.0 && (!best->allowed || best->allowed[first + local]);
        sum[local] = 0.0;
    }
    for (; n < stop; n++) sum[docs[n] % BLOCK] = 0.0;
}

static inline int before(const Hit *one, const Hit *other)
{
    if (one->score != other->score) return one->score > other->score;
    return one->rank != other->rank ? one->rank > other->rank : one->doc > other->doc;
}

/* Put hits in order by merging runs twice as long each time; half the time of `qsort`, which calls for each comparison. */
static int put_in_order(Hit *hit, Py_ssize_t count)
{
    Hit *room = PyMem_RawMalloc((count + 1) * sizeof *room), *from = hit, *to = room;
    if (!room) return -1;
    for (Py_ssize_t run = 1; run < count; run *= 2) {
        for (Py_ssize_t n = 0; n < count;) {
            Py_ssize_t one = n, other = n + run < count ? n + run : count;
            const Py_ssize_t middle = other, stop = count - other < run ? count : other + run;
            for (; n < stop; n++)
                to[n] = from[other == stop || (one < middle && !before(&from[other], &from[one])) ? one++ : other++];
        }
        Hit *const sorted = to;
        to = from;
        from = sorted;
    }
    if (from != hit) memcpy(hit, from, count * sizeof *hit);
    PyMem_RawFree(room);
    return 0;
}

/* Fetch the beginning of a span's columns: what follows a processor fetches of itself, once it saw that they are read. */
static void begun(const Span *span)
{
    __builtin_prefetch(span->place->doc + span->start);
    __builtin_prefetch(span->place->doc + span->start + LINE / sizeof *span->place->doc);
    if (span->place->narrow) __builtin_prefetch(span->place->narrow + span->start);
    if (span->place->wide) __builtin_prefetch(span->place->wide + span->start);
}

/* Block by block of documents, so that a sum is added to, looked at and put back while it is in the first cache. */
static int searched(Query *query, Py_ssize_t size, Best *best)
{
    double sum[BLOCK] = {0}, most = 0.0;
    Py_ssize_t postings = 0;
    for (const Span *span = query->span; span < query->span + query->spans; span++) {
        if (span == query->span || span->idf != span[-1].idf) most += MOST * span->idf;
        postings += span->stop - span->start;
        begun(span);
    }
    best->scale = most > 0.0 ? STEPS / most : 1.0;
    Py_ssize_t *start = PyMem_RawMalloc((query->spans + 1) * sizeof *start);
    uint16_t *reached = PyMem_RawMalloc((postings + 1) * sizeof *reached);
    int failed = !start || !reached;
    while (!failed) {
        int64_t next = size;
        for (const Span *span = query->span; span < query->span + query->spans; span++)
            if (span->at < span->stop && span->place->doc[span->at] < next) next = span->place->doc[span->at];
        if (next >= size) break;
        const uint32_t first = (uint32_t)(next - next % BLOCK);
        const uint32_t width = size - first < BLOCK ? (uint32_t)(size - first) : BLOCK;
        uint16_t *end = reached;
        for (uint32_t n = 0; best->allowed && n < width; n += LINE) __builtin_prefetch(best->allowed + first + n);
        for (Py_ssize_t n = 0; n < query->spans; n++) {
            start[n] = query->span[n].at;
            end = added(sum, &query->span[n], first, width, best->bar, end);
        }
        failed = looked_at(sum, reached, end, first, best);
        for (Py_ssize_t n = 0; n < query->spans; n++) put_back(sum, &query->span[n], start[n], first, best);
    }
    PyMem_RawFree(start);
    PyMem_RawFree(reached);
    if (failed || cut(best)) return -1;
    told(query, best->hit, best->count);
    for (Hit *hit = best->hit; best->rank && hit < best->hit + best->count; hit++) hit->rank = best->rank[hit->doc];
    return put_in_order(best->hit, best->count);
}

/* -- called from Python ---------------------------------------------------- */

static PyObject *exact(PyObject *module, PyObject *arguments)
{
    PyObject *asked, *ordinals, *result = NULL;
    Query query = {0};
    Py_buffer buffer;
    Held given = {&buffer, 0};
    Hit *hit = NULL;
    const int64_t *doc;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &asked, &ordinals)) return NULL;
    if (taken(&query, asked) || !(doc = held(&given, ordinals, 0, sizeof *doc))) goto done;
    const Py_ssize_t count = length(&given, sizeof *doc);
    if (!(hit = PyMem_Calloc(count + 1, sizeof *hit))) {
        PyErr_NoMemory();
        goto done;
    }
    for (Py_ssize_t n = 0; n < count; n++) hit[n].doc = doc[n] < 0 || doc[n] > NOBODY ? NOBODY : (uint32_t)doc[n];
    told(&query, hit, count);
    result = columns(&query, hit, count);
done:
    PyMem_Free(hit);
    released(&given);
    let_go(&query);
    return result;
}

static PyObject *best(PyObject *module, PyObject *arguments)
{
    PyObject *asked, *allowed, *ranks, *documents, *said, *result = NULL;
    Py_ssize_t size;
    Query query = {0};
    Best found = {.bar = DBL_TRUE_MIN};
    Py_buffer buffers[2];
    Held given = {buffers, 0};
    int failed;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OnOOn", &asked, &found.limit, &allowed, &ranks, &size)) return NULL;
    if (found.limit < 1 || size < 0)
        return PyErr_Format(PyExc_ValueError, "a limit of %zd among %zd documents", found.limit, size);
    if (taken(&query, asked)) goto done;
    if (allowed != Py_None && !(found.allowed = held(&given, allowed, size, 1))) goto done;
    if (ranks != Py_None && !(found.rank = held(&given, ranks, size, sizeof *found.rank))) goto done;
    if (found.limit > size) found.limit = size ? size : 1; /* that is all of them */
    Py_BEGIN_ALLOW_THREADS
    failed = searched(&query, size, &found);
    Py_END_ALLOW_THREADS
    if (failed) {
        PyErr_NoMemory();
    } else if ((documents = PyBytes_FromStringAndSize(NULL, found.count * (Py_ssize_t)sizeof(int64_t)))) {
        int64_t *doc = (int64_t *)PyBytes_AS_STRING(documents);
        for (Py_ssize_t n = 0; n < found.count; n++) doc[n] = found.hit[n].doc;
        if ((said = columns(&query, found.hit, found.count)))
            result = PyTuple_Pack(3, documents, said, found.others ? Py_False : Py_True);
        Py_XDECREF(said);
        Py_DECREF(documents);
    }
done:
    released(&given);
    let_go(&query);
    PyMem_RawFree(found.hit);
    return result;
}

static PyMethodDef METHODS[] = {
    {"best", best, METH_VARARGS,
     "best((places, terms, whole idf), limit, allowed, ranks, size) -> (int64 documents as bytes, best first, what `exact` "
     "says of them, no others)"},
    {"exact", exact, METH_VARARGS,
     "exact((places, terms, whole idf), ordinals) -> (float64 scores, float64 shares of the idf, bool rare) as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_postings", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__postings(void) { return PyModuleDef_Init(&MODULE); }
