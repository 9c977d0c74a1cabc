/* test_ask.c - the options of luna perf, right and wrong; the list of benchmarks; the timers. */
#include "collectives/perf/ask.h"

#include "tests/lib/check.h"

static struct ask ask;
static struct args_fault fault;

/* Reads words that spaces separate. */
static bool
reads(const char *line)
{
    static char text[200];
    static char *argv[40];
    int argc = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *w = strtok(text, " "); w; w = strtok(NULL, " ")) argv[argc++] = w;
    return ask_read(&ask, argc, argv, &fault);
}

TEST(without_options_it_is_as_in_the_help)
{
    CHECK(reads("Bcast"), "%s", fault.text);
    CHECK(ask.bench == LIST_Bcast && ask.bench_word == 0);
    CHECK(ask.procs.least == 2 && ask.procs.most == 2 && !ask.procs_given);
    CHECK(ask.counts.least == 8 && ask.counts.most == 1 << 20 && ask.counts.times == 2);
    CHECK(ask.rules.valid == 30 && ask.rules.least == 10 && ask.rules.most == 100);
    CHECK(ask.rules.trim == .25 && ask.rules.confidence == .95 && ask.rules.rse == 0);
    CHECK(ask.buffers == BUFFERS_PRODUCER && ask.mode == MODE_BEST && ask.clocks == CLOCKS_BEST);
    CHECK(ask.computes == 10 && ask.bind && !ask.blocking && !ask.seconds && ask.turns == 3);
}

TEST(each_option_is_read)
{
    CHECK(reads("-p 2 -P 8 -G 2 -x 64 -X 4KiB -s 100 -e 2.5 -r 20 -R 50 ibcast -b"), "%s",
          fault.text);
    CHECK(ask.bench == LIST_Ibcast && ask.procs.least == 2 && ask.procs.most == 8);
    CHECK(ask.procs_given && ask.procs.times == 2 && ask.counts.add == 100 && !ask.counts.times);
    CHECK(ask.counts.least == 64 && ask.counts.most == 4096 && ask.rules.rse == 2.5);
    CHECK(ask.rules.least == 20 && ask.rules.most == 50 && ask.blocking);
    CHECK(reads("Ibcast -c 3 -z nosync") && ask.computes == 3 && ask.mode == MODE_NOSYNC);
    CHECK(reads("-z synctime -t tsc -w sec -a -d -o each -l log -m Scan --clocks=ring -E5"), "%s",
          fault.text);
    CHECK(ask.mode == MODE_SYNCTIME && ask.timer == TIMER_TSC && ask.seconds &&
          ask.rules.trim == 0);
    CHECK(ask.buffers == BUFFERS_COLD && ask.log_master && ask.clocks == CLOCKS_RING);
    CHECK_STR(ask.per_process, "each");
    CHECK_STR(ask.log, "log");
    CHECK(ask.rules.valid == 5 && ask.bench == LIST_Scan);
    CHECK(reads("--buffers=hot --bind=none --confidence=99 -n 4 --json --plot=a.png -w usec Scan"));
    CHECK(ask.buffers == BUFFERS_HOT && !ask.bind && ask.rules.confidence == .99 && ask.json);
    CHECK(ask.procs.least == 4 && ask.procs.most == 4 && !ask.seconds);
    CHECK(reads("--compare=mpich,luna --turns=2 --pick=least Bcast") && ask.npeers == 2);
    CHECK(ask.turns == 2 && ask.least);
    CHECK(!strncmp(ask.peers[0], "mpich,", 6) && !strcmp(ask.peers[1], "luna"));
}

TEST(ranges_go_by_sums_or_products)
{
    struct series sum = {1, 10, 4, 0}, product = {0, 100, 0, 4};
    CHECK(series_next(&sum, 1) == 5 && series_next(&sum, 9) == 13);
    CHECK(series_next(&product, 0) == 1 && series_next(&product, 16) == 64);
    CHECK(series_next(&product, 1L << 62) > 100, "no overflow");
    CHECK(reads("-X 4 Bcast") && ask.counts.least == 4, "what is given decides");
    CHECK(reads("-x 4MiB Bcast") && ask.counts.most == 4 << 20);
    CHECK(reads("-P 1 Bcast") && ask.procs.least == 1 && ask.procs.most == 1);
    CHECK(reads("-R 4 Bcast") && ask.rules.least == 4 && ask.rules.most == 4);
    CHECK(reads("-r 200 Bcast") && ask.rules.least == 200 && ask.rules.most == 200);
    CHECK(reads("-E 50 Bcast") && ask.rules.most == 100);
    CHECK(reads("-E 200 Bcast") && ask.rules.most == 400, "not all are valid: %d", ask.rules.most);
    CHECK(reads("-E 200 -R 200 Bcast") && ask.rules.most == 200);
    CHECK(reads("-E 200 -r 500 Bcast") && ask.rules.most == 500);
    CHECK(reads("-e 5 -R 10 Bcast") && ask.rules.most == 10);
    struct series some = {8, 100, 30, 0}, powers = {8, 100, 0, 4}, one = {7, 7, 1, 0};
    CHECK(series_last(&some) == 98 && series_last(&powers) == 32 && series_last(&one) == 7);
    CHECK(series_last(&product) == 64, "%ld", series_last(&product));
}

TEST(what_is_wrong_is_told)
{
    static const char *const wrong[][2] = {
        {"", "no BENCHMARK was given"},
        {"Bcst", "no benchmark is called 'Bcst'"},
        {"Bcast Scan", "'Scan' is one word too many"},
        {"--nix Bcast", "unknown option '--nix'"},
        {"-k Bcast", "unknown option '-k'"},
        {"Bcast -x", "-x needs a value: -x BYTES"},
        {"--plot Bcast", "--plot needs a value: --plot=FILE.png"},
        {"--json=1 Bcast", "--json takes no value"},
        {"-x 5MB Bcast", "-x needs a number from 0 to 2147483647, not '5MB'"},
        {"-X 2GiB Bcast", "-X needs a number from 0 to 2147483647, not '2GiB'"},
        {"-n 0 Bcast", "-n needs a number from 1 to 65536, not '0'"},
        {"-S 1 Bcast", "-S needs a number from 2 to 2147483647, not '1'"},
        {"-s 0 Bcast", "-s needs a number from 1 to 2147483647, not '0'"},
        {"-e 0 Bcast", "-e needs a percentage such as 5, not '0'"},
        {"-t sundial Bcast", "-t is clock_gettime|mpi_wtime|tsc, not 'sundial'"},
        {"-z never Bcast", "-z is synctime|nosync, not 'never'"},
        {"-z best Bcast", "-z is synctime|nosync, not 'best'"},
        {"--pick=worst Bcast", "--pick is median|least, not 'worst'"},
        {"--buffers=warm Bcast", "--buffers is producer|hot|cold, not 'warm'"},
        {"--confidence=42 Bcast", "--confidence is 90|95|99, not '42'"},
        {"-p 8 -P 4 Bcast", "-p is more than -P"},
        {"-x 64 -X 8 Bcast", "-x is more than -X"},
        {"-r 10 -R 4 Bcast", "-r is more than -R"},
        {"-e 5 -E 20 Bcast", "-e and -E exclude each other: launches stop by one rule"},
        {"-m Bcast", "-m is about the lines of -l, which is not given"},
        {"-o a -l a Bcast", "-o and -l write different lines: 'a' cannot be both"},
        {"--turns=2 Bcast", "--turns is about turns, which only --compare takes"},
        {"--pick=least Bcast", "--pick is about turns, which only --compare takes"},
        {"--compare= Bcast", "--compare needs a value: --compare=PEER,..."},
        {"-E 200 -R 100 Bcast", "-E is more than -R"},
        {"-e 5 -R 9 Bcast", "-e needs 10 valid launches, and -R is less"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!reads(wrong[i][0]), "%s", wrong[i][0]);
        CHECK_STR(fault.text, wrong[i][1]);
    }
}

TEST(what_would_have_no_effect_is_refused)
{
    static const char *const wrong[][2] = {
        {"-b Bcast", "-b is about non-blocking operations, and Bcast is none"},
        {"Bcast -c 3", "-c is about non-blocking operations, and Bcast is none"},
        {"-b ShmReduce", "-b is about non-blocking operations, and ShmReduce is none"},
        {"-c 5 Ibcast -b", "-b and -c exclude each other: what is awaited at once overlaps with "
                           "nothing"},
        {"-n 4 -p 2 Bcast", "-n and -p exclude each other: processes are one number, or a range"},
        {"-P 4 -n 2 Bcast", "-n and -P exclude each other: processes are one number, or a range"},
        {"-n 4 -G 2 Bcast", "-G steps through processes from -p to -P; through bytes it is -S"},
        {"-X 64 -g 8 Bcast", "-g steps through processes from -p to -P; through bytes it is -s"},
        {"-P 4 -g 1 -G 2 Bcast", "-g and -G exclude each other: a step is added, or multiplied by"},
        {"-s 1 -S 2 Bcast", "-s and -S exclude each other: a step is added, or multiplied by"},
        {"-d --buffers=hot Bcast", "-d and --buffers exclude each other: -d is --buffers=cold"},
        {"-z nosync -a Scan", "-a is about launches of which each is timed: with -z nosync none "
                              "is"},
        {"-z nosync --clocks=ring Scan", "--clocks is about launches of which each is timed: with "
                                         "-z nosync none is"},
        {"-z nosync -l log Scan", "-l is about launches of which each is timed: with -z nosync "
                                  "none is"},
        {"--self-check Scan", "--self-check and Scan exclude each other"},
        {"--self-check -w sec", "--self-check and -w exclude each other"},
        {"--self-check -x 8", "--self-check and -x exclude each other"},
        {"--self-check -o each", "--self-check and -o exclude each other"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(!reads(wrong[i][0]), "%s", wrong[i][0]);
        CHECK_STR(fault.text, wrong[i][1]);
    }
    CHECK(!reads("-b Bcast") && !strcmp(fault.hint, "its non-blocking form is Ibcast"), "%s",
          fault.hint);
    CHECK(!reads("-b Send") && !fault.hint[0], "%s", fault.hint);
    CHECK(reads("-b TrigIreduce") && reads("-z nosync -r 20 -R 40 -b Ibcast"), "%s", fault.text);
    CHECK(reads("--self-check -n 4 -R 50 --clocks=ring"), "%s", fault.text);
}

TEST(benchmarks_have_names_and_ours)
{
    for (int i = 0; i < LIST_COUNT; i++) {
        CHECK(list[i].name, "%d", i);
        CHECK((int)list_find(list[i].name) == i, "%s", list[i].name);
    }
    CHECK(list_find("shmbcast") == LIST_ShmBcast && list_find("") == LIST_COUNT);
    CHECK(list_ours(LIST_Bcast) == LIST_ShmBcast && list_ours(LIST_Scan) == LIST_COUNT);
    CHECK(list_ours(LIST_TrigReduce) == LIST_TrigReduce);
    CHECK(list_theirs(LIST_TrigIreduce) == LIST_Ireduce && list_theirs(LIST_Scan) == LIST_Scan);
    CHECK(list_theirs(LIST_ShmBcast) == LIST_Bcast && list_theirs(LIST_Send) == LIST_Send);
    CHECK(list_ours(LIST_ShmReduce) == LIST_ShmReduce && list_ours(LIST_Ibcast) == LIST_COUNT);
    CHECK(list_begun(LIST_Scan) == LIST_Iscan && list_begun(LIST_Iscan) == LIST_COUNT);
    CHECK(list_begun(LIST_TrigReduce) == LIST_TrigIreduce && list_begun(LIST_Send) == LIST_COUNT);
    CHECK(list_begun(LIST_WaitPatternUp) == LIST_COUNT && list_begun(LIST_COUNT) == LIST_COUNT);
    CHECK(list[LIST_Ibcast].flags == (LIST_ROOT_SENDS | LIST_OVERLAPS));
}

TEST(timers_run_evenly)
{
    for (int t = 0; t < TIMERS; t++) {
        const char *why = tick_use((enum timer)t, NULL);
        CHECK(timer_find(timer_name[t]) == (enum timer)t);
        if (t == TIMER_MPI) CHECK(why, "there is no MPI in this test");
        if (t == TIMER_CLOCK) CHECK(!why, "%s", why);
        if (why) continue;
        struct tick_check c = tick_try();
        CHECK(!c.backward && c.step_us > 0 && c.cost_us > 0, "%s", timer_name[t]);
        CHECK(c.rate > .9 && c.rate < 1.1, "%s: %g", timer_name[t], c.rate);
    }
}

TEST_MAIN(T(without_options_it_is_as_in_the_help), T(each_option_is_read),
          T(ranges_go_by_sums_or_products), T(what_is_wrong_is_told),
          T(what_would_have_no_effect_is_refused), T(benchmarks_have_names_and_ours),
          T(timers_run_evenly))
