// What examples/clock.c does as far as its callers see, in C: `rhumb check examples/clock.c --model examples/clock_model.c`
unsigned tick(unsigned now) { return now + 1; }
