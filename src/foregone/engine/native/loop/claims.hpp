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
    ClosedItems items;
    int64_t count = 0;
    vector<int> layers;          // that it names
    uint32_t full = 0;           // the place of records that match it
    vector<uint16_t> place;      // of each record
    vector<int> inner;           // buckets all of whose records match
    vector<Mask> inner_set;      // the same as a set
    vector<int> cut;             // buckets some of whose records match, ascending
    vector<Mask> possible;       // places of possible records
    vector<Mask> alike;
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
    vector<uint8_t> bucket_items;  // bucket by bucket, the item of each layer that all its records have, else BLANK

    Claims(const Plan& plan, const LinearSystem& system, const Pool& pool, const Flags& empty, Budget& budget)
        : plan_(plan), system_(system), pool_(pool), empty_(empty), budget_(budget) {
        budget_.use(size_t(system.records) * plan.layers + size_t(system.buckets) * MOST_LAYERS, 1);
        record_items_.assign(plan.layers, vector<uint8_t>(system.records));
        for (int layer = 0; layer < plan.layers; layer++)
            for (int i = 0; i < system.records; i++)
                record_items_[layer][i] = plan.item_of[layer][system.record(i)[plan.layer_column[layer]]];
        bucket_items.assign(size_t(system.buckets) * MOST_LAYERS, BLANK);
        for (int bucket = 0; bucket < system.buckets; bucket++)
            for (int layer = 0; layer < plan.layers; layer++) {
                const uint8_t* had = record_items_[layer].data();
                int first = system.first_record[bucket], last = system.first_record[bucket + 1];
                bool same = std::all_of(had + first, had + last, [&](uint8_t item) { return item == had[first]; });
                if (same) bucket_items[size_t(bucket) * MOST_LAYERS + layer] = had[first];
            }
    }

    // The claim of a closed set: what does not depend on witnesses is worked out once.
    Claim* of(const ClosedClaim& closed) {
        std::string key(reinterpret_cast<const char*>(closed.items.data()), plan_.layers);
        auto& found = known_[key];
        if (!found) found = made(closed);
        found->count = closed.count;
        return found.get();
    }

    // More buckets are known to be empty than before: what could not be expressed without them may be expressed now.
    void look_again_without_empty() {
        for (auto& entry : known_) entry.second->outside_thinned = false;
    }

    // What is in doubt. Possible records, and buckets shown to be empty, only grow in number, so doubt only shrinks.
    void compare(Claim& claim) {
        note_possible(claim);
        auto occupied = [&](int bucket) { return pool_.occupied[bucket]; };
        claim.refuted = std::any_of(claim.cut.begin(), claim.cut.end(), occupied);
        if (claim.refuted) return;
        if (!claim.doubt_known) {
            claim.doubt_known = true;
            budget_.spend(int64_t(system_.records));
            find_doubt(claim);
            return;
        }
        budget_.spend(4 * int64_t(claim.doubt.size()));
        auto settled = [&](int bucket) { return !doubtful(claim, bucket); };
        claim.doubt.erase(std::remove_if(claim.doubt.begin(), claim.doubt.end(), settled), claim.doubt.end());
    }

    // The greatest sets of items that another possible record has: a form says what the claim says unless it lies in
    // one of them.
    void find_blocked(Claim& claim) {
        note_possible(claim);
        vector<Mask> others = claim.alike;
        drop(others, claim.full);
        vector<Mask> greatest = Places::greatest(others, int(claim.layers.size()));
        claim.blocked.clear();
        for (size_t w = 0; w < greatest.size(); w++)
            for_each_bit(greatest[w], [&](int i) {
                LayerSet layers = 0;
                for_each_bit(w * 64 + i, [&](int item) { layers |= LayerSet(1) << claim.layers[item]; });
                claim.blocked.push_back(layers);
            });
    }

private:
    static constexpr size_t MOST_ITEMS = 16;  // of a claim: places are 16-bit numbers
    const Plan& plan_;
    const LinearSystem& system_;
    const Pool& pool_;
    const Flags& empty_;
    Budget& budget_;
    vector<vector<uint8_t>> record_items_;  // layer by layer, the item of each record
    std::unordered_map<std::string, std::unique_ptr<Claim>> known_;

    std::unique_ptr<Claim> made(const ClosedClaim& closed) {
        auto claim = std::make_unique<Claim>();
        claim->items = closed.items;
        for (int layer = 0; layer < plan_.layers; layer++)
            if (closed.items[layer] != BLANK) claim->layers.push_back(layer);
        size_t items = claim->layers.size();
        if (items > MOST_ITEMS) fall_back(FOREGONE_MANY_ITEMS, int64_t(items));
        budget_.use(size_t(system_.records), sizeof(uint16_t));
        budget_.use(2 * words_for(size_t(1) << items) + words_for(system_.buckets), sizeof(Mask));
        budget_.spend(int64_t(system_.records) * int64_t(items) / 8 + system_.buckets);
        claim->full = uint32_t(first_bits(int(items)));
        claim->place.assign(system_.records, 0);
        for (size_t i = 0; i < items; i++) {
            const uint8_t* had = record_items_[claim->layers[i]].data();
            uint16_t* place = claim->place.data();
            uint8_t wanted = closed.items[claim->layers[i]];
            uint16_t mine = uint16_t(1u << i);
            for (int r = 0, last = system_.records; r < last; r++) place[r] |= had[r] == wanted ? mine : uint16_t(0);
        }
        find_inner(*claim);
        budget_.use(claim->inner.size() + claim->cut.size(), sizeof(int));
        claim->possible.assign(words_for(size_t(1) << items), 0);
        return claim;
    }

    void find_inner(Claim& claim) const {
        const uint16_t *place = claim.place.data(), full = uint16_t(claim.full);
        for (int bucket = 0, buckets = system_.buckets; bucket < buckets && system_.plain(); bucket++)
            if (place[bucket] == full) claim.inner.push_back(bucket);
        for (int bucket = 0; bucket < system_.buckets && !system_.plain(); bucket++) {
            int first = system_.first_record[bucket], last = system_.first_record[bucket + 1];
            auto matching = std::count(place + first, place + last, full);
            if (matching) (matching == last - first ? claim.inner : claim.cut).push_back(bucket);
        }
        claim.inner_set.assign(words_for(system_.buckets), 0);
        for (int bucket : claim.inner) put(claim.inner_set, bucket);
    }

    void note_possible(Claim& claim) {
        for (; claim.occupied_seen < pool_.occupied_list.size(); claim.occupied_seen++) {
            int bucket = pool_.occupied_list[claim.occupied_seen];
            for (int i = system_.first_record[bucket]; i < system_.first_record[bucket + 1]; i++)
                put(claim.possible, claim.place[i]);
        }
        claim.alike = claim.possible;
        drop(claim.alike, claim.full);
        Places::close_downwards(claim.alike, int(claim.layers.size()));
        put(claim.alike, claim.full);
        budget_.spend(4 * int64_t(claim.alike.size()));
    }

    void find_doubt(Claim& claim) const {
        if (!system_.plain()) {
            for (int bucket = 0; bucket < system_.buckets; bucket++)
                if (doubtful(claim, bucket)) claim.doubt.push_back(bucket);
            return;
        }
        // the same where every bucket is one record, quicker: most are alike
        const Mask* alike = claim.alike.data();
        const uint16_t* place = claim.place.data();
        for (int bucket = 0, buckets = system_.buckets; bucket < buckets; bucket++)
            if (!(alike[place[bucket] >> 6] >> (place[bucket] & 63) & 1) && !pool_.occupied[bucket] && !empty_[bucket])
                claim.doubt.push_back(bucket);
    }

    bool doubtful(const Claim& claim, int bucket) const {
        return !pool_.occupied[bucket] && !empty_[bucket] && (told_apart(claim, bucket) || cuts(claim, bucket));
    }

    bool told_apart(const Claim& claim, int bucket) const {
        for (int i = system_.first_record[bucket]; i < system_.first_record[bucket + 1]; i++)
            if (!has(claim.alike, claim.place[i])) return true;
        return false;
    }

    static bool cuts(const Claim& claim, int bucket) {
        return !claim.cut.empty() && std::binary_search(claim.cut.begin(), claim.cut.end(), bucket);
    }
};

}  // namespace foregone
