// Everything that depends on the workload alone, shared by all its releases and never changed.
//
// Twins in Python: engine/system/blueprint.py (boxes), engine/claims/items.py (layers of items), model/families.py
// (groups).
#pragma once

#include "common.hpp"

namespace foregone {

// What a release says about each query: so many records match at least, and at most.
struct Counts {
    const int64_t *low, *high;

    bool exact(int query) const { return low[query] == high[query]; }
};

struct Plan {
    int columns = 0, queries = 0, boxes = 0, layers = 0;
    bool single_codes = false;                          // do claims name single codes only?
    vector<int> widths;                                 // atoms of each column
    vector<Mask> full;                                  // all atoms of each column
    vector<Mask> box_atoms;                             // box by box, the atoms it allows in each column
    vector<ColumnSet> box_columns;                      // the columns in which each box does not allow all atoms
    vector<int> layer_column;                           // of each layer of items
    vector<int> layer_items;                            // how many items each layer has
    vector<std::array<uint8_t, MOST_VALUES>> item_of;   // layer, atom -> item or BLANK
    vector<std::array<Mask, MOST_VALUES>> item_atoms;   // layer, item -> atoms
    vector<LayerSet> crowded;                           // of each column with several layers, these
    vector<std::array<Mask, MOST_VALUES>> atom_codes;   // column, atom -> codes
    vector<Mask> all_codes;                             // of each column
    vector<Mask> query_codes;                           // query by query, the codes it allows in each column
    vector<ColumnSet> query_names;                      // the columns that each query names
    Flags query_plain;                                  // can a claim be this query?
    vector<vector<Mask>> family;                        // of each column, the groups of codes that claims may name

    const Mask* box(int number) const { return &box_atoms[size_t(number) * columns]; }
    const Mask* query(int number) const { return &query_codes[size_t(number) * columns]; }
};

// Does the workload fit the types used here, and does it make sense? Nothing may be read beyond its arrays later on.
class PlanMaker {
public:
    explicit PlanMaker(const foregone_workload& given) : given_(given) {}

    int make(Plan& plan) const {
        int problem = check_sizes();
        if (problem) return problem;
        plan.columns = int(given_.columns);
        plan.queries = int(given_.queries);
        plan.boxes = int(given_.boxes);
        plan.layers = int(given_.layers);
        plan.single_codes = given_.single != 0;
        copy_columns(plan);
        copy_layers(plan);
        copy_boxes(plan);
        return sensible(plan) ? FOREGONE_PLAN_MADE : FOREGONE_PLAN_WRONG;
    }

private:
    const foregone_workload& given_;

    int check_sizes() const {
        const auto& g = given_;
        if (g.columns < 1 || g.queries < 0 || g.boxes < g.queries || g.layers < 0 || g.crowded < 0)
            return FOREGONE_PLAN_WRONG;
        if (g.columns > FOREGONE_MOST_COLUMNS || g.layers > MOST_LAYERS || g.boxes > FOREGONE_MOST_BOXES)
            return FOREGONE_PLAN_TOO_LARGE;
        if (g.crowded > g.columns) return FOREGONE_PLAN_WRONG;
        for (int c = 0; c < g.columns; c++) {
            if (g.widths[c] < 1 || g.family_sizes[c] < 0) return FOREGONE_PLAN_WRONG;
            if (g.widths[c] > MOST_VALUES || g.family_sizes[c] > FOREGONE_MOST_BOXES) return FOREGONE_PLAN_TOO_LARGE;
        }
        for (int l = 0; l < g.layers; l++) {
            if (g.layer_items[l] < 0) return FOREGONE_PLAN_WRONG;
            if (g.layer_items[l] > MOST_VALUES) return FOREGONE_PLAN_TOO_LARGE;
        }
        return 0;
    }

    void copy_columns(Plan& plan) const {
        const auto& g = given_;
        plan.widths.assign(g.widths, g.widths + g.columns);
        for (int width : plan.widths) plan.full.push_back(first_bits(width));
        plan.atom_codes.resize(plan.columns);
        const Mask* group = g.family;
        for (int c = 0; c < plan.columns; c++) {
            std::copy_n(g.atom_codes + size_t(c) * MOST_VALUES, MOST_VALUES, plan.atom_codes[c].begin());
            plan.family.emplace_back(group, group + g.family_sizes[c]);
            group += g.family_sizes[c];
        }
        plan.all_codes.assign(g.all_codes, g.all_codes + g.columns);
    }

    void copy_layers(Plan& plan) const {
        const auto& g = given_;
        plan.layer_column.assign(g.layer_columns, g.layer_columns + g.layers);
        plan.layer_items.assign(g.layer_items, g.layer_items + g.layers);
        plan.item_of.resize(plan.layers);
        plan.item_atoms.resize(plan.layers);
        for (int l = 0; l < plan.layers; l++) {
            std::copy_n(g.item_of + size_t(l) * MOST_VALUES, MOST_VALUES, plan.item_of[l].begin());
            std::copy_n(g.item_atoms + size_t(l) * MOST_VALUES, MOST_VALUES, plan.item_atoms[l].begin());
        }
        for (int i = 0; i < g.crowded; i++) plan.crowded.push_back(LayerSet(g.crowded_sets[i]));
    }

    void copy_boxes(Plan& plan) const {
        const auto& g = given_;
        plan.box_atoms.assign(g.box_atoms, g.box_atoms + g.boxes * g.columns);
        for (int b = 0; b < plan.boxes; b++) {
            ColumnSet restricted = 0;
            for (int c = 0; c < plan.columns; c++)
                if (plan.box(b)[c] != plan.full[c]) restricted |= ColumnSet(1) << c;
            plan.box_columns.push_back(restricted);
        }
        plan.query_codes.assign(g.query_codes, g.query_codes + g.queries * g.columns);
        plan.query_plain.assign(g.query_plain, g.query_plain + g.queries);
        for (int q = 0; q < plan.queries; q++) plan.query_names.push_back(ColumnSet(g.query_names[q]));
    }

    bool sensible(const Plan& plan) const {
        for (int l = 0; l < plan.layers; l++) {
            int column = plan.layer_column[l];
            if (column < 0 || column >= plan.columns || (l && column < plan.layer_column[l - 1])) return false;
            for (int atom = 0; atom < plan.widths[column]; atom++) {
                uint8_t item = plan.item_of[l][atom];
                if (item != BLANK && item >= plan.layer_items[l]) return false;
            }
            for (int item = 0; item < plan.layer_items[l]; item++)
                if (!inside(plan.item_atoms[l][item], plan.full[column])) return false;
        }
        for (LayerSet set : plan.crowded)
            if (!inside(set, first_bits(plan.layers))) return false;
        for (int b = 0; b < plan.boxes; b++)
            for (int c = 0; c < plan.columns; c++)
                if (!inside(plan.box(b)[c], plan.full[c])) return false;
        return true;
    }
};

}  // namespace foregone
