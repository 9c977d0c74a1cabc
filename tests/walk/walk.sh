# walk.sh [sample|full] [SCENARIO [KIND...]] - walk.c for the commands of luna: each call of each
# kind fails in turn, in runs of which none may crash, hang, be silent, or spoil what comes after.
#
# `sample` takes a few n of each walk, the same each time; `full` all of them. WALK is the driver,
# FAILING the object. SEED chooses another sample, LIMIT the seconds of a run.
. "${0%/*}/../cli/lib.sh"
: "${WALK:?walk}" "${FAILING:?failing.so}"
mode=${1:-sample}
only=${2:-all}
[ $# -gt 2 ] && shift 2 && kinds="$*"

mkdir c cc sum made
cat >c/hello.fa <<'E'
import c_hello(int) as hello;
sub main() hello(1);
E
cat >c/a.c <<'E'
#include <stdio.h>
void c_hello(int k) { printf("C %d\n", k); }
E
cd cc && hello && cd ..
cat >sum/sum.fa <<'E'
import seti(name, int) as seti;
import add(value, value, name) as add;
import say(value) as say;
sub main()
{
    df x, s;
    seti(s[0], 0);
    for i = 1 .. 40 {
        cf a[i]: seti(x[i], i) @ { req_count x[i] = 1; };
        cf b[i]: add(x[i], s[i - 1], s[i]);
    } @ { locator_cyclic a[k] => k; locator_cyclic b[k] => 3 * k; }
    say(s[40]);
} @ { locator_cyclic x[k] => k + 1; locator_cyclic s[k] => 2 * k; }
E
cat >sum/sum.c <<'E'
#include <luna.h>
#include <stdio.h>
void seti(luna_df *v, int k) { luna_set_int(v, k); }
void add(const luna_df *a, const luna_df *b, luna_df *s)
{
    luna_set_int(s, luna_get_int(a) + luna_get_int(b));
}
void say(const luna_df *k) { printf("%d\n", luna_get_int(k)); }
E

# What is right, by runs that nobody disturbs.
luna run c/hello.fa >c.out && luna run cc/hello.fa >cc.out && luna run sum/sum.fa >sum.out &&
    luna run -n 2 --trace=trace sum/sum.fa >/dev/null && luna stats trace >stats.out &&
    luna build c/hello.fa -o prog || exit 1
: >none.out

# walk SCENARIO EVERY "KIND..." OPTIONS... -- COMMAND...
walk() {
    scenario=$1 every=$2 what=${kinds:-$3}
    shift 3
    [ "$only" = all ] || [ "$only" = "$scenario" ] || return
    [ "$mode" = full ] && every=1
    for kind in $what; do
        case $kind in *+) on=--on ;; *) on= ;; esac # malloc+: all that follow fail, too
        last="walk $scenario $kind"
        "$WALK" --object="$FAILING" --what="${kind%+}" $on --every="$every" \
            --seed="${SEED:-1}" --limit="${LIMIT:-5}" "$@" >"$here/out" 2>"$here/err"
        last_code=$?
        code 0
        sed "s/^/$scenario: /" "$here/out"
    done
}

# The kinds that each command calls; one that it does not is an error.
run="malloc malloc+ open thread"
file="malloc malloc+ open write short rename"
# Another program, too: the one must not be found under the name of the other. Its two calls may run
# in any order.
sort cc.out >cc.sorted
again_cc="'$LUNA' run cc/hello.fa | sort | cmp -s - cc.sorted"
again_c="'$LUNA' run c/hello.fa | cmp -s - c.out && $again_cc"
again_build="[ ! -e made/prog ] || made/prog | cmp -s - c.out"
walk cached 23 "$run" --out=c.out --again="$again_c" -- "$LUNA" run c/hello.fa
walk cpp 31 "malloc malloc+ open" --out=cc.out --again="$again_c" -- "$LUNA" run cc/hello.fa
walk nodes 61 "$run" --out=sum.out -- "$LUNA" run -n 4 sum/sum.fa
walk workers 61 "malloc malloc+ thread" --out=sum.out -- "$LUNA" run -t 2 sum/sum.fa
walk trace 61 "$run write short" --out=sum.out --fresh=made -- "$LUNA" run -n 2 --trace=made/t sum/sum.fa
walk stats 31 "malloc malloc+ open" --out=stats.out -- "$LUNA" stats trace
walk check 121 "$file fork" --out=none.out -- "$LUNA" check c/hello.fa
walk build 61 "$file" --out=none.out --fresh=made --again="$again_build" \
    -- "$LUNA" build c/hello.fa -o made/prog
walk prog 17 "$run write short" --exe=prog --out=c.out -- ./prog
cold="malloc+ open write fork" # in a sample: a run compiles two programs, and the next one, too
[ "$mode" = full ] && cold="$file fork thread"
walk cold 301 "$cold" --out=c.out --fresh="$XDG_CACHE_HOME" --again="$again_c" \
    -- "$LUNA" run c/hello.fa

# Ranks: in our code alone; in a sample n is random.
. "${0%/*}/../lib/mpich.sh"
if [ -n "$mpiexec" ] && [ -e "$(dirname "$LUNA")/lib/luna/luna_mpi.so" ]; then
    some=--sample=1
    [ "$mode" = full ] && some=
    ranks() { # KINDS IN
        UCX_MEM_EVENTS=n walk mpi 1 "$1" $some --by=luna --in="$2" --out=sum.out \
            -- "$LUNA" run -n 2 --transport=mpi sum/sum.fa
    }
    "$LUNA" build sum/sum.fa -o ranks
    ranks "malloc malloc+ open fork socket" '!PMI_RANK'
    ranks "malloc malloc+ mmap open write thread socket" PMI_RANK=0
    ranks "malloc malloc+ mmap open write socket" PMI_RANK=1
    UCX_MEM_EVENTS=n walk mpi 1 "malloc open socket" $some --exe=ranks --by=ranks --in=PMI_RANK=1 \
        --out=sum.out -- ./ranks -n 2 --transport=mpi
else
    skip "no MPICH"
fi
finish
