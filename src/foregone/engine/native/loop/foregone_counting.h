/* Counting all datasets that fit, compiled: the recursion of `foregone/counting/`, in whole numbers of any length.
 *
 * Plain C, no global state, nothing is thrown across this boundary. A space, a graph and weights are never changed after they
 * were made (but for what sampling remembers, so one thread at a time samples from the same weights); each keeps alive what it
 * was made from, and is freed by its own call.
 *
 * How to call: foregone_counting_space, once for each problem; foregone_counting_unfold, which finds every state and the
 * steps from it; foregone_counting_weigh, once for each prior; then the roots, distributions and samples.
 */
#ifndef FOREGONE_COUNTING_H
#define FOREGONE_COUNTING_H

#include <stdint.h>

#include "foregone_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of everything below. A caller leaves a library with another number aside. */
#define FOREGONE_COUNTING_VERSION 1

/* What a call returns: done, or why not. */
enum {
    FOREGONE_COUNTING_DONE = 0,
    FOREGONE_COUNTING_LARGE = 1,  /* more states or steps than allowed */
    FOREGONE_COUNTING_TIME = 2,   /* no time left */
    FOREGONE_COUNTING_WRONG = 3   /* no memory, or numbers that cannot be */
};

/* `CountingProblem` in `counting/problem.py`: place records into buckets so that low <= weighted sum <= high in every row and
 * one side of every either-or keeps its high. Row 0 is the number of records. */
typedef struct foregone_counting_problem {
    int64_t buckets, rows, either;
    const int64_t *starts;       /* [buckets + 1] where the entries of each bucket begin */
    const int64_t *entry_rows;   /* [entries] */
    const int64_t *weights;      /* [entries] */
    const int64_t *low, *high;   /* [rows] */
    const int64_t *either_rows;  /* [2 * either] */
} foregone_counting_problem;

/* How a prior weighs: see `counting/prior.py`. */
typedef struct foregone_counting_prior {
    const uint64_t *masses;  /* [buckets] */
    uint64_t unit;           /* that a record adds to its kind in an urn */
    int64_t urn, ordered;    /* 0 or 1 */
    int64_t limbs;           /* words of 64 bits that every number fits into; the caller knows a bound */
} foregone_counting_prior;

FOREGONE_API int64_t foregone_counting_version(void);

FOREGONE_API int32_t foregone_counting_space(const foregone_counting_problem *problem, void **space);
FOREGONE_API void foregone_counting_free_space(void *space);

/* `low` and `high` are those of the problem, or of what is left of it; sizes are first_size, first_size + 1, ...; times are in
 * seconds, on the clock and of processor time, below 0 for no limit. */
FOREGONE_API int32_t foregone_counting_unfold(const void *space, const int64_t *low, const int64_t *high, int64_t first_size,
                                              int64_t sizes, int64_t most_states, int64_t most_steps, double clock_seconds,
                                              double work_seconds, void **graph);
FOREGONE_API void foregone_counting_graph_sizes(const void *graph, int64_t *states, int64_t *steps);
/* The graph as `counting/graph.py` has it: states in order, for each the records left, what to divide by, 1 where it places
 * records, and where its steps begin [states + 1]; of each step its bucket, number, weight and target; the roots, -1 for none. */
FOREGONE_API void foregone_counting_graph_take(const void *graph, int64_t *records, int64_t *left, int64_t *places,
                                               int64_t *starts, int64_t *bucket, int64_t *number, int64_t *weight,
                                               int64_t *target, int64_t *roots);
FOREGONE_API void foregone_counting_free_graph(void *graph);

FOREGONE_API int32_t foregone_counting_weigh(const void *graph, const foregone_counting_prior *prior, void **weights);
/* The number of each root, `limbs` words each, the lowest first. */
FOREGONE_API void foregone_counting_roots(const void *weights, uint64_t *numbers);
/* For each root, the weight of all datasets with 0, 1, ..., most records in the part of each bucket with the mass `inside`. */
FOREGONE_API int32_t foregone_counting_distribution(const void *weights, const uint64_t *inside, int64_t most,
                                                    uint64_t *numbers);
/* Datasets, each drawn with exactly its share, from the given roots: `stride` places for each, of which `lengths` are used. */
FOREGONE_API int32_t foregone_counting_samples(void *weights, int64_t number, const int64_t *roots, uint64_t seed,
                                               int64_t stride, int64_t *buckets, int64_t *numbers, int64_t *lengths);
FOREGONE_API void foregone_counting_free_weights(void *weights);

#ifdef __cplusplus
}
#endif

#endif
