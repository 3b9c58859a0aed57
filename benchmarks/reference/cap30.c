/*
 * Cap30 in plain C: the yardstick for the numba kernel of kernels/cap30.
 *
 * Plays single hands with the `random` policy (at every decision each choice is equally likely) and
 * the default options, for 2 to 4 players and the decks cap30, cap50 and cap100. One thread, scalar
 * code, one hand after the other. It records the same columns of a hand as the kernel, in blocks of
 * int32 [COLUMNS][1024 rows]. Playing and recording are timed, by the CPU clock of the thread;
 * adding the blocks up afterwards is timed apart.
 *
 *     cc -O3 -march=native -Wall -Wextra -o /tmp/cap30 benchmarks/reference/cap30.c
 *     /tmp/cap30 HANDS SEED PLAYERS DECK          (for example: 2000000 1 2 cap30)
 *
 * prints one JSON object. C1, C2, ... are the rules of the rules page of Cap30.
 *
 * What makes it fast
 *   - A set of card kinds is a 64-bit mask, kinds being numbered as in kernels/cap30/layout.py.
 *     A hand is two of them (held; held twice) besides its counts. Which kinds are legal, as one
 *     card or as a pair, depends on the total (and, for Undo, on the last card): two tables of
 *     masks. So the legal moves take an `and` each, counting them a popcount each, and choosing
 *     one is finding the n-th set bit.
 *   - Only number cards may be doubled, and none of these decks has three of one: no triples.
 *   - The total after a move comes from a table, by total and kind. An Undo is in it too: each move
 *     writes where an Undo would lead. What else an Undo takes back, the last action remembers:
 *     who was skipped, who picked up what. Nothing is played between a TakeTwo and its Undo, so the
 *     cards picked up are still held (but perhaps for that Undo).
 *   - The draw pile is shuffled while it is drawn (one step of Fisher-Yates a card). Cards that an
 *     Undo sends to the bottom wait in a queue of their own.
 *   - Frequent choices are arithmetic, not branches; branches are for what is rare.
 *   - Cells are counted in a tile of 32 rows that stays in the first-level cache, then copied: in a
 *     block, the columns of a row are 4 KiB apart and would push each other out.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Tuned for AMD Zen, as -march=native does there, gcc 12 keeps spilled integers in vector
 * registers: 1.5 times slower here. The instruction set stays that of the machine. */
#if defined __GNUC__ && !defined __clang__ && defined __x86_64__
#pragma GCC target("tune=generic")
#endif

typedef uint64_t u64;
typedef unsigned __int128 u128;

#define INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BIT(i) ((u64)1 << (i))

/* Kinds and columns, as in kernels/cap30/layout.py. */
enum {
    ADD = 0,
    SUBTRACT = 25,
    DOUBLE = 50,
    HALVE,
    RESET,
    UNDO,
    SKIP,
    SWITCH,
    TAKE_TWO,
    DRAIN,
    KINDS
};
enum { MAX_VALUE = 25, MAX_CAP = 100, MAX_PLAYERS = 4, MAX_CHAIN = 10, MAX_CARDS = 96 };
enum {
    STARTER,
    WINNER,
    WINNERS,
    POLICY_WINNERS,
    TURNS,
    MOVES,
    CARDS_PLAYED,
    DRAWN,
    TAKEN,
    STUCK,
    TENS,
    BLOCKED,
    TRUNCATED,
    RESHUFFLES,
    LEAD_CHANGES,
    DECISIONS,
    CHOICES,
    FORCED,
    LOSERS,
    LOSERS_CARDS,
    CARDS_LEFT,
    CHAINS = CARDS_LEFT + MAX_PLAYERS,
    PLAYS = CHAINS + MAX_CHAIN + 1,
    TOTALS = PLAYS + KINDS,
    COLUMNS = TOTALS + MAX_CAP + 1
};
enum { HAND_SIZE = 7, CHAIN_LIMIT = 3, TAKE_COUNT = 2, MAX_TURNS = 1000, TEN_STEP = 10 };
enum { ROWS = 1024, TILE = 32 };

typedef int32_t Block[COLUMNS][ROWS];
typedef int32_t Tile[COLUMNS][TILE];

/* ---------------------------------------------------------------- random numbers */

INLINE u64 next_random(u64 *state) /* wyrand */
{
    *state += 0xa0761d6478bd642fULL;
    const u128 product = (u128)*state * (*state ^ 0xe7037ed1a0b428dbULL);
    return (u64)(product >> 64) ^ (u64)product;
}

/* Uniform in 0 .. n - 1, without bias (Lemire). */
INLINE u64 below(u64 *state, u64 n)
{
    u128 product = (u128)next_random(state) * n;
    if (unlikely((u64)product < n)) {
        const u64 threshold = -n % n;
        while ((u64)product < threshold)
            product = (u128)next_random(state) * n;
    }
    return (u64)(product >> 64);
}

static u64 spread(u64 seed) /* splitmix64 */
{
    seed += 0x9e3779b97f4a7c15ULL;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebULL;
    return seed ^ (seed >> 31);
}

/* The n-th set bit of a mask, counted from 0. */
INLINE u64 nth_bit(u64 mask, u64 n)
{
#ifdef __BMI2__
    return __builtin_ia32_pdep_di(BIT(n), mask);
#else
    for (; n; n--)
        mask &= mask - 1;
    return mask & -mask;
#endif
}

/* ---------------------------------------------------------------- rules of a deck (C1, C2, C5) */

#define IS_TEN BIT(63) /* a flag in Rules.single: there is no such kind */

/* A decision among n choices, in the tally of a hand: choices in its low bits, decisions from bit
 * 24, forced ones from bit 44. A hand has at most MAX_TURNS turns of 3 decisions. */
#define ONE_DECISION BIT(24)
#define ONE_FORCED BIT(44)

typedef struct {
    u64 single[MAX_CAP + 1];        /* by total: kinds legal as one card, and IS_TEN */
    u64 pair[MAX_CAP + 1];          /* by total: number cards legal as a pair */
    uint8_t after[MAX_CAP + 1][64]; /* total after one card, by total and kind; its entry of Undo
                                       is not a rule but is written while playing */
    int8_t value[64];               /* what a number card adds */
    u64 tally[128];                 /* by number of choices */
    uint8_t lead[MAX_PLAYERS + 1][16]; /* leader (seat + 1; 0: nobody), by the one before and by
                                          who has the fewest cards; + 128 for a change */
    uint8_t deck[MAX_CARDS];        /* the kind of each card */
    uint8_t counts[KINDS];
    int cards, cap, start, values;
} Rules;

static void build_tables(Rules *rules)
{
    rules->cards = 0;
    for (int kind = 0; kind < KINDS; kind++)
        for (int copy = 0; copy < rules->counts[kind]; copy++)
            rules->deck[rules->cards++] = (uint8_t)kind;
    for (int value = 1; value <= MAX_VALUE; value++) {
        rules->value[ADD + value - 1] = (int8_t)value;
        rules->value[SUBTRACT + value - 1] = (int8_t)-value;
    }
    for (int n = 0; n < 128; n++)
        rules->tally[n] = (u64)n + ONE_DECISION + (n == 1 ? ONE_FORCED : 0);
    for (unsigned before = 0; before <= MAX_PLAYERS; before++)
        for (unsigned fewest = 1; fewest < 16; fewest++) {
            unsigned lead = fewest & (fewest - 1) ? before : (unsigned)__builtin_ctz(fewest) + 1;
            if (before && lead != before)
                lead |= 128;
            rules->lead[before][fewest] = (uint8_t)lead;
        }
    for (int total = 0; total <= rules->cap; total++) {
        u64 single = BIT(RESET) | BIT(UNDO) | BIT(SKIP) | BIT(SWITCH) | BIT(TAKE_TWO), pair = 0;
        memset(rules->after[total], total, sizeof rules->after[total]);
        for (int kind = 0; kind < DOUBLE; kind++) {
            const int one = total + rules->value[kind], two = one + rules->value[kind];
            if (one >= 0 && one <= rules->cap) {
                single |= BIT(kind);
                rules->after[total][kind] = (uint8_t)one;
            }
            if (two >= 0 && two <= rules->cap)
                pair |= BIT(kind);
        }
        if (2 * total <= rules->cap)
            single |= BIT(DOUBLE);
        if (total % 2 == 0)
            single |= BIT(HALVE);
        if (total % TEN_STEP == 0)
            single |= IS_TEN;
        rules->after[total][DOUBLE] = (uint8_t)(2 * total);
        rules->after[total][HALVE] = (uint8_t)(total / 2);
        rules->after[total][RESET] = (uint8_t)rules->start;
        rules->single[total] = single;
        rules->pair[total] = pair;
    }
}

static int build_rules(Rules *rules, const char *name)
{
    static const struct {
        const char *name;
        int cap, start, values;
        uint8_t specials[DRAIN - DOUBLE]; /* Double, Halve, Reset, Undo, Skip, Switch, TakeTwo */
    } decks[] = {
        {"cap30", 30, 15, 10, {3, 3, 2, 2, 2, 2, 6}},
        {"cap50", 50, 25, 15, {4, 4, 2, 2, 3, 3, 8}},
        {"cap100", 100, 50, 25, {5, 5, 3, 3, 3, 3, 10}},
    };
    for (size_t i = 0; i < sizeof decks / sizeof *decks; i++) {
        if (strcmp(name, decks[i].name))
            continue;
        rules->cap = decks[i].cap;
        rules->start = decks[i].start;
        rules->values = decks[i].values;
        for (int value = 1; value <= rules->values; value++) {
            const uint8_t count = value >= 5 && value <= 10 ? 2 : 1;
            rules->counts[ADD + value - 1] = rules->counts[SUBTRACT + value - 1] = count;
        }
        memcpy(rules->counts + DOUBLE, decks[i].specials, sizeof decks[i].specials);
        build_tables(rules);
        return 1;
    }
    return 0;
}

/* ---------------------------------------------------------------- hands and the draw pile */

typedef struct {
    u64 once;                      /* kinds held */
    u64 twice;                     /* kinds held twice, as far as number cards go */
    u64 size;                      /* cards */
    uint8_t copies[128 - 3 * 8];   /* by kind; padded, so that a Hand is quickly found */
} Hand;

INLINE void add_card(Hand *hand, u64 kind)
{
    hand->copies[kind]++;
    hand->twice |= hand->once & BIT(kind);
    hand->once |= BIT(kind);
    hand->size++;
}

INLINE void remove_card(Hand *hand, u64 kind)
{
    hand->once ^= (u64)(--hand->copies[kind] == 0) << kind;
    hand->twice &= ~BIT(kind);
    hand->size--;
}

typedef struct {
    uint8_t card[MAX_CARDS]; /* in no order yet; how many there are, players keep in a local */
    uint8_t bottom[8];       /* below them, in this order: at most 3 Undos of 2 cards */
    unsigned first, last;    /* of those, until the next shuffle */
} Pile;

/* C8: make a new pile of all cards but those in hands and the top of the discards. */
static __attribute__((noinline, cold)) u64 reshuffle(const Rules *rules, Pile *pile,
                                                     const Hand *hands, int players, u64 top)
{
    u64 left = 0;
    for (int kind = 0; kind < KINDS; kind++) {
        int count = rules->counts[kind] - (BIT(kind) == top);
        for (int seat = 0; seat < players; seat++)
            count -= hands[seat].copies[kind];
        while (count-- > 0)
            pile->card[left++] = (uint8_t)kind;
    }
    pile->first = pile->last = 0;
    return left;
}

/* One card of those in no order. */
INLINE int draw_any(Pile *pile, u64 *left, u64 *random)
{
    const u64 at = below(random, *left);
    const int kind = pile->card[at];
    pile->card[at] = pile->card[--*left];
    return kind;
}

/* The next card, or -1 if there is none. */
INLINE int draw(const Rules *rules, Pile *pile, const Hand *hands, int players, u64 top, u64 *left,
                u64 *random, int32_t *reshuffles)
{
    if (unlikely(*left == 0)) {
        if (pile->first < pile->last)
            return pile->bottom[pile->first++];
        *left = reshuffle(rules, pile, hands, players, top);
        if (*left == 0)
            return -1;
        ++*reshuffles;
    }
    return draw_any(pile, left, random);
}

/* What the last TakeTwo did. */
typedef struct {
    u64 target;
    int count, kinds[TAKE_COUNT];
} Picked;

/* C12: put what was picked up to the bottom of the pile; `own` if the target plays the Undo. */
static __attribute__((noinline, cold)) void give_back(const Picked *picked, Hand *hand, int own,
                                                      Pile *pile)
{
    int undos = 0;
    for (int i = 0; i < picked->count; i++)
        undos += picked->kinds[i] == UNDO;
    /* The Undo played, the one held longest, was picked up itself if fewer are left than came. */
    int played = own && hand->copies[UNDO] < undos;
    for (int i = 0; i < picked->count; i++) {
        if (played && picked->kinds[i] == UNDO) {
            played = 0;
            continue;
        }
        remove_card(hand, (u64)picked->kinds[i]);
        pile->bottom[pile->last++] = (uint8_t)picked->kinds[i];
    }
}

/* ---------------------------------------------------------------- playing */

/* The seat `step` further on. */
#define SEAT_AFTER(seat, step) \
    (players == 3 ? ((seat) + (step)) - (3 & -(u64)((seat) + (step) >= 3)) \
                  : (((seat) + (step)) & (u64)(players - 1)))

/* Play a hand, counting in one row of a zeroed tile. To be called with a constant `players`. */
INLINE void play_hand(Rules *rules, int32_t (*out)[TILE], const int players, u64 *random_state)
{
    u64 random = *random_state;
    Hand hands[MAX_PLAYERS];
    Pile pile;
    Picked picked;
    u64 left = (u64)rules->cards;
    memcpy(pile.card, rules->deck, sizeof pile.card);
    pile.first = pile.last = 0;
    for (int seat = 0; seat < players; seat++) { /* C3 */
        const int cards = HAND_SIZE + (players == 2 && seat == 0);
        u64 once = 0, twice = 0;
        memset(&hands[seat], 0, sizeof(Hand));
        for (int i = 0; i < cards; i++) {
            const int kind = draw_any(&pile, &left, &random);
            hands[seat].copies[kind]++;
            twice |= once & BIT(kind);
            once |= BIT(kind);
        }
        hands[seat].once = once;
        hands[seat].twice = twice;
        hands[seat].size = (u64)cards;
    }

    /* Cards that need code of their own: always, and as something that an Undo must take back.
     * (With two players Skip and Switch only give a second go, and a Switch leaves no trace.) */
    const u64 lasting = BIT(TAKE_TWO) | BIT(SKIP) | (players > 2 ? BIT(SWITCH) : 0);
    const u64 special = BIT(TAKE_TWO) | (players > 2 ? BIT(SKIP) : 0);
    u64 has_effect = special;

    u64 seat = 0, next = 0;               /* whose turn it is, and whose after this */
    u64 step = 1;                         /* to the next seat: 1 or players - 1 */
    u64 skipped = 0;                      /* by the last card, if that was a Skip */
    u64 total = (u64)rules->start;
    u64 last = BIT(UNDO);                 /* top of the discards; none counts as an Undo: C5 */
    int turns = 0, winner = -1;
    int passes = 0, last_pass = 0;        /* turns in a row without any card; the last of them */
    int lead = 0;                         /* 0: nobody yet. Two players: sign of seat 0's lead; else
                                             the seat + 1 and a flag, as in Rules */
    unsigned lead_changes = 0;
    u64 tally = 0;

    for (;;) {
        Hand *const hand = &hands[seat];
        u64 before = total;
        u64 legal = rules->single[total] & ~(last & BIT(UNDO));
        u64 single = hand->once & legal;
        u64 pair = hand->twice & rules->pair[total];
        u64 n_single = (u64)__builtin_popcountll(single);
        u64 n = n_single + (u64)__builtin_popcountll(pair);
        u64 choice, kind, bit;
        int length = 1;
        turns++;

        if (unlikely(n == 0)) { /* C7 */
            const int card =
                draw(rules, &pile, hands, players, last, &left, &random, &out[RESHUFFLES][0]);
            out[STUCK][0]++;
            next = SEAT_AFTER(seat, step);
            if (unlikely(card < 0)) { /* C14 */
                out[CHAINS][0]++;
                passes = last_pass == turns - 1 ? passes + 1 : 1;
                last_pass = turns;
                if (passes == players) {
                    out[BLOCKED][0] = 1;
                    break;
                }
                goto turn_over;
            }
            out[DRAWN][0]++;
            add_card(hand, (u64)card);
            bit = BIT(card);
            if (bit & legal) {
                tally += rules->tally[2];
                if (next_random(&random) >> 63)
                    goto single_card;
            }
            out[CHAINS][0]++;
            goto turn_over;
        }
        tally += rules->tally[n];
        choice = below(&random, n);

    chosen:
        if (likely(choice < n_single)) {
            bit = nth_bit(single, choice);
        single_card:
            kind = (u64)__builtin_ctzll(bit);
            remove_card(hand, kind);
            total = rules->after[total][kind];
        } else {
            bit = nth_bit(pair, choice - n_single);
            kind = (u64)__builtin_ctzll(bit);
            hand->copies[kind] = 0;
            hand->once ^= bit;
            hand->twice ^= bit;
            hand->size -= 2;
            total += 2 * (u64)rules->value[kind];
            out[CARDS_PLAYED][0]++;
        }
        out[PLAYS + kind][0]++;

        if (players == 2) { /* C11 */
            next = seat ^ !(bit & (BIT(SKIP) | BIT(SWITCH)));
        } else {
            step = bit & BIT(SWITCH) ? (u64)players - step : step;
            next = SEAT_AFTER(seat, step);
        }
        if (unlikely(bit & has_effect)) {
            if (kind == TAKE_TWO) {
                u64 target = next, other = next;
                for (int i = 2; i < players; i++) {
                    other = SEAT_AFTER(other, step);
                    target = hands[other].size < hands[target].size ? other : target;
                }
                picked.target = target;
                int count = 0;
                for (int i = 0; i < TAKE_COUNT; i++) {
                    const int card = draw(rules, &pile, hands, players, bit, &left, &random,
                                          &out[RESHUFFLES][0]);
                    if (unlikely(card < 0))
                        break;
                    add_card(&hands[target], (u64)card);
                    picked.kinds[count++] = card;
                }
                picked.count = count;
                out[TAKEN][0] += count;
            } else if (players > 2 && kind == SKIP) {
                skipped = next;
                next = SEAT_AFTER(next, step);
            } else if (last == BIT(TAKE_TWO)) { /* an Undo: C12 */
                give_back(&picked, &hands[picked.target], seat == picked.target, &pile);
            } else if (players > 2 && last == BIT(SWITCH)) {
                step = (u64)players - step;
                next = SEAT_AFTER(seat, step);
            } else if (last == BIT(SKIP)) {
                next = skipped;
            }
        }
        has_effect = bit & lasting ? special | BIT(UNDO) : special;
        skipped = players == 2 ? seat ^ 1 : skipped; /* cheaper always than after a Skip */
        last = bit;
        rules->after[total][UNDO] = (uint8_t)before;
        out[TOTALS + total][0]++;

        legal = rules->single[total];
        if (unlikely(legal >> 63 & (total != before))) { /* on a ten (IS_TEN): C9 */
            out[TENS][0]++;
            if (length++ < CHAIN_LIMIT && hand->size) {
                single = hand->once & legal & ~(last & BIT(UNDO));
                pair = hand->twice & rules->pair[total];
                n_single = (u64)__builtin_popcountll(single);
                n = n_single + (u64)__builtin_popcountll(pair);
                if (n) {
                    tally += rules->tally[n + 1];
                    choice = below(&random, n + 1);
                    if (choice < n) { /* else stop */
                        out[CHAINS + length][0]++;
                        before = total;
                        goto chosen;
                    }
                }
            }
        }

    turn_over:
        if (players == 2) {
            const int ahead = (int)(hands[1].size - hands[0].size);
            lead_changes += (unsigned)(ahead * lead) >> 31;
            lead ^= (lead ^ ahead) & -(ahead != 0);
        } else {
            u64 least = hands[0].size;
            for (int i = 1; i < players; i++)
                least = hands[i].size < least ? hands[i].size : least;
            unsigned fewest = 0;
            for (int i = 0; i < players; i++)
                fewest |= (unsigned)(hands[i].size == least) << i;
            lead = rules->lead[lead & 7][fewest];
            lead_changes += (unsigned)lead >> 7;
        }
        if (unlikely(hand->size == 0)) { /* C10 */
            winner = (int)seat;
            break;
        }
        seat = next;
        if (unlikely(turns == MAX_TURNS))
            break;
    }
    *random_state = random;

    /* So far CARDS_PLAYED counts pairs, and CHAINS turns that reached a second, a third move. */
    const int32_t won = winner >= 0;
    const int32_t moves = turns - out[CHAINS][0] + out[CHAINS + 2][0] + out[CHAINS + 3][0];
    int32_t cards_left = 0;
    for (int i = 0; i < players; i++) {
        out[CARDS_LEFT + i][0] = (int32_t)hands[i].size;
        cards_left += (int32_t)hands[i].size;
    }
    out[STARTER][0] = 0;
    out[WINNER][0] = winner;
    out[WINNERS][0] = won << (winner & 31);
    out[POLICY_WINNERS][0] = won; /* there is one policy */
    out[TURNS][0] = turns;
    out[MOVES][0] = moves;
    out[CARDS_PLAYED][0] += moves;
    out[TRUNCATED][0] = !won && !out[BLOCKED][0];
    out[LEAD_CHANGES][0] = (int32_t)lead_changes;
    out[DECISIONS][0] = (int32_t)(tally >> 24 & 0xfffff);
    out[CHOICES][0] = (int32_t)(tally & 0xffffff);
    out[FORCED][0] = (int32_t)(tally >> 44);
    out[LOSERS][0] = players - won;
    out[LOSERS_CARDS][0] = cards_left;
    out[CHAINS + 1][0] = turns - out[CHAINS][0] - out[CHAINS + 2][0];
    out[CHAINS + 2][0] -= out[CHAINS + 3][0];
}

INLINE void copy_columns(Block block, Tile tile, unsigned row, int first, int count)
{
    for (int column = first; column < first + count; column++)
        memcpy(block[column] + row, tile[column], sizeof tile[column]);
}

/* Play `rows` hands into a block. Columns of what the deck lacks are left alone. */
INLINE void play_block(Rules *rules, Block block, unsigned rows, const int players, u64 *random)
{
    static Tile tile;
    for (unsigned row = 0; row < rows; row += TILE) {
        memset(tile, 0, sizeof tile);
        for (unsigned i = 0; i < TILE && row + i < rows; i++)
            play_hand(rules, (int32_t(*)[TILE]) & tile[0][i], players, random);
        copy_columns(block, tile, row, 0, CHAINS + CHAIN_LIMIT + 1);
        copy_columns(block, tile, row, PLAYS + ADD, rules->values);
        copy_columns(block, tile, row, PLAYS + SUBTRACT, rules->values);
        copy_columns(block, tile, row, PLAYS + DOUBLE, DRAIN - DOUBLE);
        copy_columns(block, tile, row, TOTALS, rules->cap + 1);
    }
}

static __attribute__((noinline)) void play_2(Rules *rules, Block block, unsigned rows, u64 *random)
{
    play_block(rules, block, rows, 2, random);
}

static __attribute__((noinline)) void play_3(Rules *rules, Block block, unsigned rows, u64 *random)
{
    play_block(rules, block, rows, 3, random);
}

static __attribute__((noinline)) void play_4(Rules *rules, Block block, unsigned rows, u64 *random)
{
    play_block(rules, block, rows, 4, random);
}

/* ---------------------------------------------------------------- adding up and printing */

static int64_t sums[COLUMNS], wins[MAX_PLAYERS];

static void add_up(Block block, unsigned rows)
{
    for (int column = 0; column < COLUMNS; column++) {
        int64_t sum = 0;
        for (unsigned row = 0; row < rows; row++)
            sum += block[column][row];
        sums[column] += sum;
    }
    for (unsigned row = 0; row < rows; row++)
        if (block[WINNER][row] >= 0)
            wins[block[WINNER][row]]++;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void print_stats(const Rules *rules, int players, double hands)
{
    static const struct {
        const char *name;
        int column;
    } scalars[] = {
        {"turns", TURNS},         {"moves", MOVES},
        {"cards_played", CARDS_PLAYED}, {"drawn", DRAWN},
        {"taken", TAKEN},         {"stuck", STUCK},
        {"tens", TENS},           {"blocked", BLOCKED},
        {"truncated", TRUNCATED}, {"reshuffles", RESHUFFLES},
        {"lead_changes", LEAD_CHANGES}, {"decisions", DECISIONS},
        {"choices", CHOICES},     {"forced", FORCED},
    };
    static const char *const specials[] = {"Double", "Halve",  "Reset",  "Undo",
                                           "Skip",   "Switch", "TakeTwo"};
    for (int seat = 0; seat < players; seat++)
        printf("\"win.seat%d\": %.9g, ", seat, (double)wins[seat] / hands);
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        printf("\"%s\": %.9g, ", scalars[i].name, (double)sums[scalars[i].column] / hands);
    for (int seat = 0; seat < players; seat++)
        printf("\"cards_left.seat%d\": %.9g, ", seat, (double)sums[CARDS_LEFT + seat] / hands);
    for (int length = 0; length <= CHAIN_LIMIT; length++)
        printf("\"chains.%d\": %.9g, ", length, (double)sums[CHAINS + length] / hands);
    for (int kind = 0; kind < KINDS; kind++) {
        if (!rules->counts[kind])
            continue;
        if (kind < DOUBLE)
            printf("\"plays.%+d\": ", rules->value[kind]);
        else
            printf("\"plays.%s\": ", specials[kind - DOUBLE]);
        printf("%.9g, ", (double)sums[PLAYS + kind] / hands);
    }
    for (int total = 0; total <= rules->cap; total++)
        printf("\"total_share.%d\": %.9g, ", total,
               (double)sums[TOTALS + total] / (double)sums[MOVES]);
    printf("\"cards_left_of_a_loser\": %.9g", (double)sums[LOSERS_CARDS] / (double)sums[LOSERS]);
}

int main(int argc, char **argv)
{
    static Rules rules;
    static Block block;
    const u64 hands = argc == 5 ? strtoull(argv[1], NULL, 10) : 0;
    const int players = argc == 5 ? atoi(argv[3]) : 0;
    if (!hands || players < 2 || players > MAX_PLAYERS || !build_rules(&rules, argv[4])) {
        fprintf(stderr, "usage: cap30 HANDS SEED PLAYERS(2-4) DECK(cap30|cap50|cap100)\n");
        return 2;
    }
    u64 random = spread(strtoull(argv[2], NULL, 10));
    double playing = 0, adding = 0;
    for (u64 done = 0; done < hands; done += ROWS) {
        const unsigned rows = hands - done < ROWS ? (unsigned)(hands - done) : ROWS;
        const double start = cpu_seconds();
        (players == 2 ? play_2 : players == 3 ? play_3 : play_4)(&rules, block, rows, &random);
        const double played = cpu_seconds();
        add_up(block, rows);
        playing += played - start;
        adding += cpu_seconds() - played;
    }
    printf("{\"hands\": %" PRIu64 ", \"players\": %d, \"deck\": \"%s\", \"seconds\": %.6f, "
           "\"ns_per_hand\": %.2f, \"seconds_adding_up\": %.6f, \"stats\": {",
           hands, players, argv[4], playing, 1e9 * playing / (double)hands, adding);
    print_stats(&rules, players, (double)hands);
    printf("}}\n");
    return 0;
}
