! heat1d_f90.f90 - what the pieces of heat1d_f90.fa do: inner points 1..points of a rod with points + 2.
module rod
  use luna
  implicit none

  ! dt / dx^2; the scheme is stable up to 1/2.
  real(c_double), parameter :: ratio = 0.25d0, pi = 3.14159265358979323846d0

contains

  ! Of the k-th point in piece p.
  pure real(c_double) function x_of(points, parts, p, k)
    integer, intent(in) :: points, parts, p, k
    x_of = real((p - 1) * (points / parts) + k, c_double) / (points + 1)
  end function

  pure real(c_double) function time_of(points, steps)
    integer, intent(in) :: points, steps
    real(c_double) :: dx
    dx = 1 / real(points + 1, c_double)
    time_of = steps * ratio * dx * dx
  end function

  subroutine set_ends(u, first, last)
    real(c_double), intent(in) :: u(:)
    type(luna_df), intent(inout) :: first, last
    call luna_set_real(first, u(1))
    call luna_set_real(last, u(size(u)))
  end subroutine

end module

subroutine start(points, parts, p, piece, first, last) bind(c)
  use rod
  integer(c_int), value :: points, parts, p
  type(luna_df), intent(inout) :: piece, first, last
  real(c_double), pointer, contiguous :: u(:)
  character(len=80) :: why
  integer :: k
  if (parts < 1 .or. points < parts .or. mod(points, max(parts, 1)) /= 0) then
    write (why, '(a, i0, a, i0, a)') 'POINTS = ', points, ' cannot be cut into PARTS = ', parts, &
      ' equal parts'
    call luna_fail(trim(why))
  end if
  u => luna_create_real(piece, points / parts)
  do k = 1, size(u)
    u(k) = sin(pi * x_of(points, parts, p, k))
  end do
  call set_ends(u, first, last)
end subroutine

subroutine cold(end) bind(c)
  use rod
  type(luna_df), intent(inout) :: end
  call luna_set_real(end, 0d0)
end subroutine

subroutine step(piece, before, behind, next, first, last) bind(c)
  use rod
  type(luna_df), intent(in) :: piece
  real(c_double), value :: before, behind
  type(luna_df), intent(inout) :: next, first, last
  real(c_double), pointer, contiguous :: u(:), v(:)
  real(c_double) :: left, right
  integer :: k, n
  u => luna_data_real(piece)
  n = size(u)
  v => luna_create_real(next, n)
  do k = 1, n
    left = before
    right = behind
    if (k > 1) left = u(k - 1)
    if (k < n) right = u(k + 1)
    v(k) = u(k) + ratio * (left - 2 * u(k) + right)
  end do
  call set_ends(v, first, last)
end subroutine

subroutine error(points, parts, p, steps, piece, so_far, result) bind(c)
  use rod
  integer(c_int), value :: points, parts, p, steps
  type(luna_df), intent(in) :: piece
  real(c_double), value :: so_far
  type(luna_df), intent(inout) :: result
  real(c_double), pointer, contiguous :: u(:)
  real(c_double) :: most, exact
  integer :: k
  u => luna_data_real(piece)
  most = so_far
  do k = 1, size(u)
    exact = sin(pi * x_of(points, parts, p, k)) * exp(-pi * pi * time_of(points, steps))
    most = max(most, abs(u(k) - exact))
  end do
  call luna_set_real(result, most)
end subroutine

subroutine report(steps, points, error) bind(c)
  use rod
  integer(c_int), value :: steps, points
  real(c_double), value :: error
  print '(a, i0, a, f6.4, a, es8.2)', 'after ', steps, ' steps, t = ', time_of(points, steps), &
    ': error ', error
end subroutine
