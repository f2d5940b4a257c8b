/* The compiled audit loop: many releases of counts about one workload in, every certain fact out.
 *
 * Plain C, no global state: a plan is never changed after it was made, so any number of threads may run with one plan
 * at the same time, each with a result of its own. Nothing is thrown across this boundary. A release that is out of the
 * ordinary in any way falls back: its status says why, nothing is told about it, and the Python engine, which decides
 * the same things, does it. Whatever is told was decided in whole numbers with checked overflow; floating point only
 * suggests.
 *
 * How to call: foregone_loop_plan, once for each workload; foregone_loop_run, with some releases; foregone_loop_sizes,
 * to learn how long the results are; foregone_loop_take, which copies them into buffers of the caller;
 * foregone_loop_free_result and, in the end, foregone_loop_free_plan.
 */
#ifndef FOREGONE_LOOP_H
#define FOREGONE_LOOP_H

#include <stdint.h>

#ifdef _WIN32
#define FOREGONE_API __declspec(dllexport)
#else
#define FOREGONE_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The layout of everything below. It grows with every change; a caller refuses a library with another number. */
#define FOREGONE_LOOP_VERSION 3

/* What a plan can have at most. */
enum {
    FOREGONE_MOST_COLUMNS = 31,    /* columns; sets of columns are 32-bit masks */
    FOREGONE_MOST_VALUES = 64,     /* codes, and atoms, of one column; items of one layer; sets are 64-bit masks */
    FOREGONE_MOST_LAYERS = 32,     /* layers of items that claims can name; sets of layers are 32-bit masks */
    FOREGONE_MOST_BOXES = 1 << 20  /* queries and rules */
};

/* Of a count that may be as large as it likes. */
#define FOREGONE_NO_LIMIT INT64_MAX

/* The status of a release: done, or why it fell back. The number beside it in the summary (`detail`) says how much. */
enum {
    FOREGONE_DONE = 0,
    FOREGONE_BAD_COUNT = 1,          /* a count is negative, or at most less than at least; detail: which query */
    FOREGONE_TOO_WIDE = 2,           /* a table over many combinations of values; detail: combinations */
    FOREGONE_TOO_MANY_RECORDS = 3,   /* more possible records than the limit; detail: how many were found so far */
    FOREGONE_NOTHING_POSSIBLE = 4,   /* zeros leave no record at all */
    FOREGONE_CONTRADICTION = 5,      /* two counts of the same records differ, or a count is about no possible record */
    FOREGONE_NO_TOTAL = 6,           /* no counts limit the number of records */
    FOREGONE_NO_SIZE = 7,            /* no dataset is as small, or as large, as a single bound allows */
    FOREGONE_LARGE_NUMBERS = 8,      /* numbers in elimination or certificates outgrew their type */
    FOREGONE_LARGE_DATASET = 9,      /* datasets of so many records are not moved record by record; detail: records */
    FOREGONE_SIMPLEX_LOST = 10,      /* the simplex method lost its way */
    FOREGONE_NO_FIRST_DATASET = 11,  /* no dataset that fits was found */
    FOREGONE_DOUBT = 12,             /* buckets neither shown to be empty nor filled by a dataset; detail: how many */
    FOREGONE_NO_BOUND = 13,          /* a claim holds in every dataset known and no single bound proves it */
    FOREGONE_TOO_MANY_SETS = 14,     /* closed sets of items; detail: how many were met */
    FOREGONE_MANY_ITEMS = 15,        /* a claim with very many items; detail: how many */
    FOREGONE_TOO_MANY_FORMS = 16,    /* a fact can be said in more ways than can be counted */
    FOREGONE_TOO_MANY_ROUNDS = 17,   /* rounds of the loop */
    FOREGONE_MEMORY = 18,            /* more memory than the limit; detail: bytes asked for */
    FOREGONE_WORK = 19,              /* more steps than the limit: the same on every machine, however busy it is */
    FOREGONE_TIME = 20,              /* more CPU time than the limit */
    FOREGONE_CANCELLED = 21,         /* the caller asked to stop; all releases that follow are cancelled too */
    FOREGONE_UNEXPECTED = 22,        /* an error that should not occur */
    FOREGONE_SEVERAL = 23,           /* asked for the only dataset: there are others */
    FOREGONE_STATUSES = 24           /* how many there are */
};

/* How a fact is known. */
enum { FOREGONE_PUBLISHED = 0, FOREGONE_LINEAR = 1, FOREGONE_BOUND = 2 };

/* What foregone_loop_plan may return instead of making a plan. */
enum { FOREGONE_PLAN_MADE = 0, FOREGONE_PLAN_TOO_LARGE = 1, FOREGONE_PLAN_WRONG = 2, FOREGONE_PLAN_NO_MEMORY = 3 };

/* A workload as numbers. All arrays belong to the caller and are copied. In masks, bit i is value i. */
typedef struct foregone_workload {
    int64_t columns;              /* how many there are, from 1 up */
    int64_t queries;              /* published counts */
    int64_t boxes;                /* queries, then rules: boxes in which no record can be */
    int64_t layers;               /* of items that claims can name */
    int64_t crowded;              /* columns with several layers */
    int64_t single;               /* 1: claims name single codes only, and every column that they name tells something */
    const int64_t *widths;        /* [columns] atoms */
    const uint64_t *box_atoms;    /* [boxes][columns] atoms that a box allows; all where it does not name the column */
    const int64_t *layer_columns; /* [layers] the column, ascending */
    const int64_t *layer_items;   /* [layers] how many items it has, numbered from 0 */
    const uint8_t *item_of;       /* [layers][64] atom -> its item, 255 for none */
    const uint64_t *item_atoms;   /* [layers][64] item -> its atoms */
    const uint64_t *crowded_sets; /* [crowded] the layers of such a column, as a mask */
    const uint64_t *atom_codes;   /* [columns][64] atom -> its codes */
    const uint64_t *all_codes;    /* [columns] */
    const uint64_t *query_codes;  /* [queries][columns] codes that it allows; all where it does not name the column */
    const uint64_t *query_names;  /* [queries] the columns that it names, as a mask */
    const uint8_t *query_plain;   /* [queries] 1: a claim can be this query: it names no group, or claims may */
    const int64_t *family_sizes;  /* [columns] groups of codes that claims may name */
    const uint64_t *family;       /* these groups, column after column, as masks of codes */
} foregone_workload;

/* Limits of one release; what goes beyond falls back. */
typedef struct foregone_limits {
    int64_t records;         /* possible records */
    int64_t memory;          /* bytes */
    int64_t work;            /* steps, counted: about a nanosecond each */
    int64_t cpu_nanoseconds; /* CPU time of this thread; 0: no limit */
} foregone_limits;

/* What is asked. */
typedef struct foregone_request {
    int64_t releases;            /* how many */
    const int64_t *lows;         /* [releases][queries] so many records match at least */
    const int64_t *highs;        /* [releases][queries] and so many at most, FOREGONE_NO_LIMIT: any; NULL: as many */
    const int64_t *true_starts;  /* [releases + 1] where the true records of each begin; NULL: they are not known */
    const uint8_t *true_records; /* [true records][columns] the number of the code in each column */
    int64_t want_forms;          /* 1: fill `forms` */
    int64_t want_datasets;       /* 1: fill `datasets` */
    int64_t only;                /* 1: no facts; done is what a single dataset fits, and that is in `datasets` */
    foregone_limits limits;      /* of each release */
    const volatile int32_t *cancel; /* looked at now and then: other than 0 means stop; NULL: never */
} foregone_request;

/* Lengths of the results, in numbers of 8 bytes. */
typedef struct foregone_sizes { int64_t facts, summary, forms, datasets; } foregone_sizes;

/* Results, all of them 64-bit integers; `columns` is that of the workload; masks are to be read as unsigned.
 *
 * facts: FOREGONE_FACT + columns numbers for each fact, releases in order, facts in the order in which they are told:
 * what the names below say, then for each column the codes that the fact allows, 0 where it does not name the column.
 */
enum {
    FOREGONE_FACT_RELEASE = 0,    /* which release, from 0 */
    FOREGONE_FACT_COUNT = 1,      /* so many records match */
    FOREGONE_FACT_COLUMNS = 2,    /* columns it names */
    FOREGONE_FACT_GROUND = 3,     /* how it is known: FOREGONE_PUBLISHED and so on */
    FOREGONE_FACT_EXACT = 4,      /* of the columns it names, those with a single code */
    FOREGONE_FACT_PUBLISHED = 5,  /* 1 if a form of it is itself a published number, 2 if one says all of it that tells something */
    FOREGONE_FACT_ATTRIBUTES = 6, /* columns that tell something */
    FOREGONE_FACT = 7
};

/* summary: FOREGONE_LINE + 5 * columns numbers for each release: what the names below say, then five blocks with a
 * number each for 1, 2, ... columns:
 *   claims with so many columns;
 *   of these about one record;
 *   true records that a claim about one record with so many columns describes;
 *   true records that a fact about one record describes which tells so many columns or more;
 *   true records that a fact about one record describes which tells so many single codes or more.
 * Unless the status is FOREGONE_DONE all that follows FOREGONE_LINE_NANOSECONDS is 0.
 */
enum {
    FOREGONE_LINE_STATUS = 0,      /* FOREGONE_DONE, or why it fell back */
    FOREGONE_LINE_DETAIL = 1,      /* a number that says more, see the statuses */
    FOREGONE_LINE_NANOSECONDS = 2, /* CPU time of this thread */
    FOREGONE_LINE_RECORDS = 3,     /* possible records */
    FOREGONE_LINE_BUCKETS = 4,     /* classes of possible records that are in the same counts */
    FOREGONE_LINE_LEAST = 5,       /* records of the smallest dataset that fits */
    FOREGONE_LINE_MOST = 6,        /* and of the largest */
    FOREGONE_LINE_FACTS = 7,
    FOREGONE_LINE_DATASETS = 8,    /* datasets found that fit */
    FOREGONE_LINE_PROGRAMS = 9,    /* linear programs solved */
    FOREGONE_LINE_SETS = 10,       /* closed sets met */
    FOREGONE_LINE_WRONG = 11,      /* claims that are false in the true records: always 0, unless there is a bug */
    FOREGONE_LINE_DESCRIBED = 12,  /* true records that a fact about one record describes */
    FOREGONE_LINE = 13
};

/* forms, for each fact in the order of `facts`:
 *   columns that tell nothing, as a mask;
 *   of these, those in which the fact says what all possible records have, as a mask;
 *   the number of shortest forms;
 *   for each of these and each column the codes it allows, 0 where it does not name the column;
 *   the number of numbers that follow;
 *   how many forms of the fact have 0, 1, 2, ... columns.
 *
 * datasets, for each release whose status is FOREGONE_DONE (every dataset fits the release):
 *   the number of datasets;
 *   for each of them the number of different records in it;
 *   for each of these its atom in each column, and how often it occurs.
 */

/* The FOREGONE_LOOP_VERSION that the library was made with. */
FOREGONE_API int64_t foregone_loop_version(void);

/* Make a plan of a workload; *plan is set only if FOREGONE_PLAN_MADE is returned. */
FOREGONE_API int32_t foregone_loop_plan(const foregone_workload *workload, void **plan);
FOREGONE_API void foregone_loop_free_plan(void *plan);

/* Audit releases; *result is set, and must be freed, if 0 is returned. Otherwise there was no memory even for what was
 * asked (1), or an argument is missing (2). */
FOREGONE_API int32_t foregone_loop_run(const void *plan, const foregone_request *request, void **result);

/* How long the buffers for foregone_loop_take have to be. */
FOREGONE_API void foregone_loop_sizes(const void *result, foregone_sizes *sizes);

/* Copy the results; a NULL is left out. */
FOREGONE_API void foregone_loop_take(const void *result, int64_t *facts, int64_t *summary, int64_t *forms,
                                     int64_t *datasets);
FOREGONE_API void foregone_loop_free_result(void *result);

#ifdef __cplusplus
}
#endif
#endif
