/* test_prep_file.c - files that are included. */
#include "tests/lang/prepared.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---- */

TEST(files_are_included)
{
    files[1] = (struct memory_file){"b.fa", "lib;", 0};
    files[2] = (struct memory_file){"dir/c.fa", "<#include \"d.fa\">", 0};
    files[3] = (struct memory_file){"dir/d.fa", "beside", 0};
    files[4] = (struct memory_file){"dir/b.fa", "not this one", 0};
    files[5] = (struct memory_file){"dir/e.fa", "#include \"b.fa\"", 0};
    PLAIN("a {#include \"b.fa\"} #include\t\"b.fa\"", "a {lib;} lib;");
    PLAIN("#include \"dir/c.fa\"\n#include \"dir/e.fa\"\n", "<beside>\nlib;\n");
    CHECK(source_file_count(source) == 5);
    CHECK_STR(source_file_name(source, 2), "dir/d.fa");
    end();
}

TEST(absent_files_are_reported)
{
    files[1] = (struct memory_file){"dir/b.fa", "#include \"c.fa\"\n#include \"/c.fa\"", 0};
    REPORTS("  #include \"none.fa\"\n#include \"dir/b.fa\"\n",
            "a.fa:1:12: error[PP8]: include target not found: 'none.fa'\n"
            "    1 |   #include \"none.fa\"\n"
            "      |            ^~~~~~~~~\n"
            "hint: looked in the working directory\n"
            "dir/b.fa:1:10: error[PP8]: include target not found: 'c.fa'\n"
            "    1 | #include \"c.fa\"\n"
            "      |          ^~~~~~\n"
            "a.fa:2:1: note: included from here\n"
            "hint: looked in the working directory and for 'dir/c.fa'\n"
            "dir/b.fa:2:10: error[PP8]: include target not found: '/c.fa'\n"
            "    2 | #include \"/c.fa\"\n"
            "      |          ^~~~~~~\n"
            "a.fa:2:1: note: included from here\n"
            "3 errors\n");
    files[0].text = NULL;
    CHECK(!run_options(NULL, NULL, 0));
    CHECK_STR(said(), "a.fa: error[PP8]: cannot be read: No such file or directory\n1 error\n");
    end();
}

TEST(files_of_luna_are_included)
{
    files[1] = (struct memory_file){"share/luna/io.fa", "io;#include \"more.fa\"", 0};
    files[2] = (struct memory_file){"luna/io.fa", "not this one", 0};
    files[3] = (struct memory_file){"share/luna/more.fa", "more;", 0};
    files[4] = (struct memory_file){"share/x.fa", "x;", 0};
    PLAIN("#include <luna/io.fa>\n#include  <x.fa> #include <luna/more.fa>", "io;more;\nx; more;");
    CHECK(prep.nfolders == 2);
    CHECK_STR(prep.folders[0], "share/luna");
    CHECK_STR(prep.folders[1], "share");
    PLAIN("#include \"luna/io.fa\"", "not this one");
    CHECK(prep.nfolders == 0);
    REPORTS("#include <luna/none.fa>\n",
            "a.fa:1:10: error[PP8]: include target not found: 'luna/none.fa'\n"
            "    1 | #include <luna/none.fa>\n"
            "      |          ^~~~~~~~~~~~~~\n"
            "hint: <...> is for files that come with luna, as <luna/io.fa>; a file of yours "
            "stands in quotes\n"
            "1 error\n");
    REPORTS("#include \"luna/none.fa\"\n",
            "a.fa:1:10: error[PP8]: include target not found: 'luna/none.fa'\n"
            "    1 | #include \"luna/none.fa\"\n"
            "      |          ^~~~~~~~~~~~~~\n"
            "hint: what comes with luna stands in <...>: #include <luna/none.fa>\n"
            "1 error\n");
    CHECK(prep.nfolders == 0);
    end();
}

TEST(inclusion_without_end_is_reported_with_a_trace)
{
    files[1] = (struct memory_file){"b.fa", "b\n#include \"a.fa\"\n#include \"b.fa\"\n", 0};
    REPORTS("#include \"b.fa\"\n", "a.fa:1:10: error[PP9]: more than 64 files include each other\n"
                                   "    1 | #include \"b.fa\"\n"
                                   "      |          ^~~~~~\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here (56 more levels left out)\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "b.fa:2:1: note: included from here\n"
                                   "a.fa:1:1: note: included from here\n"
                                   "1 error\n");
    end();
}

TEST(inclusion_is_limited_by_bytes_too)
{
    char *big = malloc(1 << 20);
    memset(big, 'x', 1 << 20);
    files[1] = (struct memory_file){"big.fa", big, 1 << 20};
    struct buf text = {0};
    for (int i = 0; i < 70; i++) buf_str(&text, "#include \"big.fa\"\n");
    REPORT(text.data, "a.fa:65:10: error[PP9]: more than 64 MiB are included");
    CHECK(diag_errors(d) == 1);
    buf_fini(&text);
    free(big);
    end();
}

TEST(large_files_are_refused)
{
    size_t size = PREP_FILE_BYTES_MAX + 1;
    char *big = malloc(size);
    memset(big, '\n', size);
    files[1] = (struct memory_file){"big.fa", big, size};
    REPORT("#include \"big.fa\"", "a.fa:1:10: error[PP8]: 'big.fa' is larger than 16 MiB");
    files[1].size--;
    CHECK(strlen(plain("#include \"big.fa\"")) == size - 1);
    files[0] = (struct memory_file){"a.fa", big, size};
    CHECK(!run_options(NULL, NULL, 0));
    CHECK_STR(said(), "a.fa: error[PP8]: larger than 16 MiB\n1 error\n");
    free(big);
    end();
}

TEST(a_fifo_is_not_waited_for)
{
    static const char fifo[] = "test_prep.fifo", text[] = "#include \"test_prep.fifo\"\n";
    FILE *f = fopen("test_prep.fa", "w");
    fputs(text, f);
    fclose(f);
    CHECK(!mkfifo(fifo, 0600));
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    CHECK(prep_run(arena, source, d, "test_prep.fa", NULL, &prep));
    CHECK(strstr(said(), "cannot read 'test_prep.fifo': it is a FIFO, and a regular file"), "%s",
          said());
    unlink(fifo);
    unlink("test_prep.fa");
    end();
}

TEST(the_disk_is_read)
{
    struct prep_options o = {0};
    arena = arena_new();
    source = source_new(arena);
    d = diag_new(arena, source);
    CHECK(!prep_run(arena, source, d, TEST_DIR, &o, &prep));
    CHECK(strstr(said(), ": error[PP8]: cannot be read: Is a directory\n"), "%s", said());
    CHECK(prep_run(arena, source, d, "/dev/null", NULL, &prep));
    CHECK(!prep_run(arena, source, d, "/dev/zero", NULL, &prep));
    CHECK(strstr(said(), "/dev/zero: error[PP8]: larger than 16 MiB\n"), "%s", said());
    end();
}

TEST_MAIN(T(files_are_included), T(absent_files_are_reported),
          T(files_of_luna_are_included),
          T(inclusion_without_end_is_reported_with_a_trace),
          T(inclusion_is_limited_by_bytes_too), T(large_files_are_refused),
          T(a_fifo_is_not_waited_for), T(the_disk_is_read))
