"""The vector projection: who has which vector, and who is near.

`cosine` says what a cosine is, `rows` keeps the vectors, `index` folds the log
into rows and rows into generations. `strategy` alone decides how neighbours
are found: `exact` with a certificate, `codes` and `hnsw` by candidates that
are scored exactly; `batch` does it for many vectors at once. `evidence` packs
what was found into an event.
"""
