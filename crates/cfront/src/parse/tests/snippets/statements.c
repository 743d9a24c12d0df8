extern int nondet(void);
extern void stop(void) __attribute__((noreturn));
int g(int n) {
    int i, sum = 0;
    static int calls;
    for (i = 0; i < n; i++) sum += i;
    for (int j = n; j > 0; j -= 2) { if (j == 5) continue; sum ^= j; }
    while (sum > 100) sum /= 2;
    do { sum++; if (nondet()) break; } while (sum < 0);
    if (n) ; else if (sum) { calls++; } else stop();
    switch (n) {
        case 0: case 1: sum = 1; break;
        case 2 ... 5: { sum = 2; }
        default: sum = 3;
    }
again:
    if (nondet()) goto again;
    {
        typedef int local;
        local x = 1;
        x++;
    }
    __asm__ volatile ("" : "+r" (sum) : "r" (n) : "memory");
    ;
    return sum;
}
