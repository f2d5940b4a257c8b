// Counting all datasets that fit; twins: counting/graph.py (states and steps) and counting/weighing.py (numbers on them).
//
// The same states, steps and numbers as the Python twins have, in the same order, so that the two can be compared one by one.
// Numbers are as long as they must be: a fixed number of 64-bit words, which the caller has shown to be enough.
#pragma once

#include <chrono>
#include <stdexcept>

#include "common.hpp"
#include "foregone_counting.h"

namespace foregone::counting {

using Limb = uint64_t;
using Wide = unsigned __int128;

// ---- whole numbers of a fixed number of limbs, the lowest first

inline void add(Limb* to, const Limb* from, size_t limbs) {
    unsigned carry = 0;
    for (size_t i = 0; i < limbs; i++) {
        Wide sum = Wide(to[i]) + from[i] + carry;
        to[i] = Limb(sum);
        carry = unsigned(sum >> 64);
    }
}

inline void add_product(Limb* to, const Limb* from, Limb factor, size_t limbs) {
    Limb carry = 0;
    for (size_t i = 0; i < limbs; i++) {
        Wide sum = Wide(from[i]) * factor + to[i] + carry;
        to[i] = Limb(sum);
        carry = Limb(sum >> 64);
    }
}

inline void multiply(Limb* number, Limb factor, size_t limbs) {
    if (factor == 1) return;
    Limb carry = 0;
    for (size_t i = 0; i < limbs; i++) {
        Wide product = Wide(number[i]) * factor + carry;
        number[i] = Limb(product);
        carry = Limb(product >> 64);
    }
}

inline void divide(Limb* number, Limb divisor, size_t limbs) {
    if (divisor == 1) return;
    Wide rest = 0;
    for (size_t i = limbs; i-- > 0;) {
        Wide part = rest << 64 | number[i];
        number[i] = Limb(part / divisor);
        rest = part % divisor;
    }
}

inline bool is_zero(const Limb* number, size_t limbs) {
    for (size_t i = 0; i < limbs; i++)
        if (number[i]) return false;
    return true;
}

inline bool less(const Limb* one, const Limb* other, size_t limbs) {
    for (size_t i = limbs; i-- > 0;)
        if (one[i] != other[i]) return one[i] < other[i];
    return false;
}

// SplitMix64; twin: `SplitMix` in counting/weighing.py.
class Words {
public:
    explicit Words(uint64_t seed) : state_(seed) {}

    uint64_t next() {
        uint64_t mixed = state_ += 0x9E3779B97F4A7C15ULL;
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBULL;
        return mixed ^ mixed >> 31;
    }

    // A number from 0 up and below another one, all alike.
    void below(const Limb* most, Limb* drawn, size_t limbs) {
        size_t used = limbs;
        while (!most[used - 1]) used--;
        Limb mask = ~Limb(0) >> __builtin_clzll(most[used - 1]);
        std::fill(drawn, drawn + limbs, 0);
        do {
            for (size_t i = 0; i < used; i++) drawn[i] = next();
            drawn[used - 1] &= mask;
        } while (!less(drawn, most, limbs));
    }

private:
    uint64_t state_;
};

// ---- states and steps

struct Entry {
    int row;
    int64_t weight;
};

// What is the same for all states of a problem; twin: `Unfolding`.
struct Space {
    int buckets = 0, rows = 0, words = 0, length = 0;  // length: numbers of a state
    vector<vector<Entry>> entries;
    vector<std::pair<int, int>> either;
    vector<int> ranged, slack_at;                    // slack_at: -1 for rows without
    vector<int> counting, exact, signed_exact, plain, others;
    vector<int64_t> lightest, heaviest, weight_in;   // weight_in: bucket by row
    vector<uint8_t> free_row, must_stay;             // must_stay: no negative weights, so what is left never is
    vector<vector<Mask>> members;                    // of each row, as bits
    vector<vector<std::pair<int64_t, vector<Mask>>>> by_weight;
    vector<Mask> all;
    int bytes = 8;          // of a number of a state, as it is kept
    bool negative = false;  // can one be below 0?

    explicit Space(const foregone_counting_problem& given);
};

inline Space::Space(const foregone_counting_problem& given) {
    buckets = int(given.buckets), rows = int(given.rows), words = int(words_for(size_t(buckets)));
    entries.resize(size_t(buckets));
    free_row.assign(size_t(rows), 0);
    for (int64_t i = 0; i < given.either; i++) {
        either.push_back({int(given.either_rows[2 * i]), int(given.either_rows[2 * i + 1])});
        free_row[size_t(either.back().first)] = free_row[size_t(either.back().second)] = 1;
    }
    lightest.assign(size_t(rows), 0), heaviest.assign(size_t(rows), 0);
    weight_in.assign(size_t(buckets) * size_t(rows), 0);
    members.assign(size_t(rows), vector<Mask>(size_t(words)));
    by_weight.resize(size_t(rows));
    all.assign(size_t(words), 0);
    for (int b = 0; b < buckets; b++) {
        put(all, size_t(b));
        for (int64_t at = given.starts[b]; at < given.starts[b + 1]; at++) {
            size_t row = size_t(given.entry_rows[at]);
            int64_t weight = given.weights[at];
            entries[size_t(b)].push_back({int(row), weight});
            weight_in[size_t(b) * size_t(rows) + row] = weight;
            lightest[row] = std::min(lightest[row], weight), heaviest[row] = std::max(heaviest[row], weight);
            put(members[row], size_t(b));
            auto& kinds = by_weight[row];
            auto found = std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.first == weight; });
            if (found == kinds.end()) found = kinds.insert(kinds.end(), {weight, vector<Mask>(size_t(words))});
            put(found->second, size_t(b));
        }
    }
    slack_at.assign(size_t(rows), -1);
    must_stay.assign(size_t(rows), 0);
    int64_t most = 0, size = given.high[0];
    negative = !either.empty();
    for (int row = 0; row < rows; row++) {
        size_t r = size_t(row);
        int64_t reach = multiplied(added(size, int64_t(1)), subtracted(heaviest[r], lightest[r]));
        int64_t ends = added(std::abs(given.low[row]), std::abs(given.high[row]));
        most = std::max(most, added(multiplied(reach, int64_t(2)), multiplied(ends, int64_t(2))));
        negative = negative || lightest[r] < 0;
        if (free_row[r]) continue;
        if (given.low[row] < given.high[row]) slack_at[r] = rows + int(ranged.size()), ranged.push_back(row);
        if (lightest[r] < 0) {
            if (slack_at[r] < 0) signed_exact.push_back(row);
            continue;
        }
        must_stay[r] = 1;
        counting.push_back(row);
        if (slack_at[r] < 0) exact.push_back(row);
        (heaviest[r] <= 1 ? plain : others).push_back(row);
    }
    length = rows + int(ranged.size());
    if (most < (negative ? 1 << 7 : 1 << 8)) bytes = 1;
    else if (most < (negative ? 1 << 15 : 1 << 16)) bytes = 2;
    else if (most < int64_t(1) << 31) bytes = 4;
}

struct Step {
    uint32_t target, bucket, number;
};

struct Graph {
    std::shared_ptr<const Space> space;
    vector<int64_t> left;           // what the sum over the steps of a state is divided by
    vector<int32_t> records, row;   // that are left; the row whose records are placed, -1 where there is none
    vector<uint64_t> starts;        // of the steps of each state
    vector<Step> steps;
    vector<uint32_t> order;         // every step leads to a state that comes earlier
    vector<int64_t> roots;

    size_t states() const { return records.size(); }
};

enum class Unfolded { DONE, LARGE, TIME };

// Every state that can be reached; twin: `unfold` and the methods of `Unfolding`.
class Unfolder {
public:
    Unfolder(Graph& graph) : graph_(graph), space_(*graph.space), high_(size_t(space_.length)), work_(size_t(space_.length)) {
        width_ = size_t(space_.length) * size_t(space_.bytes);
        made_.resize(width_);
        alive_.resize(size_t(space_.words)), mine_.resize(size_t(space_.words));
        table_.assign(1 << 12, 0);
    }

    Unfolded run(const int64_t* low, const int64_t* high, int64_t first, int64_t sizes, size_t most_states, size_t most_steps,
                 double clock_seconds, double work_seconds) {
        auto begin = std::chrono::steady_clock::now();
        int64_t cpu = cpu_nanoseconds();
        for (int64_t i = 0; i < sizes; i++) {
            std::copy(high, high + space_.rows, work_.begin());
            work_[0] = first + i;
            for (size_t r = 0; r < space_.ranged.size(); r++)
                work_[size_t(space_.rows) + r] = high[space_.ranged[r]] - low[space_.ranged[r]];
            graph_.roots.push_back(settle() ? int64_t(number()) : -1);
        }
        for (size_t at = 0; at < known_; at++) {
            graph_.starts.push_back(graph_.steps.size());
            unfold(at);
            if (known_ > most_states || graph_.steps.size() > most_steps) return Unfolded::LARGE;
            if (at % 256 == 0) {
                std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
                if (clock_seconds >= 0 && spent.count() > clock_seconds) return Unfolded::TIME;
                if (work_seconds >= 0 && double(cpu_nanoseconds() - cpu) > 1e9 * work_seconds) return Unfolded::TIME;
            }
        }
        graph_.starts.push_back(graph_.steps.size());
        put_in_order();
        return Unfolded::DONE;
    }

private:
    // Bring what is in `work_` into its one written form; false when a glance shows that nothing can follow from it.
    bool settle() {
        int64_t records = work_[0];
        for (int row : space_.exact) {
            int64_t left = work_[size_t(row)];
            if (left < 0 || left > records * space_.heaviest[size_t(row)]) return false;
        }
        for (int row : space_.ranged) {
            size_t r = size_t(row), at = size_t(space_.slack_at[r]);
            int64_t most = work_[r], least = most - work_[at];
            int64_t ceiling = records * space_.heaviest[r], floor = records * space_.lightest[r];
            if (most < floor || least > ceiling) return false;
            work_[r] = std::min(most, ceiling);
            work_[at] = work_[r] - std::max(least, floor);
        }
        for (int row : space_.signed_exact) {
            int64_t left = work_[size_t(row)];
            if (left < records * space_.lightest[size_t(row)] || left > records * space_.heaviest[size_t(row)]) return false;
        }
        for (auto [one, other] : space_.either) {
            size_t a = size_t(one), b = size_t(other);
            if (work_[a] < records * space_.lightest[a] && work_[b] < records * space_.lightest[b]) return false;
            if (work_[a] >= records * space_.heaviest[a] || work_[b] >= records * space_.heaviest[b])
                work_[a] = work_[b] = records * std::max(space_.heaviest[a], space_.heaviest[b]);
        }
        return true;
    }

    // The number of the state in `work_`, a new one where it was not met before.
    uint32_t number() {
        switch (space_.bytes) {
            case 1: pack<uint8_t>(); break;
            case 2: pack<uint16_t>(); break;
            case 4: pack<uint32_t>(); break;
            default: pack<uint64_t>();
        }
        uint64_t hash = hashed(made_.data());
        size_t mask = table_.size() - 1, place = size_t(hash) & mask;
        while (table_[place]) {
            uint32_t found = table_[place] - 1;
            if (!std::memcmp(&keys_[found * width_], made_.data(), width_)) return found;
            place = (place + 1) & mask;
        }
        uint32_t made = uint32_t(known_++);
        table_[place] = made + 1;
        keys_.insert(keys_.end(), made_.begin(), made_.end());
        if (2 * known_ > table_.size()) grow();
        return made;
    }

    template <class Number> void pack() {
        for (size_t i = 0; i < work_.size(); i++) {
            Number value = Number(work_[i]);
            std::memcpy(&made_[i * sizeof(Number)], &value, sizeof(Number));
        }
    }

    template <class Number> void unpack(const uint8_t* key) {
        for (size_t i = 0; i < high_.size(); i++) {
            Number value;
            std::memcpy(&value, key + i * sizeof(Number), sizeof(Number));
            high_[i] = int64_t(value);
        }
    }

    uint64_t hashed(const uint8_t* key) const {
        uint64_t hash = 0x1234567ULL;
        size_t i = 0;
        for (; i + 8 <= width_; i += 8) {
            uint64_t word;
            std::memcpy(&word, key + i, 8);
            hash = mixed(hash, word);
        }
        uint64_t rest = 0;
        if (i < width_) std::memcpy(&rest, key + i, width_ - i);
        return mixed(mixed(hash, rest), 0x51ED27ULL);
    }

    void grow() {
        table_.assign(2 * table_.size(), 0);
        size_t mask = table_.size() - 1;
        for (size_t at = 0; at < known_; at++) {
            size_t place = size_t(hashed(&keys_[at * width_])) & mask;
            while (table_[place]) place = (place + 1) & mask;
            table_[place] = uint32_t(at) + 1;
        }
    }

    void read(size_t at) {
        const uint8_t* key = &keys_[at * width_];
        switch (space_.bytes) {
            case 1: space_.negative ? unpack<int8_t>(key) : unpack<uint8_t>(key); break;
            case 2: space_.negative ? unpack<int16_t>(key) : unpack<uint16_t>(key); break;
            case 4: unpack<int32_t>(key); break;
            default: unpack<int64_t>(key);
        }
    }

    void unfold(size_t at) {
        read(at);
        int64_t records = high_[0];
        graph_.records.push_back(int32_t(records));
        if (!records) return told(-1, 0);
        alive();
        int64_t best = 0;
        int chosen = -1;
        for (int row : space_.counting) {
            size_t r = size_t(row);
            int64_t left = high_[r], slack = space_.slack_at[r] < 0 ? 0 : high_[size_t(space_.slack_at[r])];
            int64_t number = 0;
            for (int w = 0; w < space_.words; w++) number += size_of(space_.members[r][size_t(w)] & alive_[size_t(w)]);
            if (left > slack && !number) return told(-1, -1);
            if (!left || !number || (slack && slack == left && left == records * space_.heaviest[r])) continue;
            int64_t cost = number * (slack + 1);
            if (chosen < 0 || cost < best) best = cost, chosen = row;
        }
        if (chosen < 0) throw std::logic_error("the number of records is a row");
        size_t row = size_t(chosen);
        if (space_.slack_at[row] >= 0 && high_[size_t(space_.slack_at[row])]) return fix(row);
        told(chosen, high_[row]);
        for (int w = 0; w < space_.words; w++) mine_[size_t(w)] = space_.members[row][size_t(w)] & alive_[size_t(w)];
        for (int w = 0; w < space_.words; w++)
            for_each_bit(mine_[size_t(w)], [&](int b) { place(size_t(64 * w + b)); });
    }

    // Put one, two, ... records of a bucket.
    void place(size_t bucket) {
        const vector<Entry>& entries = space_.entries[bucket];
        for (uint32_t times = 1;; times++) {
            std::copy(high_.begin(), high_.end(), work_.begin());
            for (const Entry& entry : entries) {
                size_t row = size_t(entry.row);
                work_[row] -= int64_t(times) * entry.weight;
                if (work_[row] < 0 && space_.must_stay[row]) return;
            }
            if (settle()) graph_.steps.push_back({number(), uint32_t(bucket), times});
        }
    }

    // Give a row each of its values in turn.
    void fix(size_t row) {
        told(-1, 1);
        size_t slack = size_t(space_.slack_at[row]);
        for (int64_t value = high_[row] - high_[slack]; value <= high_[row]; value++) {
            std::copy(high_.begin(), high_.end(), work_.begin());
            work_[row] = value, work_[slack] = 0;
            if (settle()) graph_.steps.push_back({number(), 0, 0});
        }
    }

    void told(int row, int64_t left) {
        graph_.row.push_back(row);
        graph_.left.push_back(left);
    }

    void alive() {
        alive_ = space_.all;
        auto leave_out = [&](const vector<Mask>& mask) {
            for (size_t w = 0; w < mask.size(); w++) alive_[w] &= ~mask[w];
        };
        for (int row : space_.plain)
            if (!high_[size_t(row)]) leave_out(space_.members[size_t(row)]);
        for (int row : space_.others)
            for (const auto& [weight, mask] : space_.by_weight[size_t(row)])
                if (weight > high_[size_t(row)]) leave_out(mask);
    }

    // Fewer records first and, among as many, those with fewer open ranges.
    void put_in_order() {
        size_t ranges = space_.ranged.size() + 1;
        vector<uint32_t> rank(known_);
        size_t most = 0;
        for (size_t at = 0; at < known_; at++) {
            size_t open = 0;
            if (ranges > 1) {
                read(at);
                for (size_t i = size_t(space_.rows); i < high_.size(); i++) open += high_[i] != 0;
            }
            rank[at] = uint32_t(size_t(graph_.records[at]) * ranges + open);
            most = std::max(most, size_t(rank[at]));
        }
        vector<size_t> begins(most + 2);
        for (uint32_t r : rank) begins[r + 1]++;
        for (size_t r = 0; r <= most; r++) begins[r + 1] += begins[r];
        graph_.order.resize(known_);
        for (size_t at = 0; at < known_; at++) graph_.order[begins[rank[at]]++] = uint32_t(at);
    }

    Graph& graph_;
    const Space& space_;
    vector<int64_t> high_, work_;  // the state that is unfolded, and one that is made from it
    vector<uint8_t> made_, keys_;
    vector<uint32_t> table_;  // places by hash; 0 is empty, else the state's number and 1
    vector<Mask> alive_, mine_;
    size_t width_ = 0, known_ = 0;
};

// ---- numbers on them

// Twin: `Weighed`.
class Weights {
public:
    Weights(std::shared_ptr<const Graph> graph, const foregone_counting_prior& prior)
        : graph_(std::move(graph)), masses_(prior.masses, prior.masses + graph_->space->buckets), unit_(prior.unit),
          urn_(prior.urn != 0), ordered_(prior.ordered != 0), limbs_(size_t(prior.limbs)) {
        numbers_.assign(graph_->states() * limbs_, 0);
        vector<Limb> chain(limbs_, 0);
        for (uint32_t at : graph_->order) {
            Limb* sum = &numbers_[at * limbs_];
            if (!graph_->records[at]) {
                sum[0] = 1;
            } else if (graph_->row[at] < 0) {
                each_step(at, [&](const Step& step) { add(sum, number(step.target), limbs_); });
            } else {
                each_bucket(at, [&](const Step* first, const Step* end) {
                    const Limb* found = chained(at, first, end, chain.data());
                    add_weighed(sum, found, masses_[first->bucket], at, first->bucket);
                });
                if (ordered_ && !urn_) multiply(sum, Limb(graph_->records[at]), limbs_);
                divide(sum, Limb(graph_->left[at]), limbs_);
            }
        }
    }

    size_t limbs() const { return limbs_; }
    const Graph& graph() const { return *graph_; }
    const Limb* number(size_t state) const { return &numbers_[state * limbs_]; }

    // For each root: [most + 1][limbs].
    void distribution(const uint64_t* inside, size_t most, uint64_t* out) const {
        size_t length = (most + 1) * limbs_;
        vector<uint32_t> place(graph_->states(), 0);  // of a state that a record inside can follow, and 1
        vector<Limb> made;
        vector<Limb> in(length), outside(length);
        for (uint32_t at : graph_->order) {
            if (is_zero(number(at), limbs_)) continue;
            bool touched = false;
            each_step(at, [&](const Step& step) {
                touched = touched || place[step.target] ||
                          (graph_->row[at] >= 0 && inside[step.bucket] && (urn_ || step.number == 1));
            });
            if (!touched) continue;
            made.resize(made.size() + length, 0);
            place[at] = uint32_t(made.size() / length);
            Limb* sum = &made[made.size() - length];
            if (graph_->row[at] < 0) {
                each_step(at, [&](const Step& step) { add_all(sum, place, made, step.target, most); });
                continue;
            }
            size_t degrees = std::min(most, size_t(graph_->records[at])) + 1;
            each_bucket(at, [&](const Step* first, const Step* end) {
                Limb mass = inside[first->bucket], rest = masses_[first->bucket] - mass;
                if (mass) chain_up(at, first, end, place, made, most, true, in);
                if (rest) chain_up(at, first, end, place, made, most, false, outside);
                for (size_t d = 0; d < degrees; d++) {
                    size_t offset = d * limbs_;
                    if (mass) add_weighed(sum + offset, &in[offset], mass, at, first->bucket);
                    if (rest) add_weighed(sum + offset, &outside[offset], rest, at, first->bucket);
                }
            });
            for (size_t d = 0; d < degrees; d++) {
                if (ordered_ && !urn_) multiply(sum + d * limbs_, Limb(graph_->records[at]), limbs_);
                divide(sum + d * limbs_, Limb(graph_->left[at]), limbs_);
            }
        }
        for (int64_t root : graph_->roots) {
            std::fill(out, out + length, 0);
            if (root >= 0) add_all(out, place, made, uint32_t(root), most);
            out += length;
        }
    }

    // One dataset; how many places are used.
    int64_t sample(size_t root, Words& random, int64_t* buckets, int64_t* numbers) {
        int64_t used = 0;
        size_t at = size_t(graph_->roots[root]);
        vector<Limb> drawn(limbs_);
        while (graph_->records[at]) {
            const Choice& choice = chosen_from(at);
            size_t number_of = choice.steps.size();
            random.below(&choice.sums[(number_of - 1) * limbs_], drawn.data(), limbs_);
            size_t low = 0, high = number_of - 1;  // the first whose sum is above what was drawn
            while (low < high) {
                size_t middle = (low + high) / 2;
                if (less(drawn.data(), &choice.sums[middle * limbs_], limbs_)) high = middle;
                else low = middle + 1;
            }
            const Step& step = graph_->steps[choice.steps[low]];
            if (graph_->row[at] >= 0) {
                buckets[used] = step.bucket, numbers[used] = step.number;
                used++;
            }
            at = step.target;
        }
        return used;
    }

private:
    struct Choice {
        vector<uint64_t> steps;
        vector<Limb> sums;
    };

    static constexpr size_t MOST_REMEMBERED = 1 << 22;  // words of sums

    template <class Visit> void each_step(size_t at, Visit visit) const {
        for (uint64_t i = graph_->starts[at]; i < graph_->starts[at + 1]; i++) visit(graph_->steps[i]);
    }

    // The steps of a state that put records of the same bucket, one record first, in one go.
    template <class Visit> void each_bucket(size_t at, Visit visit) const {
        const Step* first = graph_->steps.data() + graph_->starts[at];
        const Step* end = graph_->steps.data() + graph_->starts[at + 1];
        while (first < end) {
            const Step* last = first + 1;
            while (last < end && last->bucket == first->bucket) last++;
            if (urn_ || first->number == 1) visit(first, urn_ ? last : first + 1);
            first = last;
        }
    }

    // sum += weight of a record in the row * mass * number
    void add_weighed(Limb* sum, const Limb* chain, Limb mass, size_t at, uint32_t bucket) const {
        int64_t weight = graph_->space->weight_in[size_t(bucket) * size_t(graph_->space->rows) + size_t(graph_->row[at])];
        Wide factor = Wide(mass) * Wide(uint64_t(weight));
        add_product(sum, chain, Limb(factor), limbs_);
        if (Limb high = Limb(factor >> 64)) add_product(sum + 1, chain, high, limbs_ - 1);
    }

    // The sum over l of factor(l) * number(target of l), without the mass: from the greatest l down, so that each is multiplied
    // by what the next one needs, too. `work` has room for it; independent records need no sum.
    const Limb* chained(size_t at, const Step* first, const Step* end, Limb* work) const {
        if (!urn_) return number(first->target);
        std::fill(work, work + limbs_, 0);
        const Step* next = end;
        for (uint32_t l = (end - 1)->number; l >= 1; l--) {
            if (ordered_) multiply(work, unit_, limbs_);
            if (next > first && (next - 1)->number == l) add(work, number((--next)->target), limbs_);
            if (ordered_) multiply(work, Limb(graph_->records[at]) - l + 1, limbs_);
        }
        return work;
    }

    // The same for numbers by how many records are inside; `move`: the records that are put are.
    void chain_up(size_t at, const Step* first, const Step* end, const vector<uint32_t>& place, const vector<Limb>& made, size_t most,
                  bool move, vector<Limb>& work) const {
        size_t degrees = std::min(most, size_t(graph_->records[at])) + 1;
        std::fill(work.begin(), work.begin() + int64_t(degrees * limbs_), 0);
        const Step* next = end;
        for (uint32_t l = (end - 1)->number; l >= 1; l--) {
            if (urn_ && ordered_)
                for (size_t d = 0; d < degrees; d++) multiply(&work[d * limbs_], unit_, limbs_);
            if (next > first && (next - 1)->number == l) add_all(work.data(), place, made, (--next)->target, most);
            if (urn_ && ordered_)
                for (size_t d = 0; d < degrees; d++)
                    multiply(&work[d * limbs_], Limb(graph_->records[at]) - l + 1, limbs_);
            if (move) {
                std::memmove(&work[limbs_], &work[0], (degrees - 1) * limbs_ * sizeof(Limb));
                std::fill(work.begin(), work.begin() + int64_t(limbs_), 0);
            }
        }
    }

    // A state without any record inside has one number; others have one for each count.
    void add_all(Limb* sum, const vector<uint32_t>& place, const vector<Limb>& made, uint32_t state, size_t most) const {
        if (!place[state]) return add(sum, number(state), limbs_);
        size_t length = (most + 1) * limbs_, degrees = std::min(most, size_t(graph_->records[state])) + 1;
        const Limb* from = &made[(place[state] - 1) * length];
        for (size_t d = 0; d < degrees; d++) add(sum + d * limbs_, from + d * limbs_, limbs_);
    }

    const Choice& chosen_from(size_t at) {
        auto known = choices_.find(at);
        if (known != choices_.end()) return known->second;
        if (remembered_ > MOST_REMEMBERED) choices_.clear(), remembered_ = 0;
        Choice& made = choices_[at];
        vector<Limb> sum(limbs_, 0), weight(limbs_);
        for (uint64_t i = graph_->starts[at]; i < graph_->starts[at + 1]; i++) {
            const Step& step = graph_->steps[i];
            if (graph_->row[at] >= 0 && !urn_ && step.number != 1) continue;
            std::copy(number(step.target), number(step.target) + limbs_, weight.begin());
            if (is_zero(weight.data(), limbs_)) continue;
            if (graph_->row[at] >= 0) {
                for (uint32_t l = 0; ordered_ && l < step.number; l++) {
                    multiply(weight.data(), Limb(graph_->records[at]) - l, limbs_);
                    if (l) multiply(weight.data(), unit_, limbs_);
                }
                if (!masses_[step.bucket]) continue;
                add_weighed(sum.data(), weight.data(), masses_[step.bucket], at, step.bucket);
            } else {
                add(sum.data(), weight.data(), limbs_);
            }
            made.steps.push_back(i);
            made.sums.insert(made.sums.end(), sum.begin(), sum.end());
        }
        remembered_ += made.sums.size();
        return made;
    }

    std::shared_ptr<const Graph> graph_;
    vector<uint64_t> masses_;
    uint64_t unit_;
    bool urn_, ordered_;
    size_t limbs_;
    vector<Limb> numbers_;
    std::unordered_map<size_t, Choice> choices_;
    size_t remembered_ = 0;
};

}  // namespace foregone::counting

// ---- the C interface

extern "C" {

int64_t foregone_counting_version(void) { return FOREGONE_COUNTING_VERSION; }

int32_t foregone_counting_space(const foregone_counting_problem* problem, void** space) {
    using foregone::counting::Space;
    try {
        *space = new std::shared_ptr<const Space>(std::make_shared<Space>(*problem));
        return FOREGONE_COUNTING_DONE;
    } catch (const foregone::FallBack&) {  // numbers beyond 64 bits
        return FOREGONE_COUNTING_WRONG;
    } catch (const std::exception&) {
        return FOREGONE_COUNTING_WRONG;
    }
}

void foregone_counting_free_space(void* space) { delete static_cast<std::shared_ptr<const foregone::counting::Space>*>(space); }

int32_t foregone_counting_unfold(const void* space, const int64_t* low, const int64_t* high, int64_t first_size, int64_t sizes,
                                 int64_t most_states, int64_t most_steps, double clock_seconds, double work_seconds,
                                 void** graph) {
    using namespace foregone::counting;
    try {
        auto made = std::make_shared<Graph>();
        made->space = *static_cast<const std::shared_ptr<const Space>*>(space);
        Unfolded how = Unfolder(*made).run(low, high, first_size, sizes, size_t(most_states), size_t(most_steps), clock_seconds,
                                           work_seconds);
        if (how == Unfolded::LARGE) return FOREGONE_COUNTING_LARGE;
        if (how == Unfolded::TIME) return FOREGONE_COUNTING_TIME;
        *graph = new std::shared_ptr<const Graph>(std::move(made));
        return FOREGONE_COUNTING_DONE;
    } catch (const std::exception&) {
        return FOREGONE_COUNTING_WRONG;
    }
}

void foregone_counting_graph_sizes(const void* graph, int64_t* states, int64_t* steps) {
    const auto& found = **static_cast<const std::shared_ptr<const foregone::counting::Graph>*>(graph);
    *states = int64_t(found.states());
    *steps = int64_t(found.steps.size());
}

void foregone_counting_graph_take(const void* graph, int64_t* records, int64_t* left, int64_t* places, int64_t* starts,
                                  int64_t* bucket, int64_t* number, int64_t* weight, int64_t* target, int64_t* roots) {
    const auto& found = **static_cast<const std::shared_ptr<const foregone::counting::Graph>*>(graph);
    const auto& space = *found.space;
    std::vector<int64_t> renamed(found.states());
    for (size_t i = 0; i < found.order.size(); i++) renamed[found.order[i]] = int64_t(i);
    size_t step = 0;
    for (size_t i = 0; i < found.order.size(); i++) {
        size_t at = found.order[i];
        records[i] = found.records[at], left[i] = found.left[at], places[i] = found.row[at] >= 0;
        starts[i] = int64_t(step);
        for (uint64_t s = found.starts[at]; s < found.starts[at + 1]; s++, step++) {
            const auto& one = found.steps[s];
            bucket[step] = one.bucket, number[step] = one.number, target[step] = renamed[one.target];
            weight[step] = places[i] ? space.weight_in[size_t(one.bucket) * size_t(space.rows) + size_t(found.row[at])] : 0;
        }
    }
    starts[found.order.size()] = int64_t(step);
    for (size_t i = 0; i < found.roots.size(); i++) roots[i] = found.roots[i] < 0 ? -1 : renamed[size_t(found.roots[i])];
}

void foregone_counting_free_graph(void* graph) { delete static_cast<std::shared_ptr<const foregone::counting::Graph>*>(graph); }

int32_t foregone_counting_weigh(const void* graph, const foregone_counting_prior* prior, void** weights) {
    using namespace foregone::counting;
    try {
        *weights = new Weights(*static_cast<const std::shared_ptr<const Graph>*>(graph), *prior);
        return FOREGONE_COUNTING_DONE;
    } catch (const std::exception&) {
        return FOREGONE_COUNTING_WRONG;
    }
}

void foregone_counting_roots(const void* weights, uint64_t* numbers) {
    const auto& found = *static_cast<const foregone::counting::Weights*>(weights);
    for (int64_t root : found.graph().roots) {
        for (size_t i = 0; i < found.limbs(); i++) numbers[i] = root < 0 ? 0 : found.number(size_t(root))[i];
        numbers += found.limbs();
    }
}

int32_t foregone_counting_distribution(const void* weights, const uint64_t* inside, int64_t most, uint64_t* numbers) {
    try {
        static_cast<const foregone::counting::Weights*>(weights)->distribution(inside, size_t(most), numbers);
        return FOREGONE_COUNTING_DONE;
    } catch (const std::exception&) {
        return FOREGONE_COUNTING_WRONG;
    }
}

int32_t foregone_counting_samples(void* weights, int64_t number, const int64_t* roots, uint64_t seed, int64_t stride,
                                  int64_t* buckets, int64_t* numbers, int64_t* lengths) {
    try {
        auto& found = *static_cast<foregone::counting::Weights*>(weights);
        foregone::counting::Words random(seed);
        for (int64_t i = 0; i < number; i++)
            lengths[i] = found.sample(size_t(roots[i]), random, buckets + i * stride, numbers + i * stride);
        return FOREGONE_COUNTING_DONE;
    } catch (const std::exception&) {
        return FOREGONE_COUNTING_WRONG;
    }
}

void foregone_counting_free_weights(void* weights) { delete static_cast<foregone::counting::Weights*>(weights); }

}  // extern "C"
