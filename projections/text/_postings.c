/* Finding terms, and adding up and looking up their postings, as segment.py and matching.py do with arrays.

   Every number is rounded as BM25 pins it: a weight times its idf, added term by term in the order they come in.
   Optional: where it was not compiled, NumPy does the work. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK = 2048, /* documents whose sums stay in the first cache */
    STEPS = 512,  /* of scores, by which is known what the best begin with, roughly */
};

#define MOST 2.2    /* no weight is above it (k1 + 1) */
#define SLACK 1e-12 /* relative; more than a product and a quotient are rounded by */

/* Buffers that were asked for, to be given back together. */
typedef struct {
    Py_buffer *buffer;
    Py_ssize_t count;
} Held;

/* The contents of a contiguous buffer whose numbers take `size` bytes each, and how many there are. */
static const void *held(Held *all, PyObject *object, Py_ssize_t size, Py_ssize_t *count)
{
    Py_buffer *buffer = &all->buffer[all->count];
    if (PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE)) return NULL;
    all->count++;
    *count = buffer->len / size;
    if (((uintptr_t)buffer->buf & (size - 1)) == 0) return buffer->buf ? buffer->buf : "";
    PyErr_SetString(PyExc_ValueError, "numbers that do not lie where a processor can read them");
    return NULL;
}

static void released(Held *all)
{
    while (all->count) PyBuffer_Release(&all->buffer[--all->count]);
}

/* -- terms ----------------------------------------------------------------- */

typedef struct {
    const uint64_t *head;
    const uint32_t *end;
    const uint8_t *letter;
    Py_ssize_t terms, letters;
} Spelling;

typedef struct {
    uint64_t head;
    const uint8_t *letter;
    Py_ssize_t letters;
} Word;

static Word worded(PyObject *bytes)
{
    Word word = {0, (const uint8_t *)PyBytes_AS_STRING(bytes), PyBytes_GET_SIZE(bytes)};
    for (Py_ssize_t n = 0; n < 8; n++) word.head = word.head << 8 | (n < word.letters ? word.letter[n] : 0);
    return word;
}

/* Below, at or above 0 as the term comes before the word, is it, or comes after. */
static int compared(const Spelling *all, Py_ssize_t term, const Word *word)
{
    if (all->head[term] != word->head) return all->head[term] < word->head ? -1 : 1;
    const Py_ssize_t start = term ? all->end[term - 1] : 0, letters = (Py_ssize_t)all->end[term] - start;
    if (letters < 0 || start + letters > all->letters) return 1;
    const int order = memcmp(all->letter + start, word->letter, letters < word->letters ? letters : word->letters);
    return order ? order : (letters > word->letters) - (letters < word->letters);
}

static Py_ssize_t numbered(const Spelling *all, const Word *word)
{
    Py_ssize_t low = 0, high = all->terms;
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        const int order = compared(all, middle, word);
        if (!order) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return -1;
}

/* The first of these ascending documents that is not below `doc`. */
static Py_ssize_t lowest(const uint32_t *docs, Py_ssize_t low, Py_ssize_t high, int64_t doc)
{
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        if (docs[middle] < doc) low = middle + 1;
        else high = middle;
    }
    return low;
}

static PyObject *find(PyObject *module, PyObject *arguments)
{
    PyObject *heads, *ends, *letters, *starts, *docs, *terms, *found = NULL;
    Py_ssize_t texts, count, start_count, doc_count;
    Py_buffer buffers[5];
    Held all = {buffers, 0};
    Spelling spelling;
    const uint32_t *start, *doc;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOOOOO!n", &heads, &ends, &letters, &starts, &docs, &PyTuple_Type, &terms, &texts))
        return NULL;
    if (!(spelling.head = held(&all, heads, sizeof *spelling.head, &spelling.terms))) goto done;
    if (!(spelling.end = held(&all, ends, sizeof *spelling.end, &count))) goto done;
    if (!(spelling.letter = held(&all, letters, 1, &spelling.letters))) goto done;
    if (!(start = held(&all, starts, sizeof *start, &start_count))) goto done;
    if (!(doc = held(&all, docs, sizeof *doc, &doc_count))) goto done;
    if (count != spelling.terms || start_count != spelling.terms + 1) {
        PyErr_SetString(PyExc_ValueError, "columns of different numbers of terms");
        goto done;
    }
    if (!(found = PyList_New(PyTuple_GET_SIZE(terms)))) goto done;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(terms); n++) {
        PyObject *bytes = PyTuple_GET_ITEM(terms, n), *span;
        if (!PyBytes_Check(bytes)) {
            PyErr_SetString(PyExc_TypeError, "a term that is not bytes");
            Py_CLEAR(found);
            goto done;
        }
        const Word word = worded(bytes);
        const Py_ssize_t number = numbered(&spelling, &word);
        Py_ssize_t low = 0, high = 0;
        if (number >= 0) {
            high = start[number + 1] < doc_count ? start[number + 1] : doc_count;
            low = start[number] < high ? start[number] : high;
            if (texts >= 0) high = lowest(doc, low, high, texts);
        }
        if (!(span = Py_BuildValue("nnn", number, low, high))) {
            Py_CLEAR(found);
            goto done;
        }
        PyList_SET_ITEM(found, n, span);
    }
done:
    released(&all);
    return found;
}

/* -- a query --------------------------------------------------------------- */

/* One part of the index: postings by kind, or with a weight each. */
typedef struct {
    const uint32_t *doc;
    const uint16_t *narrow; /* kinds; or */
    const uint32_t *wide;   /* kinds; or neither: a weight each */
    const double *weight;
    Py_ssize_t count, weights;
} Part;

/* A term's postings in a part, from `start` to `stop`; `at`: how far they have been added up. */
typedef struct {
    double idf;
    int rare;
    const Part *part;
    Py_ssize_t start, stop, at;
} Span;

typedef struct {
    Part *part;
    Span *span;
    Py_ssize_t spans;
    Held held;
} Query;

static inline double weight(const Part *part, Py_ssize_t place)
{
    const Py_ssize_t kind = part->narrow ? part->narrow[place] : part->wide ? (Py_ssize_t)part->wide[place] : place;
    return kind < part->weights ? part->weight[kind] : 0.0;
}

static int part_filled(Query *query, Part *part, PyObject *object)
{
    PyObject *docs, *kinds, *weights;
    Py_ssize_t size = 0;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "postings that are no tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(object, "OOO", &docs, &kinds, &weights)) return -1;
    if (!(part->doc = held(&query->held, docs, sizeof *part->doc, &part->count))) return -1;
    if (!(part->weight = held(&query->held, weights, sizeof *part->weight, &part->weights))) return -1;
    if (kinds != Py_None) {
        const void *found = held(&query->held, kinds, sizeof *part->narrow, &size);
        if (!found) return -1;
        size *= (Py_ssize_t)sizeof *part->narrow;
        if (size == part->count * (Py_ssize_t)sizeof *part->narrow) part->narrow = found;
        else if (size == part->count * (Py_ssize_t)sizeof *part->wide && !((uintptr_t)found & (sizeof *part->wide - 1)))
            part->wide = found;
    }
    if (kinds == Py_None ? part->weights != part->count : part->count && !part->narrow && !part->wide) {
        PyErr_SetString(PyExc_ValueError, "postings whose documents, kinds and weights do not fit each other");
        return -1;
    }
    return 0;
}

static int span_filled(Query *query, Span *span, PyObject *object, Py_ssize_t parts)
{
    Py_ssize_t part;
    if (!PyTuple_Check(object)) {
        PyErr_SetString(PyExc_TypeError, "a span that is no tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(object, "dpnnn", &span->idf, &span->rare, &part, &span->start, &span->stop)) return -1;
    if (part < 0 || part >= parts || span->start < 0 || span->start > span->stop || span->stop > query->part[part].count) {
        PyErr_SetString(PyExc_ValueError, "a span of postings that are not there");
        return -1;
    }
    span->part = &query->part[part];
    span->at = span->start;
    return 0;
}

static void let_go(Query *query)
{
    released(&query->held);
    PyMem_Free(query->held.buffer);
    PyMem_Free(query->part);
    PyMem_Free(query->span);
}

static int taken(Query *query, PyObject *parts, PyObject *spans)
{
    const Py_ssize_t count = PyTuple_GET_SIZE(parts);
    query->spans = PyTuple_GET_SIZE(spans);
    query->part = PyMem_Calloc(count + 1, sizeof *query->part);
    query->span = PyMem_Calloc(query->spans + 1, sizeof *query->span);
    query->held.buffer = PyMem_Calloc(3 * count + 1, sizeof *query->held.buffer);
    if (!query->part || !query->span || !query->held.buffer) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t n = 0; n < count; n++)
        if (part_filled(query, &query->part[n], PyTuple_GET_ITEM(parts, n))) return -1;
    for (Py_ssize_t n = 0; n < query->spans; n++)
        if (span_filled(query, &query->span[n], PyTuple_GET_ITEM(spans, n), count)) return -1;
    return 0;
}

/* -- some documents -------------------------------------------------------- */

/* The last of these ascending documents that is not above `doc`, or the first. Nothing that a processor could guess wrong. */
static inline Py_ssize_t last_up_to(const uint32_t *docs, Py_ssize_t start, Py_ssize_t stop, int64_t doc)
{
    for (Py_ssize_t left = stop - start; left > 1;) {
        const Py_ssize_t half = left / 2;
        start += docs[start + half] <= doc ? half : 0;
        left -= half;
    }
    return start;
}

/* The scores of these documents, the idf of the terms each has, and whether a rare one is among them. */
static PyObject *told(const Query *query, const int64_t *doc, Py_ssize_t count)
{
    PyObject *result = NULL, *bytes[3] = {
        PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, count),
    };
    if (bytes[0] && bytes[1] && bytes[2]) {
        double *score = (double *)PyBytes_AS_STRING(bytes[0]), *matched = (double *)PyBytes_AS_STRING(bytes[1]);
        char *rare = PyBytes_AS_STRING(bytes[2]);
        for (Py_ssize_t n = 0; n < count; n++) score[n] = matched[n] = rare[n] = 0;
        for (const Span *span = query->span; span < query->span + query->spans; span++) {
            const uint32_t *docs = span->part->doc;
            if (span->start == span->stop) continue;
            const int64_t first = docs[span->start], last = docs[span->stop - 1];
            for (Py_ssize_t n = 0; n < count; n++) {
                if (doc[n] < first || doc[n] > last) continue;
                const Py_ssize_t at = last_up_to(docs, span->start, span->stop, doc[n]);
                if (docs[at] != doc[n]) continue;
                const double gained = weight(span->part, at) * span->idf;
                score[n] += gained;
                matched[n] += span->idf;
                rare[n] |= (char)span->rare;
            }
        }
        result = PyTuple_Pack(3, bytes[0], bytes[1], bytes[2]);
    }
    for (int n = 0; n < 3; n++) Py_XDECREF(bytes[n]);
    return result;
}

static PyObject *exact(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *spans, *ordinals, *result = NULL;
    Py_ssize_t count;
    Query query = {0};
    Py_buffer buffer;
    Held asked = {&buffer, 0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O", &PyTuple_Type, &parts, &PyTuple_Type, &spans, &ordinals)) return NULL;
    if (!taken(&query, parts, spans)) {
        const int64_t *doc = held(&asked, ordinals, sizeof *doc, &count);
        if (doc) result = told(&query, doc, count);
    }
    released(&asked);
    let_go(&query);
    return result;
}

/* -- the best documents ---------------------------------------------------- */

typedef struct {
    double score;
    int32_t rank;
    uint32_t doc;
} Hit;

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

/* Keep as many as are wanted, and all that equal the last of them. */
static int cut(Best *best)
{
    if (best->count <= best->limit) return 0;
    double *scores = PyMem_RawMalloc(best->count * sizeof *scores);
    if (!scores) return -1;
    for (Py_ssize_t n = 0; n < best->count; n++) scores[n] = best->hit[n].score;
    const double least = largest(scores, best->count, best->limit - 1);
    PyMem_RawFree(scores);
    Py_ssize_t kept = 0;
    for (Py_ssize_t n = 0; n < best->count; n++) {
        best->hit[kept] = best->hit[n];
        kept += best->hit[n].score >= least;
    }
    best->others |= kept < best->count;
    best->count = kept;
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
    best->hit[best->count++] = (Hit){score, 0, doc};
    counted(best, score);
    return 0;
}

/* Add up the postings of the documents from `first` on. */
static void added(double *restrict sum, Span *span, uint32_t first, uint32_t width)
{
    const Part *part = span->part;
    const uint32_t *docs = part->doc;
    const Py_ssize_t stop = span->stop;
    const double idf = span->idf;
    Py_ssize_t at = span->at;
    for (; at < stop && docs[at] - first < width; at++) {
        const double gained = weight(part, at) * idf;
        sum[docs[at] - first] += gained;
    }
    span->at = at;
}

/* Look at the sums of the postings from `start` on that were added, and put them back to 0. */
static int looked_at(double *restrict sum, const Span *span, Py_ssize_t start, uint32_t first, Best *best)
{
    const uint32_t *docs = span->part->doc;
    const uint8_t *allowed = best->allowed;
    const Py_ssize_t stop = span->at;
    double bar = best->bar;
    int others = best->others;
    for (Py_ssize_t n = start; n < stop; n++) {
        const uint32_t doc = docs[n];
        const double score = sum[doc - first];
        sum[doc - first] = 0.0;
        if (!(score >= bar)) {
            if (!others && score > 0.0) others = !allowed || allowed[doc];
        } else if (!allowed || allowed[doc]) {
            if (taken_in(best, doc, score)) return -1;
            bar = best->bar;
        }
    }
    best->others |= others;
    return 0;
}

static int in_order(const void *first, const void *second)
{
    const Hit *a = first, *b = second;
    if (a->score != b->score) return a->score < b->score ? 1 : -1;
    if (a->rank != b->rank) return a->rank < b->rank ? 1 : -1;
    return (a->doc < b->doc) - (a->doc > b->doc);
}

/* Block by block of documents, so that a sum is added to, looked at and put back while it is in the first cache. */
static int searched(Query *query, Py_ssize_t size, Best *best)
{
    double sum[BLOCK] = {0};
    Py_ssize_t *start = PyMem_RawMalloc((query->spans + 1) * sizeof *start);
    int failed = !start;
    double most = 0.0;
    for (const Span *span = query->span; span < query->span + query->spans; span++)
        if (span == query->span || span->idf != span[-1].idf) most += MOST * span->idf;
    best->scale = most > 0.0 ? STEPS / most : 1.0;
    while (!failed) {
        int64_t next = size;
        for (const Span *span = query->span; span < query->span + query->spans; span++)
            if (span->at < span->stop && span->part->doc[span->at] < next) next = span->part->doc[span->at];
        if (next >= size) break;
        const uint32_t first = (uint32_t)(next - next % BLOCK);
        const uint32_t width = size - first < BLOCK ? (uint32_t)(size - first) : BLOCK;
        for (Py_ssize_t n = 0; n < query->spans; n++) {
            start[n] = query->span[n].at;
            added(sum, &query->span[n], first, width);
        }
        for (Py_ssize_t n = 0; n < query->spans && !failed; n++)
            failed = looked_at(sum, &query->span[n], start[n], first, best);
    }
    if (!failed && !(failed = cut(best))) {
        for (Hit *hit = best->hit; best->rank && hit < best->hit + best->count; hit++) hit->rank = best->rank[hit->doc];
        if (best->count) qsort(best->hit, best->count, sizeof *best->hit, in_order);
    }
    PyMem_RawFree(start);
    return failed;
}

static PyObject *best(PyObject *module, PyObject *arguments)
{
    PyObject *parts, *spans, *allowed, *ranks, *documents, *columns, *result = NULL;
    Py_ssize_t size, shown = 0, ranked = 0;
    Query query = {0};
    Best found = {.bar = DBL_TRUE_MIN};
    Py_buffer buffers[2];
    Held given = {buffers, 0};
    int failed = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!nOOn", &PyTuple_Type, &parts, &PyTuple_Type, &spans, &found.limit, &allowed, &ranks,
                          &size))
        return NULL;
    if (found.limit < 1 || size < 0) return PyErr_Format(PyExc_ValueError, "a limit of %zd", found.limit);
    if (taken(&query, parts, spans)) goto done;
    if (allowed != Py_None && !(found.allowed = held(&given, allowed, 1, &shown))) goto done;
    if (ranks != Py_None && !(found.rank = held(&given, ranks, sizeof *found.rank, &ranked))) goto done;
    if ((allowed != Py_None && shown < size) || (ranks != Py_None && ranked < size)) {
        PyErr_SetString(PyExc_ValueError, "a mask or ranks for fewer documents than there are");
        goto done;
    }
    if (found.limit > size) found.limit = size ? size : 1; /* that is all of them */
    Py_BEGIN_ALLOW_THREADS
    failed = searched(&query, size, &found);
    Py_END_ALLOW_THREADS
    if (failed) {
        PyErr_NoMemory();
    } else if ((documents = PyBytes_FromStringAndSize(NULL, found.count * (Py_ssize_t)sizeof(int64_t)))) {
        int64_t *doc = (int64_t *)PyBytes_AS_STRING(documents);
        for (Py_ssize_t n = 0; n < found.count; n++) doc[n] = found.hit[n].doc;
        if ((columns = told(&query, doc, found.count)))
            result = Py_BuildValue("OOO", documents, columns, found.others ? Py_False : Py_True);
        Py_XDECREF(columns);
        Py_DECREF(documents);
    }
done:
    released(&given);
    let_go(&query);
    PyMem_RawFree(found.hit);
    return result;
}

static PyMethodDef METHODS[] = {
    {"find", find, METH_VARARGS,
     "find(heads, ends, spelling, starts, docs, terms, texts) -> a list of (number, start, stop), all texts where -1"},
    {"best", best, METH_VARARGS,
     "best(parts, spans, limit, allowed, ranks, size) -> (int64 documents as bytes, best first, what `exact` says of them, "
     "no others)"},
    {"exact", exact, METH_VARARGS,
     "exact(parts, spans, ordinals) -> (float64 scores, float64 idf matched, bool rare) as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_postings", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__postings(void) { return PyModuleDef_Init(&MODULE); }
