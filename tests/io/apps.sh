# What the apps write is what they have solved; and they say the same as without a file.
. "${0%/*}/../cli/lib.sh"
apps=${0%/*}/../../apps

app() { # NAME BYTES OPTIONS...
    name=$1 bytes=$2
    shift 2
    run luna run -q "$@" "$apps/$name/$name.fa"
    code 0
    cp "$here/out" said
    for n in 1 3; do
        run luna run -q -n $n -D 'OUT="u.npy"' "$@" "$apps/$name/$name.fa"
        code 0
        quiet
        same out <said
        holds "the file has its size" "$(stat -c %s u.npy)" = $((128 + bytes))
        [ $n = 1 ] && mv u.npy one.npy
    done
    if cmp -s u.npy one.npy; then good; else bad "another file from three nodes"; fi
}
app heat2d 18432 -D POINTS=48 -D STEPS=100
tail -c +129 u.npy | od -An -v -t f8 -w8 | awk '{ s += $1 } END { printf "%.9f\n", s / NR }' >mean
holds "the mean is the heat that is told" -n "$(grep -F "heat $(cat mean)," said)"
app pic2d 32768 -D STEPS=12
app poisson3d 13824 -D GRID=12 -D FG=3 -D EPS=0.1
tail -c +129 u.npy | od -An -v -t f8 -w8 | awk '
    { n = NR - 1; x = int(n / 144) / 11; y = int(n / 12) % 12 / 11; z = n % 12 / 11
      d = $1 - (x * x + y * y + z * z); if (d * d > 1e-4) exit 1 }'
holds "it is near the solution" $? = 0
app poisson3d 13824 -t 1 -D GRID=12 -D FG=3 -D EPS=0 -D ITERS=2
finish
