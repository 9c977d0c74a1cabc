# Functions in Fortran: modules, the module luna, what does not fit, what ends a run.
. "${0%/*}/lib.sh"
if ! command -v gfortran >/dev/null; then
    skip "no gfortran"
    exit 77
fi

# ---- arrays of one and two dimensions, strings, modules that use each other ----
fresh
cat >p.fa <<'E'
import fill(int, int, name) as fill;
import show(string, value, int, int) as show;
sub main(int wrong) { df u; fill(3, 4, u); show("sum", u, 3, 4 + wrong); }
E
cat >z.f90 <<'E'
module grid
  use sizes, only: factor
  implicit none
contains
  pure real(8) function at(i, j)
    integer, intent(in) :: i, j
    at = factor * (i + 10 * j)
  end function
end module
E
cat >sizes.f90 <<'E'
module sizes
  include 'factor.inc'
end module
E
echo '  real(8), parameter :: factor = 2' >factor.inc
cat >a.f90 <<'E'
subroutine fill(n, m, x) bind(c)
  use luna
  use grid
  integer(c_int), value :: n, m
  type(luna_df), intent(inout) :: x
  real(c_double), pointer, contiguous :: u(:, :)
  integer :: i, j
  u(0:, 0:) => luna_create_real(x, n, m)
  do j = 0, m - 1
    do i = 0, n - 1
      u(i, j) = at(i, j)
    end do
  end do
end subroutine
subroutine show(text, x, n, m) bind(c)
  use luna
  character(kind=c_char), intent(in) :: text(*)
  type(luna_df), intent(in) :: x
  integer(c_int), value :: n, m
  real(c_double), pointer, contiguous :: u(:, :)
  u => luna_data_real(x, n, m)
  print '(a, 1x, f0.1, 1x, i0)', luna_string(text), sum(u), size(luna_data_real(x))
end subroutine
E
echo junk >grid.mod # of another compiler: not read
run luna run p.fa 0
code 0
quiet
out <<'E'
sum 384.0 12
E
run luna run --verbose p.fa 0
err_has 'from the cache'
echo '  real(8), parameter :: factor = 3' >factor.inc
run luna run p.fa 0
out_has 'sum 576.0 12'
echo '! more' >>a.f90 # alone: the modules come from the cache
run luna run p.fa 0
out_has 'sum 576.0 12'
run luna check p.fa
code 0
quiet
run luna build p.fa -o prog
code 0
run ./prog -n 2 0
out_has 'sum 576.0 12'
run luna run p.fa 1
code 3
err_has 'error[RUN5]: u holds 12 items, not 3 x 5'

# Without the compiler; a program that needs none runs.
for command in 'run p.fa 0' 'check p.fa' 'build p.fa -o x'; do
    run env FC=nofortran "$LUNA" $command
    code 5
    err <<'E'
luna: error: the Fortran compiler 'nofortran' was not found
hint: install it (Debian: apt install gfortran), or name another in FC
E
done
echo 'C sub none() ${{ (void)0; $}} sub main() none();' >none.fa
run env FC=nofortran "$LUNA" run none.fa
code 0

# A module that does not compile, is missing, is there twice, needs itself.
sed -i 's/= factor/= factr/' z.f90
run luna run p.fa 0
code 1
err_has "error[CC1]: Symbol 'factr'"
err_has '1 error'
sed -i 's/= factr/= factor/; s/use sizes/use size/' z.f90
run luna run p.fa 0
code 1
err_has "z.f90:2:7: error[CC1]: Cannot open module file 'size.mod'"
err_has 'hint: files beside the program have modules'
sed -i 's/use size,/use sizes,/' z.f90
cp sizes.f90 twice.f90
run luna run p.fa 0
code 1
err_has "z.f90:2:7: error[CC1]: several files have the module 'sizes'"
rm twice.f90
sed -i 's/^module sizes$/&\n  use grid/' sizes.f90
run luna run p.fa 0
code 1
err_has 'cannot be used here: it needs this file'

# ---- what does not fit ----
fresh
cat >s.fa <<'E'
import a(int) as a;
import b(real) as b;
import c(string) as c;
import d(int) as d;
import k(value) as k;
import seti(name) as seti;
sub main(int n) { df x; a(n); b(2.0); c("x"); d(1); seti(x); k(x); }
E
cat >s.f90 <<'E'
subroutine a(n) bind(c)
  use luna
  integer(c_int) :: n
end subroutine
subroutine b(x) bind(c)
  use luna
  real(c_float), value :: x
end subroutine
subroutine c(s) bind(c)
  use luna
  character(kind=c_char, len=*), intent(in) :: s
end subroutine
subroutine d(n)
  integer :: n
end subroutine
subroutine k(x) bind(c)
  use luna
  type(luna_df), value :: x
end subroutine
subroutine seti(x) bind(c)
  use luna
  type(luna_df), intent(inout) :: x
  call luna_set_int(x, 1)
end subroutine
E
run luna run s.fa 1
code 1
err_has "s.fa:1:8: error[SYN12]: parameter 1 of 'a' is imported as an integer, but the function takes a pointer"
err_has 's.f90:1:12: note: the function is here'
err_has 'hint: in Fortran an int is an integer(c_int), value'
err_has "error[SYN12]: parameter 1 of 'b' is imported as a double, but the function takes a float"
err_has "error[SYN12]: parameter 's' of 'c' is imported as a string, but the function takes a length"
err_has "error[SYN10]: nobody can call the function 'd' in 's.f90' by this name"
err_has 's.f90:13:12: note: this is a Fortran procedure: bind(c) is missing'
err_has "error[SYN12]: parameter 1 of 'k' is imported as a fragment, but the function takes a struct"

# ---- MPI is luna's ----
fresh
echo 'import f(int) as f; sub main() f(1);' >m.fa
cat >m.f90 <<'E'
subroutine f(k) bind(c)
  use iso_c_binding
  integer(c_int), value :: k
  integer :: r, e ! mpi_comm_rank tells
  call MPI_Comm_rank(k, r, e)
end subroutine
E
run luna run m.fa
code 1
err <<'E'
m.f90:5:8: error[CC5]: functions do not call MPI, but one of this file calls 'mpi_comm_rank'
    5 |   call MPI_Comm_rank(k, r, e)
      |        ^~~~~~~~~~~~~
hint: luna runs MPI itself, and chooses the node of each call: pass values through fragments, and combine them by reduce
1 error
E
sed -i 's/use iso_c_binding/use no_mpi_f08, only: mpi_comm_rank; &/; s/no_mpi/mpi/' m.f90
FFLAGS=-I. run luna check m.fa
code 1
err_has "hint: functions do not call MPI: luna runs it; pass values through fragments"

# ---- what ends a run: what was printed before stays ----
fresh
echo 'import stops(int) as stops; sub main(int k) stops(k);' >e.fa
cat >e.f90 <<'E'
subroutine stops(k) bind(c)
  use luna
  integer(c_int), value :: k
  integer :: a(10)
  a = k
  print *, 'hello'
  if (k == 1) stop 7
  if (k == 2) error stop 'no way'
  if (k == 3) a(k + 8) = 1
  if (k == 4) call luna_fail('100 %d')
  print *, a(1)
end subroutine
E
for k in 1 2; do
    run luna run e.fa $k
    code 3
    out_has hello
    err_has "error[RUN7]: 'stops' called exit("
done
run luna run -g e.fa 3
code 3
err_has "Index '11' of dimension 1 of array 'a' above upper bound of 10"
err_has 'error[RUN7]'
run luna run e.fa 4
code 3
out_has hello
err_has 'error[RUN5]: 100 %d (in '
finish
