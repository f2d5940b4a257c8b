// The items that live records have, in two ways: record by record, to compare one of them with a claim, and item by
// item as sets of records, to compare a claim with all of them 64 at a time.
//
// Twin in Python: engine/claims/items.py.
#pragma once

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "system.hpp"

namespace foregone {

// One item per layer, or BLANK.
using ItemRow = std::array<uint8_t, MOST_LAYERS>;

class RecordItems {
public:
    size_t words;  // of a set of records, a few more than needed: sets are gone through in steps of STEP

    RecordItems(const Plan& plan, const LinearSystem& system, Budget& budget)
        : words((words_for(system.records) + STEP - 1) / STEP * STEP), plan_(plan), system_(system) {
        int items = std::accumulate(plan.layer_items.begin(), plan.layer_items.end(), 0);
        budget.use(size_t(system.records) * MOST_LAYERS + (items + 1) * words * sizeof(Mask), 1);
        budget.spend(int64_t(system.records) * plan.layers * 2);
        rows_.assign(size_t(system.records) * MOST_LAYERS, BLANK);
        sets_.assign((items + 1) * words, 0);
        for (int i = 0; i < system.records; i++) sets_[i >> 6] |= bit(i & 63);
        for (int layer = 0, before = 1; layer < plan.layers; before += plan.layer_items[layer++]) {
            first_set_.push_back(before);
            Mask* sets = sets_.data() + before * words;  // of a last layer without items the end
            for (int i = 0; i < system.records; i++) {
                uint8_t item = plan.item_of[layer][system.record(i)[plan.layer_column[layer]]];
                rows_[size_t(i) * MOST_LAYERS + layer] = item;
                if (item != BLANK) sets[item * words + (size_t(i) >> 6)] |= bit(i & 63);
            }
        }
    }

    static constexpr size_t STEP = 8;

    const uint8_t* row(int record) const { return &rows_[size_t(record) * MOST_LAYERS]; }
    const Mask* all() const { return sets_.data(); }
    const Mask* having(int layer, int item) const { return &sets_[(first_set_[layer] + item) * words]; }

    // The layers in which a record has the item of a row, of those in which the row is not blank.
    LayerSet shared(int record, const ItemRow& wanted, LayerSet named) const {
        const uint8_t* had = row(record);
#ifdef __AVX2__
        __m256i one = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(had));
        __m256i other = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(wanted.data()));
        return LayerSet(_mm256_movemask_epi8(_mm256_cmpeq_epi8(one, other))) & named;
#else
        LayerSet found = 0;
        for_each_bit(named, [&](int layer) { found |= LayerSet(had[layer] == wanted[layer]) << layer; });
        return found;
#endif
    }

    // Bucket by bucket, the items that all its records have, MOST_LAYERS numbers each.
    vector<uint8_t> of_buckets() const {
        if (system_.plain()) return rows_;
        vector<uint8_t> found(size_t(system_.buckets) * MOST_LAYERS, BLANK);
        for (int bucket = 0; bucket < system_.buckets; bucket++)
            for (int layer = 0; layer < plan_.layers; layer++) {
                int first = system_.first_record[bucket], last = system_.first_record[bucket + 1];
                uint8_t item = row(first)[layer];
                bool same = true;
                for (int i = first + 1; i < last && same; i++) same = row(i)[layer] == item;
                if (same) found[size_t(bucket) * MOST_LAYERS + layer] = item;
            }
        return found;
    }

private:
    const Plan& plan_;
    const LinearSystem& system_;
    vector<uint8_t> rows_;   // record by record
    vector<Mask> sets_;      // of all records, then of those with each item, layer by layer
    vector<int> first_set_;  // of each layer
};

}  // namespace foregone
