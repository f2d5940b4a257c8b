// A small primal simplex method for few rows and many buckets, with an explicit inverse. It only suggests; whole
// numbers decide.
//
// Maximise a sum over buckets, none of them negative, with given sums of rows (program.hpp makes these of ranges). Prices of buckets are looked at
// section by section (partial pricing) and a short list of good ones is kept. Tiny random amounts keep it from
// standing still.
//
// Twin in Python: solvers/lp.py, which asks HiGHS.
#pragma once

#include "system.hpp"

namespace foregone {

enum class Solved { OPTIMAL, NOTHING_FITS, LOST };

class Simplex {
public:
    using Point = vector<std::pair<int, double>>;  // buckets that are not 0

    Point point;                 // of the last answer
    double value = 0;            // what it makes of the objective
    vector<double> multipliers;  // of rows

    explicit Simplex(Budget& budget) : budget_(budget) {}

    // Buckets by the rows they lie in; `left_out` tells the buckets that must stay 0 and may change. Both must
    // outlive the solver.
    void begin(int rows, const Lists& rows_of, const Flags& left_out, uint64_t seed) {
        budget_.use(size_t(rows) * rows, sizeof(double));
        rows_ = rows;
        buckets_ = rows_of.number();
        rows_of_ = &rows_of;
        left_out_ = &left_out;
        inverse_.assign(size_t(rows) * rows, 0);
        for (auto* numbers : {&level_, &multipliers, &limits_, &entering_, &basis_price_}) numbers->assign(rows, 0);
        basis_.assign(rows, 0);
        in_basis_.assign(buckets_, 0);
        next_section_ = 0;
        fits_ = false;
        shift_.assign(rows, 0);
        Random random(seed);
        for (int bucket = 0; bucket < buckets_; bucket++) {
            double tiny = 1e-8 * (0.5 + 0.5 * random.unit());
            for (int row : rows_of[bucket]) shift_[row] += tiny;
        }
    }

    ~Simplex() { forget(); }

    // The memory of the inverse is free again.
    void forget() {
        budget_.give_back(inverse_.size(), sizeof(double));
        inverse_.clear();
    }

    // Columns that are looked at first when a corner is sought next.
    void suggest(vector<int> columns) { suggested_ = std::move(columns); }

    // Maximise; NULL: any point will do. `warm` begins where the last answer ended, if there was one.
    Solved solve(const double* limits, const double* objective, bool warm) {
        int64_t most = 60 * int64_t(rows_) + 2000;
        point.clear();
        if (!warm || !fits_) {
            Solved first = find_corner(limits, most);
            if (first != Solved::OPTIMAL) return first;
        }
        if (objective && !improve(objective, false, most)) {
            fits_ = false;
            return Solved::LOST;
        }
        price_rows(objective, false);
        return read_point(objective);
    }

    // A bucket that has to be 0 from now on: if it is in the basis, the next answer begins anew.
    void leave_out(int bucket) {
        if (in_basis_[bucket]) fits_ = false;
    }

private:
    static constexpr double TOLERANCE = 1e-7;
    static constexpr double FEASIBLE = 1e-6;
    static constexpr double SENSIBLE = 1e9;
    static constexpr int SECTION = 400;   // buckets priced before the best of them is taken
    static constexpr size_t LISTED = 48;  // good ones that are remembered
    Budget& budget_;
    int rows_ = 0, buckets_ = 0;
    const Lists* rows_of_ = nullptr;
    const Flags* left_out_ = nullptr;
    vector<double> inverse_;  // row by row of the system, an entry for each place of the basis
    vector<double> level_, limits_, entering_, basis_price_, shift_;
    vector<int> basis_;  // of each place the bucket, negative for none yet
    Flags in_basis_;
    vector<int> listed_, suggested_, places_;
    vector<std::pair<double, int>> priced_;
    int next_section_ = 0;
    bool fits_ = false;
    bool fresh_ = false;  // are multipliers worked out anew, and not carried along from step to step?

    double price(const double* objective, int bucket) const {
        double found = objective ? objective[bucket] : 0;
        for (int row : (*rows_of_)[bucket]) found -= multipliers[row];
        return found;
    }

    void price_rows(const double* objective, bool first_phase) {
        for (int place = 0; place < rows_; place++) {
            int bucket = basis_[place];
            if (bucket < 0) basis_price_[place] = first_phase ? -1.0 : 0.0;
            else basis_price_[place] = first_phase || !objective ? 0.0 : objective[bucket];
        }
        vector<int>& priced = places_;
        priced.clear();
        for (int place = 0; place < rows_; place++)
            if (basis_price_[place] != 0) priced.push_back(place);
        for (int row = 0; row < rows_; row++) {
            const double* entry = &inverse_[size_t(row) * rows_];
            double sum = 0;
            for (int place : priced) sum += basis_price_[place] * entry[place];
            multipliers[row] = sum;
        }
        fresh_ = true;
        budget_.spend(int64_t(rows_) * int64_t(priced.size() + 1));
    }

    Solved find_corner(const double* limits, int64_t most) {
        fits_ = false;
        for (int row = 0; row < rows_; row++)
            if (limits[row] < 0) return Solved::NOTHING_FITS;
        std::fill(inverse_.begin(), inverse_.end(), 0.0);
        std::fill(in_basis_.begin(), in_basis_.end(), 0);
        for (int row = 0; row < rows_; row++) {
            inverse_[size_t(row) * rows_ + row] = 1;
            basis_[row] = -1 - row;
            limits_[row] = limits[row];
            level_[row] = limits[row] + shift_[row];
        }
        if (!improve(nullptr, true, most)) return Solved::LOST;
        double missing = 0;
        for (int place = 0; place < rows_; place++)
            if (basis_[place] < 0) missing += std::fabs(unshifted(place));
        if (missing > FEASIBLE) return Solved::NOTHING_FITS;
        fits_ = true;
        return Solved::OPTIMAL;
    }

    // The level of a place without the tiny amounts.
    double unshifted(int place) const {
        double sum = 0;
        for (int row = 0; row < rows_; row++) sum += inverse_[size_t(row) * rows_ + place] * limits_[row];
        return sum;
    }

    Solved read_point(const double* objective) {
        value = 0;
        budget_.spend(int64_t(rows_) * rows_);
        for (int place = 0; place < rows_; place++) {
            double level = unshifted(place);
            int bucket = basis_[place];
            // numbers out of all proportion, and what is no number at all, mean that it lost its way
            if (!(std::fabs(level) < SENSIBLE) || (bucket < 0 ? std::fabs(level) > FEASIBLE : level < -FEASIBLE)) {
                fits_ = false;
                return Solved::LOST;
            }
            if (bucket < 0 || level <= 1e-9) continue;
            point.push_back({bucket, level});
            if (objective) value += objective[bucket] * level;
        }
        return Solved::OPTIMAL;
    }

    // Exchange buckets until no price is good; false when it takes too long or numbers get out of hand.
    bool improve(const double* objective, bool first_phase, int64_t most) {
        const double* priced_by = first_phase ? nullptr : objective;
        listed_.clear();
        if (first_phase) listed_.swap(suggested_);
        price_rows(objective, first_phase);
        for (int64_t step = 0; step < most; step++) {
            if (step % 64 == 63) price_rows(objective, first_phase);
            double best = TOLERANCE;
            int bucket = best_listed(priced_by, best);
            if (bucket < 0) bucket = best_of_sections(priced_by, best);
            if (bucket < 0 && !fresh_ && drifted(objective, first_phase)) bucket = best_of_sections(priced_by, best);
            if (bucket < 0) return true;
            int place = leaving(bucket, first_phase);
            if (place < 0) return false;
            exchange(bucket, place, best);
        }
        return false;
    }

    // Work multipliers out anew that were carried along: do prices change by more than counts for nothing?
    bool drifted(const double* objective, bool first_phase) {
        const vector<double> carried(multipliers);
        price_rows(objective, first_phase);
        double most = 0;
        for (int row = 0; row < rows_; row++) most = std::max(most, std::fabs(multipliers[row] - carried[row]));
        return !(most * rows_ < TOLERANCE);
    }

    int best_listed(const double* objective, double& best) {
        int found = -1;
        size_t kept = 0;
        for (int bucket : listed_) {
            if (in_basis_[bucket]) continue;
            double offer = price(objective, bucket);
            if (offer <= TOLERANCE) continue;
            listed_[kept++] = bucket;
            if (offer > best) {
                best = offer;
                found = bucket;
            }
        }
        listed_.resize(kept);
        return found;
    }

    // The next sections of buckets until one has something to offer; what else is good there is listed.
    int best_of_sections(const double* objective, double& best) {
        int found = -1, size = std::max(SECTION, buckets_ / 24);
        priced_.clear();
        for (int done = 0; done < buckets_ && found < 0; done += size) {
            int first = next_section_ < buckets_ ? next_section_ : 0;  // multiples of the size: none is left out
            next_section_ = first + size;
            found = best_between(objective, first, std::min(buckets_, next_section_), best);
        }
        if (priced_.size() > LISTED) {
            std::nth_element(priced_.begin(), priced_.begin() + LISTED, priced_.end());
            priced_.resize(LISTED);
        }
        for (auto& [offer, bucket] : priced_) listed_.push_back(bucket);
        return found;
    }

    int best_between(const double* objective, int first, int last, double& best) {
        int found = -1;
        for (int bucket = first; bucket < last; bucket++) {
            if (in_basis_[bucket] || (*left_out_)[bucket]) continue;
            double offer = price(objective, bucket);
            if (offer <= TOLERANCE) continue;
            priced_.push_back({-offer, bucket});
            if (offer > best) {
                best = offer;
                found = bucket;
            }
        }
        budget_.spend(8 * int64_t(last - first));
        return found;
    }

    // The place of the basis that reaches 0 first when a bucket enters; -1 for none.
    int leaving(int bucket, bool first_phase) {
        std::fill(entering_.begin(), entering_.end(), 0.0);
        for (int row : (*rows_of_)[bucket]) {
            const double* entry = &inverse_[size_t(row) * rows_];
            for (int place = 0; place < rows_; place++) entering_[place] += entry[place];
        }
        int found = -1;
        double least = 1e300, pivot = 0;
        for (int place = 0; place < rows_; place++) {
            double change = entering_[place];
            if (!first_phase && basis_[place] < 0) {  // must stay 0, whatever its sign
                if (std::fabs(change) > TOLERANCE && (least > 0 || std::fabs(change) > pivot)) {
                    least = 0;
                    found = place;
                    pivot = std::fabs(change);
                }
                continue;
            }
            if (change <= 1e-8) continue;
            double reach = std::max(0.0, level_[place]) / change;
            if (reach < least - 1e-13 || (reach < least + 1e-13 && change > pivot)) {
                least = reach;
                found = place;
                pivot = change;
            }
        }
        reach_ = least;
        return found;
    }

    void exchange(int bucket, int place, double offer) {
        for (int i = 0; i < rows_; i++) level_[i] -= reach_ * entering_[i];
        level_[place] = reach_;
        double one_over = 1.0 / entering_[place], change = offer * one_over;
        int64_t touched = 0;
        for (int row = 0; row < rows_; row++) {
            double* entry = &inverse_[size_t(row) * rows_];
            double mine = entry[place];
            if (mine == 0) continue;
            multipliers[row] += change * mine;
            mine *= one_over;
            for (int i = 0; i < rows_; i++) entry[i] -= entering_[i] * mine;
            entry[place] = mine;
            touched++;
        }
        budget_.spend((touched + 4) * rows_ / 2);
        if (basis_[place] >= 0) in_basis_[basis_[place]] = 0;
        basis_[place] = bucket;
        in_basis_[bucket] = 1;
        fresh_ = false;
    }

    double reach_ = 0;
};

}  // namespace foregone
