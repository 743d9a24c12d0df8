typedef int number;
struct point { int x, y; };
int f(int a, number b, struct point *p, int table[]) {
    int c = a + b * 3 - (a << 2) % 7;
    c += a > b ? a : b;
    c = (number) a + -(b) - ~c + !a;
    c = sizeof(number) + sizeof c + sizeof(struct point[3]);
    c = p->x + (*p).y + table[c & 3] + table[0]++ - --c;
    c = (a, b, c);
    c = ({ int t = a; t + 1; });
    c ^= a | b & c;
    c = a && b || c && !(a == b) != (a <= c);
    c = ((struct point){ .x = 1, 2 }).x;
    c = __builtin_offsetof(struct point, y);
    c = 'a' + '\n' + '\x41' + '\0' + L'x';
    c = f(a, b, &(struct point){ 0 }, (int[]){ 1, 2, 3 });
    const char *s = "one" " two\t\"three\"\n";
    return c + s[0];
}
