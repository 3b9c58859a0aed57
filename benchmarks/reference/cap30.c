/*
 * Cap30, one hand at a time, in plain C: the yardstick for the numba kernel of kernels/cap30.
 *
 * Plays the `random` policy (at every decision each choice is equally likely) with the default
 * options, 2 to 4 players, decks cap30, cap50 and cap100. One thread, scalar code, one hand after
 * the other, no intrinsic but pdep. It records the same columns of a hand as the kernel, in blocks
 * of int32 [COLUMNS][1024]. Playing is timed by the CPU clock; adding the blocks up is timed apart.
 *
 *     cc -O3 -march=native -Wall -Wextra -o /tmp/cap30 benchmarks/reference/cap30.c
 *     /tmp/cap30 HANDS SEED PLAYERS DECK          (say: 2000000 1 2 cap30)
 *
 * prints one JSON object. Rule ids (C1, C2, ...) are those of the rules page of Cap30.
 *
 * How it works
 *   - A set of card kinds is a 64-bit mask (bit = kind, numbered as in kernels/cap30/layout.py).
 *   - A hand is four such masks, the binary digits of each kind's number of copies ("bit slices").
 *   - Which single cards and which pairs are legal depends on the total only, so both are masks
 *     from a table, and the legal moves of a hand take an `and` each. An Undo is let through or
 *     not by one more mask. No deck here has three of a number card, so there are no triples.
 *   - Choosing the n-th legal move is selecting the n-th set bit.
 *   - The draw pile is shuffled as it is drawn (Fisher-Yates, one step a card). Cards that an Undo
 *     sent to the bottom wait in a queue of their own.
 *   - An Undo needs the last card's kind, the total before it, who was skipped and what was picked
 *     up. No card is played between a TakeTwo and its Undo, so what was picked up is still held.
 *   - Rows are written into a tile of 16 hands that stays in the first-level cache (a column of a
 *     block is 4 KiB from the next: cells of one row would evict each other), then copied.
 */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

typedef uint64_t u64;

#define INLINE static inline __attribute__((always_inline))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define BIT(kind) ((u64)1 << (kind))

/* Kinds and columns, as in kernels/cap30/layout.py. */
enum {
    ADD = 0, SUBTRACT = 25, DOUBLE = 50, HALVE, RESET, UNDO, SKIP, SWITCH, TAKE_TWO, DRAIN,
    KINDS = 58, NO_KIND = 63, MAX_VALUE = 25, MAX_CAP = 100, MAX_PLAYERS = 4, MAX_CHAIN = 10
};
enum {
    STARTER, WINNER, WINNERS, POLICY_WINNERS, TURNS, MOVES, CARDS_PLAYED, DRAWN, TAKEN, STUCK, TENS,
    BLOCKED, TRUNCATED, RESHUFFLES, LEAD_CHANGES, DECISIONS, CHOICES, FORCED, LOSERS, LOSERS_CARDS,
    CARDS_LEFT,
    CHAINS = CARDS_LEFT + MAX_PLAYERS,
    PLAYS = CHAINS + MAX_CHAIN + 1,
    TOTALS = PLAYS + KINDS,
    COLUMNS = TOTALS + MAX_CAP + 1
};
enum { HAND_SIZE = 7, CHAIN_LIMIT = 3, TAKE_COUNT = 2, MAX_TURNS = 1000, TEN_STEP = 10 };
enum { ROWS = 1024, TILE = 16, MAX_CARDS = 96 };

static int32_t block[COLUMNS][ROWS];

/* ---------------------------------------------------------------- random numbers (wyrand) */

INLINE u64 next_random(u64 *state)
{
    *state += 0xa0761d6478bd642fULL;
    const unsigned __int128 product =
        (unsigned __int128)*state * (*state ^ 0xe7037ed1a0b428dbULL);
    return (u64)(product >> 64) ^ (u64)product;
}

/* Uniform in 0 .. n - 1, without bias (Lemire). */
INLINE u64 below(u64 *state, u64 n)
{
    unsigned __int128 product = (unsigned __int128)next_random(state) * n;
    if (unlikely((u64)product < n)) {
        const u64 threshold = -n % n;
        while ((u64)product < threshold)
            product = (unsigned __int128)next_random(state) * n;
    }
    return (u64)(product >> 64);
}

static u64 mix(u64 x) /* splitmix64, to spread the seed */
{
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/* The n-th set bit of a mask, as a kind. */
INLINE unsigned nth_kind(u64 mask, u64 n)
{
#ifdef __BMI2__
    return (unsigned)__builtin_ctzll(_pdep_u64((u64)1 << n, mask));
#else
    for (; n; n--)
        mask &= mask - 1;
    return (unsigned)__builtin_ctzll(mask);
#endif
}

/* ---------------------------------------------------------------- hands of cards */

typedef struct {
    u64 ones, twos, fours, eights;
} Hand;

INLINE void add_card(Hand *hand, u64 bit)
{
    const u64 to_twos = hand->ones & bit, to_fours = hand->twos & to_twos;
    hand->ones ^= bit;
    hand->twos ^= to_twos;
    hand->eights ^= hand->fours & to_fours;
    hand->fours ^= to_fours;
}

INLINE void remove_card(Hand *hand, u64 bit)
{
    const u64 from_twos = bit & ~hand->ones, from_fours = from_twos & ~hand->twos;
    hand->ones ^= bit;
    hand->twos ^= from_twos;
    hand->eights ^= from_fours & ~hand->fours;
    hand->fours ^= from_fours;
}

INLINE u64 held(const Hand *hand) /* kinds held at least once */
{
    return hand->ones | hand->twos | (hand->fours | hand->eights);
}

INLINE int copies(const Hand *hand, unsigned kind)
{
    return (int)((hand->ones >> kind & 1) | (hand->twos >> kind & 1) << 1 |
                 (hand->fours >> kind & 1) << 2 | (hand->eights >> kind & 1) << 3);
}

/* ---------------------------------------------------------------- rules of a deck (C1, C2, C5) */

#define IS_TEN BIT(63) /* flag in Rules.single: no kind has this number */

typedef struct {
    u64 single[MAX_CAP + 1];           /* kinds legal as one card at a total; and IS_TEN */
    u64 pair[MAX_CAP + 1];             /* number cards legal twice at a total */
    uint8_t after[MAX_CAP + 1][64];    /* total after one card (Undo: see undo below) */
    int8_t step[64];                   /* what a number card adds */
    uint8_t deck[MAX_CARDS];           /* the kinds of all cards */
    uint8_t counts[KINDS];
    int cards, cap, start;
} Rules;

static int build_rules(Rules *rules, const char *deck)
{
    static const struct {
        const char *name;
        int cap, start, values, take_two, doubles, halves, undo, reset, skip, turn;
    } decks[] = {
        {"cap30", 30, 15, 10, 6, 3, 3, 2, 2, 2, 2},
        {"cap50", 50, 25, 15, 8, 4, 4, 2, 2, 3, 3},
        {"cap100", 100, 50, 25, 10, 5, 5, 3, 3, 3, 3},
    };
    size_t which = 0;
    while (which < 3 && strcmp(deck, decks[which].name))
        which++;
    if (which == 3)
        return 0;
    memset(rules, 0, sizeof *rules);
    rules->cap = decks[which].cap;
    rules->start = decks[which].start;
    for (int value = 1; value <= decks[which].values; value++) {
        const uint8_t count = value >= 5 && value <= 10 ? 2 : 1;
        rules->counts[ADD + value - 1] = rules->counts[SUBTRACT + value - 1] = count;
    }
    for (int value = 1; value <= MAX_VALUE; value++) {
        rules->step[ADD + value - 1] = (int8_t)value;
        rules->step[SUBTRACT + value - 1] = (int8_t)-value;
    }
    rules->counts[DOUBLE] = (uint8_t)decks[which].doubles;
    rules->counts[HALVE] = (uint8_t)decks[which].halves;
    rules->counts[RESET] = (uint8_t)decks[which].reset;
    rules->counts[UNDO] = (uint8_t)decks[which].undo;
    rules->counts[SKIP] = (uint8_t)decks[which].skip;
    rules->counts[SWITCH] = (uint8_t)decks[which].turn;
    rules->counts[TAKE_TWO] = (uint8_t)decks[which].take_two;
    for (unsigned kind = 0; kind < KINDS; kind++)
        for (int copy = 0; copy < rules->counts[kind]; copy++)
            rules->deck[rules->cards++] = (uint8_t)kind;

    for (int total = 0; total <= rules->cap; total++) {
        u64 single = BIT(RESET) | BIT(UNDO) | BIT(SKIP) | BIT(SWITCH) | BIT(TAKE_TWO), pair = 0;
        memset(rules->after[total], total, 64);
        for (unsigned kind = 0; kind < DOUBLE; kind++) {
            const int one = total + rules->step[kind], two = one + rules->step[kind];
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
    return 1;
}

/* ---------------------------------------------------------------- the draw pile (C3, C8) */

typedef struct {
    uint8_t card[MAX_CARDS];  /* the first `left` (kept by the caller) are in no order yet */
    uint8_t bottom[8];        /* below them, in this order: put there by Undos of a TakeTwo */
    unsigned first, last;     /* at most 3 Undos of 2 cards between two reshuffles */
} Pile;

/* Make a new pile of all cards but those in hands and the top of the discards. */
static __attribute__((noinline, cold)) u64 reshuffle(const Rules *rules, Pile *pile,
                                                     const Hand *hands, int players, unsigned top)
{
    u64 left = 0;
    for (unsigned kind = 0; kind < KINDS; kind++) {
        int count = rules->counts[kind] - (kind == top);
        for (int seat = 0; seat < players; seat++)
            count -= copies(&hands[seat], kind);
        while (count-- > 0)
            pile->card[left++] = (uint8_t)kind;
    }
    pile->first = pile->last = 0;
    return left;
}

/* ---------------------------------------------------------------- playing */

typedef int32_t Tile[COLUMNS][TILE];

/* Decisions, choices and forced decisions of a hand in one number. */
#define ONE_DECISION BIT(24)
#define ONE_FORCED BIT(44)

/* Sizes of all hands in one number, 16 bits a seat. */
#define SIZE(seat) (sizes >> 16 * (seat) & 0xffff)
#define ONE_CARD(seat) ((u64)1 << 16 * (seat))

/* One card into `kind`, or -1 if there is none (C8). */
#define DRAW(kind)                                                                    \
    do {                                                                              \
        kind = -1;                                                                    \
        if (unlikely(left == 0)) {                                                    \
            if (pile.first < pile.last)                                               \
                kind = pile.bottom[pile.first++];                                     \
            else {                                                                    \
                left = reshuffle(rules, &pile, hands, players, last);                 \
                reshuffles += left > 0;                                               \
            }                                                                         \
        }                                                                             \
        if (likely(left)) {                                                           \
            const u64 at = below(&random, left);                                      \
            kind = pile.card[at];                                                     \
            pile.card[at] = pile.card[--left];                                        \
        }                                                                             \
    } while (0)

/* Play `rows` hands into the first rows of a tile. Called with constant `players`. */
INLINE u64 play_tile(const Rules *rules, Tile *tile, unsigned rows, const int players, u64 random)
{
    for (unsigned row = 0; row < rows; row++) {
        int32_t(*const out)[TILE] = (int32_t(*)[TILE]) & (*tile)[0][row];
        Hand hands[MAX_PLAYERS];
        Pile pile;
        u64 left = (u64)rules->cards;
        memcpy(pile.card, rules->deck, MAX_CARDS);
        pile.first = pile.last = 0;
        memset(hands, 0, sizeof hands);

        int32_t reshuffles = 0, drawn = 0, taken = 0, stuck = 0, tens = 0, lead_changes = 0;
        int32_t pairs = 0, turns = 0, blocked = 0, winner = -1;
        u64 sizes = 0, tally = 0;
        unsigned last = NO_KIND;               /* last card played = top of the discards */
        int kind;

        for (int seat = 0; seat < players; seat++) { /* C3 */
            const int cards = HAND_SIZE + (players == 2 && seat == 0);
            for (int i = 0; i < cards; i++) {
                DRAW(kind);
                add_card(&hands[seat], BIT(kind));
            }
            sizes += (u64)cards << 16 * seat;
        }

        int seat = 0, next = 0;                /* whose turn it is, and whose after this move */
        int step = 1;                          /* to the next seat: 1 or players - 1 */
        int skipped = 0;                       /* by the last Skip */
        unsigned total = (unsigned)rules->start;
        unsigned previous = total;             /* total before the last card */
        u64 allowed = ~BIT(UNDO);              /* C5: no Undo at first and after an Undo */
        int target = 0, picked[TAKE_COUNT], n_picked = 0; /* by the last TakeTwo */
        int lead = 0;                          /* two players: sign; else mask of one seat */
        int passes = 0, passed_turn = 0;       /* turns in a row without any card; the latest */

        for (;;) { /* turns */
            Hand *hand = &hands[seat];
            int length = 0;
            u64 single = held(hand) & rules->single[total] & allowed;
            u64 pair = hand->twos & rules->pair[total];
            u64 n_single = (u64)__builtin_popcountll(single);
            u64 choices = n_single + (u64)__builtin_popcountll(pair);
            u64 choice, bit;
            turns++;

            if (unlikely(choices == 0)) { /* C7 */
                stuck++;
                next = seat + step;
                next -= next >= players ? players : 0;
                DRAW(kind);
                if (kind < 0) {
                    passes = passed_turn == turns - 1 ? passes + 1 : 1;
                    passed_turn = turns;
                    blocked = passes == players; /* C14 */
                    goto turn_over;
                }
                drawn++;
                bit = BIT(kind);
                add_card(hand, bit);
                sizes += ONE_CARD(seat);
                if (!(bit & rules->single[total] & allowed))
                    goto turn_over;
                tally += 2 + ONE_DECISION;
                if (next_random(&random) >> 63)
                    goto turn_over;
                goto single_card;
            }
            tally += choices + ONE_DECISION + (choices == 1 ? ONE_FORCED : 0);
            choice = below(&random, choices);

        move:;
            unsigned before = total;
            if (likely(choice < n_single)) {
                kind = (int)nth_kind(single, choice);
                bit = BIT(kind);
            single_card:
                before = total;
                remove_card(hand, bit);
                sizes -= ONE_CARD(seat);
                total = rules->after[total][kind];
            } else {
                kind = (int)nth_kind(pair, choice - n_single);
                bit = BIT(kind);
                hand->twos ^= bit;
                sizes -= 2 * ONE_CARD(seat);
                total += 2 * (unsigned)rules->step[kind];
                pairs++;
            }
            length++;
            out[PLAYS + kind][0]++;

            /* C11: who is next. */
            if (players == 2) {
                next = seat ^ !((BIT(SKIP) | BIT(SWITCH)) & bit);
            } else {
                step = kind == SWITCH ? players - step : step;
                next = seat + step;
                next -= next >= players ? players : 0;
            }
            if (unlikely(bit & (BIT(TAKE_TWO) | BIT(UNDO) | (players > 2 ? BIT(SKIP) : 0)))) {
                if (kind == TAKE_TWO) {
                    target = next;
                    for (int i = 2; i < players; i++) {
                        int other = seat + (i * step) % players;
                        other -= other >= players ? players : 0;
                        target = SIZE(other) < SIZE(target) ? other : target;
                    }
                    last = TAKE_TWO;
                    n_picked = 0;
                    for (int i = 0; i < TAKE_COUNT; i++) {
                        int card;
                        DRAW(card);
                        if (unlikely(card < 0))
                            break;
                        add_card(&hands[target], BIT(card));
                        picked[n_picked++] = card;
                    }
                    sizes += (u64)n_picked * ONE_CARD(target);
                    taken += n_picked;
                } else if (players > 2 && kind == SKIP) {
                    skipped = next;
                    next += step;
                    next -= next >= players ? players : 0;
                } else { /* C12 */
                    total = previous;
                    if (players > 2 && last == SWITCH) {
                        step = players - step;
                        next = seat + step;
                        next -= next >= players ? players : 0;
                    } else if (players > 2 && last == SKIP) {
                        next = skipped;
                    } else if (last == TAKE_TWO) {
                        /* If it was itself picked up, it was the first Undo of those. */
                        int undos = 0;
                        for (int i = 0; i < n_picked; i++)
                            undos += picked[i] == UNDO;
                        int spent = seat == target && copies(hand, UNDO) < undos;
                        for (int i = 0; i < n_picked; i++) {
                            if (spent && picked[i] == UNDO) {
                                spent = 0;
                                continue;
                            }
                            remove_card(&hands[target], BIT(picked[i]));
                            sizes -= ONE_CARD(target);
                            pile.bottom[pile.last++] = (uint8_t)picked[i];
                        }
                    }
                }
            }
            last = (unsigned)kind;
            previous = before;
            allowed = ~(bit & BIT(UNDO));
            out[TOTALS + total][0]++;
            const int is_ten = (rules->single[total] >> 63) & (total != before);
            tens += is_ten;
            if (unlikely(SIZE(seat) == 0)) { /* C10 */
                winner = seat;
                goto turn_over;
            }
            if (unlikely(is_ten && length < CHAIN_LIMIT)) { /* C9 */
                single = held(hand) & rules->single[total] & allowed;
                pair = hand->twos & rules->pair[total];
                n_single = (u64)__builtin_popcountll(single);
                choices = n_single + (u64)__builtin_popcountll(pair);
                if (choices) {
                    tally += choices + 1 + ONE_DECISION;
                    choice = below(&random, choices + 1);
                    if (choice < choices)
                        goto move;
                }
            }

        turn_over:
            out[CHAINS + length][0]++;
            if (players == 2) {
                const int ahead = (int)SIZE(1) - (int)SIZE(0);
                lead_changes += ahead * lead < 0;
                lead = ahead ? ahead : lead;
            } else {
                u64 least = SIZE(0);
                for (int i = 1; i < players; i++)
                    least = SIZE(i) < least ? SIZE(i) : least;
                int fewest = 0;
                for (int i = 0; i < players; i++)
                    fewest |= (SIZE(i) == least) << i;
                fewest = fewest & (fewest - 1) ? lead : fewest;
                lead_changes += (lead & ~fewest) != 0;
                lead = fewest;
            }
            if (unlikely(winner >= 0 || turns == MAX_TURNS || blocked))
                break;
            seat = next;
        }

        const int32_t won = winner >= 0;
        const int32_t moves = out[CHAINS + 1][0] + 2 * out[CHAINS + 2][0] + 3 * out[CHAINS + 3][0];
        int32_t cards_left = 0;
        for (int i = 0; i < players; i++) {
            out[CARDS_LEFT + i][0] = (int32_t)SIZE(i);
            cards_left += (int32_t)SIZE(i);
        }
        out[STARTER][0] = 0;
        out[WINNER][0] = winner;
        out[WINNERS][0] = won << (winner & 31);
        out[POLICY_WINNERS][0] = won; /* one policy */
        out[TURNS][0] = turns;
        out[MOVES][0] = moves;
        out[CARDS_PLAYED][0] = moves + pairs;
        out[DRAWN][0] = drawn;
        out[TAKEN][0] = taken;
        out[STUCK][0] = stuck;
        out[TENS][0] = tens;
        out[BLOCKED][0] = blocked;
        out[TRUNCATED][0] = !won && !blocked;
        out[RESHUFFLES][0] = reshuffles;
        out[LEAD_CHANGES][0] = lead_changes;
        out[DECISIONS][0] = (int32_t)(tally >> 24 & 0xfffff);
        out[CHOICES][0] = (int32_t)(tally & 0xffffff);
        out[FORCED][0] = (int32_t)(tally >> 44);
        out[LOSERS][0] = players - won;
        out[LOSERS_CARDS][0] = cards_left;
    }
    return random;
}

#define ALL_ROWS(first, count)                                                \
    for (int column = (first); column < (first) + (count); column++)          \
        memcpy(block[column] + row, tile[column], sizeof tile[column])

/* Play `rows` hands into the block. Columns of kinds and totals that the deck lacks stay 0. */
INLINE u64 play_block(const Rules *rules, unsigned rows, const int players, u64 random)
{
    static Tile tile;
    for (unsigned row = 0; row < rows; row += TILE) {
        memset(tile, 0, sizeof tile);
        random = play_tile(rules, &tile, rows - row < TILE ? rows - row : TILE, players, random);
        ALL_ROWS(0, COLUMNS);
    }
    return random;
}

static __attribute__((noinline)) u64 play_2(const Rules *rules, unsigned rows, u64 random)
{
    return play_block(rules, rows, 2, random);
}

static __attribute__((noinline)) u64 play_3(const Rules *rules, unsigned rows, u64 random)
{
    return play_block(rules, rows, 3, random);
}

static __attribute__((noinline)) u64 play_4(const Rules *rules, unsigned rows, u64 random)
{
    return play_block(rules, rows, 4, random);
}

/* ---------------------------------------------------------------- counting and printing */

static int64_t sums[COLUMNS], wins[MAX_PLAYERS];

static void fold(unsigned rows)
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
        {"turns", TURNS}, {"moves", MOVES}, {"cards_played", CARDS_PLAYED}, {"drawn", DRAWN},
        {"taken", TAKEN}, {"stuck", STUCK}, {"tens", TENS}, {"blocked", BLOCKED},
        {"truncated", TRUNCATED}, {"reshuffles", RESHUFFLES}, {"lead_changes", LEAD_CHANGES},
        {"decisions", DECISIONS}, {"choices", CHOICES}, {"forced", FORCED},
    };
    static const char *const specials[] = {"Double", "Halve", "Reset", "Undo",
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
            printf("\"plays.%+d\": ", rules->step[kind]);
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
    const u64 hands = argc == 5 ? strtoull(argv[1], NULL, 10) : 0;
    const int players = argc == 5 ? atoi(argv[3]) : 0;
    if (!hands || players < 2 || players > MAX_PLAYERS || !build_rules(&rules, argv[4])) {
        fprintf(stderr, "usage: cap30 HANDS SEED PLAYERS(2-4) DECK(cap30|cap50|cap100)\n");
        return 2;
    }
    u64 random = mix(strtoull(argv[2], NULL, 10));
    double playing = 0, folding = 0;
    memset(block, 0, sizeof block);
    for (u64 done = 0; done < hands; done += ROWS) {
        const unsigned rows = hands - done < ROWS ? (unsigned)(hands - done) : ROWS;
        const double start = cpu_seconds();
        random = players == 2   ? play_2(&rules, rows, random)
                 : players == 3 ? play_3(&rules, rows, random)
                                : play_4(&rules, rows, random);
        const double played = cpu_seconds();
        fold(rows);
        playing += played - start;
        folding += cpu_seconds() - played;
    }
    printf("{\"hands\": %" PRIu64 ", \"players\": %d, \"deck\": \"%s\", \"seconds\": %.6f, "
           "\"ns_per_hand\": %.2f, \"fold_seconds\": %.6f, \"stats\": {",
           hands, players, argv[4], playing, 1e9 * playing / (double)hands, folding);
    print_stats(&rules, players, (double)hands);
    printf("}}\n");
    return 0;
}
