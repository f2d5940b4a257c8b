// A witness with a record of a wanted bucket, by search: some records of a known witness are taken out and drawn anew.
//
// Records that share rows with the wanted one make room for it; these and some others are then placed again, one by
// one, always in the row that leaves fewest choices. The search is short: it counts its nodes and gives up.
//
// In Python the integer solver does this (engine/bounds/prover.py, `exceeding`).
#pragma once

#include "moves.hpp"

namespace foregone {

class Redrawer {
public:
    Redrawer(const LinearSystem& system, const Flags& empty, Pool& pool, Mover& mover, Random& random, Budget& budget)
        : system_(system), empty_(empty), pool_(pool), mover_(mover), random_(random), budget_(budget) {}

    // Look for a witness with a record of the bucket; `more` records than needed are drawn anew, with at most so many
    // nodes.
    bool fill(int wanted, int more, int64_t nodes) {
        vector<int> buckets = pool_.witnesses[random_.below(pool_.size())].spread();
        Flags out(buckets.size(), 0);
        vector<int> chosen;
        tabulate(buckets);
        if (!make_room(wanted, buckets, out, chosen)) return false;
        for (int i = 0; i < more && chosen.size() < buckets.size(); i++) {
            int at = random_.below(buckets.size());
            if (out[at]) continue;
            out[at] = 1;
            chosen.push_back(at);
        }
        for (int at : chosen) change(buckets[at], 1);
        change(wanted, -1);
        placed_.clear();
        nodes_left_ = nodes;
        vector<int> candidates;
        for (int bucket = 0; bucket < system_.buckets; bucket++)
            if (!empty_[bucket] && room_for(bucket)) candidates.push_back(bucket);
        if (!place(candidates)) return false;
        placed_.push_back(wanted);
        for (size_t i = 0; i < buckets.size(); i++)
            if (!out[i]) placed_.push_back(buckets[i]);
        Witness made = Witness::of_records(placed_);
        if (!pool_.add(made)) return false;
        mover_.walk(made, AFTER);
        return true;
    }

private:
    static constexpr int AFTER = 2;  // steps from a witness that was found
    const LinearSystem& system_;
    const Flags& empty_;
    Pool& pool_;
    Mover& mover_;
    Random& random_;
    Budget& budget_;
    vector<int64_t> needed_, room_;  // of rows: records that must, and can, be placed there
    vector<int> placed_;
    vector<int> choices_;   // of rows: buckets that could be placed there
    int64_t nodes_left_ = 0;

    // What rows need, and have room for, beside the records of a witness: nothing where they are exact.
    void tabulate(const vector<int>& buckets) {
        needed_.assign(system_.rows, 0);
        room_.assign(system_.rows, 0);
        if (!system_.slack) return;
        needed_ = system_.low;
        room_ = system_.high;
        budget_.spend(20 * int64_t(buckets.size()));
        for (int bucket : buckets) change(bucket, -1);
    }

    void change(int bucket, int by) {
        for (int row : system_.rows_of[bucket]) {
            needed_[row] += by;
            room_[row] += by;
        }
    }

    bool room_for(int bucket) const {
        auto rows = system_.rows_of[bucket];
        return std::all_of(rows.begin(), rows.end(), [&](int row) { return room_[row] > 0; });
    }

    // Greedily, records that together lie in all rows of a bucket that are full.
    bool make_room(int wanted, const vector<int>& buckets, Flags& out, vector<int>& chosen) {
        Flags needed(system_.rows, 0);
        int open = 0;
        for (int row : system_.rows_of[wanted]) {
            needed[row] = room_[row] <= 0;
            open += needed[row];
        }
        while (open) {
            int best = -1, most = 0;
            size_t from = random_.below(buckets.size());
            for (size_t i = 0; i < buckets.size(); i++) {
                size_t at = (i + from) % buckets.size();
                if (out[at]) continue;
                int gain = 0;
                for (int row : system_.rows_of[buckets[at]]) gain += needed[row];
                if (gain > most) {
                    most = gain;
                    best = int(at);
                }
            }
            budget_.spend(16 * int64_t(buckets.size()));
            if (best < 0) return false;
            out[best] = 1;
            chosen.push_back(best);
            for (int row : system_.rows_of[buckets[best]]) {
                open -= needed[row];
                needed[row] = 0;
            }
        }
        return true;
    }

    // Place records among the candidates until no row needs more; a bucket tried in vain is not tried again further
    // down.
    bool place(const vector<int>& candidates) {
        int row = tightest(candidates);
        if (row < 0) return true;
        if (!choices_[row] || --nodes_left_ < 0) return false;
        budget_.spend(20 * int64_t(candidates.size()) + system_.rows);
        vector<int> mine = candidates_in(row, candidates);
        for (size_t i = mine.size(); i > 1; i--) std::swap(mine[i - 1], mine[random_.below(i)]);
        vector<int> next;
        for (size_t i = 0; i < mine.size() && nodes_left_ >= 0; i++) {
            change(mine[i], -1);
            placed_.push_back(mine[i]);
            next.clear();
            auto tried = mine.begin() + i;
            for (int bucket : candidates)
                if (room_for(bucket) && std::find(mine.begin(), tried, bucket) == tried) next.push_back(bucket);
            if (place(next)) return true;
            placed_.pop_back();
            change(mine[i], 1);
        }
        return false;
    }

    // Of the rows that need more records, the one with fewest candidates; -1 if there is no such row.
    int tightest(const vector<int>& candidates) {
        choices_.assign(system_.rows, 0);
        for (int bucket : candidates)
            for (int row : system_.rows_of[bucket]) choices_[row]++;
        int best = -1;
        for (int row = 0; row < system_.rows; row++)
            if (needed_[row] > 0 && (best < 0 || choices_[row] < choices_[best])) best = row;
        return best;
    }

    vector<int> candidates_in(int row, const vector<int>& candidates) const {
        vector<int> found;
        for (int bucket : candidates) {
            auto rows = system_.rows_of[bucket];
            if (std::binary_search(rows.begin(), rows.end(), row)) found.push_back(bucket);
        }
        return found;
    }
};

}  // namespace foregone
