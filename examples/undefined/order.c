// The next number of a counter; with -D BUG it is changed twice at once.
int main(void) {
  int counter = 1;
#ifdef BUG
  counter = counter++ + 1;
#else
  counter = counter + 1;
#endif
  return counter > 2;
}
