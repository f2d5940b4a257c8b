// A closed claim against the live records: which buckets it selects, and which buckets could still tell its forms
// apart.
//
// A record agrees with a claim in some of its items: a set, its *place*. A form of the claim (some of its items) is
// matched by all records whose place holds these items; so the forms that a possible record matches, without matching
// the claim, are those inside its place. Places inside the place of a possible record are *alike*: they tell nothing
// new. A bucket with a record at another place is in doubt until it is filled by a witness or shown to be empty.
//
// Twins in Python: engine/claims/buckets_of_claim.py and engine/claims/sides.py.
#pragma once

#include "closed_sets.hpp"

namespace foregone {

enum class Known { OPEN, LINEAR, BOUND };

struct Claim {
    ItemRow items;
    int64_t count = 0;
    vector<int> layers;          // that it names
    LayerSet named = 0;          // the same as a set
    uint32_t full = 0;           // the place of records that match it
    vector<Mask> inner;          // the set of buckets all of whose records match
    vector<int> cut;             // buckets some of whose records match, ascending
    vector<Mask> alike;          // places inside those of possible records that do not match, and the full place
    size_t occupied_seen = 0;    // occupied buckets whose places are among these
    vector<int> doubt;           // buckets neither known to be possible nor to be empty that would tell forms
                                 // apart, or that it cuts through
    bool doubt_known = false;
    bool refuted = false;        // it cuts through an occupied bucket
    bool outside_rows = false;   // no combination of rows, as far as all buckets go
    bool outside_thinned = false;  // nor as far as buckets not known to be empty go
    Known known = Known::OPEN;
    vector<LayerSet> blocked;    // the greatest sets of its items, as layers, that other possible records have
};

// Sets of places as bits of a long number; a place is itself a set of items, so steps from set to set are shifts.
class Places {
public:
    // Add everything inside a member.
    static void close_downwards(vector<Mask>& places, int items) {
        for (int item = 0; item < items; item++) {
            if (item < WORD) {
                for (Mask& word : places) word |= (word >> (1 << item)) & WITHOUT[item];
                continue;
            }
            size_t step = size_t(1) << (item - WORD);
            for (size_t i = 0; i < places.size(); i += 2 * step)
                for (size_t j = 0; j < step; j++) places[i + j] |= places[i + step + j];
        }
    }

    // The members that lie in no other, of a set that is closed downwards.
    static vector<Mask> greatest(const vector<Mask>& places, int items) {
        vector<Mask> found = places;
        for (int item = 0; item < items; item++) {
            if (item < WORD) {
                for (size_t i = 0; i < places.size(); i++) found[i] &= ~((places[i] >> (1 << item)) & WITHOUT[item]);
                continue;
            }
            size_t step = size_t(1) << (item - WORD);
            for (size_t i = 0; i < places.size(); i += 2 * step)
                for (size_t j = 0; j < step; j++) found[i + j] &= ~places[i + step + j];
        }
        return found;
    }

private:
    static constexpr int WORD = 6;  // items whose steps stay inside a word
    static constexpr Mask WITHOUT[WORD] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                           0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
};

class Claims {
public:
    const vector<uint8_t> bucket_items;  // bucket by bucket, the item of each layer that all its records have, else BLANK

    Claims(const Plan& plan, const LinearSystem& system, const Pool& pool, const Flags& empty, Budget& budget)
        : Claims(plan, system, RecordItems(plan, system, budget), pool, empty, budget) {}

    // The claim of a closed set: what does not depend on witnesses is worked out once.
    Claim* of(const ClosedClaim& closed) {
        auto& found = known_[key_of(closed.items)];
        if (!found) found = made(closed);
        found->count = closed.count;
        return found.get();
    }

    // A witness has shown it to be false, so it is not asked for again.
    void forget(const Claim& claim) {
        budget_.give_back(claim.alike.size() + claim.inner.size(), sizeof(Mask));
        known_.erase(key_of(claim.items));
    }

    // More buckets are known to be empty than before: what could not be expressed without them may be expressed now.
    void look_again_without_empty() {
        for (auto& entry : known_) entry.second->outside_thinned = false;
    }

    // What is in doubt. Possible records, and buckets shown to be empty, only grow in number, so doubt only shrinks.
    void compare(Claim& claim) {
        bool more_alike = note_possible(claim);
        auto occupied = [&](int bucket) { return pool_.occupied[bucket]; };
        claim.refuted = std::any_of(claim.cut.begin(), claim.cut.end(), occupied);
        if (claim.refuted) return;
        if (!claim.doubt_known) {
            claim.doubt_known = true;
            find_doubt(claim);
            return;
        }
        budget_.spend((more_alike ? 4 : 1) * int64_t(claim.doubt.size()));
        auto settled = [&](int bucket) {
            return !open(bucket) || (more_alike && !told_apart(claim, bucket) && !cuts(claim, bucket));
        };
        claim.doubt.erase(std::remove_if(claim.doubt.begin(), claim.doubt.end(), settled), claim.doubt.end());
    }

    // The greatest sets of items that another possible record has: a form says what the claim says unless it lies in
    // one of them.
    void find_blocked(Claim& claim) {
        note_possible(claim);
        claim.blocked.clear();
        for (uint32_t place : greatest_alike(claim)) {
            LayerSet layers = 0;
            for_each_bit(place, [&](int item) { layers |= LayerSet(1) << claim.layers[item]; });
            claim.blocked.push_back(layers);
        }
    }

private:
    static constexpr size_t MOST_ITEMS = 16;  // of a claim: there is a bit for each of its places
    static constexpr size_t SIFTED = 32;      // greatest places with which all records are compared at once
    const Plan& plan_;
    const LinearSystem& system_;
    RecordItems items_;
    const Pool& pool_;
    const Flags& empty_;
    Budget& budget_;
    std::unordered_map<std::string, std::unique_ptr<Claim>> known_;

    Claims(const Plan& plan, const LinearSystem& system, RecordItems&& items, const Pool& pool, const Flags& empty,
           Budget& budget)
        : bucket_items(items.of_buckets()), plan_(plan), system_(system), items_(std::move(items)), pool_(pool),
          empty_(empty), budget_(budget) {
        budget_.use(bucket_items.size(), 1);
    }

    std::string key_of(const ItemRow& items) const {
        return std::string(reinterpret_cast<const char*>(items.data()), plan_.layers);
    }

    std::unique_ptr<Claim> made(const ClosedClaim& closed) {
        auto claim = std::make_unique<Claim>();
        claim->items = closed.items;
        for (int layer = 0; layer < plan_.layers; layer++) {
            if (closed.items[layer] == BLANK) continue;
            claim->layers.push_back(layer);
            claim->named |= LayerSet(1) << layer;
        }
        size_t items = claim->layers.size();
        if (items > MOST_ITEMS) fall_back(FOREGONE_MANY_ITEMS, int64_t(items));
        claim->full = uint32_t(first_bits(int(items)));
        claim->alike.assign(words_for(size_t(1) << items), 0);
        put(claim->alike, claim->full);
        find_inner(*claim);
        budget_.use(claim->alike.size() + claim->inner.size(), sizeof(Mask));
        budget_.use(claim->cut.size(), sizeof(int));
        return claim;
    }

    // The live records that match.
    vector<Mask> matching(const Claim& claim) const {
        budget_.spend(int64_t(items_.words * claim.layers.size()) / 2);
        vector<Mask> found(items_.all(), items_.all() + items_.words);
        for (int layer : claim.layers) {
            const Mask* having = items_.having(layer, claim.items[layer]);
            for (size_t w = 0; w < items_.words; w++) found[w] &= having[w];
        }
        return found;
    }

    void find_inner(Claim& claim) const {
        vector<Mask> records = matching(claim);
        if (system_.plain()) {
            records.resize(words_for(system_.buckets));
            claim.inner = std::move(records);
            return;
        }
        claim.inner.assign(words_for(system_.buckets), 0);
        budget_.spend(system_.records);
        for (int bucket = 0; bucket < system_.buckets; bucket++) {
            int first = system_.first_record[bucket], last = system_.first_record[bucket + 1], number = 0;
            for (int i = first; i < last; i++) number += has(records, i);
            if (number == last - first) put(claim.inner, bucket);
            else if (number) claim.cut.push_back(bucket);
        }
    }

    // The items of a claim that a record has.
    uint32_t place_of(const Claim& claim, int record) const {
        LayerSet shared = items_.shared(record, claim.items, claim.named);
#ifdef __BMI2__
        return _pext_u32(shared, claim.named);
#else
        uint32_t place = 0;
        for_each_bit(shared, [&](int layer) { place |= 1u << size_of(claim.named & first_bits(layer)); });
        return place;
#endif
    }

    // Buckets occupied since the claim was looked at last: are more places alike now?
    bool note_possible(Claim& claim) {
        bool more = false;
        budget_.spend(8 * int64_t(pool_.occupied_list.size() - claim.occupied_seen));
        for (; claim.occupied_seen < pool_.occupied_list.size(); claim.occupied_seen++) {
            int bucket = pool_.occupied_list[claim.occupied_seen];
            for (int i = system_.first_record[bucket]; i < system_.first_record[bucket + 1]; i++) {
                uint32_t place = place_of(claim, i);
                if (has(claim.alike, place)) continue;
                put(claim.alike, place);
                more = true;
            }
        }
        if (!more) return false;
        drop(claim.alike, claim.full);
        Places::close_downwards(claim.alike, int(claim.layers.size()));
        put(claim.alike, claim.full);
        budget_.spend(4 * int64_t(claim.alike.size()));
        return true;
    }

    vector<uint32_t> greatest_alike(const Claim& claim) const {
        vector<Mask> others = claim.alike;
        drop(others, claim.full);
        vector<Mask> greatest = Places::greatest(others, int(claim.layers.size()));
        vector<uint32_t> found;
        for (size_t w = 0; w < greatest.size(); w++)
            for_each_bit(greatest[w], [&](int i) { found.push_back(uint32_t(w * 64 + i)); });
        return found;
    }

    // Records are told apart from possible ones if, of each greatest place that is alike, they have an item outside.
    void find_doubt(Claim& claim) const {
        vector<uint32_t> inside = greatest_alike(claim);
        std::stable_sort(inside.begin(), inside.end(), [](uint32_t a, uint32_t b) { return size_of(a) > size_of(b); });
        bool sifted = inside.size() <= SIFTED;
        if (!sifted) inside.resize(SIFTED);
        vector<vector<const Mask*>> outside;  // of each place, the sets of records with an item that is not there
        for (uint32_t place : inside) {
            outside.emplace_back();
            for_each_bit(claim.full & ~place, [&](int i) {
                outside.back().push_back(items_.having(claim.layers[i], claim.items[claim.layers[i]]));
            });
        }
        vector<Mask> matching_ones = matching(claim);
        int last = -1;
        for (size_t w = 0; w < items_.words; w += RecordItems::STEP) {
            Mask apart[RecordItems::STEP];
            if (!sift(outside, matching_ones, w, apart)) continue;
            for (size_t j = 0; j < RecordItems::STEP; j++)
                for_each_bit(apart[j], [&](int i) {
                    int record = int((w + j) * 64) + i, bucket = system_.bucket_of[record];
                    if (bucket == last || !open(bucket)) return;
                    if (!sifted && has(claim.alike, place_of(claim, record))) return;
                    claim.doubt.push_back(bucket);
                    last = bucket;
                });
        }
        size_t apart = claim.doubt.size();
        for (int bucket : claim.cut)
            if (open(bucket) && !std::binary_search(claim.doubt.begin(), claim.doubt.begin() + apart, bucket))
                claim.doubt.push_back(bucket);
    }

    // Of some words of records, those that do not match and have an item outside of each place. Are there any?
    bool sift(const vector<vector<const Mask*>>& outside, const vector<Mask>& matching_ones, size_t from,
              Mask* apart) const {
        constexpr size_t STEP = RecordItems::STEP;
        Mask any = 0;
        for (size_t j = 0; j < STEP; j++) any |= apart[j] = items_.all()[from + j] & ~matching_ones[from + j];
        for (size_t k = 0; k < outside.size() && any; k++) {
            Mask some[STEP] = {};
            for (const Mask* having : outside[k])
                for (size_t j = 0; j < STEP; j++) some[j] |= having[from + j];
            any = 0;
            for (size_t j = 0; j < STEP; j++) any |= apart[j] &= some[j];
            budget_.spend(2 + int64_t(outside[k].size()) * 2);
        }
        return any;
    }

    // Neither known to be possible nor to be empty?
    bool open(int bucket) const { return !pool_.occupied[bucket] && !empty_[bucket]; }

    bool told_apart(const Claim& claim, int bucket) const {
        for (int i = system_.first_record[bucket]; i < system_.first_record[bucket + 1]; i++)
            if (!has(claim.alike, place_of(claim, i))) return true;
        return false;
    }

    static bool cuts(const Claim& claim, int bucket) {
        return std::binary_search(claim.cut.begin(), claim.cut.end(), bucket);
    }
};

}  // namespace foregone
