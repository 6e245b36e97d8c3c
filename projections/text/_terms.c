/* Finding terms and their postings, as segment.py does with arrays.

   Optional: where it was not compiled, NumPy does the work. */

#include "../_buffers.h"

#include <string.h>

enum { COLUMNS = 5 };

/* A segment's terms, sorted, and where their postings are. */
typedef struct {
    const uint64_t *head;
    const uint32_t *end, *start, *doc;
    const uint8_t *letter;
    Py_ssize_t terms, letters, docs, stop;
    Py_ssize_t left; /* terms among which words are still looked for */
} Segment;

typedef struct {
    uint64_t head;
    const uint8_t *letter;
    Py_ssize_t letters;
} Word;

typedef struct {
    Segment *segment;
    Word *word;
    Py_ssize_t segments, words, texts;
    Py_ssize_t *at; /* where each word begins, segment by segment */
    Held held;
} Query;

static int filled(Segment *segment, Held *all, PyObject *object)
{
    PyObject *heads, *ends, *letters, *starts, *docs;
    if (!items(object, "nOOOOO", &segment->stop, &heads, &ends, &letters, &starts, &docs)) return -1;
    if (!(segment->head = held(all, heads, 0, sizeof *segment->head))) return -1;
    segment->terms = segment->left = length(all, sizeof *segment->head);
    if (!(segment->end = held(all, ends, segment->terms, sizeof *segment->end))) return -1;
    if (!(segment->letter = held(all, letters, 0, 1))) return -1;
    segment->letters = length(all, 1);
    if (!(segment->start = held(all, starts, segment->terms + 1, sizeof *segment->start))) return -1;
    if (!(segment->doc = held(all, docs, 0, sizeof *segment->doc))) return -1;
    segment->docs = length(all, sizeof *segment->doc);
    return 0;
}

static int worded(Word *word, PyObject *bytes)
{
    if (!PyBytes_Check(bytes)) {
        PyErr_SetString(PyExc_TypeError, "a term that is not bytes");
        return -1;
    }
    word->letter = (const uint8_t *)PyBytes_AS_STRING(bytes);
    word->letters = PyBytes_GET_SIZE(bytes);
    for (Py_ssize_t n = 0; n < 8; n++) word->head = word->head << 8 | (n < word->letters ? word->letter[n] : 0);
    return 0;
}

/* Below, at or above 0 as the term comes before the word, is it, or comes after. */
static int compared(const Segment *segment, Py_ssize_t term, const Word *word)
{
    if (segment->head[term] != word->head) return segment->head[term] < word->head ? -1 : 1;
    const Py_ssize_t start = term ? segment->end[term - 1] : 0, letters = (Py_ssize_t)segment->end[term] - start;
    if (letters < 0 || start + letters > segment->letters) return 1;
    const int order = memcmp(segment->letter + start, word->letter, letters < word->letters ? letters : word->letters);
    return order ? order : (letters > word->letters) - (letters < word->letters);
}

/* Where words begin among the terms of each segment: the first whose head is not below theirs. The steps of all are taken
   together, as each waits for the one before, and with nothing in them that a processor could guess wrong. */
static void looked_for(Query *query)
{
    for (int more = 1; more;) {
        Py_ssize_t *at = query->at;
        more = 0;
        for (Segment *segment = query->segment; segment < query->segment + query->segments; segment++, at += query->words) {
            const Py_ssize_t half = (segment->left + 1) / 2;
            if (!half) continue;
            for (Py_ssize_t n = 0; n < query->words; n++)
                at[n] += half & -(Py_ssize_t)(segment->head[at[n] + half - 1] < query->word[n].head);
            segment->left -= half;
            more = 1;
        }
    }
}

/* Fetch what will be read of the terms where words begin, all of it at once. */
static void fetched(const Query *query)
{
    const Py_ssize_t *at = query->at;
    const Segment *const stop = query->segment + query->segments;
    for (const Segment *segment = query->segment; segment < stop; segment++, at += query->words)
        for (Py_ssize_t n = 0; n < query->words; n++) {
            __builtin_prefetch(segment->end + at[n]);
            __builtin_prefetch(segment->start + at[n]);
        }
    at = query->at;
    for (const Segment *segment = query->segment; segment < stop; segment++, at += query->words)
        for (Py_ssize_t n = 0; n < query->words; n++)
            if (at[n] && at[n] < segment->terms) __builtin_prefetch(segment->letter + segment->end[at[n] - 1]);
}

/* The number of the term that the word is, from `low` on, or -1. Of terms with its head most often the first is it. */
static Py_ssize_t numbered(const Segment *segment, const Word *word, Py_ssize_t low)
{
    Py_ssize_t high = segment->terms;
    for (Py_ssize_t middle = low; low < high; middle = low + (high - low) / 2) {
        const int order = compared(segment, middle, word);
        if (!order) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return -1;
}

/* The first of these ascending documents that is not below `doc`. */
static Py_ssize_t lowest(const uint32_t *docs, Py_ssize_t low, Py_ssize_t high, Py_ssize_t doc)
{
    while (low < high) {
        const Py_ssize_t middle = low + (high - low) / 2;
        if (docs[middle] < doc) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Add to the spans where a term's postings in documents below `texts` are, if there are any; how many, or -1 with an
   exception. */
static Py_ssize_t spanned(const Segment *segment, Py_ssize_t place, Py_ssize_t number, Py_ssize_t texts, PyObject *spans)
{
    Py_ssize_t stop = segment->start[number + 1] < segment->docs ? segment->start[number + 1] : segment->docs;
    const Py_ssize_t start = segment->start[number] < stop ? segment->start[number] : stop;
    if (texts < segment->stop) stop = lowest(segment->doc, start, stop, texts);
    if (start == stop) return 0;
    PyObject *span = Py_BuildValue("nnnn", place, number, start, stop);
    const int failed = !span || PyList_Append(spans, span);
    Py_XDECREF(span);
    return failed ? -1 : stop - start;
}

/* How many postings a word has, and where, in all segments; `at` is where it begins in each, `words` numbers apart. */
static PyObject *sought(const Query *query, const Word *word, const Py_ssize_t *at)
{
    PyObject *spans = PyList_New(0), *found = NULL;
    Py_ssize_t size = 0;
    if (!spans) return NULL;
    for (Py_ssize_t n = 0; n < query->segments; n++) {
        const Py_ssize_t number = numbered(&query->segment[n], word, at[n * query->words]);
        const Py_ssize_t more = number < 0 ? 0 : spanned(&query->segment[n], n, number, query->texts, spans);
        if (more < 0) goto done;
        size += more;
    }
    found = Py_BuildValue("nN", size, PyList_AsTuple(spans));
done:
    Py_DECREF(spans);
    return found;
}

static int taken(Query *query, PyObject *segments, PyObject *terms)
{
    query->segments = PyTuple_GET_SIZE(segments);
    query->words = PyTuple_GET_SIZE(terms);
    query->segment = PyMem_Calloc(query->segments + 1, sizeof *query->segment);
    query->word = PyMem_Calloc(query->words + 1, sizeof *query->word);
    query->at = PyMem_Calloc(query->segments * query->words + 1, sizeof *query->at);
    query->held.buffer = PyMem_Calloc(COLUMNS * query->segments + 1, sizeof *query->held.buffer);
    if (!query->segment || !query->word || !query->at || !query->held.buffer) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t n = 0; n < query->segments; n++)
        if (filled(&query->segment[n], &query->held, PyTuple_GET_ITEM(segments, n))) return -1;
    for (Py_ssize_t n = 0; n < query->words; n++)
        if (worded(&query->word[n], PyTuple_GET_ITEM(terms, n))) return -1;
    return 0;
}

static PyObject *find(PyObject *module, PyObject *arguments)
{
    PyObject *segments, *terms, *found = NULL;
    Query query = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!n", &PyTuple_Type, &segments, &PyTuple_Type, &terms, &query.texts)) return NULL;
    if (taken(&query, segments, terms) || !(found = PyList_New(query.words))) goto done;
    looked_for(&query);
    fetched(&query);
    for (Py_ssize_t n = 0; found && n < query.words; n++) {
        PyObject *of = sought(&query, &query.word[n], query.at + n);
        if (of) PyList_SET_ITEM(found, n, of);
        else Py_CLEAR(found);
    }
done:
    released(&query.held);
    PyMem_Free(query.held.buffer);
    PyMem_Free(query.segment);
    PyMem_Free(query.word);
    PyMem_Free(query.at);
    return found;
}

static PyMethodDef METHODS[] = {
    {"find", find, METH_VARARGS,
     "find(segments, terms, texts) -> for each term how many postings it has in documents below `texts`, and a tuple of "
     "(segment, number, start, stop)"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_terms", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__terms(void) { return PyModuleDef_Init(&MODULE); }
