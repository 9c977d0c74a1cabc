# size.sh [N STEPS RUNS] - how much time the plate of the tutorial takes on one core, cut into 1, 2, 4,
# ... strips: the least of RUNS runs, in seconds of the core (user and system), which other work on
# the machine disturbs less than the time of a clock. Columns: strips, microseconds a call, seconds.
# For bash; `luna` must be on the PATH.
set -eu
n=${1:-1024} steps=${2:-200} runs=${3:-7}
program=$(cd "$(dirname "$0")" && pwd)/../../tutorial/pieces/pieces.fa
TIMEFORMAT='%U %S'

echo "# strips, us a call, core seconds: $n x $n points, $steps steps, 1 worker, least of $runs"
for ((k = 0; k <= runs; k++)); do # the first round compiles, and is not counted
    for ((s = 1; s <= n && s <= 1024; s *= 2)); do
        seconds=$({ time luna run -t 1 -D "N=$n" -D "STEPS=$steps" -D "PARTS=$s" "$program" \
            >/dev/null 2>&1; } 2>&1)
        [ $k = 0 ] || echo "$s $seconds"
    done
done | awk -v steps="$steps" '
    { t = $2 + $3; if (!($1 in least) || t < least[$1]) least[$1] = t; most = $1 }
    END {
        for (s = 1; s <= most; s *= 2)
            printf "%d %.1f %.3f\n", s, least[s] / (s * steps) * 1e6, least[s]
    }'
