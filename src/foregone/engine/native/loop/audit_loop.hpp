// The audit loop: witnesses propose, exact arithmetic decides, until no witness is missing and no claim is open.
//
// Twins in Python: engine/claims/audit_loop.py, with engine/claims/walks.py (`hunt`), and engine/answers/unique.py.
#pragma once

#include "claims.hpp"
#include "doubt.hpp"

namespace foregone {

class AuditLoop {
public:
    const Plan& plan;
    LinearSystem system;
    Pool pool;
    vector<Claim*> facts;
    int64_t sets = 0;             // closed sets met
    int64_t least = 0, most = 0;  // records of a dataset that fits

    AuditLoop(const Plan& given, const Counts& counts, Budget& budget)
        : plan(given), system(not_too_loose(Compiler(given, counts, budget).compile())), pool(system, budget), budget_(budget),
          space_(system, Flags(system.buckets, 1), fixed_rows(system), random_, budget),
          relaxation_(system, space_, budget), mover_(system, pool, random_, budget),
          bounds_(system, relaxation_, pool, mover_, random_, budget),
          redrawer_(system, relaxation_.empty, pool, mover_, random_, budget),
          doubt_(system, relaxation_, bounds_, redrawer_, pool, random_),
          claims_(given, system, pool, relaxation_.empty, budget), doubtful_(system.buckets, 0),
          place_(system.buckets, 0) {}

    AuditLoop(const AuditLoop&) = delete;
    AuditLoop& operator=(const AuditLoop&) = delete;

    const Flags& empty() const { return relaxation_.empty; }
    int64_t programs() const { return relaxation_.programs; }

    // Every claim about at least one record that holds in all datasets that fit, as closed facts.
    void run() {
        find_first_witness();
        find_size();
        mover_.walk(Witness(pool.witnesses[0]), FIRST_WALK);
        for (int round = 0;; round++) {
            if (round > MOST_ROUNDS) fall_back(FOREGONE_TOO_MANY_ROUNDS);
            size_t before = pool.size();
            propose();
            thin_out();
            decide();
            if (pool.size() == before && !about_everybody()) settle_values();
            if (pool.size() == before) break;
        }
        for (Claim* claim : open_) {
            if (claim->known == Known::OPEN) fall_back(FOREGONE_NO_BOUND);
            claims_.find_blocked(*claim);
            facts.push_back(claim);
        }
    }

    // Shows that a single dataset fits: no record lies outside its buckets, of which each stands for one kind of record,
    // and the exact counts tell how many are in each of these.
    void find_only_dataset() {
        find_first_witness();
        const Witness first = pool.witnesses[0];
        for (int bucket : first.buckets)
            if (!lonely(bucket)) fall_back(FOREGONE_SEVERAL);
        mover_.walk(first, LONG_WALK);
        if (pool.size() > 1) fall_back(FOREGONE_SEVERAL, int64_t(pool.size()));
        std::fill(relaxation_.objective.begin(), relaxation_.objective.end(), 1);
        for (int bucket : first.buckets) relaxation_.objective[bucket] = 0;
        if (!relaxation_.maximise()) fall_back(FOREGONE_SIMPLEX_LOST);
        if (!bounds_.certified(0)) fall_back(FOREGONE_NO_BOUND);
        Flags filled(system.buckets, 0);
        for (int bucket : first.buckets) filled[bucket] = 1;
        RowSpace inside(system, filled, space_.rows, random_, budget_);
        if (inside.rank() < int(first.buckets.size())) fall_back(FOREGONE_NO_BOUND);
    }

private:
    static constexpr int FIRST_WALK = 4;
    static constexpr int LONG_WALK = 10;
    static constexpr int MOST_ROUNDS = 200;
    static constexpr int FIRST_TRIES = 10;
    static constexpr int MANY_BUCKETS = 50000;  // of a large system
    static constexpr int MANY_LOOSE = 20000;    // and of one whose counts are ranges
    static constexpr int HUNTED = 2;  // witnesses searched for useful moves in one round
    Budget& budget_;
    Random random_{1};
    RowSpace space_;
    Relaxation relaxation_;
    Mover mover_;
    Bounds bounds_;
    Redrawer redrawer_;
    Doubt doubt_;
    Claims claims_;
    std::unique_ptr<RowSpace> thinned_;  // the row space over the buckets not known to be empty
    int thinned_at_ = 0;                 // how many were empty then
    Flags doubtful_;
    vector<int> place_;     // of a bucket that swaps touch, where it stands in the next
    vector<Mask> member_;   // the claims that such a bucket is a member of
    vector<Claim*> open_;                // claims that hold in every witness

    // Does a bucket stand for a single kind of record?
    bool lonely(int bucket) const {
        if (system.first_record[bucket + 1] - system.first_record[bucket] > 1) return false;
        const uint8_t* record = system.record(system.first_record[bucket]);
        for (int c = 0; c < system.columns; c++)
            if (!single(plan.atom_codes[c][record[c]])) return false;
        return true;
    }

    // Where most counts are ranges and very many records possible, the Python engine mends datasets, which takes it less time.
    static LinearSystem not_too_loose(LinearSystem system) {
        if (system.buckets > MANY_LOOSE && 2 * fixed_rows(system).size() < size_t(system.rows)) fall_back(FOREGONE_WORK);
        return system;
    }

    static vector<int> fixed_rows(const LinearSystem& system) {
        vector<int> found;
        for (int row = 0; row < system.rows; row++)
            if (system.fixed[row]) found.push_back(row);
        return found;
    }

    void find_first_witness() {
        vector<double> wanted(system.buckets);
        bool random = false;  // corners of random objectives vary more, but those of large systems take long
        for (int attempt = 0; attempt < FIRST_TRIES; attempt++) {
            for (double& number : wanted) number = random ? random_.unit() : 0;
            bool fits = random ? relaxation_.maximise(wanted) : relaxation_.any_corner(Relaxation::FIRST_SEED + attempt);
            if (!fits) break;
            if (bounds_.take()) return;
            Witness made;
            if (relaxation_.plunge(random ? &wanted : nullptr, made) && pool.add(made)) return;
            random = system.buckets <= MANY_BUCKETS;
        }
        fall_back(FOREGONE_NO_FIRST_DATASET);
    }

    // How many records there can be. A dataset with as few, and one with as many, as a bound allows must be found: what
    // is told then does not depend on what was known when the bound was asked for.
    void find_size() {
        if (system.counted()) {
            least = most = system.low[system.cover[0]];
            return;
        }
        most = extreme(1);
        least = -extreme(-1);
    }

    int64_t extreme(int sign) {
        auto& objective = relaxation_.objective;
        std::fill(objective.begin(), objective.end(), sign);
        if (!relaxation_.maximise()) fall_back(FOREGONE_SIMPLEX_LOST);
        double value = std::floor(relaxation_.value() + 1e-7);
        if (!(std::fabs(value) <= double(MOST_RECORDS_OF_DATASET))) fall_back(FOREGONE_SIMPLEX_LOST);
        int64_t target = int64_t(value);
        auto reaches = [&](const Witness& witness) { return witness.value(objective) == target; };
        bool known = std::any_of(pool.witnesses.begin(), pool.witnesses.end(), reaches);
        if (!bounds_.certified(target) || (!known && !bounds_.nearby(target - 1))) fall_back(FOREGONE_NO_SIZE, target);
        return target;
    }

    // The claims that hold in every witness.
    void propose() {
        ClosedSets found(plan, claims_.bucket_items, pool, budget_);
        sets += found.met;
        open_.clear();
        for (const ClosedClaim& closed : found.constant) {
            Claim* claim = claims_.of(closed);
            claims_.compare(*claim);
            if (!claim->refuted) open_.push_back(claim);
        }
    }

    // Every new witness thins out the claims; they are proposed anew only when nothing more is found this way.
    void thin_out() {
        while (true) {
            size_t known = pool.size();
            std::fill(doubtful_.begin(), doubtful_.end(), 0);
            bool any = false;
            for (Claim* claim : open_)
                for (int bucket : claim->doubt) doubtful_[bucket] = any = true;
            express();
            hunt(any);
            if (pool.size() == known) doubt_.settle(doubtful_);
            if (pool.size() == known) return;
            keep_surviving(known);
        }
    }

    void express() {
        for (Claim* claim : open_) {
            if (claim->known != Known::OPEN || claim->outside_rows) continue;
            if (space_.expresses(claim->inner)) claim->known = Known::LINEAR;
            else claim->outside_rows = true;
        }
    }

    // The claims that hold in the witnesses from `first` on, too.
    void keep_surviving(size_t first) {
        vector<Claim*> left;
        for (Claim* claim : open_) {
            bool holds = true;  // what is known holds in every witness
            for (size_t i = first; i < pool.size() && holds && claim->known == Known::OPEN; i++)
                holds = pool.witnesses[i].inside(claim->inner) == claim->count;
            budget_.spend(int64_t(pool.size() - first) * 10);
            if (!holds) {
                claims_.forget(*claim);
                continue;
            }
            claims_.compare(*claim);
            if (!claim->refuted) left.push_back(claim);
        }
        open_.swap(left);
    }

    // Look for moves that fill a doubtful bucket or change the count of a claim that is open: they cost no solver.
    void hunt(bool doubt) {
        vector<Claim*> unsettled;
        for (Claim* claim : open_)
            if (claim->known == Known::OPEN) unsettled.push_back(claim);
        if (unsettled.empty() && !doubt) return;
        size_t last = pool.size();
        for (size_t at = last - std::min<size_t>(last, HUNTED); at < last; at++)
            hunt_from(pool.witnesses[at].spread(), unsettled);
    }

    // Note of each bucket that a swap empties or fills which claims it is a member of, as so many words of bits.
    void find_memberships(const vector<int>& buckets, const vector<Swap>& swaps, const vector<Claim*>& claims, size_t words) {
        vector<Mask> touched(words_for(system.buckets), 0);
        int number = 0;
        for (const Swap& swap : swaps)
            for (int bucket : {buckets[swap.first], buckets[swap.second], swap.new_first, swap.new_second}) {
                if (has(touched, bucket)) continue;
                put(touched, bucket);
                place_[bucket] = number++;
            }
        vector<size_t> some;  // words of sets of buckets in which one is touched
        for (size_t w = 0; w < touched.size(); w++)
            if (touched[w]) some.push_back(w);
        budget_.use(number * words, sizeof(Mask));
        budget_.spend(int64_t(some.size() * claims.size()));
        member_.assign(number * words, 0);
        for (size_t i = 0; i < claims.size(); i++)
            for (size_t w : some)
                for_each_bit(claims[i]->inner[w] & touched[w], [&](int at) {
                    member_[place_[w * 64 + at] * words + (i >> 6)] |= bit(i & 63);
                });
        budget_.give_back(number * words, sizeof(Mask));
    }

    void hunt_from(const vector<int>& buckets, const vector<Claim*>& claims) {
        vector<Swap> swaps;
        mover_.find_swaps(buckets, swaps);
        const size_t words = words_for(claims.size() + 1), doubt_bit = claims.size();  // the last: it fills a doubtful bucket
        find_memberships(buckets, swaps, claims, words);
        auto member = [&](int bucket) { return &member_[place_[bucket] * words]; };
        vector<Mask> changed(swaps.size() * words, 0);  // swap by swap, the claims whose counts it changes
        vector<int> useful;
        for (size_t i = 0; i < swaps.size(); i++) {
            const Mask *a = member(buckets[swaps[i].first]), *b = member(buckets[swaps[i].second]);
            const Mask *c = member(swaps[i].new_first), *d = member(swaps[i].new_second);
            Mask* mine = &changed[i * words];
            for (size_t w = 0; w < words; w++)  // as many of the two records before as after?
                mine[w] = ((a[w] ^ b[w]) ^ (c[w] ^ d[w])) | ((a[w] & b[w]) ^ (c[w] & d[w]));
            if (doubtful_[swaps[i].new_first] || doubtful_[swaps[i].new_second])
                mine[doubt_bit >> 6] |= bit(doubt_bit & 63);
            if (std::any_of(mine, mine + words, [](Mask word) { return word; })) useful.push_back(int(i));
        }
        budget_.spend(int64_t(swaps.size() * words) * 4);
        if (useful.empty()) return;
        vector<int> order(useful);
        vector<Witness> made{mover_.step(buckets, swaps, order)};
        // moves done together may cancel out, so each claim also gets one move of its own
        vector<Mask> left(words, ~Mask(0));
        while (true) {
            int best = -1, changes = 0;
            for (int i : useful) {
                int gain = 0;
                for (size_t w = 0; w < words; w++) gain += size_of(changed[i * words + w] & left[w]);
                if (gain > changes) {
                    changes = gain;
                    best = i;
                }
            }
            budget_.spend(int64_t(useful.size() * words));
            if (best < 0) break;
            vector<int> one{best};
            made.push_back(mover_.step(buckets, swaps, one));
            for (size_t w = 0; w < words; w++) left[w] &= ~changed[best * words + w];
        }
        for (const Witness& witness : made) pool.add(witness);
    }

    // A verdict for each claim; claims that a new witness breaks on the way are left to the next round.
    void decide() {
        combine_without_empty();
        for (Claim* claim : open_) {
            for (int bucket : claim->doubt)
                if (!relaxation_.empty[bucket]) fall_back(FOREGONE_DOUBT, int64_t(claim->doubt.size()));
            if (claim->known == Known::OPEN && bounds_.pinned(claim->inner, claim->count)) claim->known = Known::BOUND;
        }
    }

    // Is there a fact that all possible records match?
    bool about_everybody() const {
        auto holds_all = [&](const Claim* claim) {
            auto inner = [&](int bucket) { return has(claim->inner, bucket); };
            const vector<int>& occupied = pool.occupied_list;
            return claim->known != Known::OPEN && std::all_of(occupied.begin(), occupied.end(), inner);
        };
        return std::any_of(open_.begin(), open_.end(), holds_all);
    }

    // Otherwise find out of every column which values possible records have; a new witness is left to the next round.
    void settle_values() {
        while (true) {
            std::fill(doubtful_.begin(), doubtful_.end(), 0);
            for (int column = 0; column < system.columns; column++) {
                Mask met = 0;
                for (int i = 0; i < system.records; i++)
                    if (pool.occupied[system.bucket_of[i]]) met |= bit(system.record(i)[column]);
                for (int i = 0; i < system.records; i++) {
                    int bucket = system.bucket_of[i];
                    if (!relaxation_.empty[bucket] && !(met >> system.record(i)[column] & 1)) doubtful_[bucket] = 1;
                }
                budget_.spend(2 * int64_t(system.records));
            }
            int64_t doubtful = std::count(doubtful_.begin(), doubtful_.end(), 1);
            if (!doubtful) return;
            size_t witnesses = pool.size();
            int empty = bounds_.empty_number;
            doubt_.settle(doubtful_);
            if (pool.size() == witnesses && bounds_.empty_number == empty) fall_back(FOREGONE_DOUBT, doubtful);
        }
    }

    // Claims whose buckets are a combination of rows over the buckets that are not known to be empty.
    void combine_without_empty() {
        auto open = [](const Claim* claim) { return claim->known == Known::OPEN; };
        if (!bounds_.empty_number || std::none_of(open_.begin(), open_.end(), open)) return;
        if (!thinned_ || thinned_at_ != bounds_.empty_number) {
            Flags kept(system.buckets);
            for (int bucket = 0; bucket < system.buckets; bucket++) kept[bucket] = !relaxation_.empty[bucket];
            thinned_ = std::make_unique<RowSpace>(system, kept, space_.rows, random_, budget_);
            thinned_at_ = bounds_.empty_number;
            claims_.look_again_without_empty();
        }
        for (Claim* claim : open_) {
            if (claim->known != Known::OPEN || claim->outside_thinned) continue;
            if (thinned_->expresses(claim->inner)) claim->known = Known::BOUND;
            else claim->outside_thinned = true;
        }
    }
};

}  // namespace foregone
