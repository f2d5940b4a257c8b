// Live records that belong to exactly the same counts are one bucket; the counts are rows of a linear system over
// buckets.
//
// Records of one bucket can be exchanged freely. Every weight is 1: row r says that the records of its buckets are
// at least low[r] and at most high[r] many. Counts about the same buckets are one row, with the tightest limits. Some
// rows with upper limits together touch every bucket (the cover), so the number of records is limited, and with it
// every row.
//
// Twins in Python: engine/system/buckets.py and engine/system/linear.py.
#pragma once

#include <queue>

#include "live_records.hpp"

namespace foregone {

// Lists of whole numbers end to end: list i is members[starts[i]] up to members[starts[i + 1]].
struct Lists {
    vector<int> starts{0}, members;

    struct View {
        const int *first, *last;
        const int* begin() const { return first; }
        const int* end() const { return last; }
        int size() const { return int(last - first); }
    };

    View operator[](size_t i) const { return {members.data() + starts[i], members.data() + starts[i + 1]}; }
    void close() { starts.push_back(int(members.size())); }
    int number() const { return int(starts.size()) - 1; }
};

// Larger datasets are not done here: records are moved one by one, and their counts added up in 16 bits.
constexpr int64_t MOST_RECORDS_OF_DATASET = 20000;

struct LinearSystem {
    int columns = 0, records = 0, buckets = 0, rows = 0;
    vector<uint8_t> atoms;     // record by record; records of a bucket stand together
    vector<int> bucket_of;       // of each record
    vector<int> first_record;  // of each bucket, and one after the last
    Lists rows_of;             // bucket -> rows, ascending
    Lists buckets_of;            // row -> buckets, ascending
    vector<int64_t> low, high;   // of rows: least and greatest number of records
    Flags fixed;               // rows that a single exact count fixes: combinations of these are proofs
    Flags telling;             // rows that limit anything
    bool slack = false;        // is some row a range?
    vector<int> cover;         // rows with upper limits that together touch every bucket

    const uint8_t* record(int i) const { return &atoms[size_t(i) * columns]; }
    bool plain() const { return records == buckets; }  // is every record a bucket of its own?
    bool exact(int row) const { return low[row] == high[row]; }

    // Is the number of records the same in all datasets, and known as the limit of a row?
    bool counted() const { return cover.size() == 1 && exact(cover[0]); }
};

class Compiler {
public:
    Compiler(const Plan& plan, const Counts& counts, Budget& budget)
        : plan_(plan), counts_(counts), budget_(budget), zeros_(plan, counts, budget),
          found_(Joiner(zeros_, budget).join()) {}

    LinearSystem compile() {
        find_boxes();
        if (boxes_.empty()) fall_back(FOREGONE_NO_TOTAL);
        group_records();
        LinearSystem system;
        system.columns = plan_.columns;
        put_records(system);
        make_rows(system);
        return system;
    }

private:
    // The queries that give a row its limits: the greatest least number and the least greatest one.
    struct Sources {
        int lower, upper;
    };

    const Plan& plan_;
    Counts counts_;
    Budget& budget_;
    Zeros zeros_;
    JoinedRecords found_;
    vector<size_t> boxes_;     // different seen boxes that may hold something
    vector<Sources> sources_;  // of each of these
    size_t words_ = 0;         // of a signature, one bit for each of these
    vector<Mask> signatures_;  // bucket by bucket
    vector<int> bucket_of_;      // of each record, in the order in which they were joined

    // On ties an exact count is preferred, so that a row that one of them fixes has a single source; then the first.
    void tighten(Sources& known, const Sources& other) const {
        const int64_t *low = counts_.low, *high = counts_.high;
        int a = known.lower, b = other.lower;
        if (low[b] != low[a] ? low[b] > low[a] : high[b] != high[a] ? high[b] < high[a] : b < a) known.lower = b;
        a = known.upper;
        b = other.upper;
        if (high[b] != high[a] ? high[b] < high[a] : low[b] != low[a] ? low[b] > low[a] : b < a) known.upper = b;
    }

    // Of boxes with the same sides, the first.
    void find_boxes() {
        vector<size_t> filled;
        for (size_t i = 0; i < zeros_.seen.size(); i++)
            if (!zeros_.seen[i].empty) filled.push_back(i);
        size_t bytes = plan_.columns * sizeof(Mask);
        std::sort(filled.begin(), filled.end(), [&](size_t i, size_t j) {
            int compared = memcmp(zeros_.sides(i), zeros_.sides(j), bytes);
            return compared ? compared < 0 : i < j;
        });
        vector<std::pair<size_t, Sources>> found;
        for (size_t i : filled) {
            Sources mine{zeros_.seen[i].number, zeros_.seen[i].number};
            bool is_new = found.empty() || memcmp(zeros_.sides(found.back().first), zeros_.sides(i), bytes);
            if (is_new) found.push_back({i, mine});
            else tighten(found.back().second, mine);
        }
        std::sort(found.begin(), found.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
        for (const auto& [box, sources] : found) {
            boxes_.push_back(box);
            sources_.push_back(sources);
        }
        words_ = words_for(boxes_.size());
    }

    // For each column and atom, the boxes that allow it.
    vector<vector<Mask>> allowing() const {
        vector<vector<Mask>> found(plan_.columns);
        for (int c = 0; c < plan_.columns; c++) {
            found[c].assign(zeros_.widths[c] * words_, 0);
            for (size_t b = 0; b < boxes_.size(); b++)
                for_each_bit(zeros_.side(boxes_[b], c),
                             [&](int atom) { found[c][atom * words_ + (b >> 6)] |= bit(b & 63); });
        }
        return found;
    }

    // Buckets are numbered in the order in which they are met. Signatures are hashed to find them and then compared
    // word by word.
    void group_records() {
        vector<vector<Mask>> allowed = allowing();
        size_t levels = plan_.columns;
        vector<Mask> stack((levels + 1) * words_, 0);  // of the beginnings of a record; neighbours share most of them
        for (size_t b = 0; b < boxes_.size(); b++) stack[b >> 6] |= bit(b & 63);
        size_t slots = 16;
        while (slots < found_.number * 2) slots *= 2;
        budget_.use(slots + found_.number, sizeof(int));
        vector<int> table(slots, -1);
        bucket_of_.resize(found_.number);
        int buckets = 0;
        for (size_t i = 0; i < found_.number; i++) {
            const uint8_t* record = found_.record(i);
            size_t level = 0;
            if (i)
                while (level < levels && record[level] == found_.record(i - 1)[level]) level++;
            for (; level < levels; level++) {
                const Mask* before = &stack[level * words_];
                const Mask* mine = &allowed[found_.order[level]][record[level] * words_];
                Mask* after = &stack[(level + 1) * words_];
                for (size_t w = 0; w < words_; w++) after[w] = before[w] & mine[w];
            }
            budget_.spend(4 * int64_t(words_) + 10);
            const Mask* signature = &stack[levels * words_];
            uint64_t hash = 0;
            for (size_t w = 0; w < words_; w++) hash = mixed(hash, signature[w]);
            size_t slot = hash & (slots - 1);
            while (table[slot] >= 0 && memcmp(&signatures_[table[slot] * words_], signature, words_ * sizeof(Mask)))
                slot = (slot + 1) & (slots - 1);
            if (table[slot] < 0) {
                table[slot] = buckets++;
                budget_.use(words_, sizeof(Mask));
                signatures_.insert(signatures_.end(), signature, signature + words_);
            }
            bucket_of_[i] = table[slot];
        }
    }

    void put_records(LinearSystem& system) const {
        system.records = int(found_.number);
        system.buckets = int(signatures_.size() / words_);
        system.first_record.assign(system.buckets + 1, 0);
        for (int bucket : bucket_of_) system.first_record[bucket + 1]++;
        std::partial_sum(system.first_record.begin(), system.first_record.end(), system.first_record.begin());
        vector<int> next(system.first_record.begin(), system.first_record.end() - 1);
        budget_.use(found_.number, plan_.columns + sizeof(int));
        system.atoms.resize(found_.number * plan_.columns);
        system.bucket_of.resize(found_.number);
        for (size_t i = 0; i < found_.number; i++) {
            int at = next[bucket_of_[i]]++;
            system.bucket_of[at] = bucket_of_[i];
            for (int level = 0; level < plan_.columns; level++) {
                int column = found_.order[level], atom = zeros_.atoms[column][found_.record(i)[level]];
                system.atoms[size_t(at) * plan_.columns + column] = uint8_t(atom);
            }
        }
    }

    void make_rows(LinearSystem& system) const {
        vector<vector<int>> buckets(boxes_.size());  // of each box
        size_t entries = 0;
        for (int bucket = 0; bucket < system.buckets; bucket++)
            for (size_t w = 0; w < words_; w++)
                for_each_bit(signatures_[bucket * words_ + w], [&](int i) {
                    buckets[w * 64 + i].push_back(bucket);
                    entries++;
                });
        budget_.use(3 * entries, sizeof(int));
        budget_.spend(4 * int64_t(entries));
        merge_rows(system, buckets);
        vector<int> sizes(system.buckets + 1, 0);
        for (int bucket : system.buckets_of.members) sizes[bucket + 1]++;
        system.rows_of.starts.assign(sizes.begin(), sizes.end());
        std::partial_sum(sizes.begin(), sizes.end(), system.rows_of.starts.begin());
        system.rows_of.members.resize(system.buckets_of.members.size());
        vector<int> next(system.rows_of.starts.begin(), system.rows_of.starts.end() - 1);
        for (int row = 0; row < system.rows; row++)
            for (int bucket : system.buckets_of[row]) system.rows_of.members[next[bucket]++] = row;
        find_cover(system);
        limit_rows(system);
    }

    // Boxes over the same buckets are one row: a hash finds them, and the buckets are compared one by one.
    void merge_rows(LinearSystem& system, const vector<vector<int>>& buckets) const {
        std::unordered_multimap<uint64_t, int> known;  // hash -> row
        vector<Sources> sources;                       // of each row
        for (size_t b = 0; b < boxes_.size(); b++) {
            if (buckets[b].empty()) {
                if (counts_.low[sources_[b].lower]) fall_back(FOREGONE_CONTRADICTION, sources_[b].lower);
                continue;
            }
            uint64_t hash = 0;
            for (int bucket : buckets[b]) hash = mixed(hash, bucket);
            bool merged = false;
            for (auto [at, last] = known.equal_range(hash); at != last && !merged; ++at) {
                auto row = system.buckets_of[at->second];
                merged = std::equal(row.begin(), row.end(), buckets[b].begin(), buckets[b].end());
                if (merged) tighten(sources[at->second], sources_[b]);
            }
            if (merged) continue;
            known.emplace(hash, system.rows);
            system.buckets_of.members.insert(system.buckets_of.members.end(), buckets[b].begin(), buckets[b].end());
            system.buckets_of.close();
            sources.push_back(sources_[b]);
            system.rows++;
        }
        for (const Sources& of_row : sources) {
            int64_t low = counts_.low[of_row.lower], high = counts_.high[of_row.upper];
            if (low > high) fall_back(FOREGONE_CONTRADICTION, of_row.lower);
            system.low.push_back(low);
            system.high.push_back(high);
            system.fixed.push_back(low == high && of_row.lower == of_row.upper);
            system.telling.push_back(low > 0 || high != FOREGONE_NO_LIMIT);
            system.slack |= low < high;
        }
    }

    // A row over everything, as a published total is, or greedily, whatever touches most of what is left. What a row
    // would add only shrinks, so one that is still ahead after a new look is the best.
    void find_cover(LinearSystem& system) const {
        using Offer = std::array<int64_t, 3>;  // what it adds, less is better of its limit and its number
        std::priority_queue<Offer> offers;
        for (int row = 0; row < system.rows; row++)
            if (system.high[row] != FOREGONE_NO_LIMIT)
                offers.push({system.buckets_of[row].size(), -system.high[row], -row});
        Flags open(system.buckets, 1);
        int64_t left = system.buckets;
        while (left && !offers.empty()) {
            Offer best = offers.top();
            offers.pop();
            int row = int(-best[2]);
            best[0] = 0;
            for (int bucket : system.buckets_of[row]) best[0] += open[bucket];
            budget_.spend(system.buckets_of[row].size());
            if (best[0] && !offers.empty() && best < offers.top()) {
                offers.push(best);
            } else if (best[0]) {
                system.cover.push_back(row);
                for (int bucket : system.buckets_of[row]) open[bucket] = 0;
                left -= best[0];
            }
        }
        if (left) fall_back(FOREGONE_NO_TOTAL);
    }

    // No row has more records than there are.
    void limit_rows(LinearSystem& system) const {
        int64_t most = 0;
        for (int row : system.cover) most = added(most, system.high[row]);
        if (most > MOST_RECORDS_OF_DATASET) fall_back(FOREGONE_LARGE_DATASET, most);
        for (int row = 0; row < system.rows; row++) {
            if (system.low[row] > most) fall_back(FOREGONE_CONTRADICTION);
            system.high[row] = std::min(system.high[row], most);
        }
    }
};

}  // namespace foregone
