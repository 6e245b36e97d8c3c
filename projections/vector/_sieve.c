/* What codes.py and rows.py do with arrays: the sieves in one pass over the codes, and canonical cosines of rows.

   The rows that come out are the same to the last, and so are the cosines: every comparison is of integers, or of
   floats that were rounded by the same operations. Optional: where it was not compiled, NumPy does the work. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

enum {
    PLANES = 2,
    MOST_WORDS = 1023,      /* so that a distance fits 16 bits */
    QUERY = 3 + PLANES,     /* parts of a query: signs, telling bits, planes, numbers */
    BLOCK = 512,            /* rows whose distances are in the first cache at once */
    GROUP = 8, EVERY = 128, /* so many rows of each so many are the sample, as in codes.py */
    SAMPLED_FROM = 32000,
    AHEAD = 6,              /* rows that are fetched while another is scored */
    LANES = 16,
};

#define WITHIN static inline __attribute__((always_inline))

/* Rows of float32 numbers whose values are float16 ones, piece by piece, and a query to multiply them with. */
typedef struct {
    int dims, pieces;
    const float **piece;
    Py_ssize_t *first; /* row of each piece, and the end */
    const double *query;
} Matrix;

typedef struct {
    Matrix matrix;
    int words; /* of one bit a dimension */
    int weight;
    Py_ssize_t stop;
    const uint8_t *mask; /* NULL: every row may answer */
    const uint64_t **code;
    const uint64_t *signs, *telling, *plane[PLANES];
    Py_ssize_t *seen; /* rows at each distance */
} Search;

typedef struct {
    int64_t *row;
    float *value;
    Py_ssize_t count, room;
} Found;

static int grown(Found *found)
{
    const Py_ssize_t room = found->room ? 2 * found->room : 1 << 14;
    int64_t *row = PyMem_RawRealloc(found->row, room * sizeof *row);
    if (row) found->row = row;
    float *value = PyMem_RawRealloc(found->value, room * sizeof *value);
    if (value) found->value = value;
    if (!row || !value) return -1;
    found->room = room;
    return 0;
}

/* How many telling bits of each row from `start` differ from those of the query. */
WITHIN void differing_in(const Search *search, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out, int words)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        int differ = 0;
        for (int w = 0; w < words; w++)
            differ += __builtin_popcountll((search->code[w][start + i] ^ search->signs[w]) & search->telling[w]);
        out[i] = (uint16_t)differ;
    }
}

/* The loop over words is unrolled for the usual numbers of dimensions. */
WITHIN void differing(const Search *search, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out)
{
    switch (search->words) {
    case 4: differing_in(search, start, count, out, 4); break;
    case 6: differing_in(search, start, count, out, 6); break;
    default: differing_in(search, start, count, out, search->words);
    }
}

/* The cosine of a row's coarse vector with the coarse query, but for a factor that all have in common. */
WITHIN float coarse(const Search *search, Py_ssize_t row)
{
    int64_t apart = 0, missed = 0;
    for (int w = 0; w < search->words; w++) {
        const uint64_t high = search->code[w][row] ^ search->signs[w];
        const uint64_t low = search->code[search->words + w][row] ^ search->signs[w];
        apart += __builtin_popcountll(high ^ low);
        for (int p = 0; p < PLANES; p++) {
            const uint64_t plane = search->plane[p][w];
            missed += (int64_t)(2 * __builtin_popcountll(high & plane) + __builtin_popcountll(low & plane)) << p;
        }
    }
    /* Integers below 2**24 up to the root: only that and the division round. */
    return (float)(3 * search->weight - 2 * missed) / sqrtf((float)(9 * search->matrix.dims - 8 * apart));
}

/* The distance up to which about `wanted` rows lie, judged by a sample or by all. */
WITHIN uint32_t admitting(const Search *search, int sampled, Py_ssize_t wanted)
{
    uint16_t distances[BLOCK];
    Py_ssize_t admitted = 0;
    const Py_ssize_t step = sampled ? EVERY : BLOCK, size = sampled ? GROUP : BLOCK;
    memset(search->seen, 0, (64 * search->words + 1) * sizeof *search->seen);
    for (Py_ssize_t start = 0; start < search->stop; start += step) {
        const Py_ssize_t left = search->stop - start, count = left < size ? left : size;
        if (sampled && left < EVERY) break;
        differing(search, start, count, distances);
        for (Py_ssize_t i = 0; i < count; i++) search->seen[distances[i]] += !search->mask || search->mask[start + i];
    }
    uint32_t farthest = 0;
    for (int distance = 0; distance <= 64 * search->words; distance++) {
        admitted += search->seen[distance] * (step / size);
        if (admitted >= wanted) return distance;
        if (search->seen[distance]) farthest = distance + 1;
    }
    return farthest;
}

/* The rows up to this distance, with their coarse cosines. */
WITHIN int passing(const Search *search, uint32_t bar, Found *found)
{
    uint16_t distances[BLOCK];
    found->count = 0;
    for (Py_ssize_t start = 0; start < search->stop; start += BLOCK) {
        const Py_ssize_t left = search->stop - start, count = left < BLOCK ? left : BLOCK;
        differing(search, start, count, distances);
        if (found->room - found->count < count && grown(found)) return -1;
        Py_ssize_t end = found->count;
        if (search->mask)
            for (Py_ssize_t i = 0; i < count; i++) {
                found->row[end] = start + i;
                end += (distances[i] <= bar) & (search->mask[start + i] != 0);
            }
        else
            for (Py_ssize_t i = 0; i < count; i++) {
                found->row[end] = start + i;
                end += distances[i] <= bar;
            }
        for (Py_ssize_t i = found->count; i < end; i++) found->value[i] = coarse(search, found->row[i]);
        found->count = end;
    }
    return 0;
}

/* A number that is the larger, the larger the float is. */
WITHIN uint32_t ordered(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}

/* Keep the `wanted` best and their equals: the least of them is found bit by bit. */
WITHIN void sieved(Found *found, Py_ssize_t wanted)
{
    if (found->count <= wanted) return;
    uint32_t least = 0;
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        const uint32_t tried = least | bit;
        Py_ssize_t reaching = 0;
        for (Py_ssize_t i = 0; i < found->count; i++) reaching += ordered(found->value[i]) >= tried;
        if (reaching >= wanted) least = tried;
    }
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < found->count; i++) {
        found->row[kept] = found->row[i];
        kept += ordered(found->value[i]) >= least;
    }
    found->count = kept;
}

WITHIN const float *vector(const Matrix *matrix, Py_ssize_t row, int *piece)
{
    if (row < matrix->first[*piece]) *piece = 0;
    while (row >= matrix->first[*piece + 1]) ++*piece;
    return matrix->piece[*piece] + (row - matrix->first[*piece]) * matrix->dims;
}

/* The canonical cosines of these rows. No product and no sum rounds, see cosine.py. */
WITHIN void scored(const Matrix *matrix, const int64_t *rows, Py_ssize_t count, float *cosines)
{
    int piece = 0, ahead = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            const char *next = (const char *)vector(matrix, rows[i + AHEAD], &ahead);
            for (Py_ssize_t byte = 0; byte < matrix->dims * 4; byte += 64) __builtin_prefetch(next + byte);
        }
        const float *restrict row = vector(matrix, rows[i], &piece);
        const double *restrict query = matrix->query;
        double lane[LANES] = {0}, dot = 0;
        int dim = 0;
        for (; dim + LANES <= matrix->dims; dim += LANES)
            for (int k = 0; k < LANES; k++) lane[k] += (double)row[dim + k] * query[dim + k];
        for (; dim < matrix->dims; dim++) dot += (double)row[dim] * query[dim];
        for (int k = 0; k < LANES; k++) dot += lane[k];
        cosines[i] = (float)(dot > 1.0 ? 1.0 : dot < -1.0 ? -1.0 : dot);
    }
}

WITHIN int searched(const Search *search, Py_ssize_t first, Py_ssize_t second, Found *found)
{
    for (int sampled = search->stop > SAMPLED_FROM; sampled >= 0; sampled--) {
        if (passing(search, admitting(search, sampled, first), found)) return -1;
        if (2 * found->count >= first) break;
    }
    sieved(found, second);
    scored(&search->matrix, found->row, found->count, found->value);
    return 0;
}

/* -- processors ------------------------------------------------------------ */

/* The best that may be taken: 0 is any kind, 1 has AVX2, 2 has AVX-512. Tests compile it with less. */
#ifndef BEST_PROCESSOR
#define BEST_PROCESSOR 2
#endif

typedef struct {
    int (*search)(const Search *, Py_ssize_t, Py_ssize_t, Found *);
    void (*score)(const Matrix *, const int64_t *, Py_ssize_t, float *);
} Work;

#define FOR_A_PROCESSOR(NAME, TARGET)                                                                              \
    TARGET static int search_##NAME(const Search *search, Py_ssize_t first, Py_ssize_t second, Found *found)       \
    {                                                                                                              \
        return searched(search, first, second, found);                                                             \
    }                                                                                                              \
    TARGET static void score_##NAME(const Matrix *matrix, const int64_t *rows, Py_ssize_t count, float *cosines)   \
    {                                                                                                              \
        scored(matrix, rows, count, cosines);                                                                      \
    }

FOR_A_PROCESSOR(of_any_kind, )
#if defined(__x86_64__) && defined(__GNUC__)
FOR_A_PROCESSOR(with_avx2, __attribute__((target("avx2,popcnt"))))
FOR_A_PROCESSOR(with_avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt"))))

static Work work(void)
{
    if (BEST_PROCESSOR >= 2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vpopcntdq"))
        return (Work){search_with_avx512, score_with_avx512};
    if (BEST_PROCESSOR >= 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return (Work){search_with_avx2, score_with_avx2};
    return (Work){search_of_any_kind, score_of_any_kind};
}
#else
static Work work(void) { return (Work){search_of_any_kind, score_of_any_kind}; }
#endif

/* -- arguments ------------------------------------------------------------- */

typedef struct {
    Py_buffer *buffer;
    Py_ssize_t count;
} Held;

/* The numbers of a contiguous buffer of at least so many, of `size` bytes each; NULL with an exception if it is none. */
static const void *held(Held *held, PyObject *object, Py_ssize_t count, Py_ssize_t size)
{
    Py_buffer *buffer = &held->buffer[held->count];
    if (PyObject_GetBuffer(object, buffer, PyBUF_SIMPLE)) return NULL;
    held->count++;
    if (buffer->len / size >= count && ((uintptr_t)buffer->buf & (size - 1)) == 0) return buffer->buf ? buffer->buf : "";
    PyErr_Format(PyExc_ValueError, "a buffer of %zd bytes, where %zd times %zd are needed", buffer->len, count, size);
    return NULL;
}

static void released(Held *held)
{
    while (held->count) PyBuffer_Release(&held->buffer[--held->count]);
    PyMem_Free(held->buffer);
}

static int taken(Matrix *matrix, Held *buffers, PyObject *pieces, PyObject *query)
{
    const Py_ssize_t width = matrix->dims * (Py_ssize_t)sizeof(float), count = PyTuple_GET_SIZE(pieces);
    matrix->piece = PyMem_Calloc(count + 1, sizeof *matrix->piece);
    matrix->first = PyMem_Calloc(count + 1, sizeof *matrix->first);
    if (!matrix->piece || !matrix->first) {
        PyErr_NoMemory();
        return -1;
    }
    if (!(matrix->query = held(buffers, query, matrix->dims, sizeof(double)))) return -1;
    for (Py_ssize_t n = 0; n < count; n++) {
        if (!(matrix->piece[n] = held(buffers, PyTuple_GET_ITEM(pieces, n), 0, sizeof(float)))) return -1;
        matrix->first[n + 1] = matrix->first[n] + buffers->buffer[buffers->count - 1].len / width;
    }
    matrix->pieces = (int)count;
    return 0;
}

static void freed(Matrix *matrix)
{
    PyMem_Free(matrix->piece);
    PyMem_Free(matrix->first);
}

/* Take what is searched; `search` has its numbers, and room for as many codes as the tuple has. */
static int filled(Search *search, Held *buffers, PyObject *codes, PyObject *asked, PyObject *pieces, PyObject *mask)
{
    for (int w = 0; w < 2 * search->words; w++)
        if (!(search->code[w] = held(buffers, PyTuple_GET_ITEM(codes, w), search->stop, sizeof(uint64_t)))) return -1;
    const uint64_t **bits[] = {&search->signs, &search->telling, &search->plane[0], &search->plane[1]};
    for (int part = 0; part < 2 + PLANES; part++)
        if (!(*bits[part] = held(buffers, PyTuple_GET_ITEM(asked, part), search->words, sizeof(uint64_t)))) return -1;
    if (taken(&search->matrix, buffers, pieces, PyTuple_GET_ITEM(asked, 2 + PLANES))) return -1;
    if (search->matrix.first[search->matrix.pieces] < search->stop) {
        PyErr_SetString(PyExc_ValueError, "a matrix with fewer rows than there are codes");
        return -1;
    }
    return mask != Py_None && !(search->mask = held(buffers, mask, search->stop, 1)) ? -1 : 0;
}

static PyObject *answered(const Search *search, Py_ssize_t first, Py_ssize_t second)
{
    Found found = {0};
    int failed;
    Py_BEGIN_ALLOW_THREADS
    failed = work().search(search, first, second, &found);
    Py_END_ALLOW_THREADS
    PyObject *result =
        failed ? PyErr_NoMemory()
               : Py_BuildValue("y#y#", found.row ? (const char *)found.row : "",
                               found.count * (Py_ssize_t)sizeof *found.row, found.value ? (const char *)found.value : "",
                               found.count * (Py_ssize_t)sizeof *found.value);
    PyMem_RawFree(found.row);
    PyMem_RawFree(found.value);
    return result;
}

static PyObject *sieve(PyObject *module, PyObject *arguments)
{
    PyObject *codes, *asked, *pieces, *mask, *result = NULL;
    Py_ssize_t first, second;
    Search search = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!O!Oniinn", &PyTuple_Type, &codes, &PyTuple_Type, &asked, &PyTuple_Type,
                          &pieces, &mask, &search.stop, &search.matrix.dims, &search.weight, &first, &second))
        return NULL;
    const Py_ssize_t words = PyTuple_GET_SIZE(codes);
    if (words < 2 || words % 2 || words > 2 * MOST_WORDS || PyTuple_GET_SIZE(asked) != QUERY || search.stop < 0 ||
        search.matrix.dims < 1 || search.matrix.dims > 32 * words || search.weight < 0 ||
        search.weight > 3 * search.matrix.dims) {
        PyErr_SetString(PyExc_ValueError, "codes and query that do not fit each other");
        return NULL;
    }
    search.words = (int)(words / 2);
    Held buffers = {PyMem_Calloc(words + PyTuple_GET_SIZE(pieces) + QUERY + 1, sizeof(Py_buffer)), 0};
    search.code = PyMem_Calloc(words, sizeof *search.code);
    search.seen = PyMem_Calloc(64 * search.words + 1, sizeof *search.seen);
    if (!buffers.buffer || !search.code || !search.seen) PyErr_NoMemory();
    else if (!filled(&search, &buffers, codes, asked, pieces, mask)) result = answered(&search, first, second);
    released(&buffers);
    freed(&search.matrix);
    PyMem_Free(search.code);
    PyMem_Free(search.seen);
    return result;
}

static PyObject *cosines(PyObject *module, PyObject *arguments)
{
    PyObject *pieces, *rows, *query, *result = NULL;
    Matrix matrix = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOi", &PyTuple_Type, &pieces, &rows, &query, &matrix.dims)) return NULL;
    if (matrix.dims < 1) return PyErr_Format(PyExc_ValueError, "vectors of %d numbers", matrix.dims);
    Held buffers = {PyMem_Calloc(PyTuple_GET_SIZE(pieces) + 2, sizeof(Py_buffer)), 0};
    if (!buffers.buffer) return PyErr_NoMemory();
    const int64_t *row = held(&buffers, rows, 0, sizeof(int64_t));
    if (row && !taken(&matrix, &buffers, pieces, query)) {
        const Py_ssize_t count = buffers.buffer[0].len / (Py_ssize_t)sizeof *row;
        Py_ssize_t within = 0;
        for (; within < count && row[within] >= 0 && row[within] < matrix.first[matrix.pieces]; within++);
        if (within < count) PyErr_Format(PyExc_ValueError, "row %lld, where there is none", (long long)row[within]);
        else result = PyBytes_FromStringAndSize(NULL, count * (Py_ssize_t)sizeof(float));
        /* Other threads wait: one of them might put another row where one was just checked. */
        if (result) work().score(&matrix, row, count, (float *)PyBytes_AS_STRING(result));
    }
    released(&buffers);
    freed(&matrix);
    return result;
}

static PyMethodDef METHODS[] = {
    {"sieve", sieve, METH_VARARGS,
     "sieve(codes, asked, pieces, mask, stop, dims, weight, first, second) -> (int64 rows, float32 cosines) as bytes"},
    {"cosines", cosines, METH_VARARGS, "cosines(pieces, rows, query, dims) -> float32 cosines as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_sieve", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sieve(void) { return PyModuleDef_Init(&MODULE); }
