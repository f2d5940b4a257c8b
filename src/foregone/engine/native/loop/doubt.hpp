// Buckets that no witness fills: show that they are empty, or find a witness that fills some of them.
//
// Bounds come first, for many buckets at once where that is enough and then bucket by bucket: every bucket that is
// gone makes the next bounds tighter. What bounds leave open is filled by redrawing or rounding; what stays open then
// falls back to Python, which has an integer solver and search trees.
//
// Twins in Python: engine/claims/doubtful_buckets.py and engine/bounds/shaving.py.
#pragma once

#include "bounds.hpp"

namespace foregone {

class Doubt {
public:
    Doubt(const LinearSystem& system, Relaxation& relaxation, Bounds& bounds, Redrawer& redrawer, Pool& pool,
          Random& random)
        : system_(system), relaxation_(relaxation), bounds_(bounds), redrawer_(redrawer), pool_(pool),
          random_(random) {}

    // Settle doubtful buckets, or find a witness.
    void settle(const Flags& doubt) {
        doubt_ = &doubt;
        before_ = pool_.size();
        if (!ask_about([&](int bucket) { return open(bucket); })) return;
        if (bounds_.certified(0) && bounds_.bury()) {
            if (open_buckets().empty()) return;
        } else if (bounds_.nearby(0)) {
            return;
        }
        if (found() || redraw_some() || shave()) return;
        if (!ask_about([&](int bucket) { return open(bucket); })) return;
        if (bounds_.certified(0) && bounds_.bury()) return;
        bounds_.luck = LUCK;
        if (bounds_.nearby(0) || redraw_each() || bounds_.similar(0) || found()) return;
        fall_back(FOREGONE_DOUBT, int64_t(open_buckets().size()));
    }

private:
    static constexpr int LUCK = 3;
    static constexpr int FRUITLESS = 40;  // single buckets asked in vain, one after another, before the rest is left
    static constexpr int MOST_ROUNDS = 50;
    const LinearSystem& system_;
    Relaxation& relaxation_;
    Bounds& bounds_;
    Redrawer& redrawer_;
    Pool& pool_;
    Random& random_;
    const Flags* doubt_ = nullptr;
    size_t before_ = 0;

    bool found() const { return pool_.size() > before_; }
    bool open(int bucket) const { return (*doubt_)[bucket] && !pool_.occupied[bucket] && !relaxation_.empty[bucket]; }

    vector<int> open_buckets() const {
        vector<int> some;
        for (int bucket = 0; bucket < system_.buckets; bucket++)
            if (open(bucket)) some.push_back(bucket);
        return some;
    }

    // How many records of some buckets can there be, relaxed? False if there are no such buckets.
    template <class Chosen> bool ask_about(Chosen chosen) {
        bool any = false;
        for (int bucket = 0; bucket < system_.buckets; bucket++) {
            relaxation_.objective[bucket] = chosen(bucket) ? 1 : 0;
            any |= relaxation_.objective[bucket] != 0;
        }
        if (any && !relaxation_.maximise()) fall_back(FOREGONE_SIMPLEX_LOST);
        return any;
    }

    // A witness that fills some buckets, by a few short searches.
    bool redraw_some() {
        vector<int> some = open_buckets();
        for (int i = 0; i < 60 && !some.empty(); i++) {
            int bucket = some[random_.below(some.size())];
            if (open(bucket)) redrawer_.fill(bucket, 4 + i / 5, 300);
            if (i % 20 == 19 && found()) return true;
        }
        return found();
    }

    bool redraw_each() {
        for (int i = 0; i < 40; i++) {
            for (int bucket = 0; bucket < system_.buckets; bucket++)
                if (open(bucket)) redrawer_.fill(bucket, 4 + i, 500 + 100 * i);
            if (found()) return true;
        }
        return false;
    }

    // Bounds alone, for sets of buckets that no corner fills and then for single buckets, until nothing changes. Was
    // a witness found?
    bool shave() {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            int before = bounds_.empty_number;
            if (shave_together() || shave_singly()) return true;
            if (bounds_.empty_number == before) break;
        }
        return false;
    }

    bool shave_together() {
        Flags group(system_.buckets, 0);
        const Flags& reached = relaxation_.reached();
        for (int bucket = 0; bucket < system_.buckets; bucket++) group[bucket] = open(bucket) && !reached[bucket];
        while (ask_about([&](int bucket) { return group[bucket]; })) {
            if (bounds_.certified(0)) {
                bounds_.bury();
                return false;
            }
            if (bounds_.take()) return true;
            bool filled = false;
            for (auto [bucket, level] : relaxation_.point()) {
                filled |= group[bucket] != 0;
                group[bucket] = 0;
            }
            if (!filled) return false;
        }
        return false;
    }

    bool shave_singly() {
        int fruitless = 0;
        for (int bucket = 0; bucket < system_.buckets && fruitless < FRUITLESS; bucket++) {
            if (!open(bucket) || relaxation_.reached()[bucket]) continue;
            ask_about([&](int other) { return other == bucket; });
            if (bounds_.certified(0)) {
                bounds_.bury();
                fruitless = 0;
            } else {
                fruitless++;
                if (bounds_.take()) return true;
            }
        }
        return false;
    }
};

}  // namespace foregone
