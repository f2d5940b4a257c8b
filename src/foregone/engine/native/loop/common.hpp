// Words that every file here uses: whole numbers, sets as bit masks, why a release falls back, and what it may cost.
//
// The loop never guesses. Whatever is too large, too long or simply unusual ends in a FallBack: the release is then
// left to the Python engine. Costs are counted in steps, not in seconds, so that a result never depends on how busy
// the machine is.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "foregone_loop.h"

namespace foregone {

using std::size_t;
using std::vector;
using Mask = uint64_t;       // a set of atoms, codes or items: bit i is value i
using ColumnSet = uint32_t;  // bit c is column c
using LayerSet = uint32_t;   // bit l is layer l
using Flags = vector<uint8_t>;

constexpr int MOST_LAYERS = FOREGONE_MOST_LAYERS;
constexpr int MOST_VALUES = FOREGONE_MOST_VALUES;
constexpr uint8_t BLANK = 255;  // no item

// Thrown where the loop gives up on a release.
struct FallBack {
    int status;
    int64_t detail = 0;
};

[[noreturn]] inline void fall_back(int status, int64_t detail = 0) { throw FallBack{status, detail}; }

// ---- whole numbers

template <class Number> inline Number added(Number a, Number b) {
    Number sum;
    if (__builtin_add_overflow(a, b, &sum)) fall_back(FOREGONE_LARGE_NUMBERS);
    return sum;
}

template <class Number> inline Number subtracted(Number a, Number b) {
    Number difference;
    if (__builtin_sub_overflow(a, b, &difference)) fall_back(FOREGONE_LARGE_NUMBERS);
    return difference;
}

template <class Number> inline Number multiplied(Number a, Number b) {
    Number product;
    if (__builtin_mul_overflow(a, b, &product)) fall_back(FOREGONE_LARGE_NUMBERS);
    return product;
}

// The greatest whole number that is not above numerator / denominator; the denominator is above 0.
inline int64_t floor_divided(int64_t numerator, int64_t denominator) {
    int64_t quotient = numerator / denominator;
    return numerator % denominator < 0 ? quotient - 1 : quotient;
}

// ---- masks

inline int size_of(Mask mask) { return __builtin_popcountll(mask); }
inline int lowest(Mask mask) { return __builtin_ctzll(mask); }
inline Mask bit(int i) { return Mask(1) << i; }
inline Mask first_bits(int number) { return number >= 64 ? ~Mask(0) : bit(number) - 1; }
inline bool inside(Mask part, Mask whole) { return !(part & ~whole); }
inline bool single(Mask mask) { return mask && !(mask & (mask - 1)); }

// Calls `visit` with each member of a set, lowest first.
template <class Set, class Visit> inline void for_each_bit(Set set, Visit visit) {
    for (; set; set &= set - 1) visit(__builtin_ctzll(set));
}

// A long set, 64 members to a word.
inline bool has(const vector<Mask>& words, size_t member) { return words[member >> 6] >> (member & 63) & 1; }
inline void put(vector<Mask>& words, size_t member) { words[member >> 6] |= bit(member & 63); }
inline void drop(vector<Mask>& words, size_t member) { words[member >> 6] &= ~bit(member & 63); }
template <class Visit> inline void for_each_member(const vector<Mask>& words, Visit visit) {
    for (size_t w = 0; w < words.size(); w++)
        for_each_bit(words[w], [&](int i) { visit(int(w * 64) + i); });
}
inline size_t words_for(size_t members) { return (members + 63) / 64; }

inline uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15ULL;
    return hash ^ (hash >> 31);
}

// ---- random

// A quick random sequence (xorshift), always the same from the same seed. It chooses what is tried, never what is true.
class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x1234567ULL) {}

    uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return state_ * 2685821657736338717ULL;
    }

    int below(size_t number) { return static_cast<int>(((next() >> 32) * static_cast<uint64_t>(number)) >> 32); }
    double unit() { return static_cast<double>(next() >> 11) * (1.0 / 9007199254740992.0); }

private:
    uint64_t state_;
};

// ---- limits

inline int64_t cpu_nanoseconds() {
    timespec now;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now)) return 0;
    return int64_t(now.tv_sec) * 1000000000 + now.tv_nsec;
}

// What one release may cost: steps and bytes, both counted, CPU time, and a flag by which the caller stops everything.
class Budget {
public:
    Budget(const foregone_limits& limits, const volatile int32_t* cancel)
        : limits_(limits), cancel_(cancel), begin_(cpu_nanoseconds()) {}

    // Count steps; to be called at least every few milliseconds.
    void spend(int64_t steps) {
        work_ += steps;
        if (work_ < next_look_) return;
        next_look_ = work_ + LOOK_EVERY;
        if (cancel_ && *cancel_) fall_back(FOREGONE_CANCELLED);
        if (limits_.work > 0 && work_ > limits_.work) fall_back(FOREGONE_WORK, work_);
        if (limits_.cpu_nanoseconds > 0 && spent() > limits_.cpu_nanoseconds) fall_back(FOREGONE_TIME, spent());
    }

    // Announce memory before it is used; what is given back does not count, so this is the sum over the whole release.
    void use(size_t number, size_t bytes_each) {
        int64_t bytes;
        if (__builtin_mul_overflow(number, bytes_each, &bytes) || __builtin_add_overflow(memory_, bytes, &memory_))
            fall_back(FOREGONE_MEMORY, std::numeric_limits<int64_t>::max());
        if (limits_.memory > 0 && memory_ > limits_.memory) fall_back(FOREGONE_MEMORY, memory_);
    }

    void give_back(size_t number, size_t bytes_each) { memory_ -= int64_t(number * bytes_each); }
    int64_t spent() const { return cpu_nanoseconds() - begin_; }
    int64_t most_records() const { return limits_.records; }

private:
    static constexpr int64_t LOOK_EVERY = 2'000'000;
    foregone_limits limits_;
    const volatile int32_t* cancel_;
    int64_t begin_, work_ = 0, next_look_ = 0, memory_ = 0;
};

}  // namespace foregone
