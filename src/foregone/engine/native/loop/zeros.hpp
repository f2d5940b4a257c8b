// Where no record can be: published zeros, rules, and zeros that counts imply, as yes/no tables over small sets of
// columns.
//
// A count of 0 and a rule each empty a box. And if boxes inside another one do not overlap and have at least as many
// records as that one may have, everything of it outside them is empty. All is looked at among the atoms that are
// still alive, so tables stay small.
//
// Twins in Python: engine/system/zeros.py and engine/system/implied.py.
#pragma once

#include "plan.hpp"

namespace foregone {

// Which combinations of alive atoms of some columns are possible; the last column changes fastest.
struct OpenTable {
    vector<int> columns;
    Flags open;
};

// A box among alive atoms that holds something.
struct SeenBox {
    int number;         // query or rule
    bool empty;         // it holds no record
    ColumnSet pattern;  // the columns it restricts
};

class Zeros {
public:
    vector<Mask> alive;         // of each column, the atoms that some record may have
    vector<vector<int>> atoms;  // the same as lists; from here on atoms are numbered by their place in these
    vector<int> widths;         // how many they are
    vector<SeenBox> seen;
    vector<OpenTable> tables;

    Zeros(const Plan& plan, const Counts& counts, Budget& budget) : plan_(plan), counts_(counts), budget_(budget) {
        trim();
        number_atoms();
        see_boxes();
        imply();
    }

    // The alive atoms that a box allows in a column.
    Mask side(size_t seen_box, int column) const { return sides_[seen_box * plan_.columns + column]; }
    const Mask* sides(size_t seen_box) const { return &sides_[seen_box * plan_.columns]; }

private:
    static constexpr int64_t MOST_COMBINATIONS = 1 << 13;  // IMPLIED_LIMIT in Python, which can also do with more
    const Plan& plan_;
    Counts counts_;
    Budget& budget_;
    vector<Mask> sides_;  // seen box by seen box

    bool empty(int box) const { return box >= plan_.queries || counts_.high[box] == 0; }

    // An empty box that restricts one column only, among atoms alive, kills atoms; that may make the next one tell.
    void trim() {
        alive = plan_.full;
        vector<int> boxes, rest;
        for (int b = 0; b < plan_.boxes; b++)
            if (empty(b)) boxes.push_back(b);
        vector<Mask> killed(plan_.columns);
        for (bool again = true; again;) {
            budget_.spend(int64_t(boxes.size()) * plan_.columns);
            again = false;
            std::fill(killed.begin(), killed.end(), 0);
            rest.clear();
            for (int b : boxes) {
                int restricted = 0, column = -1;
                if (!restricts(b, restricted, column)) continue;
                if (!restricted) fall_back(FOREGONE_NOTHING_POSSIBLE);
                if (restricted > 1) {
                    rest.push_back(b);
                } else {
                    killed[column] |= plan_.box(b)[column] & alive[column];
                    again = true;
                }
            }
            for (int c = 0; c < plan_.columns; c++)
                if (!(alive[c] &= ~killed[c])) fall_back(FOREGONE_NOTHING_POSSIBLE);
            boxes.swap(rest);
        }
    }

    // How many columns a box restricts among atoms alive, and the last of them; false if it holds nothing.
    bool restricts(int box, int& number, int& column) const {
        bool holds = true;
        for_each_bit(plan_.box_columns[box], [&](int c) {
            Mask here = plan_.box(box)[c] & alive[c];
            holds = holds && here;
            if (here == alive[c]) return;
            number++;
            column = c;
        });
        return holds;
    }

    void number_atoms() {
        atoms.resize(plan_.columns);
        for (int c = 0; c < plan_.columns; c++) {
            for_each_bit(alive[c], [&](int atom) { atoms[c].push_back(atom); });
            widths.push_back(int(atoms[c].size()));
        }
    }

    void see_boxes() {
        budget_.use(size_t(plan_.boxes) * plan_.columns, sizeof(Mask));
        for (int b = 0; b < plan_.boxes; b++) {
            const Mask* box = plan_.box(b);
            ColumnSet pattern = 0;
            bool exists = true;
            for_each_bit(plan_.box_columns[b], [&](int c) {
                exists = exists && (box[c] & alive[c]);
                if (!inside(alive[c], box[c])) pattern |= ColumnSet(1) << c;
            });
            if (!exists) {
                if (!empty(b) && counts_.low[b]) fall_back(FOREGONE_CONTRADICTION, b);
                continue;
            }
            seen.push_back({b, empty(b), pattern});
            for (int c = 0; c < plan_.columns; c++) sides_.push_back(renumbered(box[c], c));
        }
    }

    Mask renumbered(Mask side, int column) const {
        if (inside(alive[column], side)) return first_bits(widths[column]);
        Mask found = 0;
        for (int a = 0; a < widths[column]; a++) found |= (side >> atoms[column][a] & 1) << a;
        return found;
    }

    // Sets of columns that lie in no other of them.
    static vector<ColumnSet> greatest(vector<ColumnSet> sets) {
        std::sort(sets.begin(), sets.end());
        sets.erase(std::unique(sets.begin(), sets.end()), sets.end());
        vector<ColumnSet> found;
        for (ColumnSet set : sets) {
            auto around = [&](ColumnSet other) { return other != set && (set | other) == other; };
            if (std::none_of(sets.begin(), sets.end(), around)) found.push_back(set);
        }
        return found;
    }

    void imply() {
        vector<ColumnSet> patterns;
        for (const SeenBox& box : seen)
            if (box.pattern) patterns.push_back(box.pattern);
        for (ColumnSet pattern : patterns) combinations(pattern);
        for (ColumnSet pattern : greatest(patterns)) tables.push_back(table_over(pattern));
    }

    int64_t combinations(ColumnSet pattern) const {
        int64_t number = 1;
        for_each_bit(pattern, [&](int c) {
            number *= widths[c];
            if (number > MOST_COMBINATIONS) fall_back(FOREGONE_TOO_WIDE, number);
        });
        return number;
    }

    // Boxes that may hold something, as sets of combinations over some columns.
    struct Filled {
        size_t words;
        vector<Mask> sets;          // box by box
        vector<int64_t> low, high;  // records
        vector<int> sizes;          // combinations
        vector<ColumnSet> patterns;

        const Mask* set(int i) const { return &sets[size_t(i) * words]; }
        int number() const { return int(low.size()); }
        bool same(int i, int j) const { return !memcmp(set(i), set(j), words * sizeof(Mask)); }
        bool contains(int whole, int part) const {
            for (size_t w = 0; w < words; w++)
                if (!inside(set(part)[w], set(whole)[w])) return false;
            return true;
        }
    };

    OpenTable table_over(ColumnSet pattern) {
        OpenTable table;
        for_each_bit(pattern, [&](int c) { table.columns.push_back(c); });
        int64_t size = combinations(pattern);
        Filled filled;
        filled.words = words_for(size);
        vector<Mask> closed(filled.words, 0);
        for (size_t i = 0; i < seen.size(); i++) {
            if (seen[i].pattern & ~pattern) continue;
            if (seen[i].empty) {
                mark(i, table.columns, closed.data());
                continue;
            }
            budget_.use(filled.words, sizeof(Mask));
            filled.sets.resize(filled.sets.size() + filled.words, 0);
            filled.sizes.push_back(mark(i, table.columns, &filled.sets[filled.sets.size() - filled.words]));
            filled.low.push_back(counts_.low[seen[i].number]);
            filled.high.push_back(counts_.high[seen[i].number]);
            filled.patterns.push_back(seen[i].pattern);
        }
        close_without_room(filled, closed);
        table.open.resize(size);
        for (int64_t at = 0; at < size; at++) table.open[at] = !has(closed, at);
        return table;
    }

    // Put the combinations inside a box into a set; how many they are.
    int mark(size_t box, const vector<int>& columns, Mask* set) const {
        vector<int> places{0}, longer;
        for (int c : columns) {
            longer.clear();
            for (int place : places)
                for_each_bit(side(box, c), [&](int atom) { longer.push_back(place * widths[c] + atom); });
            places.swap(longer);
        }
        for (int place : places) set[place >> 6] |= bit(place & 63);
        return int(places.size());
    }

    // One of boxes that are the same set, smallest sets first: the first of those that `before` puts first.
    template <class Before> vector<int> different(const Filled& filled, const vector<int>& some, Before before) const {
        vector<int> order(some), found;
        std::sort(order.begin(), order.end(), [&](int i, int j) {
            if (filled.sizes[i] != filled.sizes[j]) return filled.sizes[i] < filled.sizes[j];
            int compared = memcmp(filled.set(i), filled.set(j), filled.words * sizeof(Mask));
            if (compared) return compared < 0;
            return before(i, j) || (!before(j, i) && i < j);
        });
        for (int i : order)
            if (found.empty() || !filled.same(found.back(), i)) found.push_back(i);
        std::sort(found.begin(), found.end(), [&](int i, int j) {
            return filled.sizes[i] != filled.sizes[j] ? filled.sizes[i] < filled.sizes[j] : i < j;
        });
        return found;
    }

    // Parts are taken greedily, smallest first; tables over different columns one by one, so that they do not get in
    // each other's way. Of boxes that are the same, the one that needs most is the part, and the one that may have
    // least the container.
    void close_without_room(const Filled& filled, vector<Mask>& closed) {
        vector<int> needing, limited;
        for (int i = 0; i < filled.number(); i++) {
            if (filled.low[i]) needing.push_back(i);
            if (filled.high[i] != FOREGONE_NO_LIMIT) limited.push_back(i);
        }
        auto needs_more = [&](int i, int j) { return filled.low[i] > filled.low[j]; };
        auto may_have_less = [&](int i, int j) { return filled.high[i] < filled.high[j]; };
        vector<int> order = different(filled, needing, needs_more), containers = order;
        if (filled.low != filled.high) containers = different(filled, limited, may_have_less);
        vector<ColumnSet> tops = greatest(filled.patterns);
        vector<Mask> taken(filled.words), implied(filled.words, 0);
        vector<int> parts;
        for (int whole : containers) {
            budget_.spend(int64_t(order.size()) * 4);
            parts.clear();
            for (int i : order) {
                if (filled.sizes[i] >= filled.sizes[whole]) break;
                if (filled.contains(whole, i)) parts.push_back(i);
            }
            for (ColumnSet top : tops) {
                if (parts.empty() || !used_up(filled, whole, parts, top, taken)) continue;
                for (size_t w = 0; w < filled.words; w++) implied[w] |= filled.set(whole)[w] & ~taken[w];
            }
        }
        for (size_t w = 0; w < filled.words; w++) closed[w] |= implied[w];
    }

    bool used_up(const Filled& filled, int whole, const vector<int>& parts, ColumnSet top, vector<Mask>& taken) const {
        std::fill(taken.begin(), taken.end(), 0);
        int64_t total = 0;
        bool some = false;
        for (int part : parts) {
            if ((filled.patterns[part] | top) != top) continue;
            const Mask* set = filled.set(part);
            bool overlaps = false;
            for (size_t w = 0; w < filled.words && !overlaps; w++) overlaps = set[w] & taken[w];
            if (overlaps) continue;
            for (size_t w = 0; w < filled.words; w++) taken[w] |= set[w];
            total = added(total, filled.low[part]);
            some = true;
        }
        return some && total >= filled.high[whole];
    }
};

}  // namespace foregone
