# size.sh [N STEPS RUNS] - how long the plate of the tutorial takes, cut into 1, 2, 4, ... strips: a line
# for each cut, with the shortest of RUNS runs. Columns: strips, microseconds that one call of `step`
# lasts, seconds with one worker, seconds with two. `luna` must be on the PATH.
set -eu
n=${1:-1024} steps=${2:-50} runs=${3:-20}
program=$(cd "${0%/*}" && pwd)/../../tutorial/pieces/memory.fa
strips=
for s in 1 2 4 8 16 32 64 128 256 512 1024; do [ $s -gt "$n" ] || strips="$strips $s"; done

# One run: "strips workers seconds", and the seconds that its workers were in calls.
run() { # WORKERS STRIPS
    luna run -t "$1" --stats -D "N=$n" -D "STEPS=$steps" -D "PARTS=$2" "$program" 2>&1 >/dev/null |
        awk -v workers="$1" -v strips="$2" '
        function seconds(number, unit) { return number * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1) }
        $1 == "luna:" && / workers?, / { all = seconds($2, $3) }
        head && rows < workers { calls += seconds($4, $5); rows++ }
        $1 == "node" { head = 1 }
        END { print strips, workers, all, calls }'
}

echo "# strips, us a call, s with 1 worker, s with 2: $n x $n points, $steps steps, least of $runs"
k=0
while [ $k -lt "$runs" ]; do
    for s in $strips; do for workers in 1 2; do run $workers "$s"; done; done
    k=$((k + 1))
done | awk -v steps="$steps" '
    function less(a, b) { return a == "" || b < a ? b : a }
    { all[$1, $2] = less(all[$1, $2], $3); calls[$1, $2] = less(calls[$1, $2], $4); most = $1 }
    END {
        for (s = 1; s <= most; s *= 2)
            printf "%d %.1f %.4f %.4f\n", s, calls[s, 1] / (s * steps) * 1e6, all[s, 1], all[s, 2]
    }'
