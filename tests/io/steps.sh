# A file for each step: their names, the list beside them, and what is refused.
. "${0%/*}/../cli/lib.sh"
cat >steps.fa <<'E'
#include <luna/io.fa>
sub save(string pattern, int step)
{
    df path, file, wrote;
    io_step(pattern, step, path);
    io_create(path, "u", "int", 1, 0, 0, file);
    io_write(file, step, 0, 0, 0, 1, 0, 0, wrote);
    io_close(file, wrote);
}
sub main(string pattern, int first, int last) for t = first .. last save(pattern, t);
E
saves() { run luna run -q "$@"; }
listed() { sed -n 's/.*"name": "\(.*\)", "time": \([0-9]*\)}.*/\1 \2/p' "$1" | tr '\n' ';'; }

saves -n 2 -t 2 steps.fa 'u_%03d.npy' 8 11
code 0
holds "all steps are listed, in order" "$(listed u.npy.series)" = \
    'u_008.npy 8;u_009.npy 9;u_010.npy 10;u_011.npy 11;'
if [ -x /usr/bin/python3 ]; then
    run /usr/bin/python3 -m json.tool u.npy.series
    code 0
fi
# A later run adds to it; files of other patterns stay out of it.
saves steps.fa 'u_%03d.npy' 20 20
saves steps.fa 'v%d.npy' 1 1
holds "one more" "$(listed u.npy.series | tr ';' '\n' | wc -l)" = 5
holds "its own list" "$(listed v.npy.series)" = 'v1.npy 1;'
# A pattern that is only a number, in a folder; a name with signs that JSON writes otherwise.
mkdir sub
saves steps.fa 'sub/%04d.npy' 3 3
holds "a list without a stem" "$(listed sub/series.npy.series)" = '0003.npy 3;'
saves steps.fa 'a"b\_%d.npy' 1 1
code 0
if [ -x /usr/bin/python3 ]; then
    run /usr/bin/python3 -m json.tool 'a"b\.npy.series'
    code 0
fi
# Files without a step make no list.
cat >one.fa <<'E'
#include <luna/io.fa>
sub main() {
    df file, wrote;
    io_create("w_7.npy", "u", "int", 1, 0, 0, file);
    io_write(file, 7, 0, 0, 0, 1, 0, 0, wrote);
    io_close(file, wrote);
}
E
saves one.fa
code 0
holds "no list" ! -e w.npy.series

refused() { # TEXT PATTERN STEP
    saves steps.fa "$2" "$3" "$3"
    code 3
    err_has "error[RUN5]: $1"
}
refused "'u.npy' needs one %d or %06d, where the number of the step goes" u.npy 1
refused "'u%d%d.npy' needs one %d or %06d" 'u%d%d.npy' 1
refused "'u%s.npy' needs one %d or %06d" 'u%s.npy' 1
refused "'u%099d.npy' needs one %d or %06d" 'u%099d.npy' 1
refused "a step has a number from 0 on, not -1" 'u%d.npy' -1
refused "in 'u%dx.npy' nothing but the ending may stand behind the number" 'u%dx.npy' 1
refused "the name of the file is too long" "$(printf '%05000d' 0)%d.npy" 1
refused "cannot make 'no/u.npy.series': No such file or directory" 'no/u%d.npy' 1
finish
