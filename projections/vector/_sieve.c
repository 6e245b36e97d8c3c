/* What codes.py, rows.py and exact.py do with arrays: the sieves, canonical cosines of rows, and which are the best.

   The rows that come out are the same to the last, and so are the cosines: every comparison is of integers, or of
   floats that were rounded by the same operations. Optional: where it was not compiled, NumPy does the work. */

#include "../_buffers.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define AVX2 __attribute__((target("avx2,popcnt")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt")))
#endif

enum {
    PLANES = 2,             /* bits of a weight */
    MOST_WORDS = 1023,      /* so that a distance fits 16 bits */
    HIDDEN = UINT16_MAX,    /* the distance of a row that may not answer */
    BLOCK = 1024,           /* rows whose distances are hidden while they are in the first cache */
    GROUP = 8, EVERY = 128, /* so many rows of each so many are the sample, as in codes.py */
    SAMPLED_FROM = 32000,
    TOGETHER = 256,         /* rows whose cosines are worked out in one go */
    CODES_AHEAD = 16,       /* codes that are fetched while another is compared */
    ROWS_AHEAD = 12,        /* rows that are fetched while another is scored */
    LINE = 64,              /* bytes that are fetched at once */
    LANES = 16,
};

#define TELLING 0.8 /* as in codes.py */

#define WITHIN static inline __attribute__((always_inline))

/* Rows of float32 numbers whose values are float16 ones, piece by piece, and a query to multiply them with. */
typedef struct {
    int dims, pieces;
    const float **piece;
    Py_ssize_t *first; /* row of each piece, and the end */
    double *query;
} Matrix;

typedef struct {
    Matrix matrix;
    int words; /* of one bit a dimension */
    int weight;
    Py_ssize_t stop;
    const uint8_t *mask;                       /* NULL: every row may answer */
    const uint64_t **sign;                     /* the signs of all rows, word by word */
    const uint64_t *code;                      /* row by row, the words of its signs and those of its second bits */
    uint64_t *signs, *telling, *plane[PLANES]; /* the query in bits */
    Py_ssize_t *seen;                          /* rows at each distance */
    uint16_t *distance;                        /* of each row */
} Search;

typedef struct {
    int64_t *row;
    float *value;
    Py_ssize_t count;
} Found;

/* As `Asked` of codes.py. The sum is exact in any order (cosine.py), so all that follows from it is the same. */
static void asked(Search *search)
{
    const int dims = search->matrix.dims, top = (1 << PLANES) - 1;
    const double *query = search->matrix.query;
    double sum = 0;
    for (int dim = 0; dim < dims; dim++) sum += fabs(query[dim]);
    const double mean = sum / dims, telling = TELLING * mean, step = top / (3 * mean);
    for (int dim = 0; dim < dims; dim++) {
        const double size = fabs(query[dim]), steps = rint(size * step);
        const int word = dim / 64, weight = steps < top ? (int)steps : top;
        const uint64_t bit = (uint64_t)1 << dim % 64;
        if (query[dim] > 0) search->signs[word] |= bit;
        if (size >= telling) search->telling[word] |= bit;
        for (int p = 0; p < PLANES; p++)
            if (weight >> p & 1) search->plane[p][word] |= bit;
        search->weight += weight;
    }
}

/* -- distances ------------------------------------------------------------- */

/* How many telling bits of each row from `start` differ from those of the query. */
typedef void Differing(const Search *, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out);

WITHIN void differing_in(const Search *search, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out, int words)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        int differ = 0;
        for (int w = 0; w < words; w++)
            differ += __builtin_popcountll((search->sign[w][start + i] ^ search->signs[w]) & search->telling[w]);
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

#ifdef AVX2
/* AVX2 does not count bits, but looks up how many four bits are, 32 times at once (Mula, Kurz and Lemire 2018). */
WITHIN AVX2 __m256i counted(__m256i bits)
{
    const __m256i counts = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i four = _mm256_set1_epi8(15);
    const __m256i low = _mm256_and_si256(bits, four), high = _mm256_and_si256(_mm256_srli_epi16(bits, 4), four);
    return _mm256_add_epi8(_mm256_shuffle_epi8(counts, low), _mm256_shuffle_epi8(counts, high));
}

/* Sixteen rows at a time. At most 31 words, so that a byte can count. */
WITHIN AVX2 Py_ssize_t sixteens_in(
    const Search *search, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out, int words)
{
    const __m256i zero = _mm256_setzero_si256(), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    Py_ssize_t i = 0;
    for (; i + 16 <= count; i += 16) {
        __m256i four[4];
        for (int part = 0; part < 4; part++) {
            __m256i differ = zero;
            for (int w = 0; w < words; w++) {
                const __m256i sign = _mm256_loadu_si256((const void *)(search->sign[w] + start + i + 4 * part));
                const __m256i bits = _mm256_xor_si256(sign, _mm256_set1_epi64x((long long)search->signs[w]));
                const __m256i telling = _mm256_set1_epi64x((long long)search->telling[w]);
                differ = _mm256_add_epi8(differ, counted(_mm256_and_si256(bits, telling)));
            }
            four[part] = _mm256_sad_epu8(differ, zero);
        }
        /* Four times four numbers of 64 bits become sixteen of 16, and get back into their order. */
        const __m256i packed =
            _mm256_packus_epi32(_mm256_packus_epi32(four[0], four[1]), _mm256_packus_epi32(four[2], four[3]));
        _mm256_storeu_si256((void *)(out + i), _mm256_permutevar8x32_epi32(packed, order));
    }
    return i;
}

WITHIN AVX2 void differing_with_avx2(const Search *search, Py_ssize_t start, Py_ssize_t count, uint16_t *restrict out)
{
    Py_ssize_t done = 0;
    switch (search->words) {
    case 4: done = sixteens_in(search, start, count, out, 4); break;
    case 6: done = sixteens_in(search, start, count, out, 6); break;
    default:
        if (search->words <= 31) done = sixteens_in(search, start, count, out, search->words);
    }
    differing(search, start + done, count - done, out + done);
}
#endif

WITHIN void measured(const Search *search, Differing *differ)
{
    for (Py_ssize_t start = 0; start < search->stop; start += BLOCK) {
        const Py_ssize_t left = search->stop - start, count = left < BLOCK ? left : BLOCK;
        uint16_t *restrict distance = search->distance + start;
        differ(search, start, count, distance);
        if (!search->mask) continue;
        const uint8_t *restrict mask = search->mask + start;
        for (Py_ssize_t i = 0; i < count; i++) distance[i] |= mask[i] ? 0 : HIDDEN;
    }
}

/* -- the sieves ------------------------------------------------------------ */

/* The distance up to which about `wanted` rows lie, judged by a sample or by all. */
WITHIN int admitting(const Search *search, int sampled, Py_ssize_t wanted)
{
    const Py_ssize_t step = sampled ? EVERY : 1, size = sampled ? GROUP : 1, end = search->stop / step * step;
    const int most = 64 * search->words;
    memset(search->seen, 0, (most + 1) * sizeof *search->seen);
    for (Py_ssize_t start = 0; start < end; start += step)
        for (Py_ssize_t row = start; row < start + size; row++)
            if (search->distance[row] != HIDDEN) search->seen[search->distance[row]]++;
    Py_ssize_t admitted = 0;
    int farthest = 0;
    for (int distance = 0; distance <= most; distance++) {
        admitted += search->seen[distance] * (step / size);
        if (admitted >= wanted) return distance;
        if (search->seen[distance]) farthest = distance + 1;
    }
    return farthest;
}

/* Write down the rows from this one on that are up to the bar; there is room for four more than these. */
typedef void Passing(const Search *, Py_ssize_t row, uint16_t bar, int64_t *restrict passed);

WITHIN void passing(const Search *search, Py_ssize_t row, uint16_t bar, int64_t *restrict passed)
{
    const uint16_t *restrict distance = search->distance;
    for (const Py_ssize_t stop = search->stop; row < stop; row++) {
        *passed = row;
        passed += distance[row] <= bar;
    }
}

#ifdef AVX2
/* The places of the bits that are set in four, one after the other. */
static const int64_t PLACES[16][4] = {
    {0}, {0}, {1}, {0, 1}, {2}, {0, 2}, {1, 2}, {0, 1, 2}, {3}, {0, 3}, {1, 3}, {0, 1, 3}, {2, 3}, {0, 2, 3}, {1, 2, 3},
    {0, 1, 2, 3},
};

/* Sixteen rows are compared at a time, and four are written, however many of them pass. */
WITHIN AVX2 void passing_with_avx2(const Search *search, Py_ssize_t row, uint16_t bar, int64_t *restrict passed)
{
    const __m256i most = _mm256_set1_epi16((short)bar);
    for (; row + 16 <= search->stop; row += 16) {
        const __m256i distance = _mm256_loadu_si256((const void *)(search->distance + row));
        const __m256i within = _mm256_cmpeq_epi16(_mm256_min_epu16(distance, most), distance);
        const __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(within), _mm256_extracti128_si256(within, 1));
        unsigned bits = (unsigned)_mm_movemask_epi8(bytes);
        for (int part = 0; part < 16; part += 4, bits >>= 4) {
            for (int i = 0; i < 4; i++) passed[i] = row + part + PLACES[bits & 15][i];
            passed += __builtin_popcount(bits & 15);
        }
    }
    passing(search, row, bar, passed);
}
#endif

/* The rows up to this distance. */
WITHIN int passed(const Search *search, uint16_t bar, Found *found, Passing *passing)
{
    Py_ssize_t count = 0;
    for (Py_ssize_t start = 0; start < search->stop; start += BLOCK) {
        const Py_ssize_t left = search->stop - start, rows = left < BLOCK ? left : BLOCK;
        uint16_t within = 0; /* as narrow as what is compared, for the processor's sake */
        for (Py_ssize_t i = 0; i < rows; i++) within += search->distance[start + i] <= bar;
        count += within;
    }
    PyMem_RawFree(found->row);
    found->row = PyMem_RawMalloc((count + 4) * sizeof *found->row);
    found->count = count;
    if (!found->row) return -1;
    passing(search, 0, bar, found->row);
    return 0;
}

WITHIN void fetched(const void *start, Py_ssize_t bytes)
{
    for (Py_ssize_t byte = 0; byte < bytes; byte += LINE) __builtin_prefetch((const char *)start + byte);
}

/* What a row's coarse vector misses of the coarse query, and 32 bits higher in how many numbers they are apart. */
typedef uint64_t Coarse(const Search *, const uint64_t *code, int words);

WITHIN uint64_t coarse(const Search *search, const uint64_t *code, int words)
{
    int64_t apart = 0, missed = 0;
    for (int w = 0; w < words; w++) {
        const uint64_t high = code[w] ^ search->signs[w], low = code[words + w] ^ search->signs[w];
        apart += __builtin_popcountll(high ^ low);
        for (int p = 0; p < PLANES; p++) {
            const uint64_t plane = search->plane[p][w];
            missed += (int64_t)(2 * __builtin_popcountll(high & plane) + __builtin_popcountll(low & plane)) << p;
        }
    }
    return (uint64_t)apart << 32 | (uint64_t)missed;
}

#ifdef AVX2
WITHIN AVX2 __m256i four_at(const uint64_t *words) { return _mm256_loadu_si256((const void *)words); }

/* Four words at a time, where that comes out even. */
WITHIN AVX2 uint64_t coarse_with_avx2(const Search *search, const uint64_t *code, int words)
{
    if (words % 4) return coarse(search, code, words);
    const __m256i zero = _mm256_setzero_si256();
    __m256i sums = zero;
    for (int w = 0; w < words; w += 4) {
        const __m256i signs = four_at(search->signs + w);
        const __m256i high = _mm256_xor_si256(four_at(code + w), signs);
        const __m256i low = _mm256_xor_si256(four_at(code + words + w), signs);
        const __m256i apart = _mm256_sad_epu8(counted(_mm256_xor_si256(high, low)), zero);
        __m256i missed = zero;
        for (int p = PLANES - 1; p >= 0; p--) {
            const __m256i plane = four_at(search->plane[p] + w), twice = counted(_mm256_and_si256(high, plane));
            missed = _mm256_add_epi8(_mm256_add_epi8(missed, twice), _mm256_add_epi8(missed, twice));
            missed = _mm256_add_epi8(missed, counted(_mm256_and_si256(low, plane)));
        }
        sums = _mm256_add_epi64(sums, _mm256_add_epi64(_mm256_sad_epu8(missed, zero), _mm256_slli_epi64(apart, 32)));
    }
    const __m128i two = _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_add_epi64(two, _mm_unpackhi_epi64(two, two)));
}
#endif

/* The cosines of coarse vectors with the coarse query, but for a factor that all have in common.

   Integers below 2**24 up to the root: only that and the division round. */
WITHIN void compared_in(const Search *search, const Found *found, Coarse *coarse, int words)
{
    const int most = 3 * search->weight, squares = 9 * search->matrix.dims;
    for (Py_ssize_t start = 0; start < found->count; start += TOGETHER) {
        const Py_ssize_t left = found->count - start, rows = left < TOGETHER ? left : TOGETHER;
        const int64_t *row = found->row + start;
        int missed[TOGETHER], apart[TOGETHER];
        for (Py_ssize_t i = 0; i < rows; i++) {
            if (i + CODES_AHEAD < left)
                fetched(search->code + 2 * words * row[i + CODES_AHEAD], 2 * words * (Py_ssize_t)sizeof(uint64_t));
            const uint64_t sum = coarse(search, search->code + 2 * words * row[i], words);
            missed[i] = (int)(sum & INT_MAX);
            apart[i] = (int)(sum >> 32);
        }
        for (Py_ssize_t i = 0; i < rows; i++)
            found->value[start + i] = (float)(most - 2 * missed[i]) / sqrtf((float)(squares - 8 * apart[i]));
    }
}

WITHIN void compared(const Search *search, const Found *found, Coarse *coarse)
{
    switch (search->words) {
    case 4: compared_in(search, found, coarse, 4); break;
    case 6: compared_in(search, found, coarse, 6); break;
    default: compared_in(search, found, coarse, search->words);
    }
}

/* A float that the `wanted` largest values and their equals reach, and no others: found bit by bit. */
WITHIN float reached(const float *values, int count, Py_ssize_t wanted)
{
    uint32_t least = 0; /* its place in the order of all floats */
    float bar = -INFINITY;
    for (uint32_t bit = 0x80000000u; bit; bit >>= 1) {
        const uint32_t place = least | bit, bits = place & 0x80000000u ? place ^ 0x80000000u : ~place;
        float tried;
        memcpy(&tried, &bits, sizeof tried);
        int reaching = 0;
        for (int i = 0; i < count; i++) reaching += values[i] >= tried;
        if (reaching < wanted) continue;
        least = place;
        bar = tried;
        if (reaching == wanted) break;
    }
    return bar;
}

/* Keep the `wanted` best and their equals. */
WITHIN void sieved(Found *found, Py_ssize_t wanted)
{
    if (found->count <= wanted) return;
    const float bar = reached(found->value, (int)found->count, wanted);
    Py_ssize_t kept = 0;
    for (Py_ssize_t i = 0; i < found->count; i++) {
        found->row[kept] = found->row[i];
        kept += found->value[i] >= bar;
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
        if (i + ROWS_AHEAD < count)
            fetched(vector(matrix, rows[i + ROWS_AHEAD], &ahead), matrix->dims * (Py_ssize_t)sizeof(float));
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

WITHIN int searched(
    const Search *search, Py_ssize_t first, Py_ssize_t second, Found *found, Differing *differ, Passing *passing,
    Coarse *coarse)
{
    measured(search, differ);
    for (int sampled = search->stop > SAMPLED_FROM; sampled >= 0; sampled--) {
        if (passed(search, (uint16_t)admitting(search, sampled, first), found, passing)) return -1;
        if (2 * found->count >= first) break;
    }
    found->value = PyMem_RawMalloc((found->count + 1) * sizeof *found->value);
    if (!found->value) return -1;
    compared(search, found, coarse);
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

#define FOR_A_PROCESSOR(NAME, TARGET, DIFFERING, PASSING, COARSE)                                                  \
    TARGET static int search_##NAME(const Search *search, Py_ssize_t first, Py_ssize_t second, Found *found)       \
    {                                                                                                              \
        return searched(search, first, second, found, DIFFERING, PASSING, COARSE);                                 \
    }                                                                                                              \
    TARGET static void score_##NAME(const Matrix *matrix, const int64_t *rows, Py_ssize_t count, float *cosines)   \
    {                                                                                                              \
        scored(matrix, rows, count, cosines);                                                                      \
    }

FOR_A_PROCESSOR(of_any_kind, , differing, passing, coarse)
#ifdef AVX2
FOR_A_PROCESSOR(with_avx2, AVX2, differing_with_avx2, passing_with_avx2, coarse_with_avx2)
FOR_A_PROCESSOR(with_avx512, AVX512, differing, passing_with_avx2, coarse_with_avx2)

static Work work(void)
{
    if (BEST_PROCESSOR >= 2 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vpopcntdq"))
        return (Work){search_with_avx512, score_with_avx512};
    if (BEST_PROCESSOR >= 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
        return (Work){search_with_avx2, score_with_avx2};
    return (Work){search_of_any_kind, score_of_any_kind};
}
#else
static Work work(void) { return (Work){search_of_any_kind, score_of_any_kind}; }
#endif

/* -- arguments ------------------------------------------------------------- */

static int taken(Matrix *matrix, Held *buffers, PyObject *pieces, PyObject *query)
{
    const Py_ssize_t width = matrix->dims * (Py_ssize_t)sizeof(float), count = PyTuple_GET_SIZE(pieces);
    const float *narrow = held(buffers, query, matrix->dims, sizeof(float));
    if (!narrow) return -1;
    matrix->piece = PyMem_Calloc(count + 1, sizeof *matrix->piece);
    matrix->first = PyMem_Calloc(count + 1, sizeof *matrix->first);
    matrix->query = PyMem_Calloc(matrix->dims, sizeof *matrix->query);
    if (!matrix->piece || !matrix->first || !matrix->query) {
        PyErr_NoMemory();
        return -1;
    }
    for (int dim = 0; dim < matrix->dims; dim++) matrix->query[dim] = narrow[dim];
    for (Py_ssize_t n = 0; n < count; n++) {
        if (!(matrix->piece[n] = held(buffers, PyTuple_GET_ITEM(pieces, n), 0, sizeof(float)))) return -1;
        matrix->first[n + 1] = matrix->first[n] + length(buffers, width);
    }
    matrix->pieces = (int)count;
    return 0;
}

static void freed(Matrix *matrix)
{
    PyMem_Free(matrix->piece);
    PyMem_Free(matrix->first);
    PyMem_Free(matrix->query);
}

/* Take what is searched; `search` has its numbers, and room for as many columns as the tuple has. */
static int filled(Search *search, Held *buffers, PyObject *signs, PyObject *codes, PyObject *mask)
{
    for (int w = 0; w < search->words; w++)
        if (!(search->sign[w] = held(buffers, PyTuple_GET_ITEM(signs, w), search->stop, sizeof(uint64_t)))) return -1;
    if (!(search->code = held(buffers, codes, 2 * search->words * search->stop, sizeof(uint64_t)))) return -1;
    if (mask != Py_None && !(search->mask = held(buffers, mask, search->stop, 1))) return -1;
    if (search->matrix.first[search->matrix.pieces] >= search->stop) return 0;
    PyErr_SetString(PyExc_ValueError, "a matrix with fewer rows than there are codes");
    return -1;
}

/* Room for what the search makes: the query in bits, and what it finds out about rows. */
static int prepared(Search *search)
{
    uint64_t **bits[] = {&search->signs, &search->telling, &search->plane[0], &search->plane[1]};
    for (int part = 0; part < 2 + PLANES; part++)
        if (!(*bits[part] = PyMem_Calloc(search->words, sizeof(uint64_t)))) return -1;
    search->seen = PyMem_Calloc(64 * search->words + 1, sizeof *search->seen);
    search->distance = PyMem_Malloc((search->stop + 1) * sizeof *search->distance);
    return search->seen && search->distance ? 0 : -1;
}

static PyObject *answered(Search *search, Py_ssize_t first, Py_ssize_t second)
{
    Found found = {0};
    int failed;
    if (prepared(search)) return PyErr_NoMemory();
    Py_BEGIN_ALLOW_THREADS
    asked(search);
    failed = work().search(search, first, second, &found);
    Py_END_ALLOW_THREADS
    const Py_ssize_t rows = found.count * (Py_ssize_t)sizeof *found.row;
    const Py_ssize_t values = found.count * (Py_ssize_t)sizeof *found.value;
    PyObject *result = failed ? PyErr_NoMemory()
                              : Py_BuildValue("y#y#", (const char *)found.row, rows, (const char *)found.value, values);
    PyMem_RawFree(found.row);
    PyMem_RawFree(found.value);
    return result;
}

static PyObject *sieve(PyObject *module, PyObject *arguments)
{
    PyObject *signs, *codes, *query, *pieces, *mask, *result = NULL;
    Py_ssize_t first, second;
    Search search = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!OOO!Oninn", &PyTuple_Type, &signs, &codes, &query, &PyTuple_Type, &pieces,
                          &mask, &search.stop, &search.matrix.dims, &first, &second))
        return NULL;
    const Py_ssize_t words = PyTuple_GET_SIZE(signs);
    const int dims = search.matrix.dims;
    if (words < 1 || words > MOST_WORDS || dims < 1 || dims > 64 * words || search.stop < 0 || search.stop > INT_MAX) {
        PyErr_SetString(PyExc_ValueError, "codes and query that do not fit each other");
        return NULL;
    }
    search.words = (int)words;
    Held buffers = {PyMem_Calloc(words + PyTuple_GET_SIZE(pieces) + 3, sizeof(Py_buffer)), 0};
    search.sign = PyMem_Calloc(words, sizeof *search.sign);
    if (!buffers.buffer || !search.sign) PyErr_NoMemory();
    else if (!taken(&search.matrix, &buffers, pieces, query) && !filled(&search, &buffers, signs, codes, mask))
        result = answered(&search, first, second);
    released(&buffers);
    PyMem_Free(buffers.buffer);
    freed(&search.matrix);
    PyMem_Free(search.sign);
    PyMem_Free(search.signs);
    PyMem_Free(search.telling);
    for (int p = 0; p < PLANES; p++) PyMem_Free(search.plane[p]);
    PyMem_Free(search.seen);
    PyMem_Free(search.distance);
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
    PyMem_Free(buffers.buffer);
    freed(&matrix);
    return result;
}

typedef struct {
    float value;
    int place;
} Placed;

/* The larger value comes first, of equals the first. */
static int order(const void *one, const void *other)
{
    const Placed *a = one, *b = other;
    return a->value != b->value ? (a->value < b->value) - (a->value > b->value) : a->place - b->place;
}

/* As `rank` of exact.py, for texts that are in their order. */
static PyObject *best(PyObject *module, PyObject *arguments)
{
    PyObject *cosines, *result = NULL;
    Py_buffer buffer;
    Held given = {&buffer, 0};
    double floor;
    Py_ssize_t limit;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "Odn", &cosines, &floor, &limit)) return NULL;
    const float *value = held(&given, cosines, 0, sizeof *value);
    const Py_ssize_t count = value ? length(&given, sizeof *value) : 0;
    Placed *found = count < INT_MAX ? PyMem_Malloc((count + 1) * sizeof *found) : NULL;
    if (!found) PyErr_NoMemory();
    else if (value) {
        const float bar = count > limit ? reached(value, (int)count, limit) : -INFINITY;
        int kept = 0;
        for (int i = 0; i < (int)count; i++) {
            found[kept] = (Placed){value[i], i};
            kept += value[i] >= bar && (double)value[i] >= floor;
        }
        qsort(found, kept, sizeof *found, order);
        result = PyBytes_FromStringAndSize(NULL, kept * (Py_ssize_t)sizeof(int64_t));
        if (result)
            for (int i = 0; i < kept; i++) ((int64_t *)PyBytes_AS_STRING(result))[i] = found[i].place;
    }
    PyMem_Free(found);
    released(&given);
    return result;
}

static PyMethodDef METHODS[] = {
    {"sieve", sieve, METH_VARARGS,
     "sieve(signs, codes, query, pieces, mask, stop, dims, first, second) -> (int64 rows, float32 cosines) as bytes"},
    {"cosines", cosines, METH_VARARGS, "cosines(pieces, rows, query, dims) -> float32 cosines as bytes"},
    {"best", best, METH_VARARGS, "best(cosines, floor, limit) -> int64 places of the best, in their order, as bytes"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef MODULE = {PyModuleDef_HEAD_INIT, "_sieve", NULL, 0, METHODS, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__sieve(void) { return PyModuleDef_Init(&MODULE); }
