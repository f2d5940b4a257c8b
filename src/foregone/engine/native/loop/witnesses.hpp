// Witnesses: datasets that fit the release. Each was tabulated exactly before it was taken in.
//
// Twins in Python: engine/system/witness.py and engine/witnesses/pool.py.
#pragma once

#include "system.hpp"

namespace foregone {

// How many records of each bucket there are: buckets ascending, counts from 1 up.
struct Witness {
    vector<int> buckets, counts;

    // From the bucket of each record, in any order.
    static Witness of_records(vector<int> buckets) {
        std::sort(buckets.begin(), buckets.end());
        Witness made;
        for (int bucket : buckets) {
            if (made.buckets.empty() || made.buckets.back() != bucket) {
                made.buckets.push_back(bucket);
                made.counts.push_back(0);
            }
            made.counts.back()++;
        }
        return made;
    }

    // The bucket of each record, ascending.
    vector<int> spread() const {
        vector<int> found;
        for (size_t i = 0; i < buckets.size(); i++) found.insert(found.end(), counts[i], buckets[i]);
        return found;
    }

    // The sum of a whole number per bucket over all records.
    int64_t value(const vector<int64_t>& objective) const {
        int64_t sum = 0;
        for (size_t i = 0; i < buckets.size(); i++)
            sum = added(sum, multiplied<int64_t>(objective[buckets[i]], counts[i]));
        return sum;
    }

    // How many records lie in a set of buckets.
    int64_t inside(const vector<Mask>& set) const {
        int64_t sum = 0;
        for (size_t i = 0; i < buckets.size(); i++)
            if (has(set, buckets[i])) sum += counts[i];
        return sum;
    }

    bool operator==(const Witness& other) const { return buckets == other.buckets && counts == other.counts; }

    uint64_t hash() const {
        uint64_t found = 0;
        for (size_t i = 0; i < buckets.size(); i++) found = mixed(mixed(found, buckets[i]), counts[i]);
        return found;
    }
};

// Different witnesses, in the order in which they were found.
class Pool {
public:
    vector<Witness> witnesses;
    Flags occupied;             // buckets that some witness fills
    vector<int> occupied_list;  // these, in the order in which they were first filled

    Pool(const LinearSystem& system, Budget& budget)
        : occupied(system.buckets, 0), system_(system), budget_(budget), sums_(system.rows, 0) {}

    size_t size() const { return witnesses.size(); }

    // Take a dataset in if it is new and fits, tabulated exactly.
    bool add(const Witness& witness) {
        uint64_t hash = witness.hash();
        for (auto [at, last] = known_.equal_range(hash); at != last; ++at)
            if (witnesses[at->second] == witness) return false;
        if (!fits(witness)) return false;
        budget_.use(2 * witness.buckets.size() + 16, sizeof(int));
        known_.emplace(hash, int(witnesses.size()));
        witnesses.push_back(witness);
        for (int bucket : witness.buckets) {
            if (occupied[bucket]) continue;
            occupied[bucket] = 1;
            occupied_list.push_back(bucket);
        }
        return true;
    }

private:
    const LinearSystem& system_;
    Budget& budget_;
    std::unordered_multimap<uint64_t, int> known_;
    vector<int64_t> sums_;

    bool fits(const Witness& witness) {
        budget_.spend(system_.rows + 20 * int64_t(witness.buckets.size()));
        std::fill(sums_.begin(), sums_.end(), 0);
        for (size_t i = 0; i < witness.buckets.size(); i++) {
            if (witness.counts[i] < 1) return false;
            for (int row : system_.rows_of[witness.buckets[i]])
                sums_[row] = added<int64_t>(sums_[row], witness.counts[i]);
        }
        for (int row = 0; row < system_.rows; row++)
            if (sums_[row] < system_.low[row] || sums_[row] > system_.high[row]) return false;
        return true;
    }
};

}  // namespace foregone
