// The C interface (see foregone_loop.h): releases in, numbers out. Nothing is thrown beyond this file.
//
// All files, from bottom to top; each uses only those before it:
//   common        whole numbers, sets as bits, why a release falls back, what it may cost
//   plan          what depends on the workload alone
//   zeros         where no record can be
//   live_records  the records that are possible
//   system        buckets of records that are in the same counts, and counts as rows over them
//   row_space     is a set of buckets a combination of rows?
//   simplex       suggests: the most that a sum can be if counts need not be whole
//   program       ranges of rows, for the simplex method
//   witnesses     datasets that fit
//   relaxation    corners, and datasets by rounding them
//   moves         datasets from others, by exchanging values between two records
//   redraw        datasets from others, by drawing a few records anew
//   record_items  the items of live records, one by one and as sets of records
//   closed_sets   the claims that all witnesses agree on
//   claims        claims against the possible records: what they select, what is in doubt
//   bounds        suggestions become bounds that hold in whole numbers
//   doubt         buckets that no witness fills: empty, or filled
//   audit_loop    witnesses propose, exact arithmetic decides
//   forms         every way of saying a fact
//   telling       facts as they are told
//   tally         the numbers of a release, and its true records
// Apart from these, with a C interface of its own (foregone_counting.h):
//   counting      how many datasets fit, and in what share of them a claim holds

#include "foregone_loop.h"

#include <new>

#include "counting.hpp"
#include "tally.hpp"

namespace foregone {

struct Result {
    vector<int64_t> facts, summary, forms, datasets;
};

// One release after the other, for one call.
class Runner {
public:
    Runner(const Plan& plan, const foregone_request& request, Result& result)
        : plan_(plan), request_(request), result_(result), forms_(plan) {}

    void run() {
        for (int64_t i = 0; i < request_.releases; i++) {
            Budget budget(request_.limits, request_.cancel);
            Sizes before = sizes();
            try {
                audit(i, budget);
            } catch (const FallBack& fell) {
                restore(before);
                tell_fall(fell.status, fell.detail, budget);
            } catch (const std::bad_alloc&) {
                restore(before);
                tell_fall(FOREGONE_MEMORY, 0, budget);
            } catch (const std::exception&) {
                restore(before);
                tell_fall(FOREGONE_UNEXPECTED, 0, budget);
            }
        }
    }

private:
    struct Sizes {
        size_t facts, summary, forms, datasets;
    };

    const Plan& plan_;
    const foregone_request& request_;
    Result& result_;
    FormCounter forms_;

    Sizes sizes() const {
        return {result_.facts.size(), result_.summary.size(), result_.forms.size(), result_.datasets.size()};
    }

    // What a release that fell back has left behind goes.
    void restore(const Sizes& before) {
        result_.facts.resize(before.facts);
        result_.summary.resize(before.summary);
        result_.forms.resize(before.forms);
        result_.datasets.resize(before.datasets);
    }

    void tell_fall(int status, int64_t detail, const Budget& budget) {
        vector<int64_t> line(FOREGONE_LINE + 5 * size_t(plan_.columns), 0);
        line[FOREGONE_LINE_STATUS] = status;
        line[FOREGONE_LINE_DETAIL] = detail;
        line[FOREGONE_LINE_NANOSECONDS] = budget.spent();
        result_.summary.insert(result_.summary.end(), line.begin(), line.end());
    }

    void audit(int64_t release, Budget& budget) {
        if (request_.cancel && *request_.cancel) fall_back(FOREGONE_CANCELLED);
        const int64_t* lows = request_.lows + release * plan_.queries;
        const int64_t* highs = request_.highs ? request_.highs + release * plan_.queries : lows;
        Counts counts{lows, highs};
        for (int q = 0; q < plan_.queries; q++) {
            if (lows[q] < 0 || highs[q] < lows[q]) fall_back(FOREGONE_BAD_COUNT, q);
            if (lows[q] > MOST_RECORDS_OF_DATASET) fall_back(FOREGONE_LARGE_DATASET, lows[q]);
        }
        AuditLoop loop(plan_, counts, budget);
        if (request_.only) {
            loop.find_only_dataset();
            put_datasets(loop);
            put_line(loop, 0, budget);
            result_.summary.resize(result_.summary.size() + 5 * size_t(plan_.columns), 0);
            return;
        }
        loop.run();
        Telling telling(loop, counts, forms_, budget);
        Truth truth;
        if (request_.true_starts) {
            truth.codes = request_.true_records + request_.true_starts[release] * plan_.columns;
            truth.number = request_.true_starts[release + 1] - request_.true_starts[release];
        }
        Tally tally(plan_, telling.facts, truth, budget);
        for (const Fact& fact : telling.facts) {
            put_fact(release, fact);
            if (request_.want_forms) put_forms(fact);
        }
        if (request_.want_datasets) put_datasets(loop);
        put_summary(loop, telling, tally, budget);
    }

    void put_fact(int64_t release, const Fact& fact) {
        int64_t line[FOREGONE_FACT];
        line[FOREGONE_FACT_RELEASE] = release;
        line[FOREGONE_FACT_COUNT] = fact.count();
        line[FOREGONE_FACT_COLUMNS] = fact.columns;
        line[FOREGONE_FACT_GROUND] = fact.ground;
        line[FOREGONE_FACT_EXACT] = fact.exact;
        line[FOREGONE_FACT_PUBLISHED] = fact.published;
        line[FOREGONE_FACT_ATTRIBUTES] = fact.attributes();
        result_.facts.insert(result_.facts.end(), std::begin(line), std::end(line));
        put_box(result_.facts, fact.codes);
    }

    void put_forms(const Fact& fact) {
        auto& forms = result_.forms;
        forms.push_back(fact.idle);
        forms.push_back(fact.brought);
        forms.push_back(int64_t(fact.shortest.size()));
        for (const Box& form : fact.shortest) put_box(forms, form);
        forms.push_back(int64_t(fact.forms.size()));
        forms.insert(forms.end(), fact.forms.begin(), fact.forms.end());
    }

    void put_box(vector<int64_t>& to, const Box& box) const {
        for (int c = 0; c < plan_.columns; c++) to.push_back(int64_t(box[c]));
    }

    void put_datasets(const AuditLoop& loop) {
        auto& datasets = result_.datasets;
        datasets.push_back(int64_t(loop.pool.size()));
        for (const Witness& witness : loop.pool.witnesses) {
            datasets.push_back(int64_t(witness.buckets.size()));
            for (size_t i = 0; i < witness.buckets.size(); i++) {
                const uint8_t* record = loop.system.record(loop.system.first_record[witness.buckets[i]]);
                datasets.insert(datasets.end(), record, record + plan_.columns);
                datasets.push_back(witness.counts[i]);
            }
        }
    }

    // Returns where the line begins.
    size_t put_line(const AuditLoop& loop, size_t facts, const Budget& budget) {
        int64_t line[FOREGONE_LINE] = {};
        line[FOREGONE_LINE_STATUS] = FOREGONE_DONE;
        line[FOREGONE_LINE_DETAIL] = 0;
        line[FOREGONE_LINE_NANOSECONDS] = budget.spent();
        line[FOREGONE_LINE_RECORDS] = loop.system.records;
        line[FOREGONE_LINE_BUCKETS] = loop.system.buckets;
        line[FOREGONE_LINE_LEAST] = loop.least;
        line[FOREGONE_LINE_MOST] = loop.most;
        line[FOREGONE_LINE_FACTS] = int64_t(facts);
        line[FOREGONE_LINE_DATASETS] = int64_t(loop.pool.size());
        line[FOREGONE_LINE_PROGRAMS] = loop.programs();
        line[FOREGONE_LINE_SETS] = loop.sets;
        result_.summary.insert(result_.summary.end(), std::begin(line), std::end(line));
        return result_.summary.size() - FOREGONE_LINE;
    }

    void put_summary(const AuditLoop& loop, const Telling& telling, const Tally& tally, const Budget& budget) {
        size_t begin = put_line(loop, telling.facts.size(), budget);
        auto& summary = result_.summary;
        summary[begin + FOREGONE_LINE_WRONG] = tally.wrong;
        summary[begin + FOREGONE_LINE_DESCRIBED] = tally.described;
        for (const auto* block : {&tally.claims, &tally.about_one, &tally.named, &tally.told, &tally.exact})
            summary.insert(summary.end(), block->begin(), block->end());
    }
};

}  // namespace foregone

using foregone::Plan;
using foregone::Result;

extern "C" {

int64_t foregone_loop_version(void) { return FOREGONE_LOOP_VERSION; }

int32_t foregone_loop_plan(const foregone_workload* workload, void** plan) {
    if (!workload || !plan) return FOREGONE_PLAN_WRONG;
    try {
        auto made = std::make_unique<Plan>();
        int problem = foregone::PlanMaker(*workload).make(*made);
        if (problem) return problem;
        *plan = made.release();
        return FOREGONE_PLAN_MADE;
    } catch (const std::exception&) {
        return FOREGONE_PLAN_NO_MEMORY;
    }
}

void foregone_loop_free_plan(void* plan) { delete static_cast<Plan*>(plan); }

int32_t foregone_loop_run(const void* plan, const foregone_request* request, void** result) {
    if (!plan || !request || !result || request->releases < 0) return 2;
    if (request->true_starts && !request->true_records) return 2;
    try {
        auto made = std::make_unique<Result>();
        foregone::Runner(*static_cast<const Plan*>(plan), *request, *made).run();
        *result = made.release();
        return 0;
    } catch (const std::exception&) {
        return 1;
    }
}

void foregone_loop_sizes(const void* result, foregone_sizes* sizes) {
    const Result& found = *static_cast<const Result*>(result);
    sizes->facts = int64_t(found.facts.size());
    sizes->summary = int64_t(found.summary.size());
    sizes->forms = int64_t(found.forms.size());
    sizes->datasets = int64_t(found.datasets.size());
}

void foregone_loop_take(const void* result, int64_t* facts, int64_t* summary, int64_t* forms, int64_t* datasets) {
    const Result& found = *static_cast<const Result*>(result);
    auto copy = [](const std::vector<int64_t>& from, int64_t* to) {
        if (to) std::copy(from.begin(), from.end(), to);
    };
    copy(found.facts, facts);
    copy(found.summary, summary);
    copy(found.forms, forms);
    copy(found.datasets, datasets);
}

void foregone_loop_free_result(void* result) { delete static_cast<Result*>(result); }

}  // extern "C"
