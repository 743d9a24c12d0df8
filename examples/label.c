// An older way to say what must not happen: a label. `rhumb check examples/label.c --error-label ERROR`
extern int read_sensor(void);

int main(void) {
  int last = 0;
  for (int round = 0; round < 100; round++) {
    int value = read_sensor();
    if (value < 0 || value > 50)
      continue;
    if (last + value > 99)
      goto ERROR;
    last = value;
  }
  return 0;
ERROR:
  return 1;
}
