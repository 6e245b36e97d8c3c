/* The postings of a query, and what they say of some documents, as matching.py has it with arrays.

   Every number is rounded as BM25 pins it: a weight times its idf, added term by term in the order they come in. */

#ifndef HELIXLOG_QUERY_H
#define HELIXLOG_QUERY_H

#include "../_buffers.h"

enum { TOGETHER = 64 }; /* documents that are looked for at once */

/* One place in the index: postings by kind, or with a weight each. */
typedef struct {
    const uint32_t *doc;
    const uint16_t *narrow; /* kinds; or */
    const uint32_t *wide;   /* kinds; or neither: a weight each */
    const double *weight;
    Py_ssize_t count, weights;
} Place;

/* A term's postings in a place, from `start` to `stop`; `at`: how far they have been added up. */
typedef struct {
    double idf;
    int rare;
    const Place *place;
    Py_ssize_t start, stop, at;
} Span;

typedef struct {
    Place *place;
    Span *span;
    Py_ssize_t places, spans;
    double whole; /* idf of all terms, those without postings too */
    Held held;
} Query;

static inline Py_ssize_t kind(const Place *place, Py_ssize_t posting)
{
    return place->narrow ? place->narrow[posting] : place->wide ? (Py_ssize_t)place->wide[posting] : posting;
}

static inline double weight(const Place *place, Py_ssize_t kind)
{
    return kind < place->weights ? place->weight[kind] : 0.0;
}

static int place_filled(Query *query, PyObject *object)
{
    Place *place = &query->place[query->places++];
    Held *all = &query->held;
    PyObject *docs, *kinds, *weights, *segment; /* the last is of no use here */
    if (!items(object, "OOO|O", &docs, &kinds, &weights, &segment)) return -1;
    if (!(place->doc = held(all, docs, 0, sizeof *place->doc))) return -1;
    place->count = length(all, sizeof *place->doc);
    if (!(place->weight = held(all, weights, kinds == Py_None ? place->count : 0, sizeof *place->weight))) return -1;
    place->weights = length(all, sizeof *place->weight);
    if (kinds == Py_None) return 0;
    if (asked_for(all, kinds)) return -1;
    if (all->buffer[all->count - 1].itemsize == sizeof *place->wide)
        return (place->wide = fitting(all, place->count, sizeof *place->wide)) ? 0 : -1;
    return (place->narrow = fitting(all, place->count, sizeof *place->narrow)) ? 0 : -1;
}

static int span_filled(Query *query, Span span, PyObject *object)
{
    Py_ssize_t number[4]; /* place, term, start, stop */
    if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != 4) {
        PyErr_SetString(PyExc_TypeError, "a span that is no tuple of four numbers");
        return -1;
    }
    for (int n = 0; n < 4; n++) {
        number[n] = PyLong_AsSsize_t(PyTuple_GET_ITEM(object, n));
        if (number[n] == -1 && PyErr_Occurred()) return -1;
    }
    if (number[0] < 0 || number[0] >= query->places || number[2] < 0 || number[2] > number[3] ||
        number[3] > query->place[number[0]].count) {
        PyErr_SetString(PyExc_ValueError, "a span of postings that are not there");
        return -1;
    }
    span.place = &query->place[number[0]];
    span.start = span.at = number[2];
    span.stop = number[3];
    query->span[query->spans++] = span;
    return 0;
}

static int term_filled(Query *query, PyObject *object)
{
    Span span = {0};
    PyObject *spans;
    if (!items(object, "dpO!", &span.idf, &span.rare, &PyTuple_Type, &spans)) return -1;
    Span *room = PyMem_Realloc(query->span, (query->spans + PyTuple_GET_SIZE(spans) + 1) * sizeof *room);
    if (!room) {
        PyErr_NoMemory();
        return -1;
    }
    query->span = room;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(spans); n++)
        if (span_filled(query, span, PyTuple_GET_ITEM(spans, n))) return -1;
    return 0;
}

static void let_go(Query *query)
{
    released(&query->held);
    PyMem_Free(query->held.buffer);
    PyMem_Free(query->place);
    PyMem_Free(query->span);
}

static int taken(Query *query, PyObject *object)
{
    PyObject *places, *terms;
    if (!items(object, "O!O!d", &PyTuple_Type, &places, &PyTuple_Type, &terms, &query->whole)) return -1;
    const Py_ssize_t count = PyTuple_GET_SIZE(places);
    query->place = PyMem_Calloc(count + 1, sizeof *query->place);
    query->held.buffer = PyMem_Calloc(3 * count + 1, sizeof *query->held.buffer);
    if (!query->place || !query->held.buffer) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t n = 0; n < count; n++)
        if (place_filled(query, PyTuple_GET_ITEM(places, n))) return -1;
    for (Py_ssize_t n = 0; n < PyTuple_GET_SIZE(terms); n++)
        if (term_filled(query, PyTuple_GET_ITEM(terms, n))) return -1;
    return 0;
}

/* -- some documents -------------------------------------------------------- */

typedef struct {
    double score, matched; /* idf of the terms it has */
    uint32_t doc;
    int32_t rank;
    int rare; /* whether a rare term is among them */
} Hit;

/* Where each of the documents wanted is among ascending ones, if it is there. Their steps are taken together, as each waits
   for the one before, and with nothing in them that a processor could guess wrong. */
static void looked_for(const uint32_t *docs, uint32_t count, const uint32_t *wanted, Py_ssize_t some, uint32_t *at)
{
    for (Py_ssize_t n = 0; n < some; n++) at[n] = 0;
    for (uint32_t left = count; left > 1;) {
        const uint32_t half = left / 2;
        for (Py_ssize_t n = 0; n < some; n++) at[n] += half & -(uint32_t)(docs[at[n] + half] <= wanted[n]);
        left -= half;
    }
}

/* Add what a span says of these documents. */
static void told_by(const Span *span, Hit *hit, Py_ssize_t hits)
{
    const uint32_t *docs = span->place->doc + span->start, count = (uint32_t)(span->stop - span->start);
    const uint32_t first = docs[0], last = docs[count - 1];
    uint32_t wanted[TOGETHER], at[TOGETHER];
    Hit *whose[TOGETHER];
    for (const Hit *end = hit + hits; hit < end;) {
        Py_ssize_t some = 0;
        for (; hit < end && some < TOGETHER; hit++) {
            wanted[some] = hit->doc;
            whose[some] = hit;
            some += (hit->doc >= first) & (hit->doc <= last);
        }
        looked_for(docs, count, wanted, some, at);
        for (Py_ssize_t n = 0; n < some; n++) {
            if (docs[at[n]] != wanted[n]) continue;
            const double gained = weight(span->place, kind(span->place, span->start + at[n])) * span->idf;
            whose[n]->score += gained;
            whose[n]->matched += span->idf;
            whose[n]->rare |= span->rare;
        }
    }
}

/* Fill in what a query says of these documents. */
static void told(const Query *query, Hit *hit, Py_ssize_t hits)
{
    for (Py_ssize_t n = 0; n < hits; n++) hit[n].score = hit[n].matched = hit[n].rare = 0;
    for (const Span *span = query->span; span < query->span + query->spans; span++)
        if (span->start < span->stop) told_by(span, hit, hits);
}

/* Their scores, shares of the query's idf, and whether a rare term is among them. */
static PyObject *columns(const Query *query, const Hit *hit, Py_ssize_t hits)
{
    PyObject *result = NULL, *bytes[3] = {
        PyBytes_FromStringAndSize(NULL, hits * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, hits * (Py_ssize_t)sizeof(double)),
        PyBytes_FromStringAndSize(NULL, hits),
    };
    if (bytes[0] && bytes[1] && bytes[2]) {
        double *score = (double *)PyBytes_AS_STRING(bytes[0]), *share = (double *)PyBytes_AS_STRING(bytes[1]);
        char *rare = PyBytes_AS_STRING(bytes[2]);
        for (Py_ssize_t n = 0; n < hits; n++) {
            score[n] = hit[n].score;
            share[n] = hit[n].matched / query->whole;
            rare[n] = (char)hit[n].rare;
        }
        result = PyTuple_Pack(3, bytes[0], bytes[1], bytes[2]);
    }
    for (int n = 0; n < 3; n++) Py_XDECREF(bytes[n]);
    return result;
}

#endif
