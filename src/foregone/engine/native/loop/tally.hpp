// The numbers of one release: how many claims there are by number of columns and, where the true records are known,
// how many of these they describe and whether every claim is true in them.
//
// Twin in Python: `PartTables.keep`, `_identified` and `_described` in batch/part.py.
#pragma once

#include "telling.hpp"

namespace foregone {

// True records: the number of the code in each column.
struct Truth {
    const uint8_t* codes = nullptr;
    int64_t number = 0;
};

class Tally {
public:
    int64_t wrong = 0, described = 0;
    // by number of columns, from 1 up
    vector<int64_t> claims, about_one, named, told, exact;

    Tally(const Plan& plan, const vector<Fact>& facts, const Truth& truth, Budget& budget)
        : claims(plan.columns, 0), about_one(plan.columns, 0), named(plan.columns, 0), told(plan.columns, 0),
          exact(plan.columns, 0), plan_(plan), truth_(truth), people_(truth.number) {
        for (const Fact& fact : facts) {
            for (size_t i = 1; i < fact.forms.size(); i++) {
                claims[i - 1] = added(claims[i - 1], fact.forms[i]);
                if (fact.count() == 1) about_one[i - 1] = added(about_one[i - 1], fact.forms[i]);
            }
            budget.spend(truth.number * int64_t(1 + fact.shortest.size()) * 4);
            if (truth.number) compare(fact);
        }
        for (const Person& person : people_) count(person);
    }

private:
    struct Person {
        bool described = false;
        uint32_t named = 0;  // bit i: a claim with i columns
        int told = 0, exact = 0;
    };

    const Plan& plan_;
    Truth truth_;
    vector<Person> people_;

    bool matches(const Box& box, int64_t i) const {
        for (int c = 0; c < plan_.columns; c++) {
            uint8_t code = truth_.codes[i * plan_.columns + c];
            if (box[c] && (code >= MOST_VALUES || !(box[c] >> code & 1))) return false;
        }
        return true;
    }

    void compare(const Fact& fact) {
        uint32_t sizes = 0;
        for (size_t i = 1; i < fact.forms.size(); i++)
            if (fact.forms[i]) sizes |= uint32_t(1) << i;
        int64_t number = 0;
        for (int64_t i = 0; i < truth_.number; i++) {
            if (!matches(fact.codes, i)) continue;
            number++;
            if (fact.count() != 1) continue;
            Person& person = people_[i];
            person.described = true;
            person.named |= sizes;
            person.told = std::max(person.told, fact.attributes());
            person.exact = std::max(person.exact, fact.exact_attributes());
        }
        wrong += number != fact.count();
        for (const Box& form : fact.shortest) {
            number = 0;
            for (int64_t i = 0; i < truth_.number; i++) number += matches(form, i);
            wrong += number != fact.count();
        }
    }

    void count(const Person& person) {
        if (!person.described) return;
        described++;
        for (int i = 1; i <= plan_.columns; i++) {
            named[i - 1] += person.named >> i & 1;
            told[i - 1] += person.told >= i;
            exact[i - 1] += person.exact >= i;
        }
    }
};

}  // namespace foregone
