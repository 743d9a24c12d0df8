// The sum of a matrix by rows is its sum by columns; with -D BUG a column is taken for a row.
#include <assert.h>

extern short __VERIFIER_nondet_short(void);

#define ROWS 3
#define COLUMNS 4

int main(void) {
  int m[ROWS][COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      m[i][j] = __VERIFIER_nondet_short();
  int by_rows = 0, by_columns = 0;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      by_rows += m[i][j];
  for (int j = 0; j < COLUMNS; j++)
    for (int i = 0; i < ROWS; i++)
#ifdef BUG
      by_columns += m[i][j < ROWS ? j : 0];
#else
      by_columns += m[i][j];
#endif
  assert(by_rows == by_columns);
  return 0;
}
