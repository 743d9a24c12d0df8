// A machine with 60 states that takes the letters of one word, each from a place of its own.
// UNSAFE: with all letters in their places, one round is enough; otherwise it never ends.
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));
extern int __VERIFIER_nondet_int(void);

void reach_error(void) { __assert_fail("0", "abracadabra-5-abra.c", 1, "reach_error"); }

int main(void) {
  int state = 0;
  for (;;) {
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    int s3 = __VERIFIER_nondet_int();
    int s4 = __VERIFIER_nondet_int();
    int s5 = __VERIFIER_nondet_int();
    int s6 = __VERIFIER_nondet_int();
    int s7 = __VERIFIER_nondet_int();
    int s8 = __VERIFIER_nondet_int();
    int s9 = __VERIFIER_nondet_int();
    int s10 = __VERIFIER_nondet_int();
    int s11 = __VERIFIER_nondet_int();
    int s12 = __VERIFIER_nondet_int();
    int s13 = __VERIFIER_nondet_int();
    int s14 = __VERIFIER_nondet_int();
    int s15 = __VERIFIER_nondet_int();
    int s16 = __VERIFIER_nondet_int();
    int s17 = __VERIFIER_nondet_int();
    int s18 = __VERIFIER_nondet_int();
    int s19 = __VERIFIER_nondet_int();
    int s20 = __VERIFIER_nondet_int();
    int s21 = __VERIFIER_nondet_int();
    int s22 = __VERIFIER_nondet_int();
    int s23 = __VERIFIER_nondet_int();
    int s24 = __VERIFIER_nondet_int();
    int s25 = __VERIFIER_nondet_int();
    int s26 = __VERIFIER_nondet_int();
    int s27 = __VERIFIER_nondet_int();
    int s28 = __VERIFIER_nondet_int();
    int s29 = __VERIFIER_nondet_int();
    int s30 = __VERIFIER_nondet_int();
    int s31 = __VERIFIER_nondet_int();
    int s32 = __VERIFIER_nondet_int();
    int s33 = __VERIFIER_nondet_int();
    int s34 = __VERIFIER_nondet_int();
    int s35 = __VERIFIER_nondet_int();
    int s36 = __VERIFIER_nondet_int();
    int s37 = __VERIFIER_nondet_int();
    int s38 = __VERIFIER_nondet_int();
    int s39 = __VERIFIER_nondet_int();
    int s40 = __VERIFIER_nondet_int();
    int s41 = __VERIFIER_nondet_int();
    int s42 = __VERIFIER_nondet_int();
    int s43 = __VERIFIER_nondet_int();
    int s44 = __VERIFIER_nondet_int();
    int s45 = __VERIFIER_nondet_int();
    int s46 = __VERIFIER_nondet_int();
    int s47 = __VERIFIER_nondet_int();
    int s48 = __VERIFIER_nondet_int();
    int s49 = __VERIFIER_nondet_int();
    int s50 = __VERIFIER_nondet_int();
    int s51 = __VERIFIER_nondet_int();
    int s52 = __VERIFIER_nondet_int();
    int s53 = __VERIFIER_nondet_int();
    int s54 = __VERIFIER_nondet_int();
    int s55 = __VERIFIER_nondet_int();
    int s56 = __VERIFIER_nondet_int();
    int s57 = __VERIFIER_nondet_int();
    int s58 = __VERIFIER_nondet_int();
    if (state == 0 && s0 == 'a')
      state = 1;
    if (state == 1 && s1 == 'b')
      state = 2;
    if (state == 2 && s2 == 'r')
      state = 3;
    if (state == 3 && s3 == 'a')
      state = 4;
    if (state == 4 && s4 == 'c')
      state = 5;
    if (state == 5 && s5 == 'a')
      state = 6;
    if (state == 6 && s6 == 'd')
      state = 7;
    if (state == 7 && s7 == 'a')
      state = 8;
    if (state == 8 && s8 == 'b')
      state = 9;
    if (state == 9 && s9 == 'r')
      state = 10;
    if (state == 10 && s10 == 'a')
      state = 11;
    if (state == 11 && s11 == 'a')
      state = 12;
    if (state == 12 && s12 == 'b')
      state = 13;
    if (state == 13 && s13 == 'r')
      state = 14;
    if (state == 14 && s14 == 'a')
      state = 15;
    if (state == 15 && s15 == 'c')
      state = 16;
    if (state == 16 && s16 == 'a')
      state = 17;
    if (state == 17 && s17 == 'd')
      state = 18;
    if (state == 18 && s18 == 'a')
      state = 19;
    if (state == 19 && s19 == 'b')
      state = 20;
    if (state == 20 && s20 == 'r')
      state = 21;
    if (state == 21 && s21 == 'a')
      state = 22;
    if (state == 22 && s22 == 'a')
      state = 23;
    if (state == 23 && s23 == 'b')
      state = 24;
    if (state == 24 && s24 == 'r')
      state = 25;
    if (state == 25 && s25 == 'a')
      state = 26;
    if (state == 26 && s26 == 'c')
      state = 27;
    if (state == 27 && s27 == 'a')
      state = 28;
    if (state == 28 && s28 == 'd')
      state = 29;
    if (state == 29 && s29 == 'a')
      state = 30;
    if (state == 30 && s30 == 'b')
      state = 31;
    if (state == 31 && s31 == 'r')
      state = 32;
    if (state == 32 && s32 == 'a')
      state = 33;
    if (state == 33 && s33 == 'a')
      state = 34;
    if (state == 34 && s34 == 'b')
      state = 35;
    if (state == 35 && s35 == 'r')
      state = 36;
    if (state == 36 && s36 == 'a')
      state = 37;
    if (state == 37 && s37 == 'c')
      state = 38;
    if (state == 38 && s38 == 'a')
      state = 39;
    if (state == 39 && s39 == 'd')
      state = 40;
    if (state == 40 && s40 == 'a')
      state = 41;
    if (state == 41 && s41 == 'b')
      state = 42;
    if (state == 42 && s42 == 'r')
      state = 43;
    if (state == 43 && s43 == 'a')
      state = 44;
    if (state == 44 && s44 == 'a')
      state = 45;
    if (state == 45 && s45 == 'b')
      state = 46;
    if (state == 46 && s46 == 'r')
      state = 47;
    if (state == 47 && s47 == 'a')
      state = 48;
    if (state == 48 && s48 == 'c')
      state = 49;
    if (state == 49 && s49 == 'a')
      state = 50;
    if (state == 50 && s50 == 'd')
      state = 51;
    if (state == 51 && s51 == 'a')
      state = 52;
    if (state == 52 && s52 == 'b')
      state = 53;
    if (state == 53 && s53 == 'r')
      state = 54;
    if (state == 54 && s54 == 'a')
      state = 55;
    if (state == 55 && s55 == 'a')
      state = 56;
    if (state == 56 && s56 == 'b')
      state = 57;
    if (state == 57 && s57 == 'r')
      state = 58;
    if (state == 58 && s58 == 'a')
      state = 59;
    if (state == 59)
      reach_error();
  }
}
