// Live records that belong to exactly the same counts are one bucket; the counts are rows of a linear system over
// buckets.
//
// Records of one bucket can be exchanged freely. Every weight is 1 and every row is exact: row r says that the
// records of its buckets are limits[r] many. Counts about the same buckets are one row.
//
// Twins in Python: engine/system/buckets.py and engine/system/linear.py.
#pragma once

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

struct LinearSystem {
    int columns = 0, records = 0, buckets = 0, rows = 0;
    vector<uint8_t> atoms;     // record by record; records of a bucket stand together
    vector<int> bucket_of;       // of each record
    vector<int> first_record;  // of each bucket, and one after the last
    Lists rows_of;             // bucket -> rows, ascending
    Lists buckets_of;            // row -> buckets, ascending
    vector<int64_t> limits;    // of rows: the number of records
    int whole = -1;            // a row over all buckets

    const uint8_t* record(int i) const { return &atoms[size_t(i) * columns]; }
    bool plain() const { return records == buckets; }  // is every record a bucket of its own?
    int64_t size() const { return limits[whole]; }   // records of a dataset
};

class Compiler {
public:
    Compiler(const Plan& plan, const int64_t* counts, Budget& budget)
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
    const Plan& plan_;
    const int64_t* counts_;
    Budget& budget_;
    Zeros zeros_;
    JoinedRecords found_;
    vector<size_t> boxes_;     // different seen boxes that hold something
    size_t words_ = 0;         // of a signature, one bit for each of these
    vector<Mask> signatures_;  // bucket by bucket
    vector<int> bucket_of_;      // of each record, in the order in which they were joined

    int64_t count(size_t seen_box) const { return counts_[zeros_.seen[seen_box].number]; }

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
        for (size_t i : filled) {
            if (boxes_.empty() || memcmp(zeros_.sides(boxes_.back()), zeros_.sides(i), bytes)) boxes_.push_back(i);
            else if (count(boxes_.back()) != count(i)) fall_back(FOREGONE_CONTRADICTION, zeros_.seen[i].number);
        }
        std::sort(boxes_.begin(), boxes_.end());
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
        if (system.whole < 0) fall_back(FOREGONE_NO_TOTAL);
        vector<int> sizes(system.buckets + 1, 0);
        for (int bucket : system.buckets_of.members) sizes[bucket + 1]++;
        system.rows_of.starts.assign(sizes.begin(), sizes.end());
        std::partial_sum(sizes.begin(), sizes.end(), system.rows_of.starts.begin());
        system.rows_of.members.resize(system.buckets_of.members.size());
        vector<int> next(system.rows_of.starts.begin(), system.rows_of.starts.end() - 1);
        for (int row = 0; row < system.rows; row++)
            for (int bucket : system.buckets_of[row]) system.rows_of.members[next[bucket]++] = row;
        for (int bucket = 0; bucket < system.buckets; bucket++)
            if (!system.rows_of[bucket].size()) fall_back(FOREGONE_UNSEEN);
    }

    // Boxes over the same buckets are one row: a hash finds them, and the buckets are compared one by one.
    void merge_rows(LinearSystem& system, const vector<vector<int>>& buckets) const {
        std::unordered_multimap<uint64_t, int> known;  // hash -> row
        for (size_t b = 0; b < boxes_.size(); b++) {
            if (buckets[b].empty()) fall_back(FOREGONE_CONTRADICTION, zeros_.seen[boxes_[b]].number);
            uint64_t hash = 0;
            for (int bucket : buckets[b]) hash = mixed(hash, bucket);
            bool merged = false;
            for (auto [at, last] = known.equal_range(hash); at != last && !merged; ++at) {
                auto row = system.buckets_of[at->second];
                merged = std::equal(row.begin(), row.end(), buckets[b].begin(), buckets[b].end());
                if (merged && system.limits[at->second] != count(boxes_[b]))
                    fall_back(FOREGONE_CONTRADICTION, zeros_.seen[boxes_[b]].number);
            }
            if (merged) continue;
            known.emplace(hash, system.rows);
            if (int(buckets[b].size()) == system.buckets) system.whole = system.rows;
            system.buckets_of.members.insert(system.buckets_of.members.end(), buckets[b].begin(), buckets[b].end());
            system.buckets_of.close();
            system.limits.push_back(count(boxes_[b]));
            system.rows++;
        }
    }
};

}  // namespace foregone
