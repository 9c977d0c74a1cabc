# build.sh - luna as it was at another commit; sourced by ../against and ../shapes, which set $root,
# $build and $work.

# build_tree SOURCE BUILD: luna, with all that it opens when asked for.
build_tree()
{
    echo "building $1 in $2" >&2
    cmake -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release >"$work/log" 2>&1 &&
        cmake --build "$2" -j "$(nproc)" --target luna >>"$work/log" 2>&1 ||
        { tail -n 20 "$work/log" >&2; exit 1; }
}

# commit_of REV: its whole name; fails if there is none.
commit_of() { git -C "$root" rev-parse --verify --quiet "$1^{commit}"; }

# build_commit COMMIT -> $old. One that was built whole has the mark `ready`.
build_commit()
{
    local at=$build/against/$1
    if [ ! -e "$at/ready" ]; then
        rm -rf "$at" && mkdir -p "$at/source"
        git -C "$root" archive "$1" | tar -x -C "$at/source"
        build_tree "$at/source" "$at/build"
        touch "$at/ready"
    fi
    old=$at/build/luna
}
