// Live records that belong to exactly the same counts are one kind; the counts are rows of a linear system over kinds.
//
// Records of one kind can be exchanged freely. Every weight is 1 and every row is exact: row r says that the records of its kinds
// are limits[r] many. Counts about the same kinds are one row.
//
// Twins in Python: engine/system/cells.py and engine/system/linear.py.
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
    int columns = 0, records = 0, kinds = 0, rows = 0;
    vector<uint8_t> atoms;     // record by record; records of a kind stand together
    vector<int> kind_of;       // of each record
    vector<int> first_record;  // of each kind, and one after the last
    Lists rows_of;             // kind -> rows, ascending
    Lists kinds_of;            // row -> kinds, ascending
    vector<int64_t> limits;    // of rows: the number of records
    int whole = -1;            // a row over all kinds

    const uint8_t* record(int i) const { return &atoms[size_t(i) * columns]; }
    bool plain() const { return records == kinds; }  // is every record a kind of its own?
    int64_t size() const { return limits[whole]; }   // records of a dataset
};

class Compiler {
public:
    Compiler(const Plan& plan, const int64_t* counts, Budget& budget)
        : plan_(plan), counts_(counts), budget_(budget), zeros_(plan, counts, budget), found_(Joiner(zeros_, budget).join()) {}

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
    vector<Mask> signatures_;  // kind by kind
    vector<int> kind_of_;      // of each record, in the order in which they were joined

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

    // Kinds are numbered in the order in which they are met. Signatures are hashed to find them and then compared word by word.
    void group_records() {
        vector<vector<Mask>> allowed = allowing();
        size_t levels = plan_.columns;
        vector<Mask> stack((levels + 1) * words_, 0);  // signatures of the beginnings of a record; neighbours share most of them
        for (size_t b = 0; b < boxes_.size(); b++) stack[b >> 6] |= bit(b & 63);
        size_t slots = 16;
        while (slots < found_.number * 2) slots *= 2;
        budget_.use(slots + found_.number, sizeof(int));
        vector<int> table(slots, -1);
        kind_of_.resize(found_.number);
        int kinds = 0;
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
                table[slot] = kinds++;
                budget_.use(words_, sizeof(Mask));
                signatures_.insert(signatures_.end(), signature, signature + words_);
            }
            kind_of_[i] = table[slot];
        }
    }

    void put_records(LinearSystem& system) const {
        system.records = int(found_.number);
        system.kinds = int(signatures_.size() / words_);
        system.first_record.assign(system.kinds + 1, 0);
        for (int kind : kind_of_) system.first_record[kind + 1]++;
        for (int kind = 0; kind < system.kinds; kind++) system.first_record[kind + 1] += system.first_record[kind];
        vector<int> next(system.first_record.begin(), system.first_record.end() - 1);
        budget_.use(found_.number, plan_.columns + sizeof(int));
        system.atoms.resize(found_.number * plan_.columns);
        system.kind_of.resize(found_.number);
        for (size_t i = 0; i < found_.number; i++) {
            int at = next[kind_of_[i]]++;
            system.kind_of[at] = kind_of_[i];
            for (int level = 0; level < plan_.columns; level++) {
                int column = found_.order[level];
                system.atoms[size_t(at) * plan_.columns + column] = uint8_t(zeros_.atoms[column][found_.record(i)[level]]);
            }
        }
    }

    void make_rows(LinearSystem& system) const {
        vector<vector<int>> kinds(boxes_.size());  // of each box
        size_t entries = 0;
        for (int kind = 0; kind < system.kinds; kind++)
            for (size_t w = 0; w < words_; w++)
                for_each_bit(signatures_[kind * words_ + w], [&](int i) {
                    kinds[w * 64 + i].push_back(kind);
                    entries++;
                });
        budget_.use(3 * entries, sizeof(int));
        budget_.spend(4 * int64_t(entries));
        merge_rows(system, kinds);
        if (system.whole < 0) fall_back(FOREGONE_NO_TOTAL);
        vector<int> sizes(system.kinds + 1, 0);
        for (int kind : system.kinds_of.members) sizes[kind + 1]++;
        system.rows_of.starts.assign(sizes.begin(), sizes.end());
        std::partial_sum(sizes.begin(), sizes.end(), system.rows_of.starts.begin());
        system.rows_of.members.resize(system.kinds_of.members.size());
        vector<int> next(system.rows_of.starts.begin(), system.rows_of.starts.end() - 1);
        for (int row = 0; row < system.rows; row++)
            for (int kind : system.kinds_of[row]) system.rows_of.members[next[kind]++] = row;
        for (int kind = 0; kind < system.kinds; kind++)
            if (!system.rows_of[kind].size()) fall_back(FOREGONE_UNSEEN);
    }

    // Boxes over the same kinds are one row: a hash finds them, and the kinds are compared one by one.
    void merge_rows(LinearSystem& system, const vector<vector<int>>& kinds) const {
        std::unordered_multimap<uint64_t, int> known;  // hash -> row
        for (size_t b = 0; b < boxes_.size(); b++) {
            if (kinds[b].empty()) fall_back(FOREGONE_CONTRADICTION, zeros_.seen[boxes_[b]].number);
            uint64_t hash = 0;
            for (int kind : kinds[b]) hash = mixed(hash, kind);
            bool merged = false;
            for (auto [at, last] = known.equal_range(hash); at != last && !merged; ++at) {
                auto row = system.kinds_of[at->second];
                merged = std::equal(row.begin(), row.end(), kinds[b].begin(), kinds[b].end());
                if (merged && system.limits[at->second] != count(boxes_[b]))
                    fall_back(FOREGONE_CONTRADICTION, zeros_.seen[boxes_[b]].number);
            }
            if (merged) continue;
            known.emplace(hash, system.rows);
            if (int(kinds[b].size()) == system.kinds) system.whole = system.rows;
            system.kinds_of.members.insert(system.kinds_of.members.end(), kinds[b].begin(), kinds[b].end());
            system.kinds_of.close();
            system.limits.push_back(count(boxes_[b]));
            system.rows++;
        }
    }
};

}  // namespace foregone
