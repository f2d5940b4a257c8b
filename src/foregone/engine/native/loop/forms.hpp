// Every way of saying a fact: its shortest forms, and how many forms there are with each number of columns.
//
// Twins in Python: engine/claims/shorter_claims.py (shortest forms) and model/families.py (counting).
#pragma once

#include <map>

#include "claims.hpp"

namespace foregone {

// A mask of atoms or codes for each column, 0 where it is not named.
using Box = std::array<Mask, FOREGONE_MOST_COLUMNS>;

// What a claim allows in each column, in atoms, if it names only its items in some layers.
inline Box box_of(const Plan& plan, const Claim& claim, LayerSet layers) {
    Box box{};
    for (int layer : claim.layers) {
        if (!(layers >> layer & 1)) continue;
        int column = plan.layer_column[layer];
        Mask atoms = plan.item_atoms[layer][claim.items[layer]];
        box[column] = box[column] ? box[column] & atoms : atoms;
    }
    return box;
}

inline Box in_codes(const Plan& plan, const Box& atoms) {
    Box box{};
    for (int c = 0; c < plan.columns; c++)
        for_each_bit(atoms[c], [&](int atom) { box[c] |= plan.atom_codes[c][atom]; });
    return box;
}

inline LayerSet all_layers(const Claim& claim) {
    LayerSet found = 0;
    for (int layer : claim.layers) found |= LayerSet(1) << layer;
    return found;
}

// The sets of a claim's items that say the same as all of them do, and from which nothing can be taken.
class ShortestForms {
public:
    ShortestForms(const Plan& plan, const Claim& claim) : plan_(plan), claim_(claim), full_(all_layers(claim)) {
        for (LayerSet layers : plan.crowded)
            if (size_of(layers & full_) > 1) crowded_.push_back(layers & full_);
    }

    // Berge's transversals: forms that hold more than each blocked set, set by set. Fewest columns first.
    vector<LayerSet> find() const {
        vector<LayerSet> found{0};
        for (LayerSet blocked : claim_.blocked) {
            LayerSet outside = full_ & ~blocked;
            vector<LayerSet> hit, missed;
            for (LayerSet form : found) (form & outside ? hit : missed).push_back(form);
            if (missed.empty()) continue;
            found = hit;
            for (LayerSet form : extended(missed, outside)) {
                auto smaller = [&](LayerSet other) { return inside(other, form); };
                if (std::none_of(hit.begin(), hit.end(), smaller)) found.push_back(form);
            }
            if (found.size() > MOST_FORMS) fall_back(FOREGONE_TOO_MANY_FORMS, int64_t(found.size()));
            keep_least(found);
        }
        std::sort(found.begin(), found.end(), [&](LayerSet one, LayerSet other) {
            int mine = columns(one), theirs = columns(other);
            return mine != theirs ? mine < theirs : one < other;
        });
        return found;
    }

private:
    static constexpr size_t MOST_FORMS = 20000;
    const Plan& plan_;
    const Claim& claim_;
    LayerSet full_;
    vector<LayerSet> crowded_;  // of columns in which it has several items, these: only there does an item bring others

    vector<LayerSet> extended(const vector<LayerSet>& forms, LayerSet by) const {
        vector<LayerSet> found;
        for (LayerSet form : forms)
            for_each_bit(by, [&](int layer) { found.push_back(with_all_that_follow(form | LayerSet(1) << layer)); });
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        return found;
    }

    static void keep_least(vector<LayerSet>& forms) {
        vector<LayerSet> least;
        for (LayerSet form : forms) {
            auto smaller = [&](LayerSet other) { return other != form && inside(other, form); };
            if (std::none_of(forms.begin(), forms.end(), smaller)) least.push_back(form);
        }
        forms.swap(least);
    }

    Mask atoms(int layer) const { return plan_.item_atoms[layer][claim_.items[layer]]; }

    // The form with every item that follows from some of its own.
    LayerSet with_all_that_follow(LayerSet form) const {
        for (LayerSet layers : crowded_) {
            if (!(form & layers)) continue;
            Mask shared = ~Mask(0);
            for_each_bit(form & layers, [&](int layer) { shared &= atoms(layer); });
            for_each_bit(layers & ~form, [&](int layer) {
                if (inside(shared, atoms(layer))) form |= LayerSet(1) << layer;
            });
        }
        return form;
    }

    int columns(LayerSet form) const {
        ColumnSet found = 0;
        for_each_bit(form, [&](int layer) { found |= ColumnSet(1) << plan_.layer_column[layer]; });
        return size_of(found);
    }
};

// Counts the forms of facts. What was listed of families of groups is kept from fact to fact.
class FormCounter {
public:
    explicit FormCounter(const Plan& plan) : plan_(plan) {}

    // How many forms have 0, 1, 2, ... columns. A form allows in each column a member of the family that holds what
    // the fullest form allows, or anything, and lies inside some shortest form; or, what is the same, holds none of
    // the blocked boxes, the smallest ones around the fact and another possible record. The shorter of the two lists
    // is used.
    vector<int64_t> count(const Box& full, const vector<Box>& shortest, const vector<Box>& blocked) {
        if (shortest.size() == 1) return count_inside(full, shortest[0]);
        bool avoid = blocked.size() < shortest.size();
        return count_by_state(full, avoid ? blocked : shortest, avoid);
    }

private:
    static constexpr size_t MOST_MEMBERS = 4096;   // of a column's family that are listed
    static constexpr size_t MOST_STATES = 100000;  // sets of boxes met while counting
    using Numbers = std::array<int64_t, FOREGONE_MOST_COLUMNS + 2>;  // by number of columns
    const Plan& plan_;
    std::map<std::pair<int, Mask>, vector<Mask>> around_;

    // The members of a column's family that contain this one, itself first.
    const vector<Mask>& around(int column, Mask member) {
        auto known = around_.find({column, member});
        if (known != around_.end()) return known->second;
        vector<Mask> groups, found{member};
        auto add = [&](Mask mask) {
            if (std::find(found.begin(), found.end(), mask) == found.end()) found.push_back(mask);
            if (found.size() > MOST_MEMBERS) fall_back(FOREGONE_TOO_MANY_FORMS, int64_t(found.size()));
        };
        for (Mask group : plan_.family[column])
            if (inside(member, group)) groups.push_back(group);
        for (Mask group : groups) add(group);
        for (size_t i = 0; i < found.size(); i++)
            for (Mask group : groups) add(found[i] & group);
        if (around_.size() > MOST_STATES) around_.clear();
        return around_.emplace(std::make_pair(column, member), std::move(found)).first->second;
    }

    // The usual case, one shortest form: columns do not depend on each other.
    vector<int64_t> count_inside(const Box& full, const Box& shortest) {
        vector<int64_t> numbers{1};
        for (int c = 0; c < plan_.columns; c++) {
            if (!full[c]) continue;
            int64_t named = 0;
            for (Mask member : around(c, full[c])) named += !shortest[c] || inside(member, shortest[c]);
            vector<int64_t> next(numbers.size() + 1, 0);
            for (size_t i = 0; i < numbers.size(); i++) {
                if (!shortest[c]) next[i] = added(next[i], numbers[i]);
                next[i + 1] = added(next[i + 1], multiplied(numbers[i], named));
            }
            numbers.swap(next);
        }
        return numbers;
    }

    // Choices in a column that leave the same boxes in question: how many name nothing, and something.
    struct Choice {
        Mask left;
        int64_t blank, named;
    };

    vector<Choice> choices(int column, Mask full, const vector<Box>& boxes, bool avoid) {
        Mask anything = avoid ? first_bits(int(boxes.size())) : 0;
        for (size_t i = 0; i < boxes.size() && !avoid; i++)
            if (!boxes[i][column]) anything |= bit(int(i));
        vector<Choice> found{{anything, 1, 0}};
        for (Mask member : around(column, full)) {
            Mask left = avoid ? 0 : anything;
            for (size_t i = 0; i < boxes.size(); i++) {
                Mask side = boxes[i][column];
                if (side && (avoid ? inside(side, member) : inside(member, side))) left |= bit(int(i));
            }
            auto leaves_the_same = [&](const Choice& other) { return other.left == left; };
            auto same = std::find_if(found.begin(), found.end(), leaves_the_same);
            if (same == found.end()) found.push_back({left, 0, 1});
            else same->named++;
        }
        return found;
    }

    // Columns are taken one by one; all that matters of those taken is which boxes are still in question.
    vector<int64_t> count_by_state(const Box& full, const vector<Box>& boxes, bool avoid) {
        if (boxes.size() > 64) fall_back(FOREGONE_TOO_MANY_FORMS, int64_t(boxes.size()));
        vector<std::pair<Mask, Numbers>> states{{first_bits(int(boxes.size())), Numbers{1}}}, next;
        size_t columns = 0;
        for (int c = 0; c < plan_.columns; c++) {
            if (!full[c]) continue;
            columns++;
            next.clear();
            std::unordered_map<Mask, size_t> place;
            for (const Choice& choice : choices(c, full[c], boxes, avoid))
                for (const auto& [state, numbers] : states) {
                    Mask left = state & choice.left;
                    if (!left && !avoid) continue;
                    auto [at, is_new] = place.emplace(left, next.size());
                    if (is_new) next.push_back({left, Numbers{}});
                    extend(next[at->second].second, numbers, choice, columns);
                }
            states.swap(next);
            if (states.size() > MOST_STATES) fall_back(FOREGONE_TOO_MANY_FORMS, int64_t(states.size()));
        }
        vector<int64_t> found(columns + 1, 0);
        for (const auto& [state, numbers] : states)
            for (size_t i = 0; i <= columns && (!avoid || !state); i++) found[i] = added(found[i], numbers[i]);
        return found;
    }

    static void extend(Numbers& to, const Numbers& from, const Choice& choice, size_t columns) {
        for (size_t i = 0; i < columns; i++) {
            if (!from[i]) continue;
            to[i] = added(to[i], multiplied(choice.blank, from[i]));
            to[i + 1] = added(to[i + 1], multiplied(choice.named, from[i]));
        }
    }
};

}  // namespace foregone
