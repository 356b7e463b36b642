// Functions of many shapes, compiled by the C compiler: the calling convention's own witness. Each
// writes what it was given to its first argument.
#include <stdint.h>
#include <string.h>

void few(double *out, int64_t a, float b) {
  out[0] = (double)a;
  out[1] = b;
}

// More words than registers, floats in between, a 32-bit integer among those on the stack.
void many(double *out, int64_t a, float f0, int64_t b, double d1, int64_t c, int64_t d, int64_t e,
          int32_t g, float f2, uint64_t h) {
  const double all[] = {(double)a, f0,        (double)b, d1, (double)c,
                        (double)d, (double)e, g,         f2, (double)h};
  memcpy(out, all, sizeof all);
}

// More floats than registers: the ninth and tenth lie on the stack between words.
void floats(double *out, double a, double b, double c, double d, double e, double f, double g,
            double h, float i, int64_t w0, int64_t w1, int64_t w2, int64_t w3, int64_t w4,
            int64_t w5, double j) {
  const double all[] = {a,          b,          c,          d,          e,          f,
                        g,          h,          i,          (double)w0, (double)w1, (double)w2,
                        (double)w3, (double)w4, (double)w5, j};
  memcpy(out, all, sizeof all);
}

// A half-precision argument lies in the low bits of a vector register.
void half(uint16_t *out, _Float16 a, int64_t b) {
  memcpy(out, &a, sizeof a);
  out[1] = (uint16_t)b;
}
