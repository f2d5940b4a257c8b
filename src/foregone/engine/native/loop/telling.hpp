// Facts as they are told: in which order, by which forms, what of them tells something, and what is published itself.
//
// Twins in Python: `stated` in engine/claims/evidence.py, and engine/claims/telling.py.
#pragma once

#include "audit_loop.hpp"
#include "forms.hpp"

namespace foregone {

struct Fact {
    const Claim* claim = nullptr;
    Box atoms{}, codes{};        // its fullest form
    int columns = 0, exact = 0;  // that it names; of these with a single code
    ColumnSet idle = 0;          // columns that tell nothing: it says there what all possible records have
    ColumnSet brought = 0;       // others, with a group that another value brings along
    int published = 0;           // 1: a published number says a part of it; 2: all of it that tells something
    int ground = FOREGONE_PUBLISHED;
    vector<Box> shortest;        // in codes
    vector<int64_t> forms;       // by number of columns

    int64_t count() const { return claim->count; }
    int attributes() const { return columns - size_of(idle); }
    int exact_attributes() const {
        int found = 0;
        for (size_t c = 0; c < codes.size(); c++) found += single(codes[c]) && !(idle >> c & 1);
        return found;
    }
};

class Telling {
public:
    vector<Fact> facts;

    Telling(const AuditLoop& loop, const Counts& counts, FormCounter& forms, Budget& budget)
        : loop_(loop), plan_(loop.plan), system_(loop.system), forms_(forms), budget_(budget),
          beside_(size_t(plan_.columns) * plan_.columns) {
        for (const Claim* claim : loop.facts) facts.push_back(fullest(*claim));
        std::sort(facts.begin(), facts.end(), [&](const Fact& one, const Fact& other) { return earlier(one, other); });
        find_what_all_have();
        for (int q = 0; q < plan_.queries; q++)
            if (counts.exact(q)) queries_[counts.low[q]].push_back(q);
        for (Fact& fact : facts) tell(fact);
    }

private:
    const AuditLoop& loop_;
    const Plan& plan_;
    const LinearSystem& system_;
    FormCounter& forms_;
    Budget& budget_;
    Box all_{};                    // what all possible records have
    vector<vector<Mask>> beside_;  // pair of columns -> for each atom of one, the atoms of the other in live records
    std::unordered_map<int64_t, vector<int>> queries_;  // by their counts, where these are exact

    Fact fullest(const Claim& claim) const {
        Fact fact;
        fact.claim = &claim;
        fact.atoms = box_of(plan_, claim, all_layers(claim));
        fact.codes = in_codes(plan_, fact.atoms);
        for (int c = 0; c < plan_.columns; c++) {
            fact.columns += fact.codes[c] != 0;
            fact.exact += single(fact.codes[c]);
        }
        return fact;
    }

    // Singled-out records first, fullest forms first, then in the order of the domain's codes.
    bool earlier(const Fact& one, const Fact& other) const {
        if (one.count() != other.count()) return one.count() < other.count();
        if (one.columns != other.columns) return one.columns > other.columns;
        for (int c = 0; c < plan_.columns; c++)
            if (int order = compared(one.codes[c], other.codes[c])) return order < 0;
        return false;
    }

    // Sets as ascending lists of their members, compared like words.
    static int compared(Mask one, Mask other) {
        for (; one && other; one &= one - 1, other &= other - 1)
            if (lowest(one) != lowest(other)) return lowest(one) < lowest(other) ? -1 : 1;
        return one ? 1 : other ? -1 : 0;
    }

    // Shown by a fact that needs no words at all, or by the records that are left.
    void find_what_all_have() {
        for (const Fact& fact : facts)
            if (fact.claim->blocked.empty()) {
                all_ = fact.atoms;
                return;
            }
        for (int i = 0; i < system_.records; i++)
            if (!loop_.empty()[system_.bucket_of[i]])
                for (int c = 0; c < plan_.columns; c++) all_[c] |= bit(system_.record(i)[c]);
    }

    void tell(Fact& fact) {
        const Claim& claim = *fact.claim;
        for (LayerSet form : ShortestForms(plan_, claim).find()) fact.shortest.push_back(said(claim, form));
        vector<Box> blocked;
        for (LayerSet layers : claim.blocked) blocked.push_back(said(claim, layers));
        fact.forms = forms_.count(fact.codes, fact.shortest, blocked);
        find_idle(fact);
        find_brought(fact);
        fact.ground = claim.known == Known::LINEAR ? FOREGONE_LINEAR : FOREGONE_BOUND;
        compare_with_published(fact);
        budget_.spend(2000 + 100 * int64_t(fact.shortest.size()));
    }

    // What some items of a claim allow, in codes.
    Box said(const Claim& claim, LayerSet layers) const { return in_codes(plan_, box_of(plan_, claim, layers)); }

    // Where claims name single codes only every column counts; said of everybody, what all have is all that can be said.
    void find_idle(Fact& fact) const {
        if (plan_.single_codes || fact.atoms == all_) return;
        for (int c = 0; c < plan_.columns; c++)
            if (fact.atoms[c] && all_[c] && inside(all_[c], fact.atoms[c])) fact.idle |= ColumnSet(1) << c;
    }

    void find_brought(Fact& fact) {
        ColumnSet left = 0;
        for (int c = 0; c < plan_.columns; c++)
            if (fact.atoms[c]) left |= ColumnSet(1) << c;
        left &= ~fact.idle;
        for_each_bit(left, [&](int c) {
            if (!several_codes(c, fact.atoms[c])) return;
            bool brought = false;
            for_each_bit(left & ~(ColumnSet(1) << c), [&](int other) {
                brought = brought || brings(other, fact.atoms[other], c, fact.atoms[c]);
            });
            if (!brought) return;
            fact.brought |= ColumnSet(1) << c;
            left &= ~(ColumnSet(1) << c);
        });
    }

    bool several_codes(int column, Mask atoms) const {
        return !single(atoms) || !single(plan_.atom_codes[column][lowest(atoms)]);
    }

    // Does every possible record with some value in one column have an allowed value in the other?
    bool brings(int column, Mask atoms, int other, Mask allowed) {
        vector<Mask>& beside = beside_[size_t(column) * plan_.columns + other];
        if (beside.empty()) {
            beside.assign(MOST_VALUES, 0);
            budget_.spend(4 * int64_t(system_.records));
            for (int i = 0; i < system_.records; i++) {
                const uint8_t* record = system_.record(i);
                if (!loop_.empty()[system_.bucket_of[i]]) beside[record[column]] |= bit(record[other]);
            }
        }
        bool found = true;
        for_each_bit(atoms, [&](int atom) { found = found && inside(beside[atom], allowed); });
        return found;
    }

    // A published number that holds the claim and counts as many is a form of it; one that says the very same is its
    // ground.
    void compare_with_published(Fact& fact) const {
        auto known = queries_.find(fact.count());
        if (known == queries_.end()) return;
        for (int q : known->second) {
            bool holds = true, same = true, whole = true;  // a column that may have any value is as good as not named
            for (int c = 0; c < plan_.columns && holds; c++) {
                Mask mine = fact.codes[c] ? fact.codes[c] : plan_.all_codes[c];
                holds = inside(mine, plan_.query(q)[c]);
                same = same && mine == plan_.query(q)[c];
                whole = whole && (mine == plan_.query(q)[c] || (fact.idle | fact.brought) >> c & 1);
            }
            if (holds && plan_.query_plain[q]) fact.published = std::max(fact.published, whole ? 2 : 1);
            if (holds && same) fact.ground = FOREGONE_PUBLISHED;
        }
    }
};

}  // namespace foregone
