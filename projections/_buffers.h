/* What a compiled loop is given: tuples, and contiguous buffers, each checked for its size before it is read. */

#ifndef HELIXLOG_BUFFERS_H
#define HELIXLOG_BUFFERS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdarg.h>
#include <stdint.h>

typedef struct {
    Py_buffer *buffer; /* room for as many as will be held */
    Py_ssize_t count;
} Held;

/* Hold the contiguous buffer of an object; -1 with an exception if it has none. */
static int asked_for(Held *held, PyObject *object)
{
    if (PyObject_GetBuffer(object, &held->buffer[held->count], PyBUF_ND)) return -1;
    held->count++;
    return 0;
}

/* Numbers of `size` bytes each in the last buffer, at least `count` of them; NULL with an exception if they are fewer, or of
   another size. */
static const void *fitting(const Held *held, Py_ssize_t count, Py_ssize_t size)
{
    const Py_buffer *buffer = &held->buffer[held->count - 1];
    const int fits = buffer->itemsize == size && buffer->len / size >= count;
    if (fits && !buffer->len) return "";
    if (fits && ((uintptr_t)buffer->buf & (size - 1)) == 0) return buffer->buf;
    PyErr_Format(PyExc_ValueError, "a buffer of %zd bytes, %zd each, where %zd times %zd are needed", buffer->len,
                 buffer->itemsize, count, size);
    return NULL;
}

/* The same of an object's buffer. */
static const void *held(Held *held, PyObject *object, Py_ssize_t count, Py_ssize_t size)
{
    return asked_for(held, object) ? NULL : fitting(held, count, size);
}

/* How many numbers of `size` bytes the last buffer has. */
static Py_ssize_t length(const Held *held, Py_ssize_t size) { return held->buffer[held->count - 1].len / size; }

/* An IndexError for a number that leads out of a column. */
static inline int outside(const char *what, int64_t number, Py_ssize_t count)
{
    PyErr_Format(PyExc_IndexError, "%s %lld, where there are %zd", what, (long long)number, count);
    return -1;
}

/* Parse the items of a tuple; 0 with an exception if it is none, or has others. */
static inline int items(PyObject *object, const char *format, ...)
{
    va_list targets;
    if (!PyTuple_Check(object)) {
        PyErr_Format(PyExc_TypeError, "a %.99s that is no tuple", Py_TYPE(object)->tp_name);
        return 0;
    }
    va_start(targets, format);
    const int fit = PyArg_VaParse(object, format, targets);
    va_end(targets);
    return fit;
}

static void released(Held *held)
{
    while (held->count) PyBuffer_Release(&held->buffer[--held->count]);
}

#endif
