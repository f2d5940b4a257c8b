// The system without the demand that counts be whole: corners of it suggest bounds, and datasets where they are whole
// or rounded.
//
// Twins in Python: engine/witnesses/rounding.py, and `ask` and `reached` in engine/bounds/knowledge.py.
#pragma once

#include "row_space.hpp"
#include "simplex.hpp"
#include "witnesses.hpp"

namespace foregone {

class Relaxation {
public:
    vector<int64_t> objective;  // a whole number for each bucket, for what is asked next
    Flags empty;                // buckets shown to be empty
    int64_t programs = 0;       // linear programs solved

    Relaxation(const LinearSystem& system, const RowSpace& space, Budget& budget)
        : objective(system.buckets, 0), empty(system.buckets, 0), system_(system), space_(space), budget_(budget),
          simplex_(budget), smaller_(budget), floats_(system.buckets, 0) {
        vector<int> place(system.rows, -1);
        for (int i = 0; i < space.rank(); i++) place[space.rows[i]] = i;
        for (int bucket = 0; bucket < system.buckets; bucket++) {
            for (int row : system.rows_of[bucket])
                if (place[row] >= 0) rows_of_.members.push_back(place[row]);
            rows_of_.close();
        }
        simplex_.begin(space.rank(), rows_of_, empty, 6);
        for (int row : space.rows) limits_.push_back(double(system.limits[row]));
    }

    const Simplex::Point& point() const { return simplex_.point; }
    double value() const { return simplex_.value; }
    // One for each row of the row space.
    const vector<double>& multipliers() const { return simplex_.multipliers; }

    // Any corner; false if nothing fits.
    bool any_corner() { return solved(nullptr); }

    // A corner that maximises floats, which need not be whole.
    bool maximise(const vector<double>& wanted) { return solved(wanted.data()); }

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
            empty[bucket] = 1;
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
    // is whole.
    bool plunge(const vector<double>* wanted, Witness& made) {
        Plunge state(system_, empty);
        Simplex::Point current = point();
        for (int round = 0; round < MOST_PLUNGES; round++) {
            budget_.spend(int64_t(system_.buckets) + system_.rows);
            if (whole(current)) {
                for (auto [bucket, level] : current) state.held[bucket] += int(std::rint(level));
                made = state.witness();
                return true;
            }
            if (!state.hold(current)) return false;
            if (!state.narrow()) {
                if (state.left[system_.whole]) return false;
                current.clear();
                continue;
            }
            if (!solve_rest(state, wanted, current)) return false;
        }
        return false;
    }

private:
    static constexpr double ALMOST = 1e-7;
    static constexpr double WHOLE = 1e-6;
    static constexpr int MOST_PLUNGES = 400;
    const LinearSystem& system_;
    const RowSpace& space_;
    Budget& budget_;
    Lists rows_of_;  // bucket -> places of its rows among the independent ones
    Simplex simplex_, smaller_;
    vector<double> limits_, floats_;
    vector<vector<int>> points_;  // of corners, the buckets with a whole record
    Flags reached_;
    bool reached_known_ = false;

    // What is held so far, what is left of the limits, and the buckets that can still be filled.
    struct Plunge {
        const LinearSystem& system;
        vector<int> held;
        vector<int64_t> left;
        vector<int> open;

        Plunge(const LinearSystem& given, const Flags& empty)
            : system(given), held(given.buckets, 0), left(given.limits) {
            for (int bucket = 0; bucket < given.buckets; bucket++)
                if (!empty[bucket]) open.push_back(bucket);
        }

        void hold(int bucket, int number) {
            held[bucket] += number;
            for (int row : system.rows_of[bucket]) left[row] -= number;
        }

        // Hold the whole part of a point, and one more of the bucket with the largest rest.
        bool hold(const Simplex::Point& point) {
            int most = -1;
            double largest = -1;
            for (auto [bucket, level] : point) {
                int number = int(std::floor(level + WHOLE));
                if (number > 0) hold(bucket, number);
                if (level - number > largest) {
                    largest = level - number;
                    most = bucket;
                }
            }
            hold(most, 1);
            return std::all_of(left.begin(), left.end(), [](int64_t number) { return number >= 0; });
        }

        // Without the buckets that have no room any more; false if none is left.
        bool narrow() {
            auto full = [&](int bucket) {
                auto rows = system.rows_of[bucket];
                return std::any_of(rows.begin(), rows.end(), [&](int row) { return !left[row]; });
            };
            open.erase(std::remove_if(open.begin(), open.end(), full), open.end());
            return !open.empty();
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

    bool solve_rest(const Plunge& state, const vector<double>* wanted, Simplex::Point& found) {
        vector<int> place(space_.rank(), -1);
        vector<double> limits, cost;
        for (int i = 0; i < space_.rank(); i++) {
            int64_t left = state.left[space_.rows[i]];
            if (!left) continue;
            place[i] = int(limits.size());
            limits.push_back(double(left));
        }
        if (limits.empty()) return false;
        Lists rows_of;
        for (int bucket : state.open) {
            for (int row : rows_of_[bucket]) rows_of.members.push_back(place[row]);
            rows_of.close();
            if (wanted) cost.push_back((*wanted)[bucket]);
        }
        Flags none(state.open.size(), 0);
        programs++;
        smaller_.begin(int(limits.size()), rows_of, none, 7);
        Solved answer = smaller_.solve(limits.data(), wanted ? cost.data() : nullptr, false);
        smaller_.forget();
        found.clear();
        for (auto [i, level] : smaller_.point) found.push_back({state.open[i], level});
        return answer == Solved::OPTIMAL;
    }

    bool solved(const double* wanted) {
        programs++;
        Solved answer = simplex_.solve(limits_.data(), wanted, true);
        if (answer == Solved::LOST) answer = simplex_.solve(limits_.data(), wanted, false);
        if (answer == Solved::LOST) fall_back(FOREGONE_SIMPLEX_LOST);
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
