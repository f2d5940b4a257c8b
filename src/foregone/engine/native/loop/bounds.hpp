// Floats never decide: suggested multipliers of rows become a bound that holds in whole numbers, or nothing does.
//
// For any whole numbers u (one per row) and D > 0, a dataset x that fits has
//     D * f(x) = sum_r u_r * (row r of x) + sum_k (D * f_k - sum of u over the rows of k) * x_k
// and what is left over on buckets not known to be empty is at most `worst` per record. The rows of the cover take
// that up: with their u larger by `worst`, D * f(x) is at most the total sum_r u_r * (greatest, or if u_r is negative
// least number of row r). However wrong the suggestion, the bound is true.
//
// Twins in Python: engine/bounds/certify.py, and `close`, `bury` and `emptied` in engine/bounds/knowledge.py.
#pragma once

#include "redraw.hpp"
#include "relaxation.hpp"

namespace foregone {

class Bounds {
public:
    int empty_number = 0;  // buckets shown to be empty
    int luck = LUCK;       // how often rounding a corner may still fail

    Bounds(const LinearSystem& system, Relaxation& relaxation, Pool& pool, Mover& mover, Random& random,
           Budget& budget)
        : system_(system), relaxation_(relaxation), pool_(pool), mover_(mover), random_(random), budget_(budget),
          made_(system.buckets, 0), multipliers_(system.rows, 0), covers_(system.buckets, 0) {
        for (int bucket = 0; bucket < system.buckets; bucket++)
            heaviest_ = std::max(heaviest_, system.rows_of[bucket].size());
        for (int row : system.cover)
            for (int bucket : system.buckets_of[row]) covers_[bucket]++;
    }

    // Is the objective at most the target, by what the corner just found suggests?
    bool certified(int64_t target) {
        if (!(relaxation_.value() < double(target) + 1)) return false;
        double largest = 0;
        for (int row : relaxation_.rows()) {
            double number = relaxation_.multiplier(row);
            if (!std::isfinite(number)) return false;
            largest = std::max(largest, std::fabs(number));
        }
        for (int64_t denominator : DENOMINATORS) {
            // sums over the rows of a bucket must stay far inside 64 bits
            if ((largest + 1) * double(heaviest_ + 2) * double(denominator) > LARGEST_SUM) return false;
            if (dominated(denominator) <= target) return true;
        }
        return false;
    }

    // Note all buckets that the last certificate shows to be empty, not only those of its objective: its rows add up
    // to something that is never negative, and one record of a bucket where that is more than the total would be too
    // much. Are there any?
    bool bury() {
        vector<int> found;
        for (int bucket = 0; bucket < system_.buckets; bucket++) {
            if (relaxation_.empty[bucket]) continue;
            if (made_[bucket] < 0) return false;
            if (made_[bucket] > total_) found.push_back(bucket);
        }
        for (int bucket : found)
            if (pool_.occupied[bucket]) fall_back(FOREGONE_UNEXPECTED);  // a witness and a proof contradict each other
        if (found.empty()) return false;
        empty_number += int(found.size());
        relaxation_.leave_out(found);
        return true;
    }

    // Take the corner just found into the pool if it is whole.
    bool take() { return relaxation_.whole() && pool_.add(relaxation_.rounded()); }

    // Look for a witness above the target near the corner just found: that itself, or rounded, if that has not failed
    // too often.
    bool nearby(int64_t target) {
        if (relaxation_.whole()) {
            Witness made = relaxation_.rounded();
            if (pool_.add(made) && made.value(relaxation_.objective) > target) {
                mover_.walk(made, AFTER);
                return true;
            }
        }
        if (luck <= 0) return false;
        Witness made;
        vector<double> wanted(relaxation_.objective.begin(), relaxation_.objective.end());
        if (relaxation_.plunge(&wanted, made) && pool_.add(made) && made.value(relaxation_.objective) > target) {
            luck = LUCK;
            mover_.walk(made, AFTER);
            return true;
        }
        luck--;
        return false;
    }

    // Look for a witness above the target by rounding corners of objectives that are somewhat like the one asked for.
    bool similar(int64_t target) {
        vector<double> wanted(system_.buckets);
        for (int i = 0; i < SIMILAR; i++) {
            for (int bucket = 0; bucket < system_.buckets; bucket++)
                wanted[bucket] = double(relaxation_.objective[bucket]) * (1 + 0.2 * random_.unit()) + 0.01 * random_.unit();
            if (!relaxation_.maximise(wanted)) fall_back(FOREGONE_SIMPLEX_LOST);
            Witness made;
            if (!relaxation_.plunge(&wanted, made) || !pool_.add(made)) continue;
            mover_.walk(made, AFTER);
            if (made.value(relaxation_.objective) > target) return true;
        }
        return false;
    }

    // Is the number of records of these buckets pinned down, from above and from below? False if a witness breaks it.
    bool pinned(const vector<Mask>& buckets, int64_t count) {
        for (int sign : {1, -1}) {
            auto& objective = relaxation_.objective;
            std::fill(objective.begin(), objective.end(), 0);
            for_each_member(buckets, [&](int bucket) { objective[bucket] = sign; });
            int64_t target = sign * count;
            for (const Witness& witness : pool_.witnesses)
                if (witness.value(objective) > target) return false;
            if (!relaxation_.maximise()) fall_back(FOREGONE_SIMPLEX_LOST);
            if (certified(target)) continue;
            luck = std::max(luck, 1);
            if (nearby(target) || similar(target)) return false;
            fall_back(FOREGONE_NO_BOUND);
        }
        return true;
    }

private:
    static constexpr int LUCK = 3;
    static constexpr int SIMILAR = 4;  // objectives
    static constexpr int AFTER = 2;  // steps from a witness that was found
    static constexpr double LARGEST_SUM = double(int64_t(1) << 60);
    static constexpr int64_t DENOMINATORS[] = {1, 2, 6, 12, 60, 2520, 1 << 20, 1 << 30};
    const LinearSystem& system_;
    Relaxation& relaxation_;
    Pool& pool_;
    Mover& mover_;
    Random& random_;
    Budget& budget_;
    int heaviest_ = 0;             // most rows of a bucket
    vector<int64_t> made_;         // what the rows of the last certificate add up to on each bucket
    vector<int64_t> multipliers_;  // of all rows
    vector<int> covers_;           // of each bucket, how many rows of the cover touch it
    int64_t total_ = 0;            // what they add up to

    // The bound that the suggested multipliers give, rounded to fractions with a denominator.
    int64_t dominated(int64_t denominator) {
        std::fill(multipliers_.begin(), multipliers_.end(), 0);
        for (int row : relaxation_.rows())
            multipliers_[row] = std::llrint(relaxation_.multiplier(row) * double(denominator));
        int64_t worst = 0;
        for (int bucket = 0; bucket < system_.buckets; bucket++) {
            int64_t sum = 0;
            for (int row : system_.rows_of[bucket]) sum += multipliers_[row];
            made_[bucket] = sum;
            if (relaxation_.empty[bucket]) continue;
            worst = std::max(worst, subtracted(multiplied(relaxation_.objective[bucket], denominator), sum));
        }
        budget_.spend(8 * int64_t(system_.buckets));
        for (int row : system_.cover) multipliers_[row] = added(multipliers_[row], worst);
        for (int bucket = 0; worst && bucket < system_.buckets; bucket++)
            made_[bucket] = added(made_[bucket], multiplied<int64_t>(worst, covers_[bucket]));
        total_ = 0;
        for (int row = 0; row < system_.rows; row++) {
            int64_t limit = multipliers_[row] > 0 ? system_.high[row] : system_.low[row];
            total_ = added(total_, multiplied(multipliers_[row], limit));
        }
        return floor_divided(total_, denominator);
    }
};

}  // namespace foregone
