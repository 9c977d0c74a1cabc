! luna.F90 - what a ucode in Fortran sees of its value and name parameters: the module luna.
!
!     ! import add(value, value, name) as add;
!     subroutine add(a, b, sum) bind(c)
!       use luna
!       type(luna_df), intent(in) :: a, b
!       type(luna_df), intent(inout) :: sum
!       call luna_set_real(sum, luna_get_real(a) + luna_get_real(b))
!     end subroutine
!
! It is luna.h in another language: what a call does is told there. Arrays are pointers to the bytes of a
! fragment, in one to three dimensions (luna_of.inc). An input is shared with other readers: do not
! write into it. The kinds c_int, c_double and so on come along.
!
! What a compiler makes of a module fits this compiler alone, so this text is installed.
module luna
  use, intrinsic :: iso_c_binding
  implicit none

  ! What stands in it is luna's: a function gets it and hands it on.
  type, bind(c) :: luna_df
    private
    integer(c_int64_t) :: hidden
  end type

  enum, bind(c)
    enumerator :: LUNA_DF_UNSET, LUNA_DF_INT, LUNA_DF_REAL, LUNA_DF_STRING, LUNA_DF_VALUE
  end enum

  interface
    integer(c_int) function luna_type(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    pure integer(c_size_t) function luna_size(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    integer(c_int) function luna_get_int(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    real(c_double) function luna_get_real(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    integer(c_int) function luna_cast_int(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    real(c_double) function luna_cast_real(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    subroutine luna_set_int(df, value) bind(c)
      import
      type(luna_df), intent(inout) :: df
      integer(c_int), value :: value
    end subroutine
    subroutine luna_set_real(df, value) bind(c)
      import
      type(luna_df), intent(inout) :: df
      real(c_double), value :: value
    end subroutine
    subroutine luna_copy(df, from) bind(c)
      import
      type(luna_df), intent(inout) :: df
      type(luna_df), intent(in) :: from
    end subroutine

    ! The bytes alone, for c_f_pointer and types of your own.
    type(c_ptr) function luna_data(df) bind(c)
      import
      type(luna_df), intent(in) :: df
    end function
    type(c_ptr) function luna_create(df, n) bind(c)
      import
      type(luna_df), intent(inout) :: df
      integer(c_size_t), value :: n
    end function
    type(c_ptr) function luna_take(df, from) bind(c)
      import
      type(luna_df), intent(inout) :: df
      type(luna_df), intent(in) :: from
    end function

    ! What the module itself calls.
    type(c_ptr) function luna_data_of(df, item) bind(c)
      import
      type(luna_df), intent(in) :: df
      integer(c_size_t), value :: item
    end function
    type(c_ptr) function luna_data_array(df, item, rank, shape) bind(c)
      import
      type(luna_df), intent(in) :: df
      integer(c_size_t), value :: item
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: shape(*)
    end function
    type(c_ptr) function luna_create_array(df, item, rank, shape) bind(c)
      import
      type(luna_df), intent(inout) :: df
      integer(c_size_t), value :: item
      integer(c_int), value :: rank
      integer(c_int64_t), intent(in) :: shape(*)
    end function
    pure type(c_ptr) function luna_name_of(df) bind(c, name="luna_name")
      import
      type(luna_df), intent(in) :: df
    end function
    pure integer(c_size_t) function luna_c_length(s) bind(c, name="strlen")
      import
      type(c_ptr), value :: s
    end function
    type(c_ptr) function luna_text_of(df) bind(c, name="luna_get_string")
      import
      type(luna_df), intent(in) :: df
    end function
    subroutine luna_set_text(df, bytes, size) bind(c)
      import
      type(luna_df), intent(inout) :: df
      character(kind=c_char), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
    end subroutine
    subroutine luna_fail_text(bytes, size) bind(c)
      import
      character(kind=c_char), intent(in) :: bytes(*)
      integer(c_size_t), value :: size
    end subroutine
  end interface

  ! df = from shares the value. The bytes of a luna_df themselves must not be copied.
  interface assignment(=)
    procedure luna_copy
  end interface

#define OF(what) what/**/_real
#include "luna_names.inc"
#undef OF
#define OF(what) what/**/_float
#include "luna_names.inc"
#undef OF
#define OF(what) what/**/_int32
#include "luna_names.inc"
#undef OF
#define OF(what) what/**/_int64
#include "luna_names.inc"
#undef OF
#define OF(what) what/**/_complex
#include "luna_names.inc"
#undef OF

  private :: length_of, copy_text

contains

  ! Ends the run with exit code 3, this message, and the place of the call.
  subroutine luna_fail(message)
    character(len=*), intent(in) :: message
    call luna_fail_text(message, len(message, c_size_t))
  end subroutine

  subroutine luna_set_string(df, text)
    type(luna_df), intent(inout) :: df
    character(len=*), intent(in) :: text
    call luna_set_text(df, text, len(text, c_size_t))
  end subroutine

  ! The lengths of results are computed by whoever calls: gfortran keeps that of a result with the length
  ! `:` in a variable that all threads share.
  function luna_get_string(df) result(text)
    type(luna_df), intent(in) :: df
    character(len=luna_size(df) - 1) :: text
    call copy_text(luna_text_of(df), text)
  end function

  ! The reference under `luna run -g`, else "(df)".
  function luna_name(df) result(text)
    type(luna_df), intent(in) :: df
    character(len=luna_c_length(luna_name_of(df))) :: text
    call copy_text(luna_name_of(df), text)
  end function

  ! The text of a string parameter, character(kind=c_char), intent(in) :: s(*).
  function luna_string(s) result(text)
    character(kind=c_char), intent(in) :: s(*)
    character(len=length_of(s)) :: text
    integer :: i
    do i = 1, len(text)
      text(i:i) = s(i)
    end do
  end function

  pure integer function length_of(s) result(n)
    character(kind=c_char), intent(in) :: s(*)
    n = 0
    do while (s(n + 1) /= c_null_char)
      n = n + 1
    end do
  end function

  subroutine copy_text(from, text)
    type(c_ptr), intent(in) :: from
    character(len=*), intent(out) :: text
    character(kind=c_char), pointer :: s(:)
    integer :: i
    call c_f_pointer(from, s, [len(text)])
    do i = 1, len(text)
      text(i:i) = s(i)
    end do
  end subroutine

#define OF(what) what/**/_real
#define NUMBER real(c_double)
#include "luna_of.inc"
#undef OF
#undef NUMBER
#define OF(what) what/**/_float
#define NUMBER real(c_float)
#include "luna_of.inc"
#undef OF
#undef NUMBER
#define OF(what) what/**/_int32
#define NUMBER integer(c_int32_t)
#include "luna_of.inc"
#undef OF
#undef NUMBER
#define OF(what) what/**/_int64
#define NUMBER integer(c_int64_t)
#include "luna_of.inc"
#undef OF
#undef NUMBER
#define OF(what) what/**/_complex
#define NUMBER complex(c_double_complex)
#include "luna_of.inc"
end module
