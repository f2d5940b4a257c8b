// Is a set of buckets an exact combination of rows?
//
// Independent rows, and buckets that show it, come from elimination in whole numbers, or, where these outgrow their
// type, modulo a prime: what is independent there is independent. The rows have an exact inverse on these buckets. A random vector that all rows are orthogonal to, modulo a prime, rejects almost everything that
// is no combination, and rightly so; what passes is worked out and compared in whole numbers on every bucket. Of very
// many buckets a sample is looked at first; it is enlarged until what depends on other rows there does so everywhere.
//
// Twin in Python: engine/bounds/rowspace.py.
#pragma once

#include "system.hpp"

namespace foregone {

// A matrix of whole numbers that is eliminated row by row. For each row there is a bound of its absolute values, so
// that overflow is seen before it happens; the bound is worked out anew only where it says that something may not
// fit.
template <class Number> class Elimination {
public:
    Elimination(size_t rows, size_t width, Budget& budget)
        : width_(width), stride_((width + 7) / 8 * 8), budget_(budget), bounds_(rows, 1) {
        budget_.use(rows * stride_, sizeof(Number));
        numbers_.assign(rows * stride_, 0);
    }

    ~Elimination() { budget_.give_back(numbers_.size(), sizeof(Number)); }
    Elimination(const Elimination&) = delete;
    Elimination& operator=(const Elimination&) = delete;

    Number* row(size_t i) { return &numbers_[i * stride_]; }

    // The first entry of a row that is 1 or -1, else the first that is not 0, else -1.
    int pivot_of(size_t i) {
        const Number* numbers = row(i);
        int first = -1;
        for (size_t j = 0; j < width_; j++) {
            if (numbers[j] == 1 || numbers[j] == -1) return int(j);
            if (numbers[j] && first < 0) first = int(j);
        }
        return first;
    }

    // Choose the row that is taken off others next, and the column in which they become 0.
    void choose(size_t pivot, size_t column) {
        const Number* numbers = row(pivot);
        pivot_ = pivot;
        column_ = column;
        first_ = 0;
        last_ = width_;
        while (first_ < last_ && !numbers[first_]) first_++;
        while (last_ > first_ && !numbers[last_ - 1]) last_--;
        first_ = first_ / 8 * 8;
        last_ = (last_ + 7) / 8 * 8;
    }

    // Take the chosen row off a row, as often as makes its entry 0. It is scaled where the pivot is not 1 or -1.
    void eliminate(size_t target) {
        size_t pivot = pivot_;
        Number *to = row(target), *from = row(pivot);
        Number factor = to[column_], divisor = from[column_];
        if (!factor) return;
        budget_.spend(int64_t(last_ - first_) / 4 + 4);
        if (divisor == 1 || divisor == -1) {
            factor = Number(factor * divisor);
            if (!fits(target, pivot, 1, factor)) fall_back(FOREGONE_LARGE_NUMBERS);
            for (size_t j = first_; j < last_; j++) to[j] -= factor * from[j];
            return;
        }
        if (!fits(target, pivot, divisor, factor)) fall_back(FOREGONE_LARGE_NUMBERS);
        Number common = 0;
        for (size_t j = 0; j < stride_; j++) to[j] = to[j] * divisor - factor * from[j];
        for (size_t j = 0; j < width_ && common != 1; j++)
            if (to[j]) common = std::gcd(common, to[j]);
        if (common > 1)
            for (size_t j = 0; j < width_; j++) to[j] /= common;
        measure(target);
    }

private:
    static constexpr int64_t MOST = std::numeric_limits<Number>::max() / 2;
    size_t width_, stride_, pivot_ = 0, column_ = 0;
    size_t first_ = 0, last_ = 0;  // where the chosen row is not 0, in steps of 8, which is what machines do at once
    Budget& budget_;
    vector<Number> numbers_;
    vector<int64_t> bounds_;

    void measure(size_t i) {
        int64_t most = 0;
        const Number* numbers = row(i);
        for (size_t j = 0; j < width_; j++) most = std::max<int64_t>(most, std::abs(int64_t(numbers[j])));
        bounds_[i] = most;
    }

    // Does times * target - factor * pivot fit? If so its bound becomes that of the target.
    bool fits(size_t target, size_t pivot, int64_t times, int64_t factor) {
        if (bounded(target, pivot, times, factor)) return true;
        measure(target);
        measure(pivot);
        return bounded(target, pivot, times, factor);
    }

    bool bounded(size_t target, size_t pivot, int64_t times, int64_t factor) {
        int64_t one, other, sum;
        if (__builtin_mul_overflow(bounds_[target], std::abs(times), &one)) return false;
        if (__builtin_mul_overflow(bounds_[pivot], std::abs(factor), &other)) return false;
        if (__builtin_add_overflow(one, other, &sum) || sum > MOST) return false;
        bounds_[target] = sum;
        return true;
    }
};

// Arithmetic modulo a prime that is 1 less than a power of 2.
struct Modular {
    static constexpr uint64_t PRIME = 2147483647;

    static uint64_t reduced(uint64_t number) {
        number = (number & PRIME) + (number >> 31);  // below 2^34
        number = (number & PRIME) + (number >> 31);  // at most the prime and a little
        return number >= PRIME ? number - PRIME : number;
    }

    static uint64_t power(uint64_t base, uint64_t exponent) {
        uint64_t found = 1;
        for (base %= PRIME; exponent; exponent >>= 1, base = base * base % PRIME)
            if (exponent & 1) found = found * base % PRIME;
        return found;
    }

    static uint64_t inverse(uint64_t number) { return power(number, PRIME - 2); }

    static uint64_t residue(int64_t number) {
        int64_t rest = number % int64_t(PRIME);
        return uint64_t(rest < 0 ? rest + int64_t(PRIME) : rest);
    }
};

// As Elimination, modulo the prime: numbers do not grow.
class ModularElimination {
public:
    ModularElimination(size_t rows, size_t width, Budget& budget) : width_(width), budget_(budget) {
        budget_.use(rows * width, sizeof(uint32_t));
        numbers_.assign(rows * width, 0);
    }

    ~ModularElimination() { budget_.give_back(numbers_.size(), sizeof(uint32_t)); }
    ModularElimination(const ModularElimination&) = delete;
    ModularElimination& operator=(const ModularElimination&) = delete;

    uint32_t* row(size_t i) { return &numbers_[i * width_]; }

    int pivot_of(size_t i) {
        const uint32_t* numbers = row(i);
        for (size_t j = 0; j < width_; j++)
            if (numbers[j]) return int(j);
        return -1;
    }

    void choose(size_t pivot, size_t column) {
        pivot_ = pivot;
        column_ = column;
        one_over_ = Modular::inverse(row(pivot)[column]);
    }

    void eliminate(size_t target) {
        uint32_t *to = row(target), *from = row(pivot_);
        if (!to[column_]) return;
        budget_.spend(2 * int64_t(width_));
        uint64_t times = Modular::PRIME - to[column_] * one_over_ % Modular::PRIME;
        for (size_t j = 0; j < width_; j++) to[j] = uint32_t(Modular::reduced(to[j] + times * from[j]));
    }

private:
    size_t width_, pivot_ = 0, column_ = 0;
    uint64_t one_over_ = 0;
    Budget& budget_;
    vector<uint32_t> numbers_;
};

class RowSpace {
public:
    vector<int> rows;  // independent ones

    // The span of some rows over the buckets kept.
    RowSpace(const LinearSystem& system, const Flags& kept, const vector<int>& among, Random& random, Budget& budget)
        : system_(system), budget_(budget), kept_(kept) {
        vector<int> all;
        for (int bucket = 0; bucket < system.buckets; bucket++)
            if (kept_[bucket]) all.push_back(bucket);
        vector<int> sample = sample_of(all, among.size());
        for (int round = 0;; round++) {
            find_pivots(sample, among);
            invert();
            if (sample.size() == all.size()) break;
            vector<int> missed = missed_in(all, among, random);
            if (missed.empty()) break;
            if (round > MOST_SAMPLES) fall_back(FOREGONE_LARGE_NUMBERS);
            if (missed.size() > among.size()) missed.resize(among.size());
            sample.insert(sample.end(), missed.begin(), missed.end());
            std::sort(sample.begin(), sample.end());
            sample.erase(std::unique(sample.begin(), sample.end()), sample.end());
        }
        make_orthogonal(all, random);
        made_.assign(system.buckets, 0);
    }

    int rank() const { return int(rows.size()); }

    // Is the count of a set of buckets, as far as they are kept, an exact combination of rows?
    bool expresses(const vector<Mask>& buckets) {
        budget_.spend(2 * int64_t(buckets.size()));
        uint64_t sum = 0;
        for_each_member(buckets, [&](int bucket) { sum += orthogonal_[bucket]; });
        if (sum % PRIME) return false;
        return combined(buckets);
    }

private:
    static constexpr uint64_t PRIME = Modular::PRIME;
    static constexpr int MOST_SAMPLES = 20;
    static constexpr int SAMPLE = 512;  // buckets looked at first, or three for each row if that is more
    static constexpr int64_t LARGEST_DENOMINATOR = 1000000;  // below the prime, so that it has an inverse
    static constexpr int64_t LARGEST_MULTIPLIER = 1 << 24;
    const LinearSystem& system_;
    Budget& budget_;
    Flags kept_;
    vector<int> pivots_;           // as many buckets as there are independent rows
    vector<int64_t> inverse_;      // times the denominator: pivot by pivot, a multiplier for each row
    int64_t denominator_ = 1;
    vector<uint32_t> orthogonal_;  // modulo the prime; 0 on buckets that are not kept
    vector<int64_t> made_;         // what a combination makes of each bucket

    static vector<int> sample_of(const vector<int>& all, size_t rows) {
        size_t most = std::max<size_t>(SAMPLE, 3 * rows);
        if (all.size() <= most) return all;
        vector<int> found;
        double step = double(all.size()) / double(most);
        for (size_t i = 0; i < most; i++) found.push_back(all[size_t(double(i) * step)]);
        return found;
    }

    void find_pivots(const vector<int>& sample, const vector<int>& among) {
        try {
            Elimination<int32_t> matrix(among.size(), sample.size(), budget_);
            find_pivots(sample, among, matrix);
        } catch (const FallBack& fell) {
            if (fell.status != FOREGONE_LARGE_NUMBERS) throw;
            ModularElimination matrix(among.size(), sample.size(), budget_);
            find_pivots(sample, among, matrix);
        }
    }

    template <class Matrix>
    void find_pivots(const vector<int>& sample, const vector<int>& among, Matrix& matrix) {
        size_t number = among.size();
        vector<int> place(system_.rows, -1);
        for (size_t i = 0; i < number; i++) place[among[i]] = int(i);
        for (size_t j = 0; j < sample.size(); j++)
            for (int row : system_.rows_of[sample[j]])
                if (place[row] >= 0) matrix.row(place[row])[j] = 1;
        rows.clear();
        pivots_.clear();
        for (size_t i = 0; i < number; i++) {
            int column = matrix.pivot_of(i);
            if (column < 0) continue;
            rows.push_back(among[i]);
            pivots_.push_back(sample[column]);
            matrix.choose(i, column);
            for (size_t below = i + 1; below < number; below++) matrix.eliminate(below);
        }
    }

    void invert() {
        size_t number = rows.size();
        Elimination<int64_t> matrix(number, 2 * number, budget_);
        vector<int> place(system_.rows, -1), row_of(number, -1);
        for (size_t i = 0; i < number; i++) {
            place[rows[i]] = int(i);
            matrix.row(i)[number + i] = 1;
        }
        for (size_t j = 0; j < number; j++)
            for (int row : system_.rows_of[pivots_[j]])
                if (place[row] >= 0) matrix.row(place[row])[j] = 1;
        Flags used(number, 0);
        for (size_t j = 0; j < number; j++) {
            int best = -1;
            int64_t least = 0;
            for (size_t i = 0; i < number && least != 1; i++) {
                int64_t size = used[i] ? 0 : std::abs(matrix.row(i)[j]);
                if (!size || (best >= 0 && size >= least)) continue;
                best = int(i);
                least = size;
            }
            if (best < 0) fall_back(FOREGONE_LARGE_NUMBERS);
            used[best] = 1;
            row_of[j] = best;
            matrix.choose(best, j);
            for (size_t i = 0; i < number; i++)
                if (int(i) != best) matrix.eliminate(i);
        }
        take_inverse(matrix, row_of);
    }

    void take_inverse(Elimination<int64_t>& matrix, const vector<int>& row_of) {
        size_t number = rows.size();
        denominator_ = 1;
        for (size_t j = 0; j < number; j++) {
            int64_t pivot = std::abs(matrix.row(row_of[j])[j]);
            if (pivot > LARGEST_DENOMINATOR) fall_back(FOREGONE_LARGE_NUMBERS);
            denominator_ = denominator_ / std::gcd(denominator_, pivot) * pivot;
            if (denominator_ > LARGEST_DENOMINATOR) fall_back(FOREGONE_LARGE_NUMBERS);
        }
        inverse_.assign(number * number, 0);
        for (size_t j = 0; j < number; j++) {
            const int64_t* numbers = matrix.row(row_of[j]);
            int64_t scale = denominator_ / numbers[j];
            for (size_t i = 0; i < number; i++) {
                int64_t multiplier = multiplied(numbers[number + i], scale);
                if (std::abs(multiplier) > LARGEST_MULTIPLIER) fall_back(FOREGONE_LARGE_NUMBERS);
                inverse_[j * number + i] = multiplier;
            }
        }
    }

    // Buckets on which a random combination of dependent rows, which is 0 on all pivots, is not 0: dependent rows are
    // not, after all.
    vector<int> missed_in(const vector<int>& all, const vector<int>& among, Random& random) const {
        vector<uint64_t> times(system_.rows, 0), at_pivot(rows.size(), 0);
        vector<int> place(system_.buckets, -1);
        for (size_t j = 0; j < pivots_.size(); j++) place[pivots_[j]] = int(j);
        Flags independent(system_.rows, 0);
        for (int row : rows) independent[row] = 1;
        for (int row : among) {
            if (independent[row]) continue;
            times[row] = random.next() % PRIME;
            for (int bucket : system_.buckets_of[row])
                if (place[bucket] >= 0) at_pivot[place[bucket]] = (at_pivot[place[bucket]] + times[row]) % PRIME;
        }
        uint64_t one_over = Modular::inverse(uint64_t(denominator_));
        for (size_t i = 0; i < rows.size(); i++) {
            uint64_t sum = 0;
            for (size_t j = 0; j < rows.size(); j++)
                if (int64_t number = inverse_[j * rows.size() + i]) sum = (sum + at_pivot[j] * Modular::residue(number)) % PRIME;
            times[rows[i]] = (PRIME - sum * one_over % PRIME) % PRIME;
        }
        vector<int> missed;
        for (int bucket : all) {
            uint64_t sum = 0;
            for (int row : system_.rows_of[bucket]) sum += times[row];
            if (sum % PRIME) missed.push_back(bucket);
        }
        return missed;
    }

    // Random numbers on all buckets but the pivots, and there what makes every row 0.
    void make_orthogonal(const vector<int>& all, Random& random) {
        orthogonal_.assign(system_.buckets, 0);
        for (int bucket : all) orthogonal_[bucket] = uint32_t(random.next() % PRIME);
        for (int bucket : pivots_) orthogonal_[bucket] = 0;
        vector<uint64_t> sums(rows.size(), 0);
        for (size_t i = 0; i < rows.size(); i++) {
            for (int bucket : system_.buckets_of[rows[i]]) sums[i] += orthogonal_[bucket];
            sums[i] %= PRIME;
        }
        uint64_t one_over = Modular::inverse(uint64_t(denominator_));
        for (size_t j = 0; j < pivots_.size(); j++) {
            uint64_t sum = 0;
            for (size_t i = 0; i < rows.size(); i++)
                if (int64_t number = inverse_[j * rows.size() + i]) sum = (sum + sums[i] * Modular::residue(number)) % PRIME;
            orthogonal_[pivots_[j]] = uint32_t((PRIME - sum * one_over % PRIME) % PRIME);
        }
    }

    // The only combination that is right on the pivots; is it on every bucket kept? Multipliers are below 2^24 times
    // the number of rows, which is below 2^20: sums over the rows of a bucket fit in 64 bits.
    bool combined(const vector<Mask>& wanted) {
        vector<int64_t> times(rows.size(), 0);
        for (size_t j = 0; j < pivots_.size(); j++) {
            if (!has(wanted, pivots_[j])) continue;
            for (size_t i = 0; i < rows.size(); i++) times[i] += inverse_[j * rows.size() + i];
        }
        int64_t entries = 0;
        for (size_t i = 0; i < rows.size(); i++) {
            if (!times[i]) continue;
            for (int bucket : system_.buckets_of[rows[i]]) made_[bucket] += times[i];
            entries += system_.buckets_of[rows[i]].size();
        }
        budget_.spend(entries + system_.buckets);
        bool found = true;
        for (int bucket = 0; bucket < system_.buckets; bucket++) {
            if (kept_[bucket] && made_[bucket] != (has(wanted, bucket) ? denominator_ : 0)) found = false;
            made_[bucket] = 0;
        }
        return found;
    }
};

}  // namespace foregone
