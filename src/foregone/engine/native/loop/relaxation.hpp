// The system without the demand that counts be whole: corners of it suggest bounds, and datasets where they are whole
// or rounded.
//
// Twins in Python: engine/witnesses/rounding.py, and `ask` and `reached` in engine/bounds/knowledge.py.
#pragma once

#include "program.hpp"
#include "row_space.hpp"
#include "simplex.hpp"
#include "witnesses.hpp"

namespace foregone {

class Relaxation {
public:
    static constexpr uint64_t FIRST_SEED = 6;
    vector<int64_t> objective;  // a whole number for each bucket, for what is asked next
    Flags empty;                // buckets shown to be empty
    int64_t programs = 0;       // linear programs solved

    Relaxation(const LinearSystem& system, const RowSpace& space, Budget& budget)
        : objective(system.buckets, 0), empty(system.buckets, 0), system_(system), budget_(budget),
          rows_(telling_rows(system, space)), program_(system, rows_, system.low, system.high, all_buckets(system)),
          simplex_(budget), smaller_(budget), floats_(program_.columns(), 0), left_out_(program_.columns(), 0) {
        simplex_.begin(program_.rows(), program_.rows_of, left_out_, FIRST_SEED);
    }

    const Simplex::Point& point() const { return point_; }
    double value() const { return simplex_.value; }
    const vector<int>& rows() const { return rows_; }

    // Of a row among these.
    double multiplier(int row) const { return simplex_.multipliers[program_.place[row]]; }

    // Any corner, another one for another seed; false if nothing fits.
    bool any_corner(uint64_t seed) {
        if (seed != FIRST_SEED) {
            simplex_.forget();
            simplex_.begin(program_.rows(), program_.rows_of, left_out_, seed);
        }
        return solved(nullptr);
    }

    // A corner that maximises floats, which need not be whole.
    bool maximise(const vector<double>& wanted) {
        std::copy(wanted.begin(), wanted.end(), floats_.begin());
        return solved(floats_.data());
    }

    // A corner that maximises the objective. Buckets that have a whole record there are remembered: no bound shows
    // them empty.
    bool maximise() {
        std::copy(objective.begin(), objective.end(), floats_.begin());
        if (!solved(floats_.data())) return false;
        vector<int> ones;
        for (auto [bucket, level] : point())
            if (level > 1 - ALMOST) ones.push_back(bucket);
        if (reached_known_)
            for (int bucket : ones) reached_[bucket] = 1;
        budget_.use(ones.size(), sizeof(int));
        points_.push_back(std::move(ones));
        return true;
    }

    // Buckets in which some corner has a whole record.
    const Flags& reached() {
        if (!reached_known_) {
            reached_.assign(system_.buckets, 0);
            for (const auto& ones : points_)
                for (int bucket : ones) reached_[bucket] = 1;
            reached_known_ = true;
        }
        return reached_;
    }

    // Buckets that were shown to be empty: corners that fill them are forgotten.
    void leave_out(const vector<int>& buckets) {
        for (int bucket : buckets) {
            empty[bucket] = left_out_[bucket] = 1;
            simplex_.leave_out(bucket);
        }
        auto gone = [&](const vector<int>& ones) {
            return std::any_of(ones.begin(), ones.end(), [&](int bucket) { return empty[bucket]; });
        };
        points_.erase(std::remove_if(points_.begin(), points_.end(), gone), points_.end());
        reached_known_ = false;
    }

    bool whole() const { return whole(point()); }
    Witness rounded() const { return rounded(point()); }

    // From the last corner: keep what is whole, round one count up, solve the rest, which is small; again until all
    // is whole. What cannot be rounded up is left as it is, and another one is.
    bool plunge(const vector<double>* wanted, Witness& made) {
        Plunge state(system_, empty);
        Simplex::Point current = point();
        int repairs = MOST_REPAIRS;
        for (int round = 0; round < MOST_PLUNGES; round++) {
            budget_.spend(int64_t(system_.buckets) + system_.rows);
            if (whole(current)) {
                for (auto [bucket, level] : current) state.held[bucket] += int(std::rint(level));
                made = state.witness();
                return true;
            }
            state.hold_whole_part(current);
            while (true) {
                int bucket = state.largest_rest(current);
                if (bucket < 0) return false;
                state.hold(bucket, 1);
                state.narrow();
                if (state.fits() && solve_rest(state, wanted, current)) break;
                if (--repairs < 0) return false;
                state.hold(bucket, -1);
                state.give_up(bucket);
            }
        }
        return false;
    }

private:
    static constexpr double ALMOST = 1e-7;
    static constexpr double WHOLE = 1e-6;
    static constexpr int MOST_PLUNGES = 400;
    static constexpr size_t FEW = 12;  // buckets for each row, where there are many more
    static constexpr int MOST_REPAIRS = 12;  // roundings of one plunge that may turn out to be impossible
    const LinearSystem& system_;
    Budget& budget_;
    vector<int> rows_;  // independent ones of those that exact counts fix, and all others that limit anything
    Program program_;
    Simplex simplex_, smaller_;
    Simplex::Point point_;   // without slacks
    vector<double> floats_;  // the objective, for all columns
    Flags left_out_;         // columns
    vector<vector<int>> points_;  // of corners, the buckets with a whole record
    Flags reached_;
    bool reached_known_ = false;

    static vector<int> telling_rows(const LinearSystem& system, const RowSpace& space) {
        vector<int> found(space.rows);
        for (int row = 0; row < system.rows; row++)
            if (system.telling[row] && !system.fixed[row]) found.push_back(row);
        return found;
    }

    static vector<int> all_buckets(const LinearSystem& system) {
        vector<int> found(system.buckets);
        std::iota(found.begin(), found.end(), 0);
        return found;
    }

    // What is held so far, what is left of the limits (less than 0 where no more is needed), and the buckets that can
    // still be filled.
    struct Plunge {
        const LinearSystem& system;
        vector<int> held;
        vector<int64_t> low, high;
        vector<int> possible, open;  // all that were not given up, and of these those that have room
        vector<double> rest;         // of the last point, on its buckets

        Plunge(const LinearSystem& given, const Flags& empty)
            : system(given), held(given.buckets, 0), low(given.low), high(given.high) {
            for (int bucket = 0; bucket < given.buckets; bucket++)
                if (!empty[bucket]) possible.push_back(bucket);
        }

        void hold(int bucket, int number) {
            held[bucket] += number;
            for (int row : system.rows_of[bucket]) {
                low[row] -= number;
                high[row] -= number;
            }
        }

        void hold_whole_part(const Simplex::Point& point) {
            if (!open.empty()) possible = open;  // room only shrinks, once a rounding is kept
            rest.clear();
            for (auto [bucket, level] : point) {
                int number = int(std::floor(level + WHOLE));
                if (number > 0) hold(bucket, number);
                rest.push_back(level - number);
            }
        }

        // The bucket with the largest rest, which is taken off the list; -1 if there is none.
        int largest_rest(const Simplex::Point& point) {
            int most = -1;
            for (size_t i = 0; i < point.size(); i++)
                if (rest[i] > WHOLE && (most < 0 || rest[i] > rest[most])) most = int(i);
            if (most < 0) return -1;
            rest[most] = 0;
            return point[most].first;
        }

        bool fits() const {
            return std::all_of(high.begin(), high.end(), [](int64_t number) { return number >= 0; });
        }

        void narrow() {
            open.clear();
            for (int bucket : possible) {
                auto rows = system.rows_of[bucket];
                if (std::all_of(rows.begin(), rows.end(), [&](int row) { return high[row] > 0; })) open.push_back(bucket);
            }
        }

        void give_up(int bucket) {
            possible.erase(std::remove(possible.begin(), possible.end(), bucket), possible.end());
            open.clear();
        }

        Witness witness() const {
            Witness made;
            for (int bucket = 0; bucket < system.buckets; bucket++) {
                if (!held[bucket]) continue;
                made.buckets.push_back(bucket);
                made.counts.push_back(held[bucket]);
            }
            return made;
        }
    };

    // A point for what is left, in `found`; the last point is where it begins to look. A few of the buckets that have
    // room will mostly do, and all of them are taken only where they do not.
    bool solve_rest(const Plunge& state, const vector<double>* wanted, Simplex::Point& found) {
        vector<int> rows;
        for (int row : rows_) {
            if (state.high[row]) rows.push_back(row);
            else if (state.low[row] > 0) return false;
        }
        if (rows.empty()) {
            found.clear();
            return true;
        }
        vector<int> few = few_of(state.open, FEW * rows.size(), wanted, found);
        return (few.size() < state.open.size() && solve_among(few, rows, state, wanted, found)) ||
               solve_among(state.open, rows, state, wanted, found);
    }

    // Some of many buckets, ascending: of those that are wanted, and of all, at even distances; and those of a point.
    static vector<int> few_of(const vector<int>& buckets, size_t number, const vector<double>* wanted,
                              const Simplex::Point& point) {
        if (buckets.size() <= 2 * number) return buckets;
        vector<int> found, liked;
        auto take = [&](const vector<int>& from) {
            size_t step = std::max<size_t>(1, from.size() / number);
            for (size_t i = 0; i < from.size(); i += step) found.push_back(from[i]);
        };
        take(buckets);
        for (int bucket : buckets)
            if (wanted && (*wanted)[bucket] > 0) liked.push_back(bucket);
        take(liked);
        for (const auto& entry : point)
            if (std::binary_search(buckets.begin(), buckets.end(), entry.first)) found.push_back(entry.first);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    bool solve_among(const vector<int>& buckets, const vector<int>& rows, const Plunge& state,
                     const vector<double>* wanted, Simplex::Point& found) {
        Program rest(system_, rows, state.low, state.high, buckets);
        vector<double> cost(rest.columns(), 0);
        for (size_t i = 0; i < buckets.size() && wanted; i++) cost[i] = (*wanted)[buckets[i]];
        Flags none(rest.columns(), 0);
        programs++;
        smaller_.begin(rest.rows(), rest.rows_of, none, 7);
        smaller_.suggest(places_of(found, buckets));
        Solved answer = smaller_.solve(rest.limits.data(), wanted ? cost.data() : nullptr, false);
        smaller_.forget();
        if (answer != Solved::OPTIMAL) return false;
        found.clear();
        for (auto [i, level] : smaller_.point)
            if (i < int(buckets.size())) found.push_back({buckets[i], level});
        return true;
    }

    // Where the buckets of a point stand in an ascending list.
    static vector<int> places_of(const Simplex::Point& point, const vector<int>& buckets) {
        vector<int> found;
        for (const auto& entry : point) {
            auto at = std::lower_bound(buckets.begin(), buckets.end(), entry.first);
            if (at != buckets.end() && *at == entry.first) found.push_back(int(at - buckets.begin()));
        }
        return found;
    }

    bool solved(const double* wanted) {
        programs++;
        const double* limits = program_.limits.data();
        Solved answer = simplex_.solve(limits, wanted, true);
        if (answer == Solved::LOST) answer = simplex_.solve(limits, wanted, false);
        if (answer == Solved::LOST) fall_back(FOREGONE_SIMPLEX_LOST);
        point_.clear();
        for (const auto& entry : simplex_.point)
            if (entry.first < system_.buckets) point_.push_back(entry);
        return answer == Solved::OPTIMAL;
    }

    static bool whole(const Simplex::Point& point) {
        auto near = [](const auto& entry) { return std::fabs(entry.second - std::rint(entry.second)) <= WHOLE; };
        return std::all_of(point.begin(), point.end(), near);
    }

    static Witness rounded(const Simplex::Point& point) {
        vector<std::pair<int, int>> counts;
        for (auto [bucket, level] : point)
            if (int number = int(std::rint(level))) counts.push_back({bucket, number});
        std::sort(counts.begin(), counts.end());
        Witness made;
        for (auto [bucket, number] : counts) {
            made.buckets.push_back(bucket);
            made.counts.push_back(number);
        }
        return made;
    }
};

}  // namespace foregone
