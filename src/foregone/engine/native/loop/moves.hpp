// Moves: turn one witness into another without a solver.
//
// A swap exchanges the values of some columns between two records. It keeps every count exactly when the two new
// records together lie in the same rows as the two old ones. All swaps of many pairs and column sets are tried by
// comparing 64-bit sums; a hit is only a suggestion: the pool tabulates every dataset that is made of it. Where ranges
// leave slack, single records can also be changed, added or left out.
//
// Twins in Python: engine/witnesses/moves.py and engine/claims/walks.py.
#pragma once

#include "witnesses.hpp"

namespace foregone {

// Records at two places of a dataset change into records of other buckets.
struct Swap {
    int first, second, new_first, new_second;
};

class Mover {
public:
    Mover(const LinearSystem& system, Pool& pool, Random& random, Budget& budget)
        : system_(system), pool_(pool), random_(random), budget_(budget) {
        hash_records();
        vector<uint64_t> weight(system.rows);
        for (int row = 0; row < system.rows; row++) weight[row] = system.telling[row] ? random_.next() : 0;
        bucket_hash_.assign(system.buckets, 0);
        for (int bucket = 0; bucket < system.buckets; bucket++)
            for (int row : system.rows_of[bucket]) bucket_hash_[bucket] += weight[row];
    }

    // Swaps that seem to keep all counts, among pairs and column sets tried; a record is given by its bucket.
    void find_swaps(const vector<int>& buckets, vector<Swap>& found) {
        found.clear();
        int64_t number = int64_t(buckets.size()), pairs = number * (number - 1) / 2;
        if (number < 2 || columns_.size() < 2) return;
        bool every = pairs <= MOST_PAIRS;
        int first = 0, second = 0;
        for (int64_t tried = 0; tried < std::min<int64_t>(pairs, MOST_PAIRS); tried++) {
            if (every) {
                if (++second == number) second = ++first + 1;
            } else {
                first = random_.below(number);
                do second = random_.below(number);
                while (second == first);
                if (first > second) std::swap(first, second);
            }
            if (buckets[first] != buckets[second]) try_pair(buckets, first, second, found);
        }
    }

    // Do as many of the swaps in `order` as do not share a record, in random order.
    Witness step(const vector<int>& buckets, const vector<Swap>& swaps, vector<int>& order) {
        return Witness::of_records(stepped(buckets, swaps, order));
    }

    // Random moves from a witness; each stop is new witnesses.
    void walk(const Witness& from, int steps) {
        vector<int> buckets = from.spread(), order, last;
        vector<Swap> swaps;
        for (int i = 0; i < steps; i++) {
            find_swaps(buckets, swaps);
            order.resize(swaps.size());
            std::iota(order.begin(), order.end(), 0);
            for (int fan = 0; fan < FAN && !swaps.empty(); fan++) {
                last = stepped(buckets, swaps, order);
                pool_.add(Witness::of_records(last));
            }
            if (!swaps.empty()) buckets = last;
            bool changed = system_.slack && change_one(buckets);
            if (changed) pool_.add(Witness::of_records(buckets));
            if (swaps.empty() && !changed) return;
            std::sort(buckets.begin(), buckets.end());
        }
    }

private:
    static constexpr int64_t MOST_PAIRS = 250;
    static constexpr int FREE = 9;  // so many free columns at most: all sets are tried for a pair; else some
    static constexpr int MOST_CHANGES = 2000;  // of single records that are tried
    static constexpr int FAN = 4;   // witnesses made at each stop of a walk: looking for moves costs more than these
    const LinearSystem& system_;
    Pool& pool_;
    Random& random_;
    Budget& budget_;
    vector<int> columns_;            // in which live records differ
    vector<uint64_t> parts_;         // record by record, a hash for its value in each of these columns
    vector<uint64_t> record_hash_;   // their sums
    vector<uint64_t> bucket_hash_;     // sums of hashes of the rows of a bucket
    vector<uint64_t> slot_hash_;     // records by hash, in a table with open places
    vector<int> slot_record_;
    vector<Mask> seen_;              // a few bits of all hashes: most that are not there are seen not to be at once
    uint64_t slots_ = 0, seen_bits_ = 0;

    void hash_records() {
        vector<std::array<uint64_t, MOST_VALUES>> weight(system_.columns);
        for (int c = 0; c < system_.columns; c++) {
            bool differs = false;
            for (int i = 1; i < system_.records && !differs; i++)
                differs = system_.record(i)[c] != system_.record(0)[c];
            if (!differs) continue;
            columns_.push_back(c);
            for (auto& number : weight[c]) number = random_.next();
        }
        slots_ = 16;
        while (slots_ < uint64_t(system_.records) * 2) slots_ *= 2;
        seen_bits_ = slots_ * 8;
        budget_.use(size_t(system_.records) * (columns_.size() + 1) + slots_ * 2, sizeof(uint64_t));
        slot_hash_.assign(slots_, 0);
        slot_record_.assign(slots_, -1);
        seen_.assign(words_for(seen_bits_), 0);
        for (int i = 0; i < system_.records; i++) {
            uint64_t sum = 0;
            for (int c : columns_) {
                parts_.push_back(weight[c][system_.record(i)[c]]);
                sum += parts_.back();
            }
            record_hash_.push_back(sum);
            uint64_t slot = slot_of(sum);
            while (slot_record_[slot] >= 0) slot = (slot + 1) & (slots_ - 1);
            slot_hash_[slot] = sum;
            slot_record_[slot] = i;
            put(seen_, sum >> 20 & (seen_bits_ - 1));
        }
    }

    uint64_t slot_of(uint64_t hash) const { return (hash ^ (hash >> 29)) & (slots_ - 1); }

    // The live record with a hash, or -1.
    int record_with(uint64_t hash) const {
        if (!has(seen_, hash >> 20 & (seen_bits_ - 1))) return -1;
        for (uint64_t slot = slot_of(hash); slot_record_[slot] >= 0; slot = (slot + 1) & (slots_ - 1))
            if (slot_hash_[slot] == hash) return slot_record_[slot];
        return -1;
    }

    // Exchanging all but a set of columns is the same as exchanging the set, so the first column that differs stays.
    void try_pair(const vector<int>& buckets, int first, int second, vector<Swap>& found) {
        int old_first = buckets[first], old_second = buckets[second];
        int one = system_.first_record[old_first], other = system_.first_record[old_second];
        uint64_t change[FOREGONE_MOST_COLUMNS], sums[1 << FREE];
        int differ = 0;
        for (size_t i = 0; i < columns_.size(); i++) {
            uint64_t mine = parts_[one * columns_.size() + i], theirs = parts_[other * columns_.size() + i];
            if (mine != theirs) change[differ++] = theirs - mine;
        }
        if (differ < 2) return;
        int sets = sums_of(change, differ, sums);
        budget_.spend(4 * int64_t(sets) + 50);
        uint64_t wanted = bucket_hash_[old_first] + bucket_hash_[old_second];
        for (int i = 1; i < sets; i++) {
            int new_one = record_with(record_hash_[one] + sums[i]);
            if (new_one < 0) continue;
            int new_other = record_with(record_hash_[other] - sums[i]);
            if (new_other < 0) continue;
            int new_first = system_.bucket_of[new_one], new_second = system_.bucket_of[new_other];
            if (bucket_hash_[new_first] + bucket_hash_[new_second] != wanted) continue;
            bool same = (new_first == old_first && new_second == old_second) ||
                        (new_first == old_second && new_second == old_first);
            if (!same) found.push_back({first, second, new_first, new_second});
        }
    }

    // A record of one bucket becomes one of another, is added or goes, and all rows keep their limits. Was there one?
    bool change_one(vector<int>& buckets) {
        vector<int64_t> sums(system_.rows, 0);
        for (int bucket : buckets)
            for (int row : system_.rows_of[bucket]) sums[row]++;
        budget_.spend(20 * int64_t(buckets.size()) + system_.rows);
        for (int tried = 0; tried < MOST_CHANGES; tried++) {
            size_t at = random_.below(buckets.size() + 1);  // one after the last: none goes
            int gone = at < buckets.size() ? buckets[at] : -1, come = random_.below(system_.buckets + 1) - 1;
            if (gone == come || !can_change(sums, gone, come)) continue;
            budget_.spend(20 * int64_t(tried));
            if (gone < 0) buckets.push_back(come);
            else if (come < 0) buckets.erase(buckets.begin() + at);
            else buckets[at] = come;
            return true;
        }
        budget_.spend(20 * int64_t(MOST_CHANGES));
        return false;
    }

    // Is there room in the rows that only the new bucket is in, and enough in those that only the old one is in?
    bool can_change(const vector<int64_t>& sums, int gone, int come) const {
        Lists::View none{nullptr, nullptr}, old = gone < 0 ? none : system_.rows_of[gone];
        Lists::View made = come < 0 ? none : system_.rows_of[come];
        const int *one = old.begin(), *other = made.begin();
        while (one != old.end() || other != made.end()) {
            if (other == made.end() || (one != old.end() && *one < *other)) {
                if (sums[*one] <= system_.low[*one]) return false;
                ++one;
            } else if (one == old.end() || *other < *one) {
                if (sums[*other] >= system_.high[*other]) return false;
                ++other;
            } else {
                ++one;
                ++other;
            }
        }
        return true;
    }

    // Sums of changes over sets of columns, the first left out; set 0 is none.
    int sums_of(const uint64_t* change, int differ, uint64_t* sums) {
        sums[0] = 0;
        if (differ - 1 <= FREE) {
            for (int i = 0; i < differ - 1; i++)
                for (int j = 0; j < 1 << i; j++) sums[(1 << i) + j] = sums[j] + change[i + 1];
            return 1 << (differ - 1);
        }
        for (int j = 1; j < 1 << FREE; j++) {
            uint64_t chosen = random_.next();
            sums[j] = 0;
            for (int i = 1; i < differ; i++)
                if (chosen >> i & 1) sums[j] += change[i];
        }
        return 1 << FREE;
    }

    vector<int> stepped(const vector<int>& buckets, const vector<Swap>& swaps, vector<int>& order) {
        vector<int> moved(buckets);
        Flags used(buckets.size(), 0);
        size_t most = std::min(order.size(), 4 * buckets.size());
        for (size_t i = 0; i < most; i++) {
            std::swap(order[i], order[i + random_.below(order.size() - i)]);
            const Swap& swap = swaps[order[i]];
            if (used[swap.first] || used[swap.second]) continue;
            used[swap.first] = used[swap.second] = 1;
            moved[swap.first] = swap.new_first;
            moved[swap.second] = swap.new_second;
        }
        budget_.spend(4 * int64_t(buckets.size() + most));
        return moved;
    }
};

}  // namespace foregone
