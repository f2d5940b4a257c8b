// The records that the zeros leave possible, one column at a time, never the full product.
//
// Twin in Python: engine/system/live.py.
#pragma once

#include "zeros.hpp"

namespace foregone {

// Records as atoms (numbered among those alive), columns in the order in which they were joined.
struct JoinedRecords {
    vector<int> order;      // of columns
    vector<uint8_t> atoms;  // record by record
    size_t number = 1;

    const uint8_t* record(size_t i) const { return &atoms[i * order.size()]; }
};

class Joiner {
public:
    Joiner(const Zeros& zeros, Budget& budget) : zeros_(zeros), budget_(budget), columns_(int(zeros.widths.size())) {}

    JoinedRecords join() {
        JoinedRecords found;
        found.order = join_order();
        found.atoms.assign(columns_, 0);
        place_.assign(columns_, -1);
        for (int level = 0; level < columns_; level++) {
            place_[found.order[level]] = level;
            add_column(found, level);
        }
        return found;
    }

private:
    static constexpr double EASY = 16384;  // up to so many combinations of alive atoms any order of columns will do
    const Zeros& zeros_;
    Budget& budget_;
    int columns_;
    vector<int> place_;  // of each column in the order, -1 while it is not joined

    // A table as seen by the column that is joined next: the atoms that it allows beside those of columns joined
    // before.
    struct Lookup {
        vector<std::pair<int, int>> radix;  // place of a column in a record, and what its atom counts
        vector<Mask> allowed;
    };

    static vector<int> strides(const OpenTable& table, const vector<int>& widths) {
        vector<int> found(table.columns.size(), 1);
        for (int i = int(found.size()) - 2; i >= 0; i--) found[i] = found[i + 1] * widths[table.columns[i + 1]];
        return found;
    }

    // Start with the narrowest column; then always the one whose expected growth is least.
    vector<int> join_order() const {
        vector<double> growth(columns_);
        vector<vector<double>> density(columns_, vector<double>(columns_, 0));  // log of the share of allowed pairs
        double product = 1;
        for (int c = 0; c < columns_; c++) {
            growth[c] = std::log(double(zeros_.widths[c]));
            product *= zeros_.widths[c];
        }
        if (product > EASY)
            for (const OpenTable& table : zeros_.tables) thin(table, density);
        vector<int> order;
        Flags left(columns_, 1);
        for (int round = 0; round < columns_; round++) {
            int best = -1;
            for (int c = 0; c < columns_; c++)
                if (left[c] && (best < 0 || growth[c] < growth[best])) best = c;
            order.push_back(best);
            left[best] = 0;
            for (int c = 0; c < columns_; c++) growth[c] += density[best][c];
        }
        return order;
    }

    void thin(const OpenTable& table, vector<vector<double>>& density) const {
        vector<int> stride = strides(table, zeros_.widths);
        int number = int(table.columns.size());
        for (int i = 0; i < number; i++)
            for (int j = i + 1; j < number; j++) {
                int a = table.columns[i], b = table.columns[j], wide = zeros_.widths[a], high = zeros_.widths[b];
                Flags pairs(size_t(wide) * high, 0);
                for (size_t at = 0; at < table.open.size(); at++)
                    if (table.open[at]) pairs[(at / stride[i] % wide) * high + at / stride[j] % high] = 1;
                double share = std::accumulate(pairs.begin(), pairs.end(), 0) / double(wide * high);
                double tightness = std::log(std::min(1.0, std::max(share, 1e-9)));
                density[a][b] = density[b][a] = std::min(density[a][b], tightness);
            }
    }

    vector<Lookup> lookups(int column) const {
        vector<Lookup> found;
        for (const OpenTable& table : zeros_.tables) {
            auto mine = std::find(table.columns.begin(), table.columns.end(), column);
            if (mine != table.columns.end()) found.push_back(lookup(table, int(mine - table.columns.begin())));
        }
        return found;
    }

    Lookup lookup(const OpenTable& table, int mine) const {
        Lookup made;
        int number = int(table.columns.size()), size = 1;
        vector<int> stride = strides(table, zeros_.widths), weight(number, 0);
        for (int i = number - 1; i >= 0; i--) {
            int column = table.columns[i];
            if (i == mine || place_[column] < 0) continue;
            weight[i] = size;
            made.radix.push_back({place_[column], size});
            size *= zeros_.widths[column];
        }
        made.allowed.assign(size, 0);
        for (int at = 0; at < int(table.open.size()); at++) {
            if (!table.open[at]) continue;
            int key = 0;
            for (int i = 0; i < number; i++) key += at / stride[i] % zeros_.widths[table.columns[i]] * weight[i];
            made.allowed[key] |= bit(at / stride[mine] % zeros_.widths[table.columns[mine]]);
        }
        return made;
    }

    void add_column(JoinedRecords& found, int level) {
        int column = found.order[level];
        vector<Lookup> tables = lookups(column);
        vector<uint8_t> longer;
        size_t number = 0;
        for (size_t i = 0; i < found.number; i++) {
            const uint8_t* record = found.record(i);
            Mask allowed = first_bits(zeros_.widths[column]);
            for (const Lookup& table : tables) {
                int key = 0;
                for (auto [place, weight] : table.radix) key += record[place] * weight;
                allowed &= table.allowed[key];
            }
            budget_.spend(8 + 8 * int64_t(tables.size()) + 8 * size_of(allowed));
            for_each_bit(allowed, [&](int atom) {
                longer.insert(longer.end(), record, record + columns_);
                longer[longer.size() - columns_ + level] = uint8_t(atom);
            });
            number += size_of(allowed);
            if (int64_t(number) > budget_.most_records()) fall_back(FOREGONE_TOO_MANY_RECORDS, int64_t(number));
        }
        if (!number) fall_back(FOREGONE_NOTHING_POSSIBLE);
        budget_.use(longer.size(), 1);
        found.atoms.swap(longer);
        found.number = number;
    }
};

}  // namespace foregone
