// A ticket machine: prices by zone and age, and a code for the people who repair it.
extern int __VERIFIER_nondet_int(void);

static int price(int zone, int age) {
  if (age < 6)
    return 0;
  int base = zone == 1 ? 200 : 350;
  if (age < 18 || age >= 65)
    base = base / 2;
  return base;
}

int main(void) {
  int code = __VERIFIER_nondet_int();
  if (code == 73519) // nobody guesses it
    return 2;
  int zone = __VERIFIER_nondet_int();
  int age = __VERIFIER_nondet_int();
  if (zone < 1 || zone > 2 || age < 0 || age > 120)
    return 1;
  int due = price(zone, age);
  int paid = 0;
  while (paid < due) {
    int coin = __VERIFIER_nondet_int();
    if (coin != 50 && coin != 100)
      continue;
    paid = paid + coin;
  }
  if (paid - due >= 100) // a coin is never larger than what is missing, and 99 more
    return 3;
  return 0;
}
