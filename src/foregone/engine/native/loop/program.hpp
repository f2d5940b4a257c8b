// Rows with ranges as rows with given sums, which is what the simplex method knows: a slack takes up the difference.
//
// A row of buckets with at most h records and at least l is: buckets + slack = h; and if l is not 0, also slack +
// rest = h - l. Slacks and rests are columns like buckets and come after them. The multiplier of the first row is that
// of the range: it belongs to h if it is positive, and to l if it is negative.
//
// In Python solvers/lp.py hands ranges to HiGHS as they are.
#pragma once

#include "system.hpp"

namespace foregone {

struct Program {
    Lists rows_of;          // column -> rows; buckets first
    vector<double> limits;  // of rows
    vector<int> place;      // of each row of the system its row here, or -1

    // Some rows of the system with these limits, over some buckets. `rows_of` may name other rows, too.
    template <class Buckets>
    Program(const LinearSystem& system, const vector<int>& rows, const vector<int64_t>& low,
            const vector<int64_t>& high, const Buckets& buckets)
        : place(system.rows, -1) {
        for (int row : rows) {
            place[row] = int(limits.size());
            limits.push_back(double(high[row]));
        }
        for (int bucket : buckets) {
            for (int row : system.rows_of[bucket])
                if (place[row] >= 0) rows_of.members.push_back(place[row]);
            rows_of.close();
        }
        for (int row : rows) {
            if (low[row] >= high[row]) continue;
            rows_of.members.push_back(place[row]);
            if (low[row] > 0) {
                int second = int(limits.size());
                limits.push_back(double(high[row] - low[row]));
                rows_of.members.push_back(second);
                rows_of.close();
                rows_of.members.push_back(second);
            }
            rows_of.close();
        }
    }

    int columns() const { return rows_of.number(); }
    int rows() const { return int(limits.size()); }
};

}  // namespace foregone
