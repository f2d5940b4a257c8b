// The claims that hold in every witness, one per closed set, without listing column subsets.
//
// A claim about at least one record that is true everywhere occurs in every witness. Its closed form names every item
// shared by all occupied buckets that it selects. Closed sets are grown layer by layer in the manner of LCM (Uno et
// al. 2004): a set is kept only when it was reached through its unique parent, so none is met twice, and only while
// it occurs in every witness.
//
// Twin in Python: engine/claims/closed_sets.py.
#pragma once

#include "record_items.hpp"
#include "witnesses.hpp"

namespace foregone {

struct ClosedClaim {
    ItemRow items;
    int64_t count;
};

class ClosedSets {
public:
    vector<ClosedClaim> constant;  // those with the same count in every witness
    int64_t met = 0;

    // `items`: for each bucket the items that all its records have, MOST_LAYERS numbers each.
    ClosedSets(const Plan& plan, const vector<uint8_t>& items, const Pool& pool, Budget& budget)
        : plan_(plan), budget_(budget), number_(int(pool.occupied_list.size())), witnesses_(int(pool.size())),
          padded_((witnesses_ + LANES - 1) / LANES * LANES) {
        budget_.use(size_t(number_) * padded_, sizeof(int16_t));
        budget_.use(size_t(number_) * MOST_LAYERS * 2, 1);
        if (!number_) return;  // nobody fits, and nothing else does: no claim is about anybody
        take_items(items, pool);
        take_counts(pool);
        grow_all();
    }

    ~ClosedSets() {
        budget_.give_back(size_t(number_) * padded_, sizeof(int16_t));
        budget_.give_back(size_t(number_) * MOST_LAYERS * 2, 1);
    }

    ClosedSets(const ClosedSets&) = delete;
    ClosedSets& operator=(const ClosedSets&) = delete;

private:
    // 32 bytes at once: the compiler makes of it what the machine has.
    typedef uint8_t Bytes __attribute__((vector_size(32)));
    typedef int16_t Shorts __attribute__((vector_size(32)));
    static_assert(sizeof(Bytes) == MOST_LAYERS, "a byte for each layer");
    static constexpr int LANES = 16;
    static constexpr int64_t MOST_SETS = 400000;
    const Plan& plan_;
    Budget& budget_;
    int number_;                              // occupied buckets
    int witnesses_, padded_;
    vector<uint8_t> items_;                   // bucket by bucket
    vector<vector<uint8_t>> items_of_layer_;  // the same, layer by layer
    vector<int16_t> counts_;                  // bucket by bucket, in each witness
    vector<Mask> present_;                    // of each bucket, in which of up to 64 witnesses it occurs
    Mask everywhere_ = 0;
    vector<int> members_;                     // of the sets being grown, one after the other

    template <class Vector> static Vector loaded(const void* from) {
        Vector made;
        memcpy(&made, from, sizeof made);
        return made;
    }

    void take_items(const vector<uint8_t>& items, const Pool& pool) {
        items_.resize(size_t(number_) * MOST_LAYERS);
        items_of_layer_.assign(plan_.layers, vector<uint8_t>(number_));
        for (int i = 0; i < number_; i++) {
            const uint8_t* mine = &items[size_t(pool.occupied_list[i]) * MOST_LAYERS];
            memcpy(&items_[size_t(i) * MOST_LAYERS], mine, MOST_LAYERS);
            for (int layer = 0; layer < plan_.layers; layer++) items_of_layer_[layer][i] = mine[layer];
        }
    }

    void take_counts(const Pool& pool) {
        vector<int> place(pool.occupied.size(), -1), sampled(witnesses_, -1);
        for (int i = 0; i < number_; i++) place[pool.occupied_list[i]] = i;
        int few = std::min(witnesses_, 64);
        for (int i = 0; i < few; i++) sampled[few == 1 ? 0 : int(int64_t(i) * (witnesses_ - 1) / (few - 1))] = i;
        everywhere_ = first_bits(few);
        counts_.assign(size_t(number_) * padded_, 0);
        present_.assign(number_, 0);
        for (int w = 0; w < witnesses_; w++) {
            const Witness& witness = pool.witnesses[w];
            for (size_t i = 0; i < witness.buckets.size(); i++) {
                int at = place[witness.buckets[i]];
                counts_[size_t(at) * padded_ + w] = int16_t(witness.counts[i]);
                if (sampled[w] >= 0) present_[at] |= bit(sampled[w]);
            }
        }
        for (int w = witnesses_; w < padded_; w++)  // padding is like the first witness
            for (int i = 0; i < number_; i++) counts_[size_t(i) * padded_ + w] = counts_[size_t(i) * padded_];
    }

    void grow_all() {
        members_.resize(number_);
        std::iota(members_.begin(), members_.end(), 0);
        ItemRow closed = closure(members_.data(), number_);
        keep(members_.data(), number_, closed);
        int layers[MOST_LAYERS];
        std::iota(layers, layers + plan_.layers, 0);
        grow(0, number_, closed, layers, plan_.layers);
    }

    // The items that all members share.
    ItemRow closure(const int* members, int number) const {
        const Bytes first = loaded<Bytes>(&items_[size_t(members[0]) * MOST_LAYERS]);
        Bytes same = ~Bytes{};
        for (int i = 1; i < number; i++)
            same &= Bytes(loaded<Bytes>(&items_[size_t(members[i]) * MOST_LAYERS]) == first);
        Bytes blank = Bytes{} + BLANK, shared = (first & same) | (blank & ~same);
        ItemRow made;
        memcpy(made.data(), &shared, MOST_LAYERS);
        return made;
    }

    // A closed set: is its count the same in every witness? Counts of a dataset add up to no more than fits in 16 bits.
    void keep(const int* members, int number, const ItemRow& closed) {
        if (++met > MOST_SETS) fall_back(FOREGONE_TOO_MANY_SETS, met);
        budget_.spend(int64_t(number) * (2 + padded_ / LANES));
        auto named = [](uint8_t item) { return item != BLANK; };
        if (std::none_of(closed.begin(), closed.begin() + plan_.layers, named)) return;
        int16_t count = 0;
        for (int w = 0; w < padded_; w += LANES) {
            Shorts sums = {};
            for (int i = 0; i < number; i++) sums += loaded<Shorts>(&counts_[size_t(members[i]) * padded_ + w]);
            if (!w) count = sums[0];
            for (int lane = 0; lane < LANES; lane++)
                if (sums[lane] != count) return;
        }
        if (count > 0) constant.push_back({closed, count});
    }

    // What a layer offers inside a set: the items that occur in every witness looked at.
    struct Offer {
        int layer;
        Mask items;
    };

    // Name one more item in a layer that comes later; a layer that offers nothing here offers nothing further down
    // either.
    void grow(size_t begin, int number, const ItemRow& closed, const int* layers, int layer_number) {
        Offer offers[MOST_LAYERS];
        int further[MOST_LAYERS], offered = 0;
        for (int i = 0; i < layer_number; i++) {
            int layer = layers[i];
            if (closed[layer] != BLANK) continue;
            Mask items = items_everywhere(begin, number, layer);
            if (!items) continue;
            further[offered] = layer;
            offers[offered++] = {layer, items};
        }
        budget_.spend(int64_t(number) * (1 + layer_number));
        for (int i = 0; i < offered; i++) {
            int layer = offers[i].layer;
            for_each_bit(offers[i].items, [&](int item) {
                int chosen = choose(begin, number, layer, item);
                const int* members = &members_[begin + number];
                ItemRow larger = closure(members, chosen);
                if (!memcmp(larger.data(), closed.data(), layer)) {  // reached through its unique parent
                    keep(members, chosen, larger);
                    if (i + 1 < offered) grow(begin + number, chosen, larger, further + i + 1, offered - i - 1);
                }
                members_.resize(begin + number);
            });
        }
    }

    Mask items_everywhere(size_t begin, int number, int layer) const {
        Mask present[MOST_VALUES + 1] = {};
        const uint8_t* item = items_of_layer_[layer].data();
        const int* members = &members_[begin];
        int last = plan_.layer_items[layer];
        for (int i = 0; i < number; i++) present[std::min<int>(item[members[i]], last)] |= present_[members[i]];
        Mask found = 0;
        for (int i = 0; i < last; i++)
            if (present[i] == everywhere_) found |= bit(i);
        return found;
    }

    // Put the members that have an item behind the set; how many they are.
    int choose(size_t begin, int number, int layer, int item) {
        members_.resize(begin + 2 * size_t(number));
        const uint8_t* had = items_of_layer_[layer].data();
        const int* from = &members_[begin];
        int *to = &members_[begin + number], chosen = 0;
        for (int i = 0; i < number; i++) {
            to[chosen] = from[i];
            chosen += had[from[i]] == item;
        }
        members_.resize(begin + number + chosen);
        return chosen;
    }
};

}  // namespace foregone
