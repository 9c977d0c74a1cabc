# Arrays in Fortran: each kind of number in each number of dimensions, made, read, taken over, and seen
# from C; files that are preprocessed; submodules; nodes.
. "${0%/*}/lib.sh"
if ! command -v gfortran >/dev/null; then
    skip "no gfortran"
    exit 77
fi
cd "$here/work" || exit 1

# ---- kinds and dimensions: number k is k-th in memory ----
kinds='real:real(c_double):double
float:real(c_float):float
int32:integer(c_int32_t):int32_t
int64:integer(c_int64_t):int64_t
complex:complex(c_double_complex):double _Complex'

functions() { # KIND NUMBER RANK SIZES COLONS
    cat <<E
subroutine make_$1$3(x) bind(c)
  use luna
  type(luna_df), intent(inout) :: x
  $2, pointer, contiguous :: u($5)
  integer :: k
  u => luna_create_$1(x, $4)
  u = reshape([(k, k = 1, 24)], shape(u))
end subroutine
subroutine add_$1$3(x, y) bind(c)
  use luna
  type(luna_df), intent(in) :: x
  type(luna_df), intent(inout) :: y
  $2, pointer, contiguous :: u($5), v($5)
  integer :: all
  u => luna_data_$1(x${6-})
  all = nint(real(sum(u)))
  v => luna_take_$1(y, x${6-})
  v = v + all
end subroutine
E
}
check() { # KIND C
    cat <<E
C sub check_$1(value v, int rank) \${{
    const $2 *u = luna_data(v);
    int right = luna_size(v) == 24 * sizeof *u;
    for (int k = 0; right && k < 24; k++) right = u[k] == ($2)(k + 1 + 300);
    printf("$1 %d %s\\n", rank, right ? "right" : "wrong");
\$}}
E
}
{
    printf 'C head ${{\n#include <complex.h>\n#include <stdint.h>\n#include <stdio.h>\n$}}\n'
    echo "$kinds" | while IFS=: read -r kind number c; do
        {
            functions "$kind" "$number" 1 24 :
            functions "$kind" "$number" 2 '4, 6' ':, :' ', 4, 6'
            functions "$kind" "$number" 3 '2, 3, 4' ':, :, :' ', 2, 3, 4'
        } >"$kind.f90"
        check "$kind" "$c"
        for rank in 1 2 3; do
            echo "import make_$kind$rank(name) as make_$kind$rank;"
            echo "import add_$kind$rank(value, name) as add_$kind$rank;"
        done
    done
    echo 'sub main() {'
    echo "    df u_complex, u_float, u_int32, u_int64, u_real, v_complex, v_float, v_int32, v_int64, v_real;"
    for kind in complex float int32 int64 real; do
        for rank in 1 2 3; do
            echo "    make_$kind$rank(u_$kind[$rank]) @ { req_count u_$kind[$rank] = 1; };"
            echo "    add_$kind$rank(u_$kind[$rank], v_$kind[$rank]);"
            echo "    check_$kind(v_$kind[$rank], $rank);"
        done
    done
    echo '}'
} >arrays.fa
run luna run -t 1 arrays.fa
code 0
quiet
sort "$here/out" >sorted && mv sorted "$here/out"
for kind in complex float int32 int64 real; do
    for rank in 1 2 3; do echo "$kind $rank right"; done
done | out

# What does not fit is told as in the other dimensions.
for call in 'luna_data_int32(x, 3, 3, 3)' 'luna_data_int32(x, 24, 2)'; do
    cat >wrong.f90 <<E
subroutine wrong(x) bind(c)
  use luna
  type(luna_df), intent(in) :: x
  print *, size($call)
end subroutine
E
    echo 'import make_int321(name) as make_int321; import wrong(value) as wrong; sub main() { df x; make_int321(x); wrong(x); }' >wrong.fa
    run luna run wrong.fa
    code 3
    err_has 'error[RUN5]: x holds 24 items, not '
done

# ---- files that are preprocessed, a submodule, flags, two nodes ----
rm -f ./*
cat >up.fa <<'E'
import put(int, name) as put;
import show(value) as show;
sub main() { df x; put(5, x) @ { locator_cyclic: 1; }; show(x); }
E
echo '#define SCALE 3' >scale.h
cat >up.F90 <<'E'
#include "scale.h"
module ups
  use luna
  interface
    module integer function up(k)
      integer, intent(in) :: k
    end function
  end interface
end module
subroutine put(k, x) bind(c)
  use ups
  integer(c_int), value :: k
  type(luna_df), intent(inout) :: x
  call luna_set_int(x, up(k) * SCALE + EXTRA)
end subroutine
E
cat >parts.f90 <<'E'
submodule (ups) parts
contains
  module procedure up
    up = k + 1
  end procedure
end submodule
E
cat >show.f90 <<'E'
subroutine show(x) bind(c)
  use luna
  type(luna_df), intent(in) :: x
  print '(i0)', luna_get_int(x)
end subroutine
E
shows() { # EXTRA WANTED WORDS...
    want=$2 extra=$1
    shift 2
    run env FFLAGS=-DEXTRA="$extra" "$LUNA" run "$@" up.fa
    code 0
    echo "$want" | out
}
shows 1000 1018
shows 2000 2018 -n 2
echo '#define SCALE 4' >scale.h
shows 2000 2024 -n 2
finish
